// `everlong recall`, `/recall` and `everlong eval`: finding what was said, and measuring how well that works.
import { commandUsage } from "../base/failure.ts";
import { fail } from "../base/result.ts";
import { type EvalOptions, foundText, itemsText, type RecallAsk, type RecallReply } from "../runtime/client/recall.ts";
import { home } from "../runtime/client.ts";
import { type Command, type CommandCall, type CommandOutcome, describe, type SlashCommand } from "./contract.ts";
import { reindexSessions } from "./sessions.ts";

export const recall: SlashCommand = {
  name: "recall",
  summary:
    "find what was said, done or remembered, also in earlier sessions; a ref such as t3 or t3.2 prints the exact text",
  arguments: "[query...]",
  options: [
    { flags: "--scope <scope>", help: "auto, session, branch, repository, workspace, user or all" },
    { flags: "--all", help: "in every folder" },
    { flags: "--session <id>", help: "only in that session, or the session of the ref" },
    { flags: "--repo <name>", help: "in that repository" },
    { flags: "--branch <name>", help: "on that branch" },
    { flags: "--kind <kinds>", help: "memory, board, turn, tool, checkpoint", kind: "words" },
    { flags: "--role <roles>", help: "user, assistant, tool", kind: "words" },
    { flags: "--since <time>", help: "from then on: a date, a time, 7d, yesterday" },
    { flags: "--until <time>", help: "up to the end of then" },
    { flags: "--before <time>", help: "up to the beginning of then" },
    { flags: "--as-of <time>", help: "as if it were then" },
    { flags: "--order <order>", help: "relevance, or time: all matches, oldest first" },
    { flags: "--cursor <cursor>", help: "where an earlier list ended" },
    { flags: "--around <turn>", help: "the turns around this one" },
    { flags: "--window <n>", help: "how many on each side", kind: "number" },
    { flags: "--limit <n>", help: "most results", kind: "count" },
    { flags: "--full", help: "whole texts instead of snippets" },
    { flags: "--explain", help: "why each result stands where it stands" },
    {
      flags: "--reindex [what]",
      help: "build the index anew from the logs; embeddings: choose and ask the embedder anew",
    },
  ],
  json: "value",
  async run({ args, options: { reindex, ...ask } }: CommandCall<RecallAsk & { reindex?: string | true }>) {
    if (reindex !== undefined) return rebuild(reindex);
    return describe(await home.recall.ask(args.join(" "), ask), (reply) => ({
      data: dataOf(reply),
      text: textOf(reply, { explained: ask.explain }),
    }));
  },
  slash: {
    usage: "QUERY|REF",
    summary: "find what was said, done or remembered, also in earlier sessions",
    run: async (text, client) => describe(await client.recall(text), (reply) => textOf(reply, { command: "/" })),
  },
};

function dataOf(reply: RecallReply): unknown {
  if (reply.type === "item") return reply.item;
  if (reply.type === "originals") return reply.items;
  const { hits: results, ...rest } = reply.found;
  return { results, ...rest };
}

function textOf(reply: RecallReply, options: { explained?: boolean | undefined; command?: string }): string {
  if (reply.type === "item") return reply.item.text;
  if (reply.type === "originals") return itemsText(reply.items);
  return foundText(reply.found, { searched: reply.searched, ...options });
}

/** `--reindex`: everything anew from the logs; `--reindex embeddings`: the vectors. */
async function rebuild(what: string | true): Promise<CommandOutcome> {
  if (what === true) return reindexSessions();
  if (what !== "embeddings")
    return fail(commandUsage(`"${what}" cannot be rebuilt.`, "Use --reindex or --reindex embeddings."));
  return describe(
    await home.recall.reindexEmbeddings(),
    ({ embedder, made, waiting, trouble }) =>
      `${embedder}: ${made} passages have new vectors.${waiting > 0 ? ` ${waiting} wait: ${trouble}` : ""}`,
  );
}

export const evaluate: Command = {
  name: "eval",
  summary: "measure recall on a file of labelled questions, beside plain full-text search",
  arguments: "<what> <file>",
  options: [
    {
      flags: "--embedder <name>",
      help: "none, static, ollama or openai; static when its files are there, else none",
    },
    { flags: "--channels <list>", help: "only these signals", kind: "words" },
    { flags: "--limit <n>", help: "how deep to look", kind: "count" },
    { flags: "--ablate", help: "what each signal is worth" },
  ],
  json: "value",
  async run({ args: [what, file = ""], options }: CommandCall<EvalOptions>) {
    if (what === "recall") return home.recall.evaluate(file, options);
    return fail(commandUsage(`"${what}" cannot be measured.`, "Use: everlong eval recall FILE."));
  },
};
