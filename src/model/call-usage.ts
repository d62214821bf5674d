// What a call used and cost, counted the same way for every provider.
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { isRecord } from "../base/json.ts";
import type { CatalogEntry, Usage } from "../schema/model.ts";

/** Undefined when the provider reported nothing; some report zeros instead. */
export function usageOf(reported: LanguageModelV4Usage | undefined, prices: CatalogEntry["prices"]): Usage | undefined {
  const inputTokens = reported?.inputTokens.total ?? 0;
  if (!reported || inputTokens === 0) return undefined;
  const usage: Usage = {
    inputTokens,
    outputTokens: reported.outputTokens.total ?? 0,
    cacheReadTokens: reported.inputTokens.cacheRead ?? 0,
    cacheWriteTokens: reported.inputTokens.cacheWrite ?? compatibleWrites(reported.raw),
    reasoningTokens: reported.outputTokens.reasoning ?? 0,
  };
  return prices ? { ...usage, cost: costOf(usage, prices) } : usage;
}

/** A count that OpenAI-compatible servers report and the SDK passes over. */
function compatibleWrites(raw: unknown): number {
  const details = isRecord(raw) ? raw["prompt_tokens_details"] : undefined;
  const written = isRecord(details) ? details["cache_write_tokens"] : undefined;
  return typeof written === "number" ? written : 0;
}

function costOf(usage: Usage, prices: NonNullable<CatalogEntry["prices"]>): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const cached =
    cacheReadTokens * (prices.cacheRead ?? prices.input) + cacheWriteTokens * (prices.cacheWrite ?? prices.input);
  return (plain * prices.input + cached + outputTokens * prices.output) / 1_000_000;
}
