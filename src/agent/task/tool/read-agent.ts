// read_agent: how an agent stands and what it said, at once or when there is news.
import * as z from "zod";
import { ownTool } from "../../../schema/own-tool.ts";
import { defineTool, success, type Tool } from "../../../tool/contract.ts";
import { describeAgent } from "../show.ts";
import { type AgentToolParts, isItsReader, refused } from "./part.ts";
import description from "./read_agent.md";

const MAX_SECONDS = 180;
const input = z.strictObject({
  agent_id: z.string().min(1),
  wait: z.boolean().optional(),
  timeout: z.number().min(0).max(MAX_SECONDS).optional().describe("Seconds to wait."),
  since_turn: z.number().int().min(0).optional(),
});

export function readAgentTool(parts: AgentToolParts & { now: () => string }): Tool {
  const { registry, caller, now } = parts;
  return defineTool({
    ...ownTool("read_agent"),
    description,
    input,
    planMode: true,
    limitMs: (MAX_SECONDS + 20) * 1000,
    permissions: () => [],
    async run({ agent_id, wait = false, timeout = 30, since_turn }, { signal }) {
      const resolved = registry.resolve(agent_id);
      if (!resolved.ok) return refused(resolved.error);
      const { id, turnHistory } = resolved.value;
      const reads = isItsReader(caller, resolved.value);
      const limitMs = wait ? timeout * 1000 : 0;
      const sinceTurn = since_turn ?? turnHistory.length;
      const waited = await registry.getAgentResult(id, { signal, limitMs, sinceTurn, reads });
      if (waited.outcome === "unknown") return refused({ code: "agent_not_found", message: `${id} is gone.` });
      const isWaiting = registry.isWaitingForPermission(id);
      const more = since_turn === undefined ? {} : { sinceTurn: since_turn };
      const shown = describeAgent(waited.record, { now: now(), isWaiting, ...more });
      const hasWaited = wait && waited.outcome === "timeout";
      return success(hasWaited ? `Nothing new within ${timeout} s; it goes on.\n${shown}` : shown);
    },
  });
}
