// Where a history may be parted: never inside a group, and never before what still waits for an answer.
import { groups } from "../../model/wire/group.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import { isMessage, lastCompaction, tokensOf } from "./items.ts";

/** One entry for each position from 0 to the end: true when no group lies on both sides of it. */
export function safeCuts(items: readonly ContextItem[]): boolean[] {
  const cuts = Array.from({ length: items.length + 1 }, () => true);
  for (const { indexes } of groups(items)) {
    const last = indexes.at(-1) ?? 0;
    for (let at = (indexes[0] ?? 0) + 1; at <= last; at++) cuts[at] = false;
  }
  return cuts;
}

type Tail = {
  /** First item of the unanswered tail; the length when there is none. */
  start: number;
  /** First item after the newest step's results: what is left when that step is compacted too. */
  afterStep: number;
};

/** What follows the last answer; and the newest step, when its results have not led to an answer. */
export function unansweredTail(items: readonly ContextItem[]): Tail {
  const from = lastCompaction(items) + 1;
  const lastSaid = items.findLastIndex((item) => item.role === "assistant" && item.kind !== "compaction");
  const start = Math.max(from, lastSaid + 1);
  const step = groups(items).find((group) => group.indexes.includes(lastSaid))?.indexes ?? [];
  const waits = step.some((index) => (items[index]?.toolCallIds.length ?? 0) > 0);
  if (!waits || lastSaid < from) return { start, afterStep: start };
  return { start: Math.max(from, step[0] ?? start), afterStep: (step.at(-1) ?? lastSaid) + 1 };
}

/** The newest whole groups before `end` that fit the tokens, as the position where they begin. Never a compaction message. */
export function recentStart(items: readonly ContextItem[], end: number, tokens: number): number {
  let start = end;
  let room = tokens;
  for (const { indexes } of groups(items.slice(0, end)).reverse()) {
    const members = indexes.flatMap((index) => items[index] ?? []);
    room -= tokensOf(members);
    if (room < 0 || members.some((item) => item.kind === "compaction" || !isMessage(item))) break;
    start = Math.min(start, indexes[0] ?? start);
  }
  return start;
}

const LEAST_REPLACED = 2;

/**
 * The first wanted position that leaves enough before it, moved back where it would part a group; else forward from
 * `last`. Undefined when there is not enough even so.
 */
export function boundaryAt(items: readonly ContextItem[], wanted: readonly number[], last: number): number | undefined {
  const cuts = safeCuts(items);
  const leavesEnough = (at: number): boolean => items.slice(0, at).filter(isMessage).length >= LEAST_REPLACED;
  for (const position of wanted) {
    const back = cuts.lastIndexOf(true, position);
    if (leavesEnough(back)) return back;
  }
  const forward = cuts.indexOf(true, last);
  return leavesEnough(forward) ? forward : undefined;
}
