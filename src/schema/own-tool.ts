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

/** An argument that says what a call is about, and what else of the call is shown with it. */
type Subject = {
  argument: string;
  /** It names files: of `{a,b,c,d,e}` the first few tell what is looked for. */
  isGlob?: true;
  /** The argument that says which lines are meant. */
  lines?: string;
  /** The arguments that say where it is looked for. */
  places?: readonly string[];
};

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
  /** What a call is about, for people; the first that is there counts. */
  subject?: readonly Subject[];
  /** What people see of a call that worked: its result is a diff, or its `file_text` is a new file. */
  shows?: "diff" | "addition";
  /** What a call leaves in memory. */
  leaves?: "fact" | "vote";
  /** It gives back, whole, what left a request. */
  givesBack?: true;
  /** Its `intent` says what the agent is about to do. */
  saysIntent?: true;
  /** A call ends the mode that the session is in. */
  endsMode?: true;
};

const SHELL = { group: "shell", hasEffects: true } as const;
const CONVERSATION = { group: "conversation" } as const;
const EARLIER = { ...CONVERSATION, textFrom: "memory", quotesEarlier: true } as const;
const MEMORY = { group: "memory", rule: "memory", textFrom: "ours", holder: "named" } as const;
const SEARCH = { group: "search", rule: "read", textFrom: "file" } as const;

const of = (...names: string[]): Subject[] => names.map((argument) => ({ argument }));
const EDIT = { group: "edit", rule: "write", hasEffects: true, subject: of("path") } as const;
const PLACES = ["glob", "path"];

const rows = {
  ask_user: { ...CONVERSATION, holder: "main" },
  bash: { ...SHELL, rule: "shell", aliases: ["Bash"], aliasesAreGroup: true, isBounded: true, subject: of("command") },
  context_board: { group: "board", rule: "own", textFrom: "memory" },
  create: { ...EDIT, aliases: ["Write"], shows: "addition" },
  edit: { ...EDIT, aliases: ["Edit", "MultiEdit"], shows: "diff" },
  exit_plan_mode: { ...CONVERSATION, holder: "main", endsMode: true },
  find_mcp_tools: { group: "mcp" },
  glob: { ...SEARCH, aliases: ["Glob"], subject: [{ argument: "pattern", isGlob: true }] },
  grep: { ...SEARCH, aliases: ["Grep"], subject: [...of("description"), { argument: "pattern", places: PLACES }] },
  list_agents: { group: "agent" },
  list_bash: { ...SHELL },
  read_agent: { group: "agent", isBounded: true },
  read_bash: { ...SHELL, isBounded: true },
  read_inbox: { group: "inbox", textFrom: "memory", holder: "main" },
  recall: { ...EARLIER, givesBack: true, subject: of("query", "id", "around") },
  report_intent: { ...CONVERSATION, textFrom: "ours", holder: "every", saysIntent: true },
  send_inbox: { group: "inbox", rule: "own", holder: "sidekick" },
  session_store_sql: { ...EARLIER, isBounded: true, subject: of("description", "query") },
  skill: { group: "skill" },
  sql: { group: "todo", isBounded: true, subject: of("description", "query") },
  stop_agent: { group: "agent" },
  stop_bash: { ...SHELL, isBounded: true },
  store_memory: { ...MEMORY, leaves: "fact", subject: of("fact") },
  task: { group: "agent", aliases: ["Task"], aliasesAreGroup: true, subject: of("description") },
  task_complete: { ...CONVERSATION, textFrom: "ours", holder: "main" },
  view: {
    group: "read",
    rule: "read",
    aliases: ["Read"],
    textFrom: "file",
    subject: [{ argument: "path", lines: "view_range" }],
  },
  vote_memory: { ...MEMORY, leaves: "vote" },
  web_fetch: { group: "web", rule: "url", aliases: ["WebFetch"], isBounded: true, textFrom: "web", subject: of("url") },
  write_agent: { group: "agent" },
} as const satisfies Record<string, ToolFacts>;

type OwnToolName = keyof typeof rows;
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
