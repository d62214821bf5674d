// The tools of memory as definitions: what they are called, what the model reads, and what they take.
import type { Definition } from "../contract.ts";
import storeText from "./store_memory.md";
import voteText from "./vote_memory.md";

export const VERSION = "1.0.0";
const text = (description: string) => ({ type: "string", description }) as const;

/** `scope` only where the strategy has scopes. */
export const storeDefinition = (scopes: boolean): Definition => ({
  name: "store_memory",
  version: VERSION,
  description: storeText.trim(),
  inputSchema: {
    type: "object",
    properties: {
      subject: text("At most 100 characters."),
      fact: text("At most 500 characters."),
      citations: {
        anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
        description: "1 to 20 places.",
      },
      reason: text("At most 1000 characters."),
      ...(scopes
        ? {
            scope: {
              type: "string",
              enum: ["repository", "user"],
              description: "repository (default): for this repository. user: for every project of the user.",
            },
          }
        : {}),
    },
    required: ["subject", "fact", "citations", "reason"],
    additionalProperties: false,
  },
});

export const voteDefinition = (): Definition => ({
  name: "vote_memory",
  version: VERSION,
  description: voteText.trim(),
  inputSchema: {
    type: "object",
    properties: {
      fact: text("The exact fact as shown."),
      direction: { type: "string", enum: ["upvote", "downvote"] },
      reason: text("At most 1000 characters."),
    },
    required: ["fact", "direction", "reason"],
    additionalProperties: false,
  },
});
