// The commands beside the agent: each loads its code only when it is called.
import { type Command, InvalidArgumentError } from "commander";
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import { printFailure } from "../exit.ts";

type Done = (exitCode: number) => void;
type Printed = Result<string | { json: unknown }, Failure>;

/** Prints what an operation gave: text as it is, objects as one line of JSON. */
function printer(done: Done): (result: Promise<Printed>) => Promise<void> {
  return async (pending) => {
    const result = await pending;
    if (!result.ok) return done(printFailure(result.error));
    const text = typeof result.value === "string" ? result.value : JSON.stringify(result.value.json, undefined, 2);
    if (text !== "") process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
    done(0);
  };
}

function limit(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 1 on.");
  return Number(text);
}

export function addCommands(program: Command, done: Done): void {
  const print = printer(done);
  addSessions(program, print);
  addSettings(program, print);
  addTrust(program, print);
  program
    .command("checkpoints [session] [number]")
    .description("summaries written by compactions, of the latest session of this folder unless one is named")
    .option("--json", "as JSON")
    .action(async (session, number, options) => {
      const { checkpointsCommand } = await import("../../runtime/checkpoints.ts");
      await print(checkpointsCommand(session, number, options));
    });
  program
    .command("recall <query...>")
    .description("find what was said, also in earlier sessions; a ref such as t3 or t3.2 prints the exact text")
    .option("--session <id>", "only in that session, or the session of the ref")
    .option("--limit <n>", "most results", limit, 8)
    .option("--all", "in every folder's sessions")
    .option("--json", "as JSON")
    .action(async (query: string[], options) => {
      const { recallCommand } = await import("../../runtime/recall.ts");
      await print(recallCommand(query.join(" "), options));
    });
}

function addSessions(program: Command, print: ReturnType<typeof printer>): void {
  const load = () => import("../../runtime/stored-sessions.ts");
  const loadRemoval = () => import("../../runtime/remove-sessions.ts");
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

function addSettings(program: Command, print: ReturnType<typeof printer>): void {
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

function addTrust(program: Command, print: ReturnType<typeof printer>): void {
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
