// The tools that a definition names: exact names, groups, MCP servers, and other agents' words for ours.
import { factsOf, type OwnTool, ownTools, type ToolGroup } from "../../schema/own-tool.ts";

/** What a definition's list comes to; what is really offered is decided tool by tool, by `mayUseTool`. */
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

/** Groups that a definition may ask for by name. */
const GROUPS: ReadonlySet<string> = new Set<ToolGroup>([
  "read",
  "search",
  "edit",
  "shell",
  "web",
  "agent",
  "todo",
  "memory",
  "skill",
]);
/** A group of which only a part is meant. */
const READ_ONLY: ReadonlyMap<string, readonly string[]> = new Map([
  ["shell:read-only", namesIn("shell")],
  ["mcp:read-only", []],
]);
const WHOLE_SHELL = [
  ...["*", "shell"],
  ...ownTools().flatMap(({ rule, name, aliases = [] }) => (rule === "shell" ? [name, ...aliases] : [])),
];
const MCP = /^([^/\s]+)\/([^/\s]+)$/;

export const allTools: AgentTools = { all: true, names: [], mcp: [], readOnlyMcp: false, readOnlyShell: false };

/** `unknown`: names that are nothing to us; they give no tool. */
export function parseTools(list: readonly string[]): { tools: AgentTools; unknown: string[] } {
  const names = new Set<string>();
  const mcp: { server: string; tool?: string }[] = [];
  const unknown: string[] = [];
  for (const name of list) {
    const [, server, tool] = MCP.exec(name) ?? [];
    const own = ownNames(name);
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

/** Exactly one of ours, all of a group, or what another agent's name for a tool comes to. */
function ownNames(name: string): readonly string[] | undefined {
  const alias = ownTools().find(({ aliases }) => aliases?.includes(name));
  if (alias) return alias.aliasesAreGroup ? namesIn(alias.group) : [alias.name];
  if (GROUPS.has(name)) return namesIn(name);
  return READ_ONLY.get(name) ?? (isForAgents(factsOf(name)) ? [name] : undefined);
}

const isForAgents = (tool: OwnTool | undefined): boolean => tool !== undefined && tool.holder !== "sidekick";

function namesIn(group: string): string[] {
  return ownTools().flatMap((tool) => (tool.group === group ? [tool.name] : []));
}

export const namesNothing = (tools: AgentTools): boolean =>
  !tools.all && !tools.readOnlyMcp && tools.names.length === 0 && tools.mcp.length === 0;
