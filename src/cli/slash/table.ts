// The table of slash commands: it feeds /help, prompt mode, line mode, completion and the terminal face.
import { commandUsage } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import type { AgentPrompt, Client, CommandResult } from "../../runtime/client.ts";
import { agentCommands } from "./agent-commands.ts";
import { boardCommands } from "./board-commands.ts";
import { showHelp } from "./help.ts";
import { memoryCommands } from "./memory-commands.ts";
import { showContext, showSession, showTodos, showUsage } from "./show.ts";

/** What a command did: its output, or a message to send to the model. */
export type SlashOutcome = CommandResult | { ok: true; value: string; send: string | AgentPrompt };

export type SlashCommand = {
  name: string;
  args: string;
  help: string;
  /** Works only where a person sits at a terminal. */
  interactiveOnly?: true;
  run: (client: Client, args: string) => Promise<SlashOutcome>;
};

const usage = (what: string, next: string): SlashOutcome => fail(commandUsage(what, next));

async function planMode(client: Client, args: string): Promise<SlashOutcome> {
  const said = "Plan mode is on: nothing is changed until the plan is accepted.";
  if (args === "off") {
    await client.mode.set("interactive");
    return ok("Plan mode is off.");
  }
  await client.mode.set("plan");
  return args === "" ? ok(said) : { ...ok(said), send: args };
}

async function allowAll(client: Client, args: string): Promise<SlashOutcome> {
  if (args === "on" || args === "off") await client.setAllowAll(args === "on");
  else if (args !== "" && args !== "show")
    return usage(`/allow-all takes on, off or show, not "${args}".`, "Try /allow-all show.");
  return ok(
    client.view().allowAll
      ? "Everything is allowed except what is denied, asked about or guarded."
      : "allow-all is off.",
  );
}

async function compact({ history }: Client, args: string): Promise<SlashOutcome> {
  if (args === "cancel") return history.cancel();
  return args === "undo" ? history.undo() : history.compact(args);
}

async function exportSession(client: Client, args: string): Promise<SlashOutcome> {
  const [format = "md", ...path] = args.split(/\s+/).filter(Boolean);
  return client.exportTo(format, path.join(" ") || undefined);
}

const atTerminal = async (): Promise<SlashOutcome> => ok("");

export const slashCommands: readonly SlashCommand[] = [
  {
    name: "help",
    args: "[COMMAND]",
    help: "what each command does",
    run: async (c, args) => showHelp([...slashCommands, ...c.customCommands()], args),
  },
  {
    name: "model",
    args: "[NAME]",
    help: "list usable models, or switch",
    run: (c, a) => (a ? c.setModel(a) : c.models()),
  },
  { name: "settings", args: "[KEY [VALUE]]", help: "list, show or set settings", run: (c, a) => c.settings(a) },
  {
    name: "compact",
    args: "[FOCUS|cancel|undo]",
    help: "summarise the history now; the originals stay recallable",
    run: compact,
  },
  {
    name: "checkpoints",
    args: "[N]",
    help: "summaries written by compactions, or one of them",
    run: (c, a) => c.facts("checkpoints", a),
  },
  { name: "context", args: "", help: "what fills the window", run: async (c) => ok(await showContext(c)) },
  { name: "usage", args: "", help: "tokens, cost and time, by model", run: async (c) => ok(showUsage(c)) },
  { name: "session", args: "[checkpoints [N]|files|refs|plan]", help: "facts about this session", run: showSession },
  { name: "rename", args: "NAME", help: "name this session", run: (c, a) => c.rename(a) },
  { name: "undo", args: "", help: "go back to before the last message", run: (c) => c.history.rewind(undefined) },
  {
    name: "rewind",
    args: "[N|tN|EVENT]",
    help: "go back; without argument shows where to",
    run: (c, a) => c.history.rewind(a || undefined, a === ""),
  },
  { name: "fork", args: "[NAME]", help: "copy this session into a new one", run: (c, a) => c.fork(a || undefined) },
  { name: "export", args: "md|html|json|jsonl [PATH]", help: "write the session to a file", run: exportSession },
  { name: "plan", args: "[TEXT|off]", help: "plan first, change nothing", run: planMode },
  { name: "todos", args: "", help: "todos and what they wait for", run: async (c) => ok(showTodos(c)) },
  {
    name: "permissions",
    args: "[reset session|location]",
    help: "rules and approvals with their origin",
    run: (c, a) => c.permissions(a),
  },
  { name: "allow-all", args: "[on|off|show]", help: "allow everything that no rule forbids", run: allowAll },
  {
    name: "add-dir",
    args: "PATH",
    help: "let the agent work in another folder too",
    run: async (c, a) => c.addFolder(a),
  },
  {
    name: "trust",
    args: "[revoke|list]",
    help: "trust this folder's own hooks, servers, agents and rules",
    run: (c, a) => c.trust(a),
  },
  {
    name: "recall",
    args: "QUERY|REF",
    help: "find or print what was said, also in earlier sessions",
    run: (c, a) => c.recall(a),
  },
  ...agentCommands,
  ...boardCommands,
  ...memoryCommands,
  { name: "clear", args: "", help: "start a new session", interactiveOnly: true, run: atTerminal },
  { name: "exit", args: "", help: "leave", interactiveOnly: true, run: atTerminal },
];

export const slashNames: readonly string[] = slashCommands.map((command) => command.name);
