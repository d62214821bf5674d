// The built-in catalogue: well-known models with their limits, prices per million tokens and abilities.
import type { CatalogEntry } from "../schema/model.ts";

type Prices = NonNullable<CatalogEntry["prices"]>;
type Limits = Pick<CatalogEntry, "max_prompt_tokens" | "max_context_window_tokens" | "max_output_tokens">;

const prices = (input: number, output: number, cacheRead: number, cacheWrite?: number): Prices => ({
  input,
  output,
  cacheRead,
  ...(cacheWrite === undefined ? {} : { cacheWrite }),
});
const window = (max_context_window_tokens: number, max_output_tokens: number, max_prompt_tokens?: number): Limits => ({
  max_context_window_tokens,
  max_output_tokens,
  ...(max_prompt_tokens === undefined ? {} : { max_prompt_tokens }),
});

const MILLION = window(1_050_000, 128_000, 922_000);
const GPT5 = window(400_000, 128_000, 272_000);
const GPT41 = window(1_047_576, 32_768);
const O_SERIES = window(200_000, 100_000);
const CLAUDE_1M = window(1_000_000, 128_000);
const CLAUDE_200K = window(200_000, 64_000);
const GEMINI = window(1_048_576, 65_536);

type Row = [name: string, family: string, limits: Limits, prices: Prices];

/** Reasoning models: they keep their reasoning between steps only on the Responses wire. */
const OPENAI_RESPONSES: Row[] = [
  ["gpt-6.1-sol", "gpt-6", MILLION, prices(2, 10, 0.1, 2.5)],
  ["gpt-6-astra", "gpt-6", MILLION, prices(10, 50, 1, 12.5)],
  ["gpt-6-sol", "gpt-6", MILLION, prices(2, 10, 0.2, 2.5)],
  ["gpt-6-luna", "gpt-6", MILLION, prices(0.1, 0.5, 0.01, 0.125)],
  ["gpt-5.6-sol", "gpt-5", MILLION, prices(2, 10, 0.2, 2.5)],
  ["gpt-5.6-luna", "gpt-5", MILLION, prices(1, 6, 0.1)],
  ["gpt-5.5", "gpt-5", MILLION, prices(5, 30, 0.5)],
  ["gpt-5.4", "gpt-5", MILLION, prices(2.5, 15, 0.25)],
  ["gpt-5.4-mini", "gpt-5", GPT5, prices(0.75, 4.5, 0.075)],
  ["gpt-5.4-nano", "gpt-5", GPT5, prices(0.2, 1.25, 0.02)],
  ["gpt-5.3-codex", "gpt-5", GPT5, prices(1.75, 14, 0.175)],
  ["gpt-5.2", "gpt-5", GPT5, prices(1.75, 14, 0.175)],
  ["gpt-5.2-codex", "gpt-5", GPT5, prices(1.75, 14, 0.175)],
  ["gpt-5.1", "gpt-5", GPT5, prices(1.25, 10, 0.125)],
  ["gpt-5.1-codex", "gpt-5", GPT5, prices(1.25, 10, 0.125)],
  ["gpt-5.1-codex-max", "gpt-5", GPT5, prices(1.25, 10, 0.125)],
  ["gpt-5.1-codex-mini", "gpt-5", GPT5, prices(0.25, 2, 0.025)],
  ["gpt-5", "gpt-5", GPT5, prices(1.25, 10, 0.125)],
  ["gpt-5-codex", "gpt-5", GPT5, prices(1.25, 10, 0.125)],
  ["gpt-5-mini", "gpt-5", GPT5, prices(0.25, 2, 0.025)],
  ["gpt-5-nano", "gpt-5", GPT5, prices(0.05, 0.4, 0.005)],
  ["o3", "o-series", O_SERIES, prices(2, 8, 0.5)],
  ["o4-mini", "o-series", O_SERIES, prices(1.1, 4.4, 0.275)],
];
const OPENAI_CHAT: Row[] = [
  ["gpt-4.1", "gpt-4.1", GPT41, prices(2, 8, 0.5)],
  ["gpt-4.1-mini", "gpt-4.1", GPT41, prices(0.4, 1.6, 0.1)],
  ["gpt-4.1-nano", "gpt-4.1", GPT41, prices(0.1, 0.4, 0.025)],
  ["gpt-4o", "gpt-4o", window(128_000, 16_384), prices(2.5, 10, 1.25)],
  ["gpt-4o-mini", "gpt-4o", window(128_000, 16_384), prices(0.15, 0.6, 0.075)],
];
const ANTHROPIC: Row[] = [
  ["claude-sonnet-5-5", "claude-sonnet", CLAUDE_1M, prices(2, 10, 0.1, 2.5)],
  ["claude-opus-5-5", "claude-opus", CLAUDE_1M, prices(4, 20, 0.2, 5)],
  ["claude-haiku-5-5", "claude-haiku", CLAUDE_1M, prices(0.1, 0.5, 0.01, 0.125)],
  ["claude-opus-5", "claude-opus", CLAUDE_1M, prices(5, 25, 0.5, 6.25)],
  ["claude-sonnet-5", "claude-sonnet", CLAUDE_1M, prices(2, 10, 0.2, 2.5)],
  ["claude-opus-4-8", "claude-opus", CLAUDE_1M, prices(5, 25, 0.5, 6.25)],
  ["claude-opus-4-7", "claude-opus", CLAUDE_1M, prices(5, 25, 0.5, 6.25)],
  ["claude-opus-4-6", "claude-opus", CLAUDE_1M, prices(5, 25, 0.5, 6.25)],
  ["claude-sonnet-4-6", "claude-sonnet", window(1_000_000, 64_000), prices(3, 15, 0.3, 3.75)],
  ["claude-opus-4-5", "claude-opus", CLAUDE_200K, prices(5, 25, 0.5, 6.25)],
  ["claude-sonnet-4-5", "claude-sonnet", CLAUDE_200K, prices(3, 15, 0.3, 3.75)],
  ["claude-haiku-4-5", "claude-haiku", CLAUDE_200K, prices(1, 5, 0.1, 1.25)],
  ["claude-opus-4-1", "claude-opus", window(200_000, 32_000), prices(15, 75, 1.5, 18.75)],
];
const GOOGLE: Row[] = [
  ["gemini-3.8-flash", "gemini-flash", GEMINI, prices(0.75, 3.75, 0.075)],
  ["gemini-3.5-flash", "gemini-flash", GEMINI, prices(1.5, 9, 0.15)],
  ["gemini-3.1-pro-preview", "gemini-pro", GEMINI, prices(2, 12, 0.2)],
  ["gemini-3-pro-preview", "gemini-pro", GEMINI, prices(2, 12, 0.2)],
  ["gemini-3-flash-preview", "gemini-flash", GEMINI, prices(0.5, 3, 0.05)],
  ["gemini-2.5-pro", "gemini-pro", GEMINI, prices(1.25, 10, 0.125)],
  ["gemini-2.5-flash", "gemini-flash", GEMINI, prices(0.3, 2.5, 0.03)],
  ["gemini-2.5-flash-lite", "gemini-flash", GEMINI, prices(0.1, 0.4, 0.01)],
];

type Kind = Pick<CatalogEntry, "provider" | "wire"> & { reasoning: boolean };

/** The first row of a provider's first list is its default. */
function entries(rows: Row[], { provider, wire, reasoning }: Kind, withDefault = true): CatalogEntry[] {
  return rows.map(([name, family, limits, cost], index) => ({
    id: `${provider}/${name}`,
    provider,
    ...(wire === undefined ? {} : { wire }),
    family,
    ...limits,
    prices: cost,
    multiplier: 1,
    supports: { tools: true, parallel: true, images: true, documents: true, reasoning },
    ...(withDefault && index === 0 ? { default: true } : {}),
  }));
}

export const builtInCatalog: readonly CatalogEntry[] = [
  ...entries(OPENAI_RESPONSES, { provider: "openai", wire: "openai-responses", reasoning: true }),
  ...entries(OPENAI_CHAT, { provider: "openai", wire: "openai-chat", reasoning: false }, false),
  ...entries(ANTHROPIC, { provider: "anthropic", wire: "anthropic", reasoning: true }),
  ...entries(GOOGLE, { provider: "google", wire: "gemini", reasoning: true }),
  {
    id: "offline",
    provider: "offline",
    family: "offline",
    prices: prices(0, 0, 0, 0),
    multiplier: 0,
    supports: { tools: true, parallel: true, images: false, documents: false, reasoning: false },
    default: true,
  },
];
