// Shapes around models: catalogue entries, usage, what a call asks for and how it ends.
import * as z from "zod";

/** What each of these is stands in the folder `model/wire/NAME/`. */
const OWN_WIRES = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
export type WireName = (typeof OWN_WIRES)[number];
/** Registering a further wire adds its name. */
export const wireNames: WireName[] = [...OWN_WIRES];
export const wireName = z.custom<WireName>((name) => wireNames.some((wire) => wire === name), {
  error: () => `must be one of ${wireNames.join(", ")}`,
});

/** Providers with a key and an address of their own in the settings. */
export const vendorNames = ["openai", "anthropic", "google", "ollama"] as const;
export type VendorName = (typeof vendorNames)[number];

export const providerName = z.enum([...vendorNames, "custom", "offline"]);
export type ProviderName = z.infer<typeof providerName>;

export const catalogEntry = z.looseObject({
  /** `provider/name`, or plain `offline`. */
  id: z.string().min(1),
  provider: providerName,
  wire: wireName.optional(),
  family: z.string().optional(),
  max_prompt_tokens: z.number().int().positive().optional(),
  max_context_window_tokens: z.number().int().positive().optional(),
  max_output_tokens: z.number().int().positive().optional(),
  /** Per million tokens. */
  prices: z
    .object({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number().optional(),
      cacheWrite: z.number().optional(),
    })
    .optional(),
  multiplier: z.number().default(1),
  supports: z
    .object({
      tools: z.boolean().default(true),
      parallel: z.boolean().default(true),
      images: z.boolean().default(false),
      documents: z.boolean().default(false),
      reasoning: z.boolean().default(false),
    })
    .prefault({}),
  default: z.boolean().optional(),
});
export type CatalogEntry = z.infer<typeof catalogEntry>;

export const usage = z.looseObject({
  /** The whole prompt, cached parts included, on every wire. */
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  reasoningTokens: z.number(),
  cost: z.number().optional(),
  estimated: z.boolean().optional(),
});
export type Usage = z.infer<typeof usage>;

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};
const TOKENS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const;

/** With sign -1: what `a` has more than `b`. */
export function addUsage(a: Usage, b: Usage, sign: 1 | -1 = 1): Usage {
  const sum: Usage = { ...noUsage };
  for (const key of TOKENS) sum[key] = a[key] + sign * b[key];
  if (a.cost !== undefined || b.cost !== undefined) sum.cost = (a.cost ?? 0) + sign * (b.cost ?? 0);
  if (a.estimated || b.estimated) sum.estimated = true;
  return sum;
}

export const finishReason = z.enum(["stop", "tool_calls", "length", "content_filter", "error", "aborted"]);
export type FinishReason = z.infer<typeof finishReason>;

export const interaction = z.enum([
  "conversation-user",
  "conversation-agent",
  "conversation-subagent",
  "conversation-sidekick",
  "conversation-compaction",
]);
export type Interaction = z.infer<typeof interaction>;

/** Under which line its usage is added up: what sidekicks cost is a line of its own. */
export const usageLine = (call: { model: string; interaction: Interaction }): string =>
  call.interaction === "conversation-sidekick" ? `${call.model} (sidekicks)` : call.model;

/** Empty when the price is unknown, and for a model that costs nothing. */
export const costText = ({ cost }: { cost?: number | undefined }): string => (cost ? `$${cost.toFixed(4)}` : "");

/** Closed set of reasons why a model call failed. */
export const callFailureCode = z.enum([
  "network",
  "unknown_host",
  "incomplete",
  "bad_response",
  "rate_limited",
  "overloaded",
  "server_error",
  "unauthorized",
  "quota",
  "not_found",
  "invalid_request",
  "empty_response",
  "wait_too_long",
  "refused_offline",
]);
export type CallFailureCode = z.infer<typeof callFailureCode>;

/** What an agent is for, where that is more than its prompt: who consolidates works on the board alone, who reviews judges code. */
export const agentRoles = ["consolidator", "reviewer"] as const;
export type AgentRole = (typeof agentRoles)[number];
