// vote_memory: whether a fact that was shown proved true.
import * as z from "zod";
import { ownTool } from "../../../schema/own-tool.ts";
import { defineTool, type Tool } from "../../../tool/contract.ts";
import type { Definition } from "../contract.ts";
import { voteOn } from "../vote.ts";
import { type MemoryToolParts, voteText } from "./parts.ts";

export const voteInput = z.strictObject({
  fact: z.string().describe("The exact fact as shown."),
  direction: z.enum(["upvote", "downvote"]),
  reason: z.string().describe("What you saw; at most 1000 characters."),
});

export function voteMemoryTool(parts: MemoryToolParts, definition: Definition): Tool {
  const tool: Tool = defineTool({
    ...ownTool("vote_memory"),
    description: definition.description,
    input: voteInput,
    permissions: () => [],
    lane: () => "memory",
    limitMs: Number.POSITIVE_INFINITY,
    async run(given, context) {
      const outcome = await voteOn(parts.write, parts.voting({ tool, input: given, context }), context.signal);
      if (outcome.type === "failure") parts.onFailure?.(outcome.code);
      return voteText(outcome);
    },
  });
  return tool;
}
