// The tools that a definition names: exact names, groups, MCP servers, and other agents' words for ours.
import { FOREIGN_TOOL_NAMES } from "../../hook/name.ts";

/** What a definition's list comes to; what is really offered is decided tool by tool, by `holdsTool`. */
export type AgentTools = {
  /** `*`: all that a subagent may have. */
  all: boolean;
  names: readonly string[];
  /** `server/*` and `server/tool`. */
  mcp: readonly { server: string; tool?: string }[];
  /** MCP tools that declare themselves read-only. */
  readOnlyMcp: boolean;
  /** `bash` runs only commands that `permission` classes as read-only; others are refused. */
  readOnlyShell: boolean;
};

const SHELL = ["bash", "read_bash", "write_bash", "stop_bash", "list_bash"];
const AGENT = ["task", "read_agent", "write_agent", "stop_agent", "list_agents"];
const GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ["read", ["view"]],
  ["search", ["grep", "glob"]],
  ["edit", ["create", "edit"]],
  ["shell", SHELL],
  ["shell:read-only", SHELL.filter((name) => name !== "write_bash")],
  ["web", ["web_fetch", "web_search"]],
  ["agent", AGENT],
  ["todo", ["sql"]],
  ["memory", ["store_memory", "vote_memory"]],
  ["skill", ["skill"]],
  ["mcp:read-only", []],
]);
/** Where another agent's one tool is several of ours, all of them. */
const FOREIGN: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...Object.entries(FOREIGN_TOOL_NAMES).map(([name, own]) => [name, [own]] as const),
  ["Bash", SHELL],
  ["Task", AGENT],
]);
const WHOLE_SHELL = ["shell", "bash", "Bash", "*"];
const OTHER_TOOLS = [
  "recall",
  "session_store_sql",
  "context_board",
  "report_intent",
  "ask_user",
  "exit_plan_mode",
  "task_complete",
  "read_inbox",
  "find_mcp_tools",
];
const KNOWN = new Set([...[...GROUPS.values()].flat(), ...OTHER_TOOLS]);
const MCP = /^([^/\s]+)\/([^/\s]+)$/;

export const allTools: AgentTools = { all: true, names: [], mcp: [], readOnlyMcp: false, readOnlyShell: false };

/** `unknown`: names that are nothing to us; they give no tool. */
export function parseTools(list: readonly string[]): { tools: AgentTools; unknown: string[] } {
  const names = new Set<string>();
  const mcp: { server: string; tool?: string }[] = [];
  const unknown: string[] = [];
  for (const name of list) {
    const [, server, tool] = MCP.exec(name) ?? [];
    const own = FOREIGN.get(name) ?? GROUPS.get(name) ?? (KNOWN.has(name) ? [name] : undefined);
    if (server !== undefined && tool !== undefined) mcp.push(tool === "*" ? { server } : { server, tool });
    else if (own) for (const one of own) names.add(one);
    else if (name !== "*") unknown.push(name);
  }
  return {
    tools: {
      all: list.includes("*"),
      names: [...names],
      mcp,
      readOnlyMcp: list.includes("mcp:read-only"),
      readOnlyShell: list.includes("shell:read-only") && !WHOLE_SHELL.some((name) => list.includes(name)),
    },
    unknown,
  };
}

export const namesNothing = (tools: AgentTools): boolean =>
  !tools.all && !tools.readOnlyMcp && tools.names.length === 0 && tools.mcp.length === 0;
