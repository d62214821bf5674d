// `everlong sessions`: look at, search and manage stored sessions.

import { refusal } from "../base/failure.ts";
import { optional } from "../base/optional.ts";
import { fail } from "../base/result.ts";
import { labelOf, matchText, snippetText } from "../runtime/client/recall.ts";
import { home } from "../runtime/client.ts";
import {
  type Command,
  type CommandCall,
  type CommandOutcome,
  describe,
  output,
  type SlashCommand,
} from "./contract.ts";
import { counted, minute } from "./format.ts";
import { filesOf, type RewindOptions, rewindOptions, rewindOutcome } from "./rewind.ts";
import { exportOutcome, forkOutcome } from "./session.ts";
import { sessionControls } from "./session-control.ts";
import { runWords } from "./words.ts";

const yes = { flags: "--yes", help: "don't ask" };
const all = { flags: "--all", help: "include every folder" };
const limit = { flags: "--limit <n>", help: "maximum rows", kind: "count", default: 20 } as const;

const badUsage = (what: string, next: string) => fail(refusal("usage", what, next, 2));

const list: Command = {
  name: "list",
  summary: "list this folder's sessions, newest first",
  isDefault: true,
  options: [all, limit, { flags: "--source <source>", help: "own, import or all", choices: ["own", "import", "all"] }],
  json: "value",
  run: async ({ options }: CommandCall<{ all?: boolean; limit: number; source?: "own" | "import" | "all" }>) =>
    describe(await home.sessions.list(options), (rows) => {
      const none = options.all ? "No sessions yet." : "No sessions in this folder yet. For other folders: --all";
      const lines = rows.map((r) => `${r.id}  ${minute(r.updated_at)}  ${counted(r.prompts, "prompt")}  ${r.name}`);
      return { data: rows, text: lines.join("\n") || none };
    }),
};

const show: Command = {
  name: "show",
  summary: "show one session",
  arguments: "<id>",
  json: "value",
  run: async ({ args: [id = ""] }) =>
    describe(await home.sessions.show(id), (facts) => ({
      data: facts,
      text: Object.entries(facts).map(factText).join("\n"),
    })),
};

const factText = ([name, value]: [string, unknown]): string =>
  `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`;

const search: Command = {
  name: "search",
  summary: "search in stored sessions",
  arguments: "<query...>",
  options: [all, limit],
  json: "value",
  run: async ({ args, options }: CommandCall<{ all?: boolean; limit: number }>) =>
    describe(await home.recall.searchSessions(args.join(" "), options), ({ found, searched }) => {
      const data = found.hits.map((hit) => ({
        sessionId: hit.source.session,
        ref: hit.ref,
        sourceType: labelOf({ ...hit, rewound: false }),
        snippet: snippetText(hit),
        timestamp: hit.time,
        rewound: hit.rewound,
      }));
      return { data, text: matchText(found, { searched }) };
    }),
};

const rename: Command = {
  name: "rename",
  summary: "rename a session",
  arguments: "<id> <name...>",
  async run({ args: [wanted = "", ...name] }) {
    const title = name.join(" ").trim();
    return describe(await home.sessions.rename(wanted, title), (id) => `Session ${id} is now called "${title}".`);
  },
};

const exportOne: Command = {
  name: "export",
  summary: "print a session, or write it to a file",
  arguments: "<id> [path]",
  options: [{ flags: "--format <format>", help: "md, html, json or jsonl", default: "md" }],
  run: async ({ args: [id = "", path], options }: CommandCall<{ format: string }>) =>
    exportOutcome(await home.sessions.export(id, options.format, path)),
};

const rewind: Command = {
  name: "rewind",
  summary: "go back in a session",
  arguments: "<id>",
  options: [
    { flags: "--to <place>", help: "where to: tN (prompt N), an event id, or how many prompts back", required: true },
    ...rewindOptions,
  ],
  run: async ({ args: [id = ""], options }: CommandCall<{ to: string } & RewindOptions>) =>
    rewindOutcome(
      await home.sessions.rewind(id, options.to, filesOf(options)),
      (ref = options.to) => `everlong sessions rewind ${id} --to ${ref}`,
    ),
};

const fork: Command = {
  name: "fork",
  summary: "copy a session into a new one",
  arguments: "<id> [name]",
  options: [{ flags: "--at <event>", help: "copy only up to this event or prompt" }],
  run: async ({ args: [id = "", name], options: { at } }: CommandCall<{ at?: string }>) =>
    forkOutcome(await home.sessions.fork(id, { ...optional("name", name), ...optional("at", at) })),
};

const remove: Command = {
  name: "delete",
  summary: "delete a session for good",
  arguments: "<id>",
  options: [yes],
  async run({ args: [wanted = ""], options }: CommandCall<{ yes?: boolean }>) {
    const session = await home.sessions.find(wanted);
    if (!session.ok) return session;
    const { id, name, prompts } = session.value;
    if (!options.yes)
      return badUsage(
        `This would delete session ${id} (${name || "unnamed"}, ${counted(prompts, "prompt")}) for good.`,
        "Add --yes to do it.",
      );
    const left = await home.sessions.remove([id]);
    if (!left.ok) return left;
    const [failed] = left.value;
    return failed ? fail(failed.failure) : output(`Deleted session ${id}. Memories made from it are kept.`);
  },
};

const prune: Command = {
  name: "prune",
  summary: "delete old sessions, except named ones",
  options: [
    { flags: "--older-than <age>", help: "for example 30d", required: true },
    { flags: "--dry-run", help: "show what would be deleted" },
    yes,
  ],
  async run({ options }: CommandCall<{ olderThan: string; dryRun?: boolean; yes?: boolean }>) {
    const age = /^(\d{1,5})d$/.exec(options.olderThan);
    if (!age) return badUsage(`"${options.olderThan}" is not an age.`, "Write days, for example 30d.");
    const old = await home.sessions.olderThan(Number(age[1]));
    if (!old.ok) return old;
    if (old.value.length === 0) return output("No sessions that old.");
    if (options.dryRun || !options.yes) {
      const rows = old.value.map(({ id, updatedAt, name }) => `${id}  ${updatedAt}  ${name}`);
      const next = options.dryRun ? "" : "; add --yes to do it";
      return output([...rows, `${rows.length} would be deleted${next}.`].join("\n"));
    }
    const left = await home.sessions.remove(old.value.map(({ id }) => id));
    if (!left.ok) return left;
    const rest = left.value.map(({ id, failure }) => `${id}: ${failure.what}`);
    return output([`${old.value.length - rest.length} deleted.`, ...rest].join("\n"));
  },
};

const reindex: Command = {
  name: "reindex",
  summary: "rebuild the search index from the logs",
  run: () => reindexSessions(),
};

const verify: Command = {
  name: "verify",
  summary: "check a session's log",
  arguments: "<id>",
  async run({ args: [wanted = ""] }) {
    const check = await home.sessions.verify(wanted);
    if (!check.ok) return check;
    const { id, events, onChain, unknownTypes, damaged } = check.value;
    const facts = `${counted(events, "event")}, ${onChain} in the current history, ${unknownTypes} of unknown type.`;
    if (damaged.length === 0) return output(`${facts}\nThe log is intact.`);
    const lines = damaged.map((d) => `Damaged: line ${d.line}, offset ${d.offset}, ${d.bytes} bytes.`);
    return fail({
      code: "log_damaged",
      what: [facts, ...lines].join("\n"),
      data: "All other events are readable.",
      next: `To repair the end and continue: everlong --resume ${id}`,
      exit: 1,
    });
  },
};

export const sessions: SlashCommand = {
  name: "sessions",
  summary: "list, search and manage sessions",
  subcommands: [
    list,
    show,
    search,
    rename,
    exportOne,
    rewind,
    fork,
    ...sessionControls,
    remove,
    prune,
    reindex,
    verify,
  ],
  slash: { usage: "[list|show|search]", summary: "list and search earlier sessions" },
};

/** The terminal opens it in place; elsewhere the list says what there is. */
export const resume: SlashCommand = {
  name: "resume",
  summary: "continue another session",
  slash: {
    usage: "[ID]",
    run: async (id, _client, at) =>
      id === ""
        ? runWords(sessions, [], at)
        : badUsage("Only the terminal can open another session in place.", `To continue it: everlong --resume ${id}`),
  },
};

export const reindexSessions = async (): Promise<CommandOutcome> =>
  describe(await home.sessions.reindex(), ({ sessions: count, items, rows, problem }) =>
    [
      ...(problem === undefined ? [] : [`The index was damaged (${problem}) and was rebuilt.`]),
      `Rebuilt from the logs: ${counted(count, "session")}.`,
      ...(items > 0 ? [`From the gateway's store: ${counted(items, "item")}.`] : []),
      ...(rows > 0 ? [`Memories and board items: ${rows}.`] : []),
    ].join("\n"),
  );
