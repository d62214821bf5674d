// A new cut: the shared truncator with the gateway's marks, and the notice that stands where the first gap is.
import { canonicalJson } from "../../base/json.ts";
import { type Applied, applyCut, type Cut } from "../../context/truncate/cut.ts";
import type { Keep } from "../../context/truncate/draft.ts";
import { lowWaterMark } from "../../context/truncate/limit.ts";
import type { Shaping } from "../../context/truncate/shorten-item.ts";
import { growCut } from "../../context/truncate/truncate.ts";
import { noticeText } from "../../context/truncate/words.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { HistoryItem, Insertion, LaneCut, ScannedBody } from "../contract.ts";
import { aimOf, growthOf, stayingOf } from "./aim.ts";
import type { RequestBudget } from "./budget.ts";
import { withoutMarks } from "./cache-marks.ts";
import { blockTokens } from "./count.ts";
import { gapPlace } from "./tail.ts";

type CutRequest = {
  body: ScannedBody;
  items: readonly HistoryItem[];
  /** All that is sent beside the conversation: system, tools, what will be put in. */
  fixedTokens: number;
  budget: RequestBudget;
  keep: Keep;
  /** After a refusal for size. */
  refused: boolean;
  longChars: number;
  shaping: Shaping;
  /** What is kept of a text. */
  clean?: ((text: string) => string) | undefined;
};
export type MadeCut = {
  cut: Cut;
  /** The same as a lane keeps it. */
  recorded: LaneCut | undefined;
  applied: Applied;
  notice: Insertion | undefined;
  /** It brought the request below the high-water mark. */
  fits: boolean;
};

/** Always made from the whole history, so that it depends on nothing but what the client sent. */
export async function makeCut(request: CutRequest): Promise<MadeCut> {
  const { items, fixedTokens, budget, keep, longChars, shaping, refused } = request;
  const fit = {
    ...shaping,
    items,
    fixedTokens,
    effectiveLimit: budget.high,
    hardLimit: budget.usable,
    mode: "on" as const,
    cut: undefined,
    keep,
    longChars,
  };
  const usual = lowWaterMark({ effectiveLimit: budget.high, fixedTokens, target: budget.lowShare });
  const staying = stayingOf(items, keep, fixedTokens);
  const lowWater = aimOf({ high: budget.high, usual, growth: growthOf(items), refused, ...staying });
  const cut = await growCut(fit, await applyCut(items, undefined, shaping), lowWater);
  const applied = await applyCut(items, cut, shaping);
  const fits = fixedTokens + applied.conversationTokens <= budget.high;
  return {
    cut,
    recorded: recorded(cut, applied.kept, request),
    applied,
    notice: noticeOf(request, cut, applied),
    fits,
  };
}

function noticeOf(request: CutRequest, cut: Cut, { kept }: Applied): Insertion | undefined {
  const { body, items, shaping } = request;
  if (!cut.gap?.notice) return undefined;
  const originals = new Map(items.map((item) => [item.id, item]));
  const next = kept.findIndex(({ id }) => id === cut.gap?.before);
  const before = kept.slice(0, next === -1 ? kept.length : next).findLast(({ id }) => originals.has(id));
  const anchor = before && originals.get(before.id);
  if (!anchor) return undefined;
  const text = noticeText(
    items.filter(({ id }) => cut.dropped.has(id)),
    shaping,
  );
  return { kind: "notice", text, tokens: blockTokens(text), ...gapPlace(body, anchor) };
}

/** The cut as a lane keeps it, without secrets. What was repaired besides is part of the recorded bytes. */
function recorded(
  { dropped, shortened }: Cut,
  history: readonly ContextItem[],
  { shaping, clean = (text) => text }: CutRequest,
): LaneCut | undefined {
  if (dropped.size === 0 && shortened.size === 0) return undefined;
  const bytes = history
    .filter(({ id }) => shortened.has(id))
    .map((item) => [item.id, withoutMarks(shaping.rules.replaceTexts(item, clean))]);
  return { dropped: [...dropped], shortened: Object.fromEntries(bytes) };
}

export function isSameCut(one: LaneCut | undefined, other: LaneCut | undefined): boolean {
  if (!one || !other) return one === other;
  const dropped = new Set(other.dropped);
  return (
    one.dropped.length === dropped.size &&
    one.dropped.every((id) => dropped.has(id)) &&
    canonicalJson(one.shortened) === canonicalJson(other.shortened)
  );
}
