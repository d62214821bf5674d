// Changing the graph by hand: a fact is added, ended or forgotten; an agent's shell may do none of it.
import { newId } from "../../base/id.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok } from "../../base/result.ts";
import type { ForgetTarget } from "../../memory/graph/contract.ts";
import type { EntityDraft, Extraction } from "../../memory/graph/extract/draft.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import { ANY_LABEL } from "../../memory/graph/name.ts";
import type { Fact, Instant } from "../../schema/graph.ts";
import type { GraphAccess } from "../client/graph.ts";
import type { ResultPromise } from "../client/open.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import type { Workspace } from "../workspace.ts";
import { type GraphChoices, refused } from "./choice.ts";
import { onlyOne, SHORTEST_ID, viewsOf } from "./look.ts";

type Changing = Pick<GraphAccess, "add" | "end" | "separate" | "forget">;

export function graphChange(workspace: Workspace, graph: TemporalGraph<unknown>, choices: GraphChoices): Changing {
  const { store } = graph;
  const { redact, env } = workspace;
  const inShell = () => refuseInToolShell(env, "change the graph");
  const term = (name: string): EntityDraft => ({ name: redact(name.trim().replace(/\s+/g, " ")), label: ANY_LABEL });

  /** An episode of the user's own hand. Gives its uuid. */
  const say = async (
    group: string,
    text: string,
    validAt: Instant,
    extraction: Partial<Extraction>,
  ): ResultPromise<string> => {
    const value = { entities: [], facts: [], endings: [], ...extraction };
    const uuid = newId();
    const accepted = await graph.accept({
      group,
      ...optional("place", choices.placeOf(group)),
      origin: "user",
      episodes: [
        {
          uuid,
          name: "",
          text,
          role: "user",
          roleType: "user",
          source: "fact_triple",
          validAt,
          extraction: { value, origin: "user" },
        },
      ],
    });
    return accepted.ok ? ok(uuid) : accepted;
  };

  const factWithId = async (id: string): ResultPromise<Fact> => {
    if (id.length < SHORTEST_ID) return tooShort(id);
    const facts = await store.facts({ ids: [id], limit: 2 });
    if (!facts.ok) return facts;
    return onlyOne(facts.value, id, {
      code: "fact_not_found",
      what: `No fact has the id ${id}.`,
      next: "everlong graph facts lists them.",
    });
  };

  return {
    async add({ subject, relation, object, fact, validAt }, choice) {
      const shell = inShell();
      if (shell) return fail(shell);
      const [groups, at] = [choices.groups(choice), choices.time(validAt)];
      if (!groups.ok) return groups;
      if (!at.ok) return at;
      const group = groups.value?.[0];
      if (group === undefined)
        return refused("usage", "A fact belongs to one scope.", "Use --scope workspace or user.", 2);
      const parts = [subject, relation, object].map((part) => part.trim());
      if (parts.includes("") || term(subject).name.toLowerCase() === term(object).name.toLowerCase())
        return refused(
          "usage",
          "A fact needs a relation between two different things.",
          "Example: everlong graph add api USES redis",
          2,
        );
      const long = LIMITS.find(({ of, most }) => [...({ subject, relation, object, fact }[of] ?? "")].length > most);
      if (long)
        return refused(
          "usage",
          `The ${long.of} has more than ${long.most.toLocaleString("en-US")} characters.`,
          "Shorten it.",
          2,
        );
      const text = redact(fact ?? `${subject} ${relation.toLowerCase().replaceAll("_", " ")} ${object}`);
      const draft = { subject: term(subject), relation, object: term(object), text, validAt: at.value ?? graph.now() };
      const episode = await say(group, text, graph.now(), { facts: [draft] });
      const stored = episode.ok ? await store.facts({ episodes: [episode.value] }) : episode;
      const views = stored.ok ? await viewsOf(graph, stored.value) : stored;
      return views.ok
        ? onlyOne(views.value, subject, {
            code: "fact_not_found",
            what: "The fact was not stored.",
            next: "Try again.",
          })
        : views;
    },
    async end(id, moment) {
      const shell = inShell();
      if (shell) return fail(shell);
      const [fact, at] = [await factWithId(id), choices.time(moment)];
      if (!fact.ok) return fact;
      if (!at.ok) return at;
      const { subject, object, relation, group, uuid, validAt } = fact.value;
      const end = at.value ?? graph.now();
      if (end <= validAt)
        return refused(
          "usage",
          `The fact began at ${validAt.slice(0, 16).replace("T", " ")} UTC and cannot end before that.`,
          "Give a later time, or now.",
          2,
        );
      const text = `Ended by hand: ${fact.value.text}`;
      const ending = await say(group, text, end, {
        endings: [{ subject: term(subject.name), object: term(object.name), relation, at: end, text }],
      });
      const after = ending.ok ? await store.facts({ ids: [uuid] }) : ending;
      const views = after.ok ? await viewsOf(graph, after.value) : after;
      return views.ok
        ? onlyOne(views.value, id, {
            code: "fact_not_found",
            what: `No fact has the id ${id}.`,
            next: "everlong graph facts lists them.",
          })
        : views;
    },
    async separate(name, choice) {
      const shell = inShell();
      if (shell) return fail(shell);
      const chosen = choices.groups(choice);
      if (!chosen.ok) return chosen;
      const every = chosen.value === undefined ? await store.groups() : undefined;
      if (every && !every.ok) return every;
      for (const group of chosen.value ?? every?.value.map(({ id }) => id) ?? []) {
        const outcome = await store.separate({ group, name, now: graph.now() });
        if (!outcome.ok) return outcome;
        if (outcome.value) return ok(outcome.value);
      }
      return refused(
        "not_found",
        `"${name}" was not merged with another name here.`,
        "everlong graph entity NAME shows the names of a thing.",
      );
    },
    async forget({ id = "", turn, group }) {
      const shell = inShell();
      if (shell) return fail(shell);
      if (group !== undefined) return forgetGroup(group);
      if (turn === undefined) return forgetById(id);
      const [, session, number] = /^(.+):t(\d+)$/.exec(turn) ?? [];
      if (session === undefined) return refused("usage", `"${turn}" does not name a turn.`, "Write SESSION:tN.", 2);
      return forgetTurn(session, Number(number));
    },
  };

  async function forgetGroup(id: string): ReturnType<GraphAccess["forget"]> {
    const chosen = choices.groups({ group: id });
    if (!chosen.ok) return chosen;
    const groups = await store.groups({ ids: [id] });
    if (!groups.ok) return groups;
    return groups.value.length > 0 ? store.forget({ type: "group", id }) : unknown(`The graph has no group ${id}.`);
  }

  async function forgetTurn(session: string, turn: number): ReturnType<GraphAccess["forget"]> {
    const episodes = await store.episodes({ session });
    if (!episodes.ok) return episodes;
    return episodes.value.some((episode) => episode.turn === turn)
      ? store.forget({ type: "turn", session, turn })
      : unknown(`Nothing in the graph was learned from ${session}:t${turn}.`);
  }

  /** A fact, an episode or an entity. */
  async function forgetById(id: string): ReturnType<GraphAccess["forget"]> {
    if (id.length < SHORTEST_ID) return tooShort(id);
    const facts = await store.facts({ ids: [id] });
    if (!facts.ok) return facts;
    const episodes = await store.episodes({ ids: [id] });
    if (!episodes.ok) return episodes;
    const entities = await store.entities({ ids: [id] });
    if (!entities.ok) return entities;
    const targets: ForgetTarget[] = [
      ...facts.value.map(({ uuid }) => ({ type: "fact", id: uuid }) as const),
      ...episodes.value.map(({ uuid }) => ({ type: "episode", id: uuid }) as const),
      ...entities.value.map(({ uuid }) => ({ type: "entity", id: uuid }) as const),
    ];
    const target = onlyOne(targets, id, {
      code: "not_found",
      what: `Nothing in the graph has the id ${id}.`,
      next: "everlong graph facts lists ids.",
    });
    return target.ok ? store.forget(target.value) : target;
  }
}

const LIMITS = [
  { of: "subject", most: 1024 },
  { of: "relation", most: 128 },
  { of: "object", most: 1024 },
  { of: "fact", most: 10_000 },
] as const;

const unknown = (what: string) =>
  refused("not_found", what, "everlong graph export --scope all lists every fact with its group and turns.");

const tooShort = (id: string) =>
  refused("usage", `"${id}" is too short for an id.`, "Give at least six characters of it.", 2);
