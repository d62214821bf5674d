// How much a request may hold: the model's window, room for the answer, and the marks between which a cut is made.
import { optional } from "../../base/optional.ts";
import { AFTER_REFUSAL } from "../../context/truncate/limit.ts";
import { findModel, type ModelCatalog } from "../../model/catalog.ts";
import { FALLBACK_PROMPT_TOKENS } from "../../model/limits.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { WireName } from "../../schema/model.ts";
import type { Family, Headers } from "../contract.ts";

type Window = {
  tokens: number;
  source: "setting" | "learned" | "beta" | "catalogue" | "fallback";
  /** The catalogue's own limit for prompts, where that is below the window. */
  maxPrompt?: number;
};

export function windowOf(input: {
  wire: WireName;
  model: string;
  headers: Headers;
  /** Glob over model names → tokens. */
  windows: Readonly<Record<string, number>>;
  learned?: number | undefined;
  catalog: ModelCatalog;
}): Window {
  const { wire, model, headers, windows, learned, catalog } = input;
  const set = Object.entries(windows).find(([glob]) => matches(glob, model));
  if (set) return { tokens: set[1], source: "setting" };
  if (learned !== undefined) return { tokens: learned, source: "learned" };
  const larger = wireOf(wire).request.window?.(model, headers);
  if (larger !== undefined) return { tokens: larger, source: "beta" };
  const entry = findModel(catalog, model) ?? findModel(catalog, model.slice(model.lastIndexOf("/") + 1));
  const tokens = entry?.max_context_window_tokens ?? entry?.max_prompt_tokens;
  if (tokens === undefined) return { tokens: FALLBACK_PROMPT_TOKENS, source: "fallback" };
  return { tokens, source: "catalogue", ...optional("maxPrompt", entry?.max_prompt_tokens) };
}

/** `*` stands for any text; case does not count. */
function matches(glob: string, model: string): boolean {
  const [first = "", ...rest] = glob.toLowerCase().split("*");
  const name = model.toLowerCase();
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= name.length - last.length;
}

/** All of these are tokens. */
export type RequestBudget = {
  window: number;
  /** So much is left for the answer. */
  reserve: number;
  usable: number;
  /** The mark above which there is a new cut. */
  high: number;
  /** Where a cut aims, as a share of `high`. */
  lowShare: number;
};

const HIGH = 0.8;
/** Below the point where that client compacts by itself. */
const HIGH_OF: Partial<Record<Family, number>> = { copilot: 0.72, qwen: 0.62, gemini: 0.45 };

export function budgetOf(input: {
  window: Window;
  body: Readonly<Record<string, unknown>>;
  wire: WireName;
  family: Family;
  settings: { reserveTokens: number; highWater?: number | undefined; lowWater: number };
}): RequestBudget {
  const { window, body, wire, family, settings } = input;
  const wanted = Math.max(Math.floor(wireOf(wire).request.maxOutput(body) ?? 0), settings.reserveTokens);
  const reserve = Math.min(wanted, Math.floor(window.tokens / 2));
  const usable = Math.min(window.tokens - reserve, window.maxPrompt ?? window.tokens);
  const high = Math.floor(usable * (settings.highWater ?? HIGH_OF[family] ?? HIGH));
  return { window: window.tokens, reserve, usable, high, lowShare: settings.lowWater };
}

/** After a second refusal: the window is not what it seems, so aim at half of everything. */
export const halved = (budget: RequestBudget): RequestBudget => ({
  ...budget,
  usable: Math.floor(budget.usable / 2),
  high: Math.floor(budget.high / 2),
});

/** What was refused is never sent again as it was, whatever the window is said to be. */
export function below(budget: RequestBudget, refusedTokens: number): RequestBudget {
  const usable = Math.min(budget.usable, Math.floor(refusedTokens * AFTER_REFUSAL));
  return { ...budget, usable, high: Math.min(budget.high, Math.floor(usable * HIGH)) };
}
