// store_memory: one fact for future sessions, through the one write path.
import * as z from "zod";
import { ownTool } from "../../../schema/own-tool.ts";
import { defineTool, type Tool } from "../../../tool/contract.ts";
import type { Definition } from "../contract.ts";
import { storeRecord } from "../store.ts";
import { type MemoryToolParts, storeText } from "./parts.ts";

// Bounds are checked after secrets are out, so that a refusal cannot be had for a text that was never read.
const input = z.strictObject({
  subject: z.string().describe("Two or three words, at most 100 characters."),
  fact: z.string().describe("At most 500 characters."),
  citations: z.union([z.string(), z.array(z.string())]).describe("1 to 20 places."),
  reason: z.string().describe("At most 1000 characters."),
});
const scoped = input.extend({
  scope: z
    .string()
    .optional()
    .describe("`repository` (default): for this repository. `user`: for every project of the user."),
});

const unscoped = input.extend({ scope: z.unknown().optional() });
unscoped._zod.toJSONSchema = () => z.toJSONSchema(input, { io: "input" });

/** The model sees `scope` only where the strategy has scopes. One that it sends anyway is refused by the write path. */
export const storeInput = (scopes: boolean) => (scopes ? scoped : unscoped);

/** `instructions`: what the strategy says about storing, bounded where it was read. */
export function storeMemoryTool(
  parts: MemoryToolParts,
  definition: Definition,
  { scopes, instructions }: { scopes: boolean; instructions: string },
): Tool {
  const more = instructions.trim();
  const tool: Tool = defineTool({
    ...ownTool("store_memory"),
    description: more ? `${definition.description}\n\n${more}` : definition.description,
    input: storeInput(scopes),
    permissions: () => [], // asked for in its place among the steps
    lane: () => "memory",
    limitMs: Number.POSITIVE_INFINITY, // a person may be asked
    async run(given, context) {
      const request = parts.storing({ tool, input: given, context });
      const outcome = await storeRecord(parts.write, request, context.signal);
      if (outcome.type === "failure") parts.onFailure?.(outcome.code);
      return storeText(outcome);
    },
  });
  return tool;
}
