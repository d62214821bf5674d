// Commands around agents: macros that make the main agent delegate, workflows, and what runs beside the conversation.
import { commandUsage } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import type { AgentPrompt, Client } from "../../runtime/client.ts";
import type { SlashCommand, SlashOutcome } from "./table.ts";

const usage = (what: string, next: string): SlashOutcome => fail(commandUsage(what, next));

type Delegation = { agent: string; name: string; description: string; task: (focus: string) => string };

/** A prompt that prescribes one call of `task`. */
function delegate(command: string, focus: string, { agent, name, description, task }: Delegation): SlashOutcome {
  const args = { agent_type: agent, name, description, prompt: task(focus), mode: "sync" };
  const send: AgentPrompt = {
    prompt: `Call the tool \`task\` once, with exactly these arguments, then tell the user what came back, unchanged in substance:\n\n${JSON.stringify(args, null, 2)}`,
    display: `/${command}${focus === "" ? "" : ` ${focus}`}`,
    directive: { tool: "task", args },
  };
  return { ...ok(""), send };
}

const about = (focus: string): string => (focus === "" ? "" : `\n\nLook above all at: ${focus}`);
const CHANGES =
  "the changes in this working tree: `git status`, `git diff HEAD`, and, when nothing is uncommitted, the commits of this branch that its upstream or main does not have";

const review: Delegation = {
  agent: "code-review",
  name: "review",
  description: "Review the changes",
  task: (focus) =>
    `Review ${CHANGES}. Report only defects that matter, each with file and line, and why it is one.${about(focus)}`,
};
const securityReview: Delegation = {
  agent: "security-review",
  name: "security-review",
  description: "Review the changes for vulnerabilities",
  task: (focus) =>
    `Review ${CHANGES} for vulnerabilities: each with its severity, file and line, and the path of attack.${about(focus)}`,
};
const rubberDuck: Delegation = {
  agent: "rubber-duck",
  name: "rubber-duck",
  description: "Criticise the plan or change",
  task: (focus) =>
    `Criticise ${focus === "" ? CHANGES : "this"} independently: what is wrong, what is missing, what would be simpler. Change nothing.${focus === "" ? "" : `\n\n${focus}`}`,
};

async function fleet(client: Client, args: string): Promise<SlashOutcome> {
  const started = await client.fleet.start(args === "" ? {} : { prompt: args });
  if (!started.ok) return started;
  if (started.value.started) return ok("");
  const what = "A fleet is already running in this session.";
  return fail({ code: started.value.reason ?? "already_running", what, next: "/tasks shows it.", exit: 1 });
}

async function autopilot(client: Client, args: string): Promise<SlashOutcome> {
  if (args !== "" && args !== "on" && args !== "off")
    return usage(`/autopilot takes on or off, not "${args}".`, "Try /autopilot on.");
  const on = args === "" ? client.mode.get() !== "autopilot" : args === "on";
  await client.mode.set(on ? "autopilot" : "interactive");
  return ok(on ? "Autopilot is on: the agent works on by itself until the task is complete." : "Autopilot is off.");
}

async function tasks({ tasks: t }: Client, args: string): Promise<SlashOutcome> {
  const [verb = "", id = "", ...rest] = args.split(/\s+/);
  if (verb === "" || verb === "list") return ok(t.list());
  if (verb === "promote") return t.promoteToBackground(id || undefined);
  if (!["show", "stop", "message", "remove"].includes(verb) || id === "")
    return usage(`/tasks does not take "${args}".`, "Try /tasks, or /tasks show|stop|promote|message|remove ID.");
  if (verb === "show") return t.getProgress(id);
  if (verb === "stop") return t.cancel(id);
  if (verb === "remove") return t.remove(id);
  const message = rest.join(" ");
  return message === "" ? usage("A message is needed.", "Try /tasks message ID TEXT.") : t.sendMessage(id, message);
}

export const agentCommands: readonly SlashCommand[] = [
  { name: "agent", args: "[NAME|none]", help: "agents there are, or run as one", run: chooseAgent },
  {
    name: "tasks",
    args: "[show|stop|promote|message|remove ID]",
    help: "agents, MCP tasks and commands that run or ran",
    run: tasks,
  },
  {
    name: "background",
    args: "",
    help: "let what the agent waits for go on in the background",
    run: (c) => c.tasks.promoteToBackground(),
  },
  {
    name: "review",
    args: "[FOCUS]",
    help: "have the changes reviewed",
    run: async (_c, a) => delegate("review", a, review),
  },
  {
    name: "security-review",
    args: "[FOCUS]",
    help: "have the changes reviewed for vulnerabilities",
    run: async (_c, a) => delegate("security-review", a, securityReview),
  },
  {
    name: "rubber-duck",
    args: "[SUBJECT]",
    help: "have a plan or a change criticised",
    run: async (_c, a) => delegate("rubber-duck", a, rubberDuck),
  },
  {
    name: "research",
    args: "TOPIC",
    help: "research with many agents and write a cited report",
    run: async (c, a) => c.research.start(a),
  },
  { name: "fleet", args: "[PROMPT]", help: "work off the todos with many agents at once", run: fleet },
  { name: "autopilot", args: "[on|off]", help: "work on without asking until the task is complete", run: autopilot },
  {
    name: "mcp",
    args: "[list|show|enable|disable|reload|reconnect NAME]",
    help: "MCP servers",
    run: (c, a) => c.mcp.command(a),
  },
  {
    name: "inbox",
    args: "[ID|delete ID]",
    help: "what background agents have found for this session",
    run: (c, a) => c.inbox(a),
  },
  { name: "skills", args: "", help: "skills there are", run: async (c) => c.skills() },
  { name: "hooks", args: "", help: "hooks, whether they run, and how they last ended", run: (c) => c.hooks() },
];

async function chooseAgent(client: Client, name: string): Promise<SlashOutcome> {
  return name === "" ? ok(client.agent.list()) : client.agent.select(name);
}
