// The tools of memory as definitions: what they are called, what the model reads, and what they take.
import * as z from "zod";
import type { Definition } from "../contract.ts";
import storeText from "./store_memory.md";
import voteText from "./vote_memory.md";

const VERSION = "1.0.0";

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

export const voteInput = z.strictObject({
  fact: z.string().describe("The exact fact as shown."),
  direction: z.enum(["upvote", "downvote"]),
  reason: z.string().describe("What you saw; at most 1000 characters."),
});

function definition(name: string, description: string, shape: z.ZodType): Definition {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(shape, { io: "input" });
  return { name, version: VERSION, description: description.trim(), inputSchema };
}

export const storeDefinition = (scopes: boolean): Definition =>
  definition("store_memory", storeText, storeInput(scopes));

export const voteDefinition = (): Definition => definition("vote_memory", voteText, voteInput);
