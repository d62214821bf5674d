// `everlong recall`, `/recall` and `everlong eval`: finding what was said, and measuring how well that works.
import { commandUsage } from "../base/failure.ts";
import { optional } from "../base/optional.ts";
import { fail } from "../base/result.ts";
import {
  type ErasureChoice,
  type ErasureReport,
  type EvalOptions,
  itemsText,
  matchText,
  type RecallFilters,
  type RecallReply,
} from "../runtime/client/recall.ts";
import { home } from "../runtime/client.ts";
import {
  type Command,
  type CommandCall,
  type CommandOutcome,
  describe,
  type Person,
  type SlashCommand,
} from "./contract.ts";
import { counted } from "./format.ts";
import { type PinOptions, runPins } from "./pin.ts";
import { reindexSessions } from "./sessions.ts";

export const recall: SlashCommand = {
  name: "recall",
  summary: "search memories and everything said in this and earlier sessions",
  arguments: "[query...]",
  options: [
    { flags: "--scope <scope>", help: "auto, session, branch, repository, workspace, user or all" },
    { flags: "--all", help: "search every folder" },
    { flags: "--session <id>", help: "search in this session only" },
    { flags: "--repo <name>", help: "search in this repository" },
    { flags: "--branch <name>", help: "search on this branch" },
    { flags: "--kind <kinds>", help: "memory, board, turn, tool, checkpoint", kind: "words" },
    { flags: "--role <roles>", help: "user, assistant, tool", kind: "words" },
    { flags: "--since <time>", help: "from this date or time on (2026-01-31, 7d, yesterday)" },
    { flags: "--until <time>", help: "up to and including this date or time" },
    { flags: "--before <time>", help: "before this date or time" },
    { flags: "--as-of <time>", help: "as if today were this date" },
    { flags: "--order <order>", help: "relevance, or time (all matches, oldest first)" },
    { flags: "--cursor <cursor>", help: "continue an earlier list" },
    { flags: "--around <turn>", help: "show the turns around this one" },
    { flags: "--window <n>", help: "how many turns on each side", kind: "number" },
    { flags: "--limit <n>", help: "maximum results", kind: "count" },
    { flags: "--full", help: "show full texts instead of snippets" },
    { flags: "--explain", help: "explain the ranking" },
    { flags: "--forget", help: "erase items by id or ref, a whole --session, or everything --older-than a date" },
    { flags: "--older-than <time>", help: "with --forget: everything from before this date or time" },
    { flags: "--yes", help: "with --forget: do not ask" },
    { flags: "--pin <text>", help: "pin a text, or a result by its id, for this repository or --scope user" },
    { flags: "--pins", help: "list pins" },
    { flags: "--unpin <id>", help: "end a pin" },
    {
      flags: "--reindex [what]",
      help: "rebuild the search index; `embeddings` rebuilds the embeddings",
    },
    {
      flags: "--build-static <src>",
      help: "make a static embedding model in a new folder from word vectors or model2vec",
    },
  ],
  json: "value",
  async run(
    {
      args,
      options: { reindex, buildStatic, forget, olderThan, yes, pin, pins, unpin, ...ask },
    }: CommandCall<RecallFilters & PinOptions & RecallChange>,
    { on, person },
  ) {
    if (reindex !== undefined) return rebuild(reindex);
    if (buildStatic !== undefined) return build(buildStatic, args);
    if (forget) return erase(choiceOf(args, ask.session, olderThan), yes ?? false, person);
    if (olderThan !== undefined)
      return fail(commandUsage("--older-than goes with --forget.", "Add --forget, or use --until."));
    const pinning = runPins(on, {
      ...optional("pin", pin),
      ...optional("pins", pins),
      ...optional("unpin", unpin),
      ...optional("scope", ask.scope),
    });
    if (pinning) return pinning;
    return describe(await home.recall.askStored(args.join(" "), ask), (reply) => ({
      data: dataOf(reply),
      text: textOf(reply, { explained: ask.explain }),
    }));
  },
  slash: {
    usage: "QUERY|REF",
    summary: "search memories and everything said before",
    run: async (text, client) => describe(await client.recall(text), (reply) => textOf(reply, { command: "/" })),
  },
};

type RecallChange = {
  reindex?: string | true;
  buildStatic?: string;
  forget?: boolean;
  olderThan?: string;
  yes?: boolean;
};

const choiceOf = (args: CommandCall["args"], session?: string, olderThan?: string): ErasureChoice => ({
  ...(args.length > 0 ? { ids: args.filter((id) => id !== undefined) } : {}),
  ...(session === undefined ? {} : { session }),
  ...(olderThan === undefined ? {} : { olderThan }),
});

/** `--forget`. */
async function erase(choice: ErasureChoice, yes: boolean, person: Person): Promise<CommandOutcome> {
  if (Object.keys(choice).length === 0)
    return fail(commandUsage("Nothing to forget.", "Give an id or ref, --session or --older-than."));
  const confirm = async (items: number): Promise<boolean> =>
    yes || ((await person.confirm?.(`Erase ${counted(items, "item")} for good?`)) ?? false);
  const outcome = await home.recall.forgetStored(choice, confirm);
  if (outcome.ok && !outcome.value)
    return fail(commandUsage("Forgetting cannot be undone, so it needs your confirmation.", "Confirm, or add --yes."));
  return describe(outcome, (report) => ({ data: report, text: report ? erasedText(report) : "" }));
}

const erasedText = ({ items, facts, entities }: ErasureReport): string =>
  `Erased ${counted(items, "item")}, with ${counted(facts, "fact")} and ${counted(entities, "name")} learned from them alone. ` +
  "Session logs keep what was said; everlong sessions delete removes them.";

function dataOf(reply: RecallReply): unknown {
  if (reply.type === "item") return reply.item;
  if (reply.type === "originals") return reply.items;
  const { hits: results, ...rest } = reply.found;
  return { results, ...rest };
}

function textOf(reply: RecallReply, options: { explained?: boolean | undefined; command?: string }): string {
  if (reply.type === "item") return reply.item.text;
  if (reply.type === "originals") return itemsText(reply.items);
  return matchText(reply.found, { searched: reply.searched, ...options });
}

/** `--build-static SRC DIR`. */
async function build(source: string, [dir, ...others]: CommandCall["args"]): Promise<CommandOutcome> {
  if (dir === undefined || others.length > 0)
    return fail(commandUsage("--build-static takes a source and a folder.", "Use: --build-static SRC DIR."));
  return describe(
    await home.staticModel.buildStaticModel(source, dir),
    ({ name, rows, dims, dir: made }) =>
      `Made ${name} with ${counted(rows, "row")} of ${dims} numbers. Use it with: everlong settings set recall.static.dir ${made}`,
  );
}

/** `--reindex`: everything anew from the logs; `--reindex embeddings`: the vectors. */
async function rebuild(what: string | true): Promise<CommandOutcome> {
  if (what === true) return reindexSessions();
  if (what !== "embeddings")
    return fail(commandUsage(`"${what}" cannot be rebuilt.`, "Use --reindex or --reindex embeddings."));
  return describe(
    await home.embeddings.reindexEmbeddings(),
    ({ embedder, made, waiting, trouble }) =>
      `Embedded ${counted(made, "passage")} with ${embedder}.${waiting > 0 ? ` Still waiting: ${waiting} (${trouble})` : ""}`,
  );
}

export const evaluate: Command = {
  name: "eval",
  summary: "measure recall on your own labelled questions",
  arguments: "<what> <file>",
  options: [
    {
      flags: "--embedder <name>",
      help: "none, static, ollama or openai",
    },
    { flags: "--channels <list>", help: "use only these signals", kind: "words" },
    { flags: "--limit <n>", help: "how many results to look at", kind: "count" },
    { flags: "--ablate", help: "measure without each signal in turn" },
  ],
  json: "value",
  async run({ args: [what, file = ""], options }: CommandCall<EvalOptions>) {
    if (what === "recall") return home.evaluation.evaluateRecall(file, options);
    return fail(commandUsage(`"${what}" cannot be measured.`, "Use: everlong eval recall FILE."));
  },
};
