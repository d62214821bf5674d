// `everlong proxy`: look at, explain and manage sessions of other agents.
import type { Command, CommandCall, CommandContext, CommandOption } from "./contract.ts";

type Last = { last?: boolean };
type OfSession<More = object> = CommandCall<Last & More>;

const last: CommandOption = { flags: "--last", help: "the session used last" };
const limit = (rows: number, help = "most rows"): CommandOption => ({
  flags: "--limit <n>",
  help,
  kind: "count",
  default: rows,
});
const look = () => import("./proxy/look.ts");
const change = () => import("./proxy/change.ts");

const text = (name: string, kind: "todo" | "pinned" | "summary"): Command => ({
  name,
  summary: `print a session's ${kind} text; a file, text on stdin or an editor sets it`,
  arguments: "[id]",
  options: [
    last,
    { flags: "-f, --file <file>", help: "set it from a file; - reads stdin" },
    { flags: "--edit", help: "set it in your editor" },
  ],
  json: "value",
  run: async ({ args: [id], options }: OfSession<{ file?: string; edit?: boolean }>, { person }: CommandContext) =>
    (await change()).textCommand(kind, id, options, person),
});

const windows: Command = {
  name: "windows",
  summary: "context windows that were learned from refusals",
  json: "value",
  run: async () => (await look()).windows(),
  subcommands: [
    {
      name: "rm",
      summary: "forget what was learned of a model",
      arguments: "<model>",
      options: [{ flags: "--upstream <name>", help: "only at that upstream" }],
      json: "value",
      run: async ({ args: [model = ""], options }: CommandCall<{ upstream?: string }>) =>
        (await look()).forgetWindow(model, options),
    },
  ],
};

const subcommands: Command[] = [
  {
    name: "sessions",
    summary: "sessions, latest use first; with a part of their id or namespace",
    arguments: "[part]",
    options: [{ flags: "--family <name>", help: "only of that client" }, limit(50)],
    json: "value",
    run: async ({ args: [part], options }: CommandCall<{ family?: string; limit: number }>) =>
      (await look()).listSessions(options, part),
  },
  {
    name: "show",
    summary: "one session with its lanes and figures",
    arguments: "[id]",
    options: [last],
    json: "value",
    run: async ({ args: [id], options }: OfSession) => (await look()).showSession(id, options),
  },
  text("todo", "todo"),
  text("pin", "pinned"),
  text("summary", "summary"),
  {
    name: "spec",
    summary: "spec mode of a session; action: on, off, approve, revoke",
    arguments: "[id] [action]",
    options: [last],
    json: "value",
    run: async ({ args: [id, action], options }: OfSession) => (await change()).specCommand(id, action, options),
  },
  {
    name: "search",
    summary: "find what was stored; a ref such as SESSION:t3.2 prints the whole text",
    arguments: "<query...>",
    options: [
      { flags: "--session <id>", help: "only in that session" },
      { flags: "--namespace <name>", help: "only in that repository" },
      limit(8, "most results"),
    ],
    json: "value",
    run: async ({ args, options }: CommandCall<{ session?: string; namespace?: string; limit: number }>) =>
      (await look()).search(args.join(" "), options),
  },
  {
    name: "events",
    summary: "what left a session's requests",
    arguments: "[id]",
    options: [
      last,
      { flags: "--kind <kind>", help: "only of that kind, for example dropped_chat" },
      { flags: "--after <cursor>", help: "where an earlier list ended" },
      limit(50),
    ],
    json: "value",
    run: async ({ args: [id], options }: OfSession<{ kind?: string; after?: string; limit: number }>) =>
      (await look()).events(id, options),
  },
  {
    name: "why",
    summary: "what was done to a request and why; the latest unless one is named",
    arguments: "[request]",
    options: [
      { flags: "--session <id>", help: "the latest of that session" },
      { flags: "--all", help: "every item, also in long runs" },
    ],
    json: "value",
    async run(
      { args: [request], options }: CommandCall<{ session?: string; all?: boolean }>,
      { person }: CommandContext,
    ) {
      const { why } = await import("./proxy/why.ts");
      return why(request, options, person.width);
    },
  },
  {
    name: "stats",
    summary: "figures of a session, or of all",
    arguments: "[id]",
    options: [last],
    json: "value",
    run: async ({ args: [id], options }: OfSession) => (await look()).stats(id, options),
  },
  windows,
  {
    name: "semantic",
    summary: "how searching by meaning stands",
    json: "value",
    run: async () => (await look()).semantic(),
  },
  { name: "upstreams", summary: "where requests go", json: "value", run: async () => (await look()).upstreams() },
  {
    name: "delete",
    summary: "erase a session with all that was stored of it",
    arguments: "[id]",
    options: [last, { flags: "--all", help: "every session" }, { flags: "--yes", help: "do not ask" }],
    json: "value",
    run: async ({ args: [id], options }: OfSession<{ all?: boolean; yes?: boolean }>, { person }: CommandContext) =>
      (await change()).deleteCommand(id, options, person),
  },
];

export const proxy: Command = {
  name: "proxy",
  summary: "look at, explain and manage sessions of other agents",
  subcommands,
};
