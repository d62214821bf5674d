// `everlong proxy`: look at, explain and manage sessions of other agents.
import type { Command, CommandCall, CommandContext, CommandOption } from "./contract.ts";

type Last = { last?: boolean };
type OfSession<More = object> = CommandCall<Last & More>;

const last: CommandOption = { flags: "--last", help: "the latest session" };
const limit = (rows: number, help = "maximum rows"): CommandOption => ({
  flags: "--limit <n>",
  help,
  kind: "count",
  default: rows,
});
const look = () => import("./proxy/look.ts");
const change = () => import("./proxy/change.ts");

const text = (name: string, kind: "todo" | "pinned" | "summary"): Command => ({
  name,
  summary: `show or set a session's ${kind} text`,
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
  summary: "list context windows learned from errors",
  json: "value",
  run: async () => (await look()).windows(),
  subcommands: [
    {
      name: "rm",
      summary: "forget the learned window of a model",
      arguments: "<model>",
      options: [{ flags: "--upstream <name>", help: "only at this upstream" }],
      json: "value",
      run: async ({ args: [model = ""], options }: CommandCall<{ upstream?: string }>) =>
        (await look()).forgetWindow(model, options),
    },
  ],
};

const subcommands: Command[] = [
  {
    name: "sessions",
    summary: "list sessions, latest first",
    arguments: "[part]",
    options: [{ flags: "--family <name>", help: "only from this client" }, limit(50)],
    json: "value",
    run: async ({ args: [part], options }: CommandCall<{ family?: string; limit: number }>) =>
      (await look()).listSessions(options, part),
  },
  {
    name: "show",
    summary: "show one session with its figures",
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
    summary: "turn a session's spec mode on or off, approve or revoke its spec",
    arguments: "[id] [action]",
    options: [last],
    json: "value",
    run: async ({ args: [id, action], options }: OfSession) => (await change()).specCommand(id, action, options),
  },
  {
    name: "search",
    summary: "search stored text; a ref such as SESSION:t3.2 prints it in full",
    arguments: "<query...>",
    options: [
      { flags: "--session <id>", help: "only in this session" },
      { flags: "--namespace <name>", help: "only in this repository" },
      limit(8, "maximum results"),
    ],
    json: "value",
    run: async ({ args, options }: CommandCall<{ session?: string; namespace?: string; limit: number }>) =>
      (await look()).search(args.join(" "), options),
  },
  {
    name: "events",
    summary: "list what was trimmed from a session",
    arguments: "[id]",
    options: [
      last,
      { flags: "--kind <kind>", help: "only this kind, for example dropped_chat" },
      { flags: "--after <cursor>", help: "continue an earlier list" },
      limit(50),
    ],
    json: "value",
    run: async ({ args: [id], options }: OfSession<{ kind?: string; after?: string; limit: number }>) =>
      (await look()).events(id, options),
  },
  {
    name: "why",
    summary: "explain what was done to a request (default: the latest)",
    arguments: "[request]",
    options: [
      { flags: "--session <id>", help: "the latest request of this session" },
      { flags: "--all", help: "show every item" },
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
    summary: "show figures for one or all sessions",
    arguments: "[id]",
    options: [last],
    json: "value",
    run: async ({ args: [id], options }: OfSession) => (await look()).stats(id, options),
  },
  windows,
  {
    name: "semantic",
    summary: "show the state of search by meaning",
    json: "value",
    run: async () => (await look()).semantic(),
  },
  { name: "upstreams", summary: "list upstreams", json: "value", run: async () => (await look()).upstreams() },
  {
    name: "delete",
    summary: "delete a session and everything stored for it",
    arguments: "[id]",
    options: [last, { flags: "--all", help: "every session" }, { flags: "--yes", help: "don't ask" }],
    json: "value",
    run: async ({ args: [id], options }: OfSession<{ all?: boolean; yes?: boolean }>, { person }: CommandContext) =>
      (await change()).deleteCommand(id, options, person),
  },
];

export const proxy: Command = {
  name: "proxy",
  summary: "look into sessions of other agents",
  subcommands,
};
