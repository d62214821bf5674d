// Every tool of ours with what is true of it whoever asks: rules, hooks, agents and reports go by these facts, never by a list of names.
import type { PermissionKind } from "./permission.ts";

/** How an agent's definition asks for several tools at once, and what reports put together. */
const toolGroups = [
  "read",
  "search",
  "edit",
  "shell",
  "web",
  "agent",
  "todo",
  "memory",
  "board",
  "inbox",
  "skill",
  "mcp",
  "conversation",
] as const;
export type ToolGroup = (typeof toolGroups)[number];

export type ToolFacts = {
  group: ToolGroup;
  /** The kind of permission that its name stands for in a rule; `own`: it asks for nothing, a rule can only take it away. */
  rule?: PermissionKind | "own";
  /** What other agents call it, in their hooks, rules and lists of tools. */
  aliases?: readonly string[];
  /** Other agents have one tool where we have this whole group. */
  aliasesAreGroup?: true;
  /** It has effects beyond the conversation: an agent cannot hand it on unless it has it. */
  hasEffects?: true;
  /** It ends by a time limit of its own, so its silence is no sign of a stall. */
  isBounded?: true;
  /** Where the text of its results comes from; `ours`: our own words. Of the others, whatever ran. */
  textFrom?: "file" | "web" | "memory" | "ours";
  /** Its arguments are queries and its results copies of what was said before: neither is remembered again. */
  quotesEarlier?: true;
  /**
   * `main`: it speaks to the person or for the whole session. `named`: a subagent has it only by name. `every`: all agents
   * have it. `sidekick`: sidekicks only.
   */
  holder?: "main" | "named" | "every" | "sidekick";
};

const SHELL = { group: "shell", hasEffects: true } as const;
const CONVERSATION = { group: "conversation" } as const;

const rows = {
  ask_user: { ...CONVERSATION, holder: "main" },
  bash: { ...SHELL, rule: "shell", aliases: ["Bash"], aliasesAreGroup: true, isBounded: true },
  context_board: { group: "board", rule: "own", textFrom: "memory" },
  create: { group: "edit", rule: "write", aliases: ["Write"], hasEffects: true },
  edit: { group: "edit", rule: "write", aliases: ["Edit", "MultiEdit"], hasEffects: true },
  exit_plan_mode: { ...CONVERSATION, holder: "main" },
  find_mcp_tools: { group: "mcp" },
  glob: { group: "search", rule: "read", aliases: ["Glob"], textFrom: "file" },
  grep: { group: "search", rule: "read", aliases: ["Grep"], textFrom: "file" },
  list_agents: { group: "agent" },
  list_bash: { ...SHELL },
  read_agent: { group: "agent", isBounded: true },
  read_bash: { ...SHELL, isBounded: true },
  read_inbox: { group: "inbox", textFrom: "memory", holder: "main" },
  recall: { ...CONVERSATION, textFrom: "memory", quotesEarlier: true },
  report_intent: { ...CONVERSATION, textFrom: "ours", holder: "every" },
  send_inbox: { group: "inbox", rule: "own", holder: "sidekick" },
  session_store_sql: { ...CONVERSATION, isBounded: true, textFrom: "memory", quotesEarlier: true },
  skill: { group: "skill" },
  sql: { group: "todo", isBounded: true },
  stop_agent: { group: "agent" },
  stop_bash: { ...SHELL, isBounded: true },
  store_memory: { group: "memory", rule: "memory", textFrom: "ours", holder: "named" },
  task: { group: "agent", aliases: ["Task"], aliasesAreGroup: true },
  task_complete: { ...CONVERSATION, textFrom: "ours", holder: "main" },
  view: { group: "read", rule: "read", aliases: ["Read"], textFrom: "file" },
  vote_memory: { group: "memory", rule: "memory", textFrom: "ours", holder: "named" },
  web_fetch: { group: "web", rule: "url", aliases: ["WebFetch"], isBounded: true, textFrom: "web" },
  write_agent: { group: "agent" },
} as const satisfies Record<string, ToolFacts>;

export type OwnToolName = keyof typeof rows;
export type OwnTool = ToolFacts & { name: OwnToolName };

const tools: ReadonlyMap<string, OwnTool> = new Map(
  Object.entries(rows).map(([name, facts]) => [name, { ...facts, name: name as OwnToolName }]),
);

/** A tool's definition begins with this. */
export const ownTool = (name: OwnToolName): OwnTool => tools.get(name) ?? { ...rows[name], name };

/** Undefined for tools of MCP servers and other agents. */
export const factsOf = (name: string): OwnTool | undefined => tools.get(name);

export const ownTools = (): OwnTool[] => [...tools.values()];

/** Finds a tool by another agent's name for it; letter case does not count. */
export const ownToolOf = (alias: string): OwnTool | undefined =>
  ownTools().find((tool) => tool.aliases?.some((one) => one.toLowerCase() === alias.toLowerCase()));
