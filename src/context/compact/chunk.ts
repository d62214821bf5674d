// A history in parts that each fit one call, parted between turns where that leaves no small pieces, else between groups.
import { safeCuts } from "./boundary.ts";
import type { SessionItem } from "./items.ts";

/** A cut between turns is taken when the part before it is at least this full. */
const FULL_ENOUGH = 0.5;

/** Every item is in one part, in order. A part is above the limit only when it is a single group. */
export function splitIntoChunks(
  items: readonly SessionItem[],
  limit: number,
  cost: (item: SessionItem) => number,
): SessionItem[][] {
  const cuts = safeCuts(items);
  const chunks: SessionItem[][] = [];
  for (let start = 0; start < items.length; ) {
    const end = endOfChunk(items, start, limit, cost, cuts);
    chunks.push(items.slice(start, end));
    start = end;
  }
  return chunks;
}

function endOfChunk(
  items: readonly SessionItem[],
  start: number,
  limit: number,
  cost: (item: SessionItem) => number,
  cuts: readonly boolean[],
): number {
  let tokens = 0;
  let atGroup: number | undefined;
  let atTurn: number | undefined;
  for (let end = start + 1; end <= items.length; end++) {
    const item = items[end - 1];
    tokens += item ? cost(item) : 0;
    if (!cuts[end]) continue;
    if (tokens > limit) return atTurn ?? atGroup ?? end;
    atGroup = end;
    if (items[end]?.isPrompt && tokens >= FULL_ENOUGH * limit) atTurn = end;
  }
  return items.length;
}
