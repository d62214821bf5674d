// The window as a bar: the share of the prompt limit in use, with a mark where compaction begins.

const WIDTH = 50;

/** Whole at the prompt limit itself: the mark moves with the setting, the scale never does. */
export function meter(usage: { currentTokens: number; tokenLimit: number; compactionAt?: number | undefined }): string {
  const { currentTokens, tokenLimit, compactionAt } = usage;
  const share = (tokens: number): number => Math.min(1, tokens / Math.max(1, tokenLimit));
  const filled = Math.round(share(currentTokens) * WIDTH);
  const cells = Array.from({ length: WIDTH }, (_, i): string => (i < filled ? "#" : "-"));
  if (compactionAt === undefined) return `[${cells.join("")}]`;
  cells[Math.min(WIDTH - 1, Math.round(share(compactionAt) * WIDTH))] = "|";
  return `[${cells.join("")}] compaction at ${Math.round(share(compactionAt) * 100)} %`;
}
