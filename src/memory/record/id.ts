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
  const alike = new Map(wanted.map((id) => [id.slice(0, SHORT), [] as string[]]));
  for (const id of all) alike.get(id.slice(0, SHORT))?.push(id);
  // In sorted order, the id that shares most stands beside it.
  const shared = new Map<string, number>();
  for (const group of alike.values())
    for (const [i, id] of group.sort().entries())
      shared.set(id, Math.max(common(id, group[i - 1] ?? ""), common(id, group[i + 1] ?? "")));
  return new Map(
    wanted.map((id) => [id, isOurs(id) ? id.slice(PREFIX.length, Math.max(SHORT, (shared.get(id) ?? 0) + 1)) : id]),
  );
}

function common(a: string, b: string): number {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return n;
}
