// `everlong graph` and `/graph`: facts over time, where they were said, and taking them back.
import { commandUsage } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import type {
  Episode,
  FactChoice,
  FactView,
  GraphitiStatus,
  GraphStatus,
  NewFact,
  OutboxRow,
  TimelineRow,
} from "../runtime/client/graph.ts";
import { home } from "../runtime/client.ts";

import { type Command, type CommandCall, describe, type SlashCommand } from "./contract.ts";
import { counted, minute } from "./format.ts";
import { promotionVerbs } from "./promote.ts";

const where = [
  { flags: "--scope <scope>", help: "session, workspace, user or all" },
  { flags: "--group <id>", help: "a group by its id" },
];
const which = [
  ...where,
  { flags: "--as-of <time>", help: "what was true at this date or time" },
  { flags: "--expired", help: "include facts that have ended" },
  { flags: "--limit <n>", help: "maximum facts", kind: "count" as const },
];
type Of<More = object> = CommandCall<FactChoice & More>;

const search: Command = {
  name: "search",
  summary: "search facts",
  arguments: "<query...>",
  options: which,
  json: "lines",
  run: async ({ args, options }: Of, { on }) =>
    describe(await on.graph((graph) => graph.search(args.join(" "), options)), (rows) =>
      factList(rows, "No facts match."),
    ),
};

const facts: Command = {
  name: "facts",
  summary: "list facts, oldest first",
  isDefault: true,
  options: [
    ...which,
    { flags: "--entity <name>", help: "only facts about this" },
    { flags: "--relation <name>", help: "only this relation" },
  ],
  json: "lines",
  run: async ({ options }: Of, { on }) =>
    describe(await on.graph((graph) => graph.facts(options)), (rows) => factList(rows, "No facts are known here yet.")),
};

const entity: Command = {
  name: "entity",
  summary: "show what is known about something, now and before",
  arguments: "<name>",
  options: which,
  json: "lines",
  run: async ({ args: [name = ""], options }: Of, { on }) =>
    describe(await on.graph((graph) => graph.entity(name, options)), (view) => {
      const { label, aliases, summary } = view.entity;
      const lines = [
        `${view.entity.name} (${label})${aliases.length > 0 ? `, also ${aliases.join(", ")}` : ""}`,
        ...(summary === "" ? [] : [summary]),
        ...(view.current.length > 0 ? ["Now:", ...view.current.map(factLine)] : []),
        ...(view.past.length > 0 ? ["Before:", ...view.past.map(factLine)] : []),
      ];
      return { data: [view], text: lines.join("\n") };
    }),
};

const timeline: Command = {
  name: "timeline",
  summary: "show when facts began and ended, in order",
  arguments: "[entity]",
  options: [
    ...which,
    { flags: "--since <time>", help: "from this date or time on" },
    { flags: "--until <time>", help: "before this date or time" },
  ],
  json: "lines",
  run: async ({ args: [name], options }: Of, { on }) =>
    describe(await on.graph((graph) => graph.timeline(name, options)), (rows) => ({
      data: rows.map(({ at, type, fact }) => ({ at, type, ...factData(fact) })),
      text: rows.map(momentLine).join("\n") || "No facts are known here yet.",
    })),
};

const add: Command = {
  name: "add",
  summary: "add a fact",
  arguments: "<subject> <relation> <object>",
  options: [
    ...where,
    { flags: "--fact <text>", help: "the fact as a sentence" },
    { flags: "--valid-at <time>", help: "when it began" },
  ],
  json: "lines",
  run: async (
    { args: [subject = "", relation = "", object = ""], options }: Of<Pick<NewFact, "fact" | "validAt">>,
    { on },
  ) => {
    const { fact, validAt, ...choice } = options;
    const fields = {
      subject,
      relation,
      object,
      ...(fact === undefined ? {} : { fact }),
      ...(validAt === undefined ? {} : { validAt }),
    };
    return describe(await on.graph((graph) => graph.add(fields, choice)), (row) => ({
      data: [factData(row)],
      text: `Added:\n${factLine(row)}`,
    }));
  },
};

const edit: Command = {
  name: "edit",
  summary: "end a fact",
  arguments: "<fact>",
  options: [{ flags: "--invalid-at <time>", help: "when it ended", required: true }],
  json: "lines",
  run: async ({ args: [id = ""], options: { invalidAt } }: CommandCall<{ invalidAt: string }>, { on }) =>
    describe(await on.graph((graph) => graph.end(id, invalidAt)), (row) => ({
      data: [factData(row)],
      text: factLine(row),
    })),
};

const forget: Command = {
  name: "forget",
  alias: "delete",
  summary: "erase a fact, an episode, an entity, a turn or a group",
  arguments: "[id]",
  options: [
    { flags: "--turn <ref>", help: "what a turn said, as SESSION:tN" },
    { flags: "--group <id>", help: "a whole group" },
    { flags: "--yes", help: "do not ask" },
  ],
  async run(
    { args: [id], options: { turn, group, yes } }: CommandCall<{ turn?: string; group?: string; yes?: boolean }>,
    { on, person },
  ) {
    const what = group ?? turn ?? id;
    if (what === undefined) return fail(commandUsage("Nothing to forget was named.", "Give an id, --turn or --group."));
    if (!yes && !(await person.confirm?.(`Erase ${what} from the graph for good?`)))
      return fail(commandUsage("Nothing was erased.", "Confirm, or add --yes."));
    const choice = {
      ...(id === undefined ? {} : { id }),
      ...(turn === undefined ? {} : { turn }),
      ...(group === undefined ? {} : { group }),
    };
    return describe(
      await on.graph((graph) => graph.forget(choice)),
      (gone) =>
        `Erased ${counted(gone.facts, "fact")}, ${counted(gone.episodes, "episode")} and ${counted(gone.entities, "name")}. ` +
        "The session's log keeps what was said; everlong sessions delete removes it.",
    );
  },
};

const queue: Command = {
  name: "queue",
  summary: "list what waits to be read or could not be, try again, or drop it",
  arguments: "[verb] [id...]",
  usage: "[list|retry|drop] [ID...]",
  json: "lines",
  run: async ({ args: [verb = "list", ...ids] }: CommandCall, { on }) => {
    if (verb === "list")
      return describe(await on.graph((graph) => graph.queue()), ({ episodes, outbox }) => ({
        data: [...episodes, ...outbox],
        text: [...episodes.map(episodeLine), ...outbox.map(outboxLine)].join("\n") || "Nothing waits.",
      }));
    if (verb !== "retry" && verb !== "drop")
      return fail(commandUsage(`There is no "${verb}" here.`, "Use list, retry or drop."));
    const names = ids.filter((id) => id !== undefined);
    return describe(
      await on.graph((graph) => graph.requeue(names, verb === "retry" ? "queued" : "done")),
      (count) => `${verb === "retry" ? "Trying again" : "Dropped"}: ${counted(count, "episode")}.`,
    );
  },
};

/** `g12  parked  everlong.turn.1a2b.user  (HTTP 422: …)`. */
const outboxLine = ({ seq, state, message, error }: OutboxRow): string =>
  `g${seq}  ${state}  ${message.name}${error === undefined ? "" : `  (${error})`}`;

const graphitiLine = ({ state, endpoint, error, waiting, unconfirmed, parked }: GraphitiStatus): string =>
  [
    `Graphiti server: ${state}${endpoint === undefined ? "" : ` (${endpoint})`}.`,
    ...(error === undefined ? [] : [`Last trouble: ${error}`]),
    ...(endpoint === undefined
      ? []
      : [`Messages: ${waiting} waiting, ${unconfirmed} not confirmed yet, ${parked} set aside.`]),
  ].join(" ");

const modelLine = ({ calls, tokens, dropped, ignored, fallbacks }: GraphStatus["model"]): string =>
  `Model: ${counted(calls, "call")}, ${counted(tokens, "token")}; ${counted(dropped, "fact")} dropped, ${counted(ignored, "ending")} ignored, ${fallbacks} times the rules took over.`;

const status: Command = {
  name: "status",
  summary: "show how much is known and what waits",
  json: "value",
  run: async (_call: CommandCall, { on }) =>
    describe(await on.graph((graph) => graph.status()), (data) => ({
      data,
      text: [
        data.enabled ? `Facts are found by: ${data.extractor}.` : "The graph is off; what it knew stays stored.",
        `${counted(data.facts, "fact")} (${data.ended} ended) about ${counted(data.entities, "name")} in ${counted(data.groups, "group")}.`,
        `Episodes: ${data.episodes.done} read, ${data.episodes.queued + data.episodes.running} waiting, ${data.episodes.parked} failed.`,
        graphitiLine(data.graphiti),

        ...(data.model.calls > 0 ? [modelLine(data.model)] : []),
      ].join("\n"),
    })),
};

const test: Command = {
  name: "test",
  summary: "check that the Graphiti server answers; with --smoke, that it stores and deletes",
  options: [
    { flags: "--smoke", help: "store a test message and delete it again" },
    { flags: "--endpoint <url>", help: "another server than the one in the settings" },
    { flags: "--wait <seconds>", help: "how long to wait for the message", kind: "count" },
  ],
  json: "value",
  run: async ({ options }: CommandCall<{ smoke?: boolean; endpoint?: string; wait?: number }>) =>
    describe(await home.testGraphiti(options), (data) => ({
      data,
      text: data.steps.map(({ outcome, step, ms, detail }) => `${outcome}  ${step}  ${ms} ms  ${detail}`).join("\n"),
      ...(data.isGood ? {} : { exit: 1 as const }),
    })),
};

export const graph: SlashCommand = {
  name: "graph",
  summary: "facts over time: search, add, end and forget them",
  subcommands: [facts, search, entity, timeline, add, edit, forget, queue, status, test, ...promotionVerbs],
  slash: { usage: "[facts|search|entity|timeline|add|edit|forget|queue|status|test|promote|promotions|undo]" },
};

/** One sentence may state several relations; people read it once. */
const factList = (rows: readonly FactView[], nothing: string) => ({
  data: rows.map(factData),
  text: [...new Map(rows.map((row) => [`${row.text} ${row.validAt}`, factLine(row)])).values()].join("\n") || nothing,
});

/** `b2c4d6e8  The port is 9090.  since 2026-03-01  (session 1a2b3c4d, t3)`. */
function factLine(fact: FactView): string {
  const until = fact.invalidAt === null ? "" : ` until ${minute(fact.invalidAt)}`;
  return `${fact.uuid.slice(0, 8)}  ${fact.text}  since ${minute(fact.validAt)}${until}${sourceText(fact)}`;
}

function sourceText({ sources }: FactView): string {
  const [first] = sources;
  if (!first) return "";
  const place =
    first.session === undefined
      ? first.name || first.uuid.slice(0, 8)
      : `session ${first.session.slice(0, 8)}, t${first.turn}`;
  return `  (${place}${sources.length > 1 ? ` and ${sources.length - 1} more` : ""})`;
}

const momentLine = ({ at, type, fact }: TimelineRow): string =>
  `${minute(at)}  ${type === "begins" ? "+" : "-"} ${fact.text}${sourceText(fact)}`;

const episodeLine = ({ uuid, state, text, error }: Episode): string =>
  `${uuid.slice(0, 8)}  ${state}  ${text.slice(0, 60).replace(/\s+/g, " ")}${error === undefined ? "" : `  (${error})`}`;

/** With the names that Graphiti gives its fields. */
const factData = (fact: FactView) => ({
  uuid: fact.uuid,
  group_id: fact.group,
  name: fact.relation,
  fact: fact.text,
  subject: fact.subject.name,
  object: fact.object.name,
  source_node_uuid: fact.subject.uuid,
  target_node_uuid: fact.object.uuid,
  valid_at: fact.validAt,
  invalid_at: fact.invalidAt,
  created_at: fact.createdAt,
  expired_at: fact.expiredAt,
  state: fact.state,
  origin: fact.origin,
  trust: fact.trust,
  slot: fact.slot,
  invalidated_by: fact.invalidatedBy,
  reason: fact.reason,
  episodes: fact.episodes,
  sources: fact.sources,
});
