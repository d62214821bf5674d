// Ids of records: `mem_` and a ULID, so that they sort by the time they were made.
import { monotonicFactory } from "ulid";

export const PREFIX = "mem_";

/** Ids of one process rise, also within a millisecond. */
const nextUlid = monotonicFactory();

export const newMemoryId = (now?: number): string => PREFIX + nextUlid(now);

/**
 * As people may type it: whole or the beginning, with or without `mem_`, in any case. Undefined when it is no id; fewer than
 * six letters are more likely a slip than a choice.
 */
export function readId(text: string): { id: string; whole: boolean } | undefined {
  const body = text.trim().replace(/^mem_/i, "").toUpperCase();
  if (!/^[0-9A-HJKMNP-TV-Z]{6,26}$/.test(body)) return undefined;
  return { id: PREFIX + body, whole: body.length === 26 };
}

const SHORT = PREFIX.length + 8;

/** Ids that others made, in files, have no beginning that says enough. */
const isOurs = (id: string): boolean => {
  const read = readId(id);
  return read?.id === id && read.whole;
};

/** The shortest beginnings, of 8 letters or more, that tell the wanted ids from all others. One that is not ours stays whole. */
export function shortIds(wanted: readonly string[], all: Iterable<string>): Map<string, string> {
  const sorted = [...new Set(wanted)].sort();
  /** What nobody else may begin with, so far. */
  const beginnings = sorted.map((id) => id.slice(0, SHORT));
  const tellApart = (at: number, other: string): void => {
    const [id, beginning] = [sorted[at], beginnings[at]];
    if (id === undefined || beginning === undefined || !other.startsWith(beginning)) return;
    beginnings[at] = id.slice(0, common(id, other) + 1);
  };
  for (const id of all) {
    // The wanted id that shares most with this one stands beside it.
    const at = placeIn(sorted, id);
    tellApart(at - 1, id);
    tellApart(sorted[at] === id ? at + 1 : at, id);
  }
  return new Map(sorted.map((id, at) => [id, isOurs(id) ? (beginnings[at] ?? id).slice(PREFIX.length) : id]));
}

/** How many stand before it in order. */
function placeIn(sorted: readonly string[], id: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function common(a: string, b: string): number {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return n;
}
