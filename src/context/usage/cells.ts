// The window as a hundred cells, one for each per cent of the limit.
export const bucketNames = ["system", "tools", "memory", "history", "compaction", "free"] as const;
export type BucketName = (typeof bucketNames)[number];
export type UsageBuckets = Record<BucketName, number>;

const CELLS = 100;

/** What is not taken is free; beyond the limit nothing is, and the cells show shares of what there is. */
export const withFree = (taken: Omit<UsageBuckets, "free">, limit: number): UsageBuckets => {
  const sum = Object.values(taken).reduce((a, b) => a + b, 0);
  return { ...taken, free: Math.max(0, limit - sum) };
};

/** Whole cells that always make a hundred: the largest remainders are rounded up. */
export function contextCells(buckets: UsageBuckets): UsageBuckets {
  const sum = Math.max(
    1,
    bucketNames.reduce((total, name) => total + buckets[name], 0),
  );
  const exact = bucketNames.map((name) => ({ name, cells: (buckets[name] * CELLS) / sum }));
  const whole = { ...buckets };
  let left = CELLS;
  for (const { name, cells } of exact) {
    whole[name] = Math.floor(cells);
    left -= whole[name];
  }
  const byRemainder = exact.toSorted((a, b) => (b.cells % 1) - (a.cells % 1));
  for (const { name } of byRemainder.slice(0, left)) whole[name]++;
  return whole;
}
