// The commands of the gateway: serve, and everything under `proxy`.
import type { Command } from "commander";
import { type Done, limit, type Print } from "./print.ts";

export function addServe(program: Command, done: Done): void {
  program
    .command("serve")
    .description("the gateway: long-session memory for the agents people already use")
    .option("--host <address>", "where to listen; 127.0.0.1 unless set otherwise")
    .option("--port <n>", "4747 unless set otherwise; 0 takes a free one")
    .option("--harness-root-dir <dir>", "its AGENTS.md joins the pinned text of every session")
    .option("--quiet", "only the address and the link")
    .option("--json", "one object, then events as JSON lines")
    .option("--link", "print a fresh link to the gateway that runs, and start nothing")
    .action(async (options) => {
      const { serveCommand } = await import("../serve.ts");
      done(await serveCommand(options));
    });
}

export function addProxy(program: Command, print: Print): void {
  const proxy = program.command("proxy").description("look at, explain and manage sessions of other agents");
  const look = () => import("../proxy/look.ts");
  const change = () => import("../proxy/change.ts");
  const command = (usage: string, description: string): Command =>
    proxy.command(usage).description(description).option("--json", "as JSON");
  const ofSession = (usage: string, description: string): Command =>
    command(usage, description).option("--last", "the session used last");

  command("sessions [part]", "sessions, latest use first; with a part of their id or namespace")
    .option("--family <name>", "only of that client")
    .option("--limit <n>", "most rows", limit, 50)
    .action(async (part, options) => print((await look()).listSessions(options, part)));
  ofSession("show [id]", "one session with its lanes and figures").action(async (id, options) =>
    print((await look()).showSession(id, options)),
  );
  for (const [name, text] of [
    ["todo", "todo"],
    ["pin", "pinned"],
    ["summary", "summary"],
  ] as const) {
    ofSession(`${name} [id]`, `print a session's ${text} text; a file, text on stdin or an editor sets it`)
      .option("-f, --file <file>", "set it from a file; - reads stdin")
      .option("--edit", "set it in your editor")
      .action(async (id, options) => print((await change()).textCommand(text, id, options)));
  }
  ofSession("spec [id] [action]", "spec mode of a session; action: on, off, approve, revoke").action(
    async (id, action, options) => print((await change()).specCommand(id, action, options)),
  );
  command("search <query...>", "find what was stored; a ref such as SESSION:t3.2 prints the whole text")
    .option("--session <id>", "only in that session")
    .option("--namespace <name>", "only in that repository")
    .option("--limit <n>", "most results", limit, 8)
    .action(async (query: string[], options) => print((await look()).search(query.join(" "), options)));
  ofSession("events [id]", "what left a session's requests")
    .option("--kind <kind>", "only of that kind, for example dropped_chat")
    .option("--after <cursor>", "where an earlier list ended")
    .option("--limit <n>", "most rows", limit, 50)
    .action(async (id, options) => print((await look()).events(id, options)));
  command("why [request]", "what was done to a request and why; the latest unless one is named")
    .option("--session <id>", "the latest of that session")
    .option("--all", "every item, also in long runs")
    .action(async (request, options) => {
      const { why } = await import("../proxy/why.ts");
      await print(why(request, options, process.stdout.columns));
    });
  ofSession("stats [id]", "figures of a session, or of all").action(async (id, options) =>
    print((await look()).stats(id, options)),
  );
  addWindows(command, print);
  command("semantic", "how searching by meaning stands").action(async (options) =>
    print((await look()).semantic(options)),
  );
  command("upstreams", "where requests go").action(async (options) => print((await look()).upstreams(options)));
  ofSession("delete [id]", "erase a session with all that was stored of it")
    .option("--all", "every session")
    .option("--yes", "do not ask")
    .action(async (id, options) => print((await change()).deleteCommand(id, options)));
}

function addWindows(command: (usage: string, description: string) => Command, print: Print): void {
  const look = () => import("../proxy/look.ts");
  const windows = command("windows", "context windows that were learned from refusals");
  windows.action(async (options) => print((await look()).windows(options)));
  windows
    .command("rm <model>")
    .description("forget what was learned of a model")
    .option("--upstream <name>", "only at that upstream")
    .option("--json", "as JSON")
    .action(async (model, options) => print((await look()).forgetWindow(model, options)));
}
