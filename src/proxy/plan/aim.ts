// How far down a cut goes: far enough that the next ones are not needed at once, and no further than what is being worked on.
import { isSystem } from "../../context/truncate/cut.ts";
import type { Keep } from "../../context/truncate/draft.ts";
import { groups } from "../../model/wire/group.ts";
import type { HistoryItem } from "../contract.ts";

/** All of these are tokens. */
export type AimInput = {
  /** The mark above which there is a new cut. */
  high: number;
  /** Where a cut aims when there is room enough. */
  usual: number;
  /** What a request of the lane has added lately. */
  growth: number;
  /** What no cut takes: all that is sent beside the conversation, head, newest prompt and newest step. */
  least: number;
  /** What else follows the newest prompt. */
  work: number;
  /** The provider has just refused a larger request; a second refusal must leave something to make smaller. */
  refused: boolean;
};

/** So many requests should pass before the next cut. */
const REQUESTS = 6;
/** With less room than this the newest prompt's own work is no reason to keep it all. */
const FEWEST = 3;

/**
 * Room for six requests where the window has it. Where it has not, everything goes but the newest prompt's own work; and
 * where that alone fills the window, half of what is left.
 */
export function aimOf({ high, usual, growth, least, work, refused }: AimInput): number {
  const wanted = high - REQUESTS * growth;
  const half = Math.max(least, (least + high) / 2);
  if (refused) return Math.floor(Math.min(usual, Math.max(half, wanted)));
  if (wanted >= least) return Math.floor(Math.min(usual, wanted));
  const own = least + work;
  if (own <= high - FEWEST * growth) return Math.floor(own);
  return Math.floor(Math.min(usual, half));
}

/** How many of the newest groups tell the growth. */
const RECENT = 12;

/** A request follows on each prompt and on each step with results; what came since is shared among them. */
export function growthOf(items: readonly HistoryItem[]): number {
  const recent = groups(items).slice(-RECENT);
  const all = recent.map(({ indexes }) => indexes.flatMap((at) => items[at] ?? []));
  const requests = all.filter((group) =>
    group.some(({ isPrompt, toolResultFor }) => isPrompt || toolResultFor.length > 0),
  );
  const tokens = all.flat().reduce((sum, item) => sum + (isSystem(item) ? 0 : item.tokens), 0);
  return tokens / Math.max(1, requests.length);
}

/** `least` and `work` of a history; `fixedTokens` is what is sent beside it. */
export function stayingOf(
  items: readonly HistoryItem[],
  { always, untouched }: Keep,
  fixedTokens: number,
): Pick<AimInput, "least" | "work"> {
  const prompt = items.findLastIndex(({ isPrompt }) => isPrompt);
  let least = fixedTokens;
  let work = 0;
  for (const [at, item] of items.entries()) {
    if (isSystem(item)) continue;
    if (always.has(item.id) || untouched.has(item.id)) least += item.tokens;
    else if (at > prompt) work += item.tokens;
  }
  return { least, work };
}
