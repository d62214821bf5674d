// The user's own hand on the graph: of the folder a command runs in, or of a group by its id.
import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { repositoryKey } from "../../host/git.ts";
import type { FactQuery } from "../../memory/graph/contract.ts";
import { relationName } from "../../memory/graph/extract/relation.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import { isGroupId } from "../../memory/graph/group.ts";
import { isCurrent } from "../../memory/graph/search.ts";
import { instantAt } from "../../memory/graph/time.ts";
import type { Entity, Fact, Instant } from "../../schema/graph.ts";
import type { EntityView, FactChoice, FactView, GraphAccess, TimelineRow } from "../client/graph.ts";
import type { ResultPromise } from "../client/open.ts";
import { parseTime } from "../recall/time.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import type { Workspace } from "../workspace.ts";
import { groupsOf, userGroup } from "./feed.ts";

const SHORTEST_ID = 6;
const LIST_LIMIT = 50;
const SCOPES = ["session", "workspace", "user", "all"];

const refused = (code: string, what: string, next: string, exit: 1 | 2 = 1) =>
  fail<Failure>({ code, what, data: "Nothing was changed.", next, exit });

export function graphAccess(workspace: Workspace, graph: TemporalGraph<unknown>, session?: string): GraphAccess {
  const { store } = graph;
  const { redact, settings, env } = workspace;

  const groups = (choice: FactChoice): Result<string[] | undefined, Failure> => {
    const { group, scope = "workspace" } = choice;
    if (group !== undefined)
      return isGroupId(group)
        ? ok([group])
        : refused("usage", `"${group}" is no group id.`, "everlong graph status lists groups.", 2);
    if (!SCOPES.includes(scope))
      return refused("usage", `There is no scope "${scope}".`, `Use one of: ${SCOPES.join(", ")}.`, 2);
    if (scope === "all") return ok(undefined);
    if (scope === "user") return ok([userGroup(workspace).id]);
    if (scope === "session" && session === undefined)
      return refused(
        "usage",
        "There is no open session here.",
        "Use --scope workspace, or --group with the session's group.",
        2,
      );
    const repository = redact(repositoryKey(workspace.context.cwd));
    return ok(
      groupsOf(workspace, { session: session ?? "", repository })
        .filter((g) => g.scope === scope)
        .map((g) => g.id),
    );
  };

  const time = (text: string | undefined): Result<Instant | undefined, Failure> => {
    const ms = parseTime(text, "since");
    if (ms === null)
      return refused(
        "usage",
        `"${text}" is no date or time.`,
        "Write 2026-01-31, 2026-01-31T12:00, 7d or yesterday.",
        2,
      );
    return ok(ms === undefined ? undefined : instantAt(ms));
  };

  /** What a choice means for the store; `current` unless another time, or ended ones, are asked for. */
  const queryOf = (choice: FactChoice) => {
    const [within, asOf, since, until] = [groups(choice), time(choice.asOf), time(choice.since), time(choice.until)];
    if (!within.ok) return within;
    if (!asOf.ok) return asOf;
    if (!since.ok) return since;
    if (!until.ok) return until;
    return ok<FactQuery>({
      ...optional("groups", within.value),
      ...optional("asOf", asOf.value),
      ...optional("currentAt", asOf.value === undefined && !choice.expired ? graph.now() : undefined),
      ...optional("since", since.value),
      ...optional("until", until.value),
      ...optional("relation", choice.relation === undefined ? undefined : relationName(choice.relation)),
      limit: choice.limit ?? LIST_LIMIT,
    });
  };

  const views = async (facts: readonly Fact[]): ResultPromise<FactView[]> => {
    const ids = [...new Set(facts.flatMap(({ episodes }) => episodes))];
    const episodes = await store.episodes({ ids });
    if (!episodes.ok) return episodes;
    const byId = new Map(episodes.value.map((episode) => [episode.uuid, episode]));
    return ok(
      facts.map((fact) => ({
        ...fact,
        state: isCurrent(fact, graph.now()) ? "current" : "ended",
        sources: fact.episodes.flatMap((id) => {
          const episode = byId.get(id);
          if (!episode) return [];
          const { uuid, name, role, session: said, turn } = episode;
          return [
            {
              uuid,
              name,
              role,
              ...(said === undefined ? {} : { session: said }),
              ...(turn === undefined ? {} : { turn }),
            },
          ];
        }),
      })),
    );
  };

  const oneEntity = async (name: string, within: readonly string[] | undefined): ResultPromise<Entity> => {
    const only = within ? { groups: within } : {};
    const named = await store.entities({ name, ...only });
    if (!named.ok) return named;
    const byId =
      named.value.length === 0 && name.length >= SHORTEST_ID ? await store.entities({ ids: [name], ...only }) : named;
    if (!byId.ok) return byId;
    const [entity, ...others] = byId.value;
    if (!entity)
      return refused(
        "entity_not_found",
        `Nothing is known about "${name}" here.`,
        "Try --scope all, or everlong graph search.",
      );
    if (others.length > 0 && byId !== named)
      return refused("ambiguous", `Several ids begin with "${name}".`, "Give more of the id.");
    return ok(entity);
  };

  const oneFact = async (id: string): ResultPromise<Fact> => {
    if (id.length < SHORTEST_ID)
      return refused("usage", `"${id}" is too short for an id.`, "Give at least six characters of it.", 2);
    const facts = await store.facts({ ids: [id], limit: 2 });
    if (!facts.ok) return facts;
    const [fact, another] = facts.value;
    if (!fact)
      return refused("fact_not_found", `There is no fact ${id}.`, "everlong graph facts lists them with --json.");
    return another ? refused("ambiguous", `Several ids begin with ${id}.`, "Give more of the id.") : ok(fact);
  };
  const mayChange = (): Failure | undefined => refuseInToolShell(env, "change the graph");

  const facts = async (choice: FactChoice): ResultPromise<FactView[]> => {
    const query = queryOf(choice);
    if (!query.ok) return query;
    const about = choice.entity === undefined ? undefined : await oneEntity(choice.entity, query.value.groups);
    if (about && !about.ok) return about;
    const rows = await store.facts({ ...query.value, ...(about ? { entity: about.value.uuid } : {}) });
    return rows.ok ? views(rows.value) : rows;
  };

  return {
    facts,
    async search(text, choice) {
      const query = queryOf(choice);
      if (!query.ok) return query;
      const { groups: within, asOf, relation } = query.value;
      const request = {
        query: text,
        limit: choice.limit ?? 10,
        includeEnded: choice.expired ?? false,
        ...optional("groups", within),
        ...optional("asOf", asOf),
        ...optional("relation", relation),
      };
      const matches = await graph.search(request);
      if (!matches.ok)
        return refused("recall_unavailable", "The graph cannot be searched now.", "Try again; nothing is lost.");
      return views(matches.value);
    },
    async entity(name, choice): ResultPromise<EntityView> {
      const within = groups(choice);
      if (!within.ok) return within;
      const entity = await oneEntity(name, within.value);
      if (!entity.ok) return entity;
      const about = await store.facts({ entity: entity.value.uuid, limit: choice.limit ?? LIST_LIMIT });
      const rows = about.ok ? await views(about.value) : about;
      if (!rows.ok) return rows;
      const inState = (state: FactView["state"]) => rows.value.filter((fact) => fact.state === state);
      return ok({ entity: entity.value, current: inState("current"), past: inState("ended") });
    },
    async timeline(entity, choice) {
      const rows = await facts({ ...choice, expired: true, ...(entity === undefined ? {} : { entity }) });
      if (!rows.ok) return rows;
      const moments = rows.value.flatMap((fact): TimelineRow[] => [
        { at: fact.validAt, type: "begins", fact },
        ...(fact.invalidAt === null ? [] : [{ at: fact.invalidAt, type: "ends" as const, fact }]),
      ]);
      return ok(moments.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.type === "ends" ? -1 : 1)));
    },
    async add({ subject, relation, object, fact, validAt }, choice) {
      const inShell = mayChange();
      if (inShell) return fail(inShell);
      const within = groups(choice);
      const at = time(validAt);
      if (!within.ok) return within;
      if (!at.ok) return at;
      const group = within.value?.[0];
      if (group === undefined)
        return refused("usage", "A fact belongs to one scope.", "Use --scope workspace or user.", 2);
      if (subject.trim() === "" || relation.trim() === "" || object.trim() === "")
        return refused(
          "usage",
          "A fact needs a subject, a relation and an object.",
          "Example: everlong graph add api USES redis",
          2,
        );
      const text = redact(fact ?? `${subject} ${relation.toLowerCase().replaceAll("_", " ")} ${object}`);
      const term = (name: string) => ({ name: redact(name), label: "Term" as const });
      const draft = { subject: term(subject), relation, object: term(object), text, validAt: at.value ?? graph.now() };
      const accepted = await graph.accept({
        group,
        ...placeFor(group),
        origin: "user",
        episodes: [
          {
            name: `everlong.fact.${text}`.slice(0, 200),
            text,
            role: "user",
            roleType: "user",
            source: "fact_triple",
            validAt: graph.now(),
            extraction: { value: { entities: [], facts: [draft], endings: [] }, origin: "user" },
          },
        ],
      });
      if (!accepted.ok) return accepted;
      const episode = accepted.value.type === "accepted" ? accepted.value.episodes[0]?.uuid : undefined;
      const stored = await store.facts({ ...(episode === undefined ? {} : { episode }), limit: 1 });
      const rows = stored.ok ? await views(stored.value) : stored;
      if (!rows.ok) return rows;
      const [row] = rows.value;
      return row ? ok(row) : refused("usage", "A fact needs two different ends.", "Give another subject or object.", 2);
    },
    async end(id, moment) {
      const inShell = mayChange();
      if (inShell) return fail(inShell);
      const [fact, at] = [await oneFact(id), time(moment)];
      if (!fact.ok) return fact;
      if (!at.ok) return at;
      const { subject, object, relation, group, uuid, validAt } = fact.value;
      const end = at.value ?? graph.now();
      if (end <= validAt)
        return refused(
          "usage",
          `The fact begins at ${validAt.slice(0, 16)}; it cannot end before.`,
          "Give a later date.",
          2,
        );
      const ends = (name: string) => ({ name, label: "Term" as const });
      const ending = {
        subject: ends(subject.name),
        object: ends(object.name),
        relation,
        at: end,
        text: "Ended by the user.",
      };
      const accepted = await graph.accept({
        group,
        origin: "user",
        episodes: [
          {
            name: `everlong.end.${uuid}`,
            text: "Ended by the user.",
            role: "user",
            roleType: "user",
            source: "fact_triple",
            validAt: end,
            extraction: { value: { entities: [], facts: [], endings: [ending] }, origin: "user" },
          },
        ],
      });
      if (!accepted.ok) return accepted;
      const after = await oneFact(uuid);
      const rows = after.ok ? await views([after.value]) : after;
      return rows.ok && rows.value[0] ? ok(rows.value[0]) : (rows as Result<never, Failure>);
    },
    async forget({ id, turn, group }) {
      const inShell = mayChange();
      if (inShell) return fail(inShell);
      if (group !== undefined) return store.forget({ type: "group", id: group });
      if (turn !== undefined) {
        const [, session, number] = /^(.+):t(\d+)$/.exec(turn) ?? [];
        if (session === undefined) return refused("usage", `"${turn}" is no turn.`, "Write SESSION:tN.", 2);
        return store.forget({ type: "turn", session, turn: Number(number) });
      }
      return forgetById(id ?? "");
    },
    async episodes({ group, states }) {
      return store.episodes({ ...(group === undefined ? {} : { groups: [group] }), ...(states ? { states } : {}) });
    },
    requeue: (ids, to) => store.requeue({ to, ...(ids.length > 0 ? { episodes: ids } : {}) }),
    async status() {
      const counts = await store.counts();
      return counts.ok ? ok({ ...counts.value, enabled: true, extractor: settings.values["graph.extractor"] }) : counts;
    },
  };

  function placeFor(group: string) {
    const repository = redact(repositoryKey(workspace.context.cwd));
    const own = [...groupsOf(workspace, { session: session ?? "", repository }), userGroup(workspace)];
    const place = own.find(({ id }) => id === group)?.place;
    return place ? { place } : {};
  }

  /** A fact, an episode or an entity, by the beginning of its id. */
  async function forgetById(id: string): ReturnType<GraphAccess["forget"]> {
    if (id.length < SHORTEST_ID)
      return refused("usage", `"${id}" is too short for an id.`, "Give at least six characters of it.", 2);
    const [facts, episodes, entities] = [
      await store.facts({ ids: [id] }),
      await store.episodes({ ids: [id] }),
      await store.entities({ ids: [id] }),
    ];
    if (!facts.ok) return facts;
    if (!episodes.ok) return episodes;
    if (!entities.ok) return entities;
    const targets = [
      ...facts.value.map(({ uuid }) => ({ type: "fact" as const, id: uuid })),
      ...episodes.value.map(({ uuid }) => ({ type: "episode" as const, id: uuid })),
      ...entities.value.map(({ uuid }) => ({ type: "entity" as const, id: uuid })),
    ];
    const [target, ...others] = targets;
    if (!target)
      return refused("not_found", `Nothing in the graph has the id ${id}.`, "everlong graph facts --json shows ids.");
    if (others.length > 0) return refused("ambiguous", `Several ids begin with ${id}.`, "Give more of the id.");
    return store.forget(target);
  }
}
