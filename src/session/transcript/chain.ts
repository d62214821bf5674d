// A list that only grows at its end: adding costs the new item alone, and every earlier state of it stays what it was.
export type Chain<T> = { readonly item: T; readonly before: Chain<T> | undefined; readonly count: number };

export const linked = <T>(before: Chain<T> | undefined, item: T): Chain<T> => ({
  item,
  before,
  count: (before?.count ?? 0) + 1,
});

/** What came after the first `since` items, in order; it costs no more than they are. */
export function itemsAfter<T>(chain: Chain<T> | undefined, since = 0): T[] {
  const size = Math.max(0, (chain?.count ?? 0) - since);
  const items = new Array<T>(size);
  for (let link = chain, at = size - 1; link && at >= 0; link = link.before, at--) items[at] = link.item;
  return items;
}
