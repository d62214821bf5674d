// stop_agent: ends an agent and all below it.
import * as z from "zod";
import { ownTool } from "../../../schema/own-tool.ts";
import { defineTool, success, type Tool } from "../../../tool/contract.ts";
import { isTerminal } from "../record.ts";
import { type AgentToolParts, callerName, mayTouch, refused } from "./part.ts";
import description from "./stop_agent.md";

const input = z.strictObject({ agent_id: z.string().min(1) });

export function stopAgentTool(parts: AgentToolParts): Tool {
  const { registry, caller } = parts;
  return defineTool({
    ...ownTool("stop_agent"),
    description,
    input,
    permissions: () => [],
    async run({ agent_id }) {
      const resolved = registry.resolve(agent_id);
      if (!resolved.ok) return refused(resolved.error);
      const forbidden = mayTouch(parts, resolved.value);
      if (forbidden) return refused(forbidden);
      const { id, status } = resolved.value;
      const stopped = await registry.cancelRecursive(id, callerName(caller), `stopped by ${callerName(caller)}`);
      if (stopped.length > 0) return success(`Stopped: ${stopped.join(", ")}.`);
      return success(`${id} had ended already (${isTerminal(resolved.value) ? status : registry.get(id)?.status}).`);
    },
  });
}
