// What is in force of truncation: which items a request leaves out and which it shortens, applied the same way every time.
import { hash } from "node:crypto";
import { repair } from "../../model/wire/repair.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { Shaping } from "./shorten-item.ts";

/** Lives in memory only. Between compactions it grows and never shrinks. */
export type Cut<Raw = unknown> = {
  /** Equal cuts have equal ids, also when one is computed anew after a resume. */
  id: string;
  dropped: ReadonlySet<string>;
  /** By item id: the item as it is sent. Kept whole, so that its bytes stay the same. */
  shortened: ReadonlyMap<string, ContextItem<Raw>>;
  /** The first place where something is missing: before which item, and what stands there. */
  gap?: { before: string; notice?: ContextItem<Raw> };
};

export type Applied<Raw = unknown> = {
  /** What is sent; the very list that came in when nothing had to be done. */
  items: readonly ContextItem<Raw>[];
  /** The same without the notice. */
  kept: readonly ContextItem<Raw>[];
  /** Not counting system items, which are in the fixed part. */
  conversationTokens: number;
  messagesLength: number;
  /** What the cut leaves out. */
  omitted: readonly ContextItem<Raw>[];
  /** All items, what the cut leaves out included, shortened ones as they are sent: what compaction works on. */
  history: readonly ContextItem<Raw>[];
  /** Its size: what `u` counts. */
  historyTokens: number;
  /** The conversation as it would be without the cut. */
  untruncatedTokens: number;
  untruncatedLength: number;
  shortenedItems: number;
  repairedItems: number;
};

export const isSystem = ({ role }: ContextItem): boolean => role === "system" || role === "developer";

export const tokensIn = (items: readonly ContextItem[]): number =>
  items.reduce((sum, item) => sum + (isSystem(item) ? 0 : item.tokens), 0);

/** A linear pass; only what the cut or the repair made is counted. */
export async function applyCut<Raw>(
  all: readonly ContextItem<Raw>[],
  cut: Cut<Raw> | undefined,
  { rules, count }: Pick<Shaping<Raw>, "rules" | "count">,
): Promise<Applied<Raw>> {
  const { history, left, omitted, shortenedItems, saved } = cut ? await parted(all, cut, count) : uncut(all);
  const { items: whole, repaired } = repair(left, rules);
  const items = repaired === 0 ? whole : await recount(whole, new Set(left), count);
  const template = omitted.length < 2 ? undefined : cut?.gap?.notice;
  const notice = template && (await resized(template, count));
  const conversationTokens = tokensIn(items) + (notice?.tokens ?? 0);
  const messagesLength = items.filter((item) => !isSystem(item)).length + (notice ? 1 : 0);
  const historyTokens = tokensIn(items) + tokensIn(omitted);
  const untouched = omitted.length === 0 && shortenedItems === 0 && repaired === 0;
  return {
    items: untouched ? all : withNotice(items, cut?.gap?.before, notice),
    kept: items,
    conversationTokens,
    messagesLength,
    omitted,
    history,
    historyTokens,
    untruncatedTokens: historyTokens + saved,
    untruncatedLength: messagesLength - (notice ? 1 : 0) + omitted.length,
    shortenedItems,
    repairedItems: repaired,
  };
}

type Parted<Raw> = Pick<Applied<Raw>, "history" | "omitted" | "shortenedItems"> & {
  left: readonly ContextItem<Raw>[];
  /** By shortening. */
  saved: number;
};

const uncut = <Raw>(all: readonly ContextItem<Raw>[]): Parted<Raw> => ({
  ...{ history: all, left: all, omitted: [] },
  ...{ shortenedItems: 0, saved: 0 },
});

async function parted<Raw>(
  all: readonly ContextItem<Raw>[],
  { shortened, dropped }: Cut<Raw>,
  count: Shaping<Raw>["count"],
): Promise<Parted<Raw>> {
  const history: ContextItem<Raw>[] = [];
  const left: ContextItem<Raw>[] = [];
  const omitted: ContextItem<Raw>[] = [];
  let shortenedItems = 0;
  let saved = 0;
  for (const item of all) {
    const short = shortened.size > 0 ? shortened.get(item.id) : undefined;
    const visible = short ? await resized(short, count) : item;
    saved += item.tokens - visible.tokens;
    history.push(visible);
    if (dropped.has(item.id)) {
      omitted.push(visible);
    } else {
      left.push(visible);
      if (short) shortenedItems++;
    }
  }
  return { history, left, omitted, shortenedItems, saved };
}

/** Sizes follow the calibration, which moves; bytes do not. */
async function resized<Raw>(item: ContextItem<Raw>, count: Shaping<Raw>["count"]): Promise<ContextItem<Raw>> {
  const tokens = await count(item);
  return tokens === item.tokens ? item : { ...item, tokens };
}

async function recount<Raw>(
  items: readonly ContextItem<Raw>[],
  counted: ReadonlySet<ContextItem<Raw>>,
  count: Shaping<Raw>["count"],
): Promise<ContextItem<Raw>[]> {
  const sized: ContextItem<Raw>[] = [];
  for (const item of items) sized.push(counted.has(item) ? item : await resized(item, count));
  return sized;
}

function withNotice<Raw>(
  rest: readonly ContextItem<Raw>[],
  before: string | undefined,
  notice: ContextItem<Raw> | undefined,
): readonly ContextItem<Raw>[] {
  if (!notice) return rest;
  const at = rest.findIndex((item) => item.id === before);
  return at === -1 ? [...rest, notice] : rest.toSpliced(at, 0, notice);
}

export function newCut<Raw>(parts: Omit<Cut<Raw>, "id">): Cut<Raw> {
  const sizes = [...parts.shortened].map(([id, { tokens }]) => `${id} ${tokens}`);
  return { id: hash("sha256", [...parts.dropped, "", ...sizes].join("\n"), "hex").slice(0, 12), ...parts };
}

/** After a compaction dropped items are gone or fit again; a shortened one stays as it is. */
export function afterCompaction<Raw>(cut: Cut<Raw> | undefined): Cut<Raw> | undefined {
  return cut && cut.shortened.size > 0 ? newCut({ dropped: new Set(), shortened: cut.shortened }) : undefined;
}
