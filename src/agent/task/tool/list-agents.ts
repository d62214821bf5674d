// list_agents: which agents there are and how each stands, one line for each.
import * as z from "zod";
import { ownTool } from "../../../schema/own-tool.ts";
import { defineTool, success, type Tool } from "../../../tool/contract.ts";
import { isTerminal } from "../record.ts";
import { agentTree } from "../show.ts";
import description from "./list_agents.md";
import { AGENT_SCOPES, type AgentToolParts, agentsInScope } from "./part.ts";

const input = z.strictObject({
  include_completed: z.boolean().optional(),
  scope: z.enum(AGENT_SCOPES).optional(),
});

export function listAgentsTool(parts: AgentToolParts & { now: () => string }): Tool {
  const { registry, caller, now } = parts;
  const usualScope = caller.agentId === undefined ? "all" : "children";
  return defineTool({
    ...ownTool("list_agents"),
    description,
    input,
    planMode: true,
    permissions: () => [],
    async run({ include_completed = true, scope = usualScope }) {
      const records = agentsInScope(parts, scope).filter((record) => include_completed || !isTerminal(record));
      const lines = agentTree(records, { now: now(), isWaiting: registry.isWaitingForPermission });
      return success(lines === "" ? "No agents." : lines);
    },
  });
}
