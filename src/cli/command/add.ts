// The commands beside the agent: each loads its code only when it is called.
import type { Command } from "commander";
import { addWith } from "../with/add.ts";
import { addBackup } from "./backup.ts";
import { addBoard } from "./board.ts";
import { addDoctor } from "./doctor.ts";
import { addInbox } from "./inbox.ts";
import { addMcp } from "./mcp.ts";
import { addMemory } from "./memory.ts";
import { type Done, limit, type Print, printer } from "./print.ts";
import { addProxy, addServe } from "./proxy.ts";
import { addWipe } from "./wipe.ts";

export function addCommands(program: Command, done: Done): void {
  const print = printer(done);
  addSessions(program, print);
  addSettings(program, print);
  addTrust(program, print);
  addConsent(program, print);
  program
    .command("checkpoints [session] [number]")
    .description("summaries written by compactions, of the latest session of this folder unless one is named")
    .option("--json", "as JSON")
    .action(async (session, number, options) => {
      const { checkpointsCommand } = await import("../../runtime/session/checkpoints.ts");
      await print(checkpointsCommand(session, number, options));
    });
  addRecall(program, print);
  addServe(program, done);
  addProxy(program, print);
  addWith(program, done);
  addMcp(program, done);
  addBoard(program, print);
  addMemory(program, print);
  addInbox(program, print);
  addDoctor(program, done);
  addBackup(program, print, done);
  addWipe(program, done);
}

function addRecall(program: Command, print: Print): void {
  const words = (text: string): string[] => text.split(",").map((w) => w.trim());
  program
    .command("recall [query...]")
    .description(
      "find what was said, done or remembered, also in earlier sessions; a ref such as t3 or t3.2 prints the exact text",
    )
    .option("--scope <scope>", "auto, session, branch, repository, workspace, user or all")
    .option("--all", "in every folder")
    .option("--session <id>", "only in that session, or the session of the ref")
    .option("--repo <name>", "in that repository")
    .option("--branch <name>", "on that branch")
    .option("--kind <kinds>", "memory, board, turn, tool, checkpoint", words)
    .option("--role <roles>", "user, assistant, tool", words)
    .option("--since <time>", "from then on: a date, a time, 7d, yesterday")
    .option("--until <time>", "up to the end of then")
    .option("--before <time>", "up to the beginning of then")
    .option("--as-of <time>", "as if it were then")
    .option("--order <order>", "relevance, or time: all matches, oldest first")
    .option("--cursor <cursor>", "where an earlier list ended")
    .option("--around <turn>", "the turns around this one")
    .option("--window <n>", "how many on each side", (text) => (text === "0" ? 0 : limit(text)))
    .option("--limit <n>", "most results", limit)
    .option("--full", "whole texts instead of snippets")
    .option("--explain", "why each result stands where it stands")
    .option("--reindex [what]", "build the index anew from the logs; embeddings: choose and ask the embedder anew")
    .option("--json", "as JSON")
    .action(async (query: string[], options) => {
      const { recallCommand } = await import("../../runtime/recall/command.ts");
      await print(recallCommand(query.join(" "), options));
    });
  program
    .command("eval <what> <file>")
    .description("measure recall on a file of labelled questions, beside plain full-text search")
    .option("--embedder <name>", "none, static, ollama or openai; static when its files are there, else none")
    .option("--channels <list>", "only these signals", words)
    .option("--limit <n>", "how deep to look", limit)
    .option("--ablate", "what each signal is worth")
    .option("--json", "as JSON")
    .action(async (what, file, options) => {
      const { evalCommand } = await import("../../runtime/recall/eval-recall.ts");
      await print(evalCommand(what, file, options));
    });
}

function addSessions(program: Command, print: Print): void {
  const load = () => import("../../runtime/session/stored-sessions.ts");
  const loadRemoval = () => import("../../runtime/session/remove-sessions.ts");
  const sessions = program.command("sessions").description("look at, search and manage stored sessions");
  sessions
    .command("list", { isDefault: true })
    .description("sessions of this folder, newest first")
    .option("--all", "of every folder")
    .option("--json", "as JSON")
    .option("--limit <n>", "most rows", limit, 20)
    .action(async (options) => print((await load()).listSessions(options)));
  sessions
    .command("show <id>")
    .option("--json", "as JSON")
    .action(async (id, options) => print((await load()).showSession(id, options)));
  sessions
    .command("search <query...>")
    .description("find text in stored sessions")
    .option("--all", "of every folder")
    .option("--limit <n>", "most rows", limit, 20)
    .option("--json", "as JSON")
    .action(async (query: string[], options) => print((await load()).searchSessions(query.join(" "), options)));
  sessions
    .command("rename <id> <name...>")
    .action(async (id, name: string[]) => print((await load()).renameSession(id, name.join(" "))));
  sessions
    .command("export <id> [path]")
    .option("--format <format>", "md, html, json or jsonl", "md")
    .action(async (id, path, options) => print((await load()).exportStored(id, options.format, path)));
  sessions
    .command("rewind <id>")
    .requiredOption("--to <place>", "tN, an event id, or how many prompts back")
    .action(async (id, options) => print((await load()).rewindStored(id, options.to)));
  sessions
    .command("fork <id> [name]")
    .option("--at <event>", "only up to before this event or prompt")
    .action(async (id, name, options) => print((await load()).forkStored(id, { name, at: options.at })));
  sessions
    .command("delete <id>")
    .option("--yes", "do not ask")
    .action(async (id, options) => print((await loadRemoval()).deleteSession(id, options)));
  sessions
    .command("prune")
    .description("delete old sessions; named ones stay")
    .requiredOption("--older-than <age>", "for example 30d")
    .option("--dry-run", "only show what would go")
    .option("--yes", "do not ask")
    .action(async (options) => print((await loadRemoval()).pruneSessions(options)));
  sessions
    .command("reindex")
    .description("rebuild the search index from the logs")
    .action(async () => print((await load()).reindexSessions()));
  sessions
    .command("verify <id>")
    .description("check a session's log")
    .action(async (id) => print((await load()).verifySession(id)));
}

function addSettings(program: Command, print: Print): void {
  const load = () => import("../../runtime/settings-command.ts");
  const settings = program.command("settings").description("list, read and change settings");
  settings
    .command("list", { isDefault: true })
    .option("--json", "as JSON")
    .action(async (options) => print((await load()).listSettings(options)));
  settings.command("get <key>").action(async (key) => print((await load()).getSetting(key)));
  settings
    .command("set <key> <value>")
    .option("--project", "in the project's file instead of the user's")
    .action(async (key, value, options) => print((await load()).setSetting(key, value, options)));
  settings
    .command("unset <key>")
    .option("--project", "in the project's file instead of the user's")
    .action(async (key, options) => print((await load()).setSetting(key, undefined, options)));
}

function addTrust(program: Command, print: Print): void {
  program
    .command("trust [path]")
    .description("trust a folder's own hooks, servers, agents and rules")
    .option("--revoke", "take it back")
    .option("--list", "list trusted folders")
    .action(async (path, options) => {
      const { trustCommand } = await import("../../runtime/trust-command.ts");
      await print(trustCommand(path, options));
    });
}

function addConsent(program: Command, print: Print): void {
  const load = () => import("../../runtime/consent-command.ts");
  const consent = program
    .command("consent")
    .description("which addresses off this machine may be sent texts of this folder");
  consent
    .command("list", { isDefault: true })
    .description("what was agreed to, and what waits for it")
    .option("--json", "as JSON")
    .action(async (options) => print((await load()).consentList(options)));
  consent
    .command("grant <url>")
    .description("agree to that address, from this folder")
    .action(async (url) => print((await load()).consentGrant(url)));
  consent
    .command("revoke <url>")
    .description("take it back")
    .action(async (url) => print((await load()).consentRevoke(url)));
}
