// How much a model takes: the prompt limit L, and the output that still fits beside a prompt.
import type { CatalogEntry } from "../schema/model.ts";

export const FALLBACK_PROMPT_TOKENS = 128_000;

type PromptLimit = {
  tokens: number;
  source: "setting" | "max_prompt_tokens" | "max_context_window_tokens" | "fallback" | "learned";
};

/** The setting, else what the catalogue says, else 128,000; a limit learned from an error only ever lowers it. */
export function promptLimit(
  entry: CatalogEntry,
  own: { setting?: number | undefined; learned?: number | undefined } = {},
): PromptLimit {
  const limit = configuredLimit(entry, own.setting);
  return own.learned !== undefined && own.learned < limit.tokens ? { tokens: own.learned, source: "learned" } : limit;
}

function configuredLimit(entry: CatalogEntry, setting: number | undefined): PromptLimit {
  if (setting !== undefined) return { tokens: setting, source: "setting" };
  for (const source of ["max_prompt_tokens", "max_context_window_tokens"] as const) {
    const tokens = entry[source];
    if (tokens !== undefined) return { tokens, source };
  }
  return { tokens: FALLBACK_PROMPT_TOKENS, source: "fallback" };
}

/** The most output to ask for, whatever the prompt; undefined leaves it to the provider. */
export function outputLimit(entry: CatalogEntry, setting?: number): number | undefined {
  if (setting === undefined) return entry.max_output_tokens;
  return Math.min(setting, entry.max_output_tokens ?? setting);
}

/** The output to ask for beside a prompt of this size: lowered so that both fit the window, never below 1. */
export function outputFor(
  target: { entry: CatalogEntry; maxOutputTokens?: number },
  promptTokens: number,
): number | undefined {
  const { maxOutputTokens, entry } = target;
  const window = entry.max_context_window_tokens;
  if (maxOutputTokens === undefined || window === undefined) return maxOutputTokens;
  return Math.max(1, Math.min(maxOutputTokens, window - promptTokens));
}
