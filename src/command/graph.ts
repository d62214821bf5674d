// `everlong graph` and `/graph`: facts over time, where they were said, and taking them back.
import { commandUsage } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import type { Community, FactChoice, FactView, NewFact, TimelineRow } from "../runtime/client/graph.ts";

import { type Command, type CommandCall, describe, type SlashCommand } from "./contract.ts";
import { counted, minute, onOneLine } from "./format.ts";
import { serverVerbs } from "./graph-server.ts";
import { promotionVerbs } from "./promote.ts";
import { runWords, slashWords } from "./words.ts";

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
    describe(await on.graph((graph) => graph.facts(options)), (rows) => factList(rows, noFacts(options))),
};

/** Whoever narrowed the list is not told that there is nothing at all. */
const noFacts = (options: Of["options"]): string =>
  Object.keys(options).some((name) => NARROWS.has(name)) ? "No facts match that." : "No facts are known here yet.";
const NARROWS = new Set(["asOf", "entity", "relation", "since", "until", "group"]);

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
        `${onOneLine(view.entity.name)} (${label})${aliases.length > 0 ? `, also ${onOneLine(aliases.join(", "))}` : ""}`,
        ...(summary === "" ? [] : [onOneLine(summary)]),
        ...(view.community ? [`Together with: ${membersText(view.community)}`] : []),
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
      text: momentLines(rows).join("\n") || (name === undefined ? noFacts(options) : "No facts match that."),
    })),
};

const communities: Command = {
  name: "communities",
  summary: "show groups of closely related entities",
  options: [...where, { flags: "--limit <n>", help: "maximum communities", kind: "count" as const }],
  json: "lines",
  run: async ({ options }: Of, { on }) =>
    describe(await on.graph((graph) => graph.communities(options)), (rows) => ({
      data: rows,
      text:
        rows
          .map((one) => [membersText(one), ...one.summary.map((line) => `  ${onOneLine(line)}`)].join("\n"))
          .join("\n") || "Too few facts are known here for communities.",
    })),
};

/** All facts with every field, for other programs: one JSON object a line. */
const everything: Command = {
  name: "export",
  summary: "print every fact as JSON lines, ended ones too",
  options: where,
  json: "lines",
  run: async ({ options }: Of, { on }) =>
    describe(await on.graph((graph) => graph.facts({ ...options, expired: true, limit: MOST_FACTS })), (rows) => {
      const data = rows.map(factData);
      return { data, text: data.map((row) => JSON.stringify(row)).join("\n") };
    }),
};
const MOST_FACTS = 1_000_000;

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
    { flags: "--turn <ref>", help: "everything learned from a turn, as SESSION:tN" },
    { flags: "--group <id>", help: "a whole group" },
    { flags: "--yes", help: "do not ask" },
  ],
  async run(
    { args: [id], options: { turn, group, yes } }: CommandCall<{ turn?: string; group?: string; yes?: boolean }>,
    { on, person },
  ) {
    const what = group ?? turn ?? id;
    if (what === undefined) return fail(commandUsage("Nothing to forget.", "Give an id, --turn or --group."));
    if (!yes && !(await person.confirm?.(`Erase ${what} from the graph for good?`)))
      return fail(
        commandUsage("Forgetting cannot be undone, so it needs your confirmation.", "Confirm, or add --yes."),
      );
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

export const graph: SlashCommand = {
  name: "graph",
  summary: "facts over time: search, add, end and forget them",
  subcommands: [
    facts,
    search,
    entity,
    timeline,
    communities,
    everything,
    add,
    edit,
    forget,
    ...serverVerbs,
    ...promotionVerbs,
  ],
  slash: {
    // A word that is none of its verbs is looked for.
    run(text, _client, at) {
      const words = slashWords(text);
      const isVerb = graph.subcommands?.some(({ name }) => name === words[0]) || words[0] === "help";
      return runWords(
        graph,
        words.length === 0 || isVerb || words[0]?.startsWith("-") ? words : ["search", ...words],
        at,
      );
    },
    usage:
      "[QUERY|facts|search|entity|timeline|communities|export|add|edit|forget|queue|status|backfill|test|promote|promotions|undo]",
  },
};

const MOST_MEMBERS = 12;
function membersText({ members }: Community): string {
  const names = members.slice(0, MOST_MEMBERS).map(({ name }) => onOneLine(name, 100));
  return names.join(", ") + (members.length > MOST_MEMBERS ? ` and ${members.length - MOST_MEMBERS} more` : "");
}

/** One sentence may state several relations; people read it once. */
const factList = (rows: readonly FactView[], nothing: string) => ({
  data: rows.map(factData),
  text: [...new Map(rows.map((row) => [`${row.text} ${row.validAt}`, factLine(row)])).values()].join("\n") || nothing,
});

/** `b2c4d6e8  The port is 9090.  since 2026-03-01  (session 1a2b3c4d, t3)`. */
function factLine(fact: FactView): string {
  const until = fact.invalidAt === null ? "" : ` until ${minute(fact.invalidAt)}`;
  return `${fact.uuid.slice(0, 8)}  ${onOneLine(fact.text)}  since ${minute(fact.validAt)}${until}${sourceText(fact)}`;
}

function sourceText({ sources, origin }: FactView): string {
  const [first] = sources;
  if (!first) return "";
  const [, promotion] = /^everlong\.promotion\.(.{8})/.exec(first.name) ?? [];
  const named = first.name || (origin === "user" ? "added by hand" : first.uuid.slice(0, 8));
  const alone = promotion === undefined ? named : `promotion ${promotion}`;
  const place = first.session === undefined ? alone : `session ${first.session.slice(0, 8)}, t${first.turn}`;
  return `  (${onOneLine(place, 100)}${sources.length > 1 ? ` and ${sources.length - 1} more` : ""})`;
}

const momentLines = (rows: readonly TimelineRow[]): string[] => [
  ...new Map(rows.map((row) => [`${row.at} ${row.type} ${row.fact.text}`, momentLine(row)])).values(),
];
const momentLine = ({ at, type, fact }: TimelineRow): string =>
  `${minute(at)}  ${type === "begins" ? "+" : "-"} ${onOneLine(fact.text)}${sourceText(fact)}`;

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
  attributes: fact.attributes,
  episodes: fact.episodes,
  sources: fact.sources,
});
