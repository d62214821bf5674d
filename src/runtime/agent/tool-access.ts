// Which tools an agent has: what its definition names, and nothing with effects that anyone above it may not use.
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { mayUseTool } from "../../agent/catalog/may-use.ts";
import type { Tool } from "../../tool/contract.ts";

/** Who stands above an agent. An agent whose definition is gone hands on nothing. */
export type Above = {
  agents: readonly (AgentDefinition | undefined)[];
  /** What the main session runs as. */
  main: AgentDefinition | undefined;
};

const hasEffects = ({ mcp, hasEffects }: Tool): boolean => (mcp ? !mcp.readOnly : hasEffects === true);

export const mainMayUse = (selected: AgentDefinition | undefined, tool: Tool): boolean =>
  selected === undefined || mayUseTool(selected, tool, "main");

/** What a workflow takes from the main agent binds nobody else. */
export function mayUse(definition: AgentDefinition, { agents, main }: Above, tool: Tool): boolean {
  if (!mayUseTool(definition, tool, "subagent")) return false;
  if (!hasEffects(tool)) return true;
  return agents.every((one) => one !== undefined && mayUseTool(one, tool, "subagent")) && mainMayUse(main, tool);
}

export const isReadOnlyShell = (definition: AgentDefinition, { agents, main }: Above): boolean =>
  [definition, ...agents, main].some((one) => one?.tools.readOnlyShell === true);
