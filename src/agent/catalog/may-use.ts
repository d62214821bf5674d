// Whether an agent may use a tool: what its definition names, less what no agent of its kind is ever given.
import type { ToolFacts } from "../../schema/own-tool.ts";
import { type AgentDefinition, consolidates } from "./definition.ts";
import type { AgentTools } from "./tools.ts";

/** A tool that an agent may be given. `mcp`: the server, and the name that the tool has there. */
export type ToolCandidate = Pick<Partial<ToolFacts>, "group" | "holder"> & {
  name: string;
  mcp?: { server: string; tool: string; readOnly: boolean };
};

/** `as`: the definition may also run the main session, which keeps the tools that speak for it. */
export function mayUseTool(
  agent: Pick<AgentDefinition, "role" | "tools" | "without" | "github">,
  tool: ToolCandidate,
  as: "main" | "subagent",
): boolean {
  const { group, holder } = tool;
  if (group === "board" || consolidates(agent)) return group === "board" && consolidates(agent);
  if (agent.without && (agent.without.all || isNamed(agent.without, tool))) return false;
  if (holder === "main" || holder === "sidekick") return holder === "main" && as === "main";
  if (holder === "every" || isNamed(agent.tools, tool) || isGithub(agent, tool)) return true;
  return agent.tools.all && (as === "main" || holder !== "named");
}

function isNamed({ names, mcp, readOnlyMcp }: AgentTools, { name, mcp: from }: ToolCandidate): boolean {
  if (!from) return names.includes(name);
  if (readOnlyMcp && from.readOnly) return true;
  return mcp.some(({ server, tool }) => server === from.server && (tool === undefined || tool === from.tool));
}

function isGithub({ github }: Pick<AgentDefinition, "github">, { mcp }: ToolCandidate): boolean {
  if (!github || mcp?.server !== "github") return false;
  if (github === true) return true;
  const isListed = github.tools.includes("*") || github.tools.includes(mcp.tool);
  // Which tools a toolset holds only that server knows; here it means those that have its word in their name.
  return isListed || github.toolsets.some((set) => set === "all" || mcp.tool.includes(set.replace(/s$/, "")));
}
