// The text of `/context`: a picture of a hundred cells, and the numbers behind it.
import { type BucketName, bucketNames, type UsageBuckets } from "./cells.ts";
import type { ContextReport } from "./report.ts";

const SHOWN: Record<BucketName, { letter: string; label: string }> = {
  system: { letter: "S", label: "system prompt" },
  tools: { letter: "T", label: "tool definitions" },
  memory: { letter: "M", label: "memory" },
  history: { letter: "H", label: "history" },
  compaction: { letter: "C", label: "compaction message" },
  free: { letter: ".", label: "free" },
};
const ROW = 10;
const WIDTH = 50;

export function renderContext(report: ContextReport): string {
  const { usage } = report;
  const title = `Context: ${number(usage.currentTokens)} of ${number(usage.tokenLimit)} tokens (${share(report, usage.currentTokens)}), model ${usage.model}`;
  return [
    title,
    meter(usage),
    "",
    ...picture(report.cells),
    "",
    ...bucketLines(report),
    "",
    ...largest(report),
    ...facts(report),
  ].join("\n");
}

/**
 * The share of the prompt limit in use, with a mark where compaction begins. Whole at the prompt limit itself: the mark moves with the setting, the scale never does.
 */
function meter(usage: { currentTokens: number; tokenLimit: number; compactionAt?: number | undefined }): string {
  const { currentTokens, tokenLimit, compactionAt } = usage;
  const share = (tokens: number): number => Math.min(1, tokens / Math.max(1, tokenLimit));
  const filled = Math.round(share(currentTokens) * WIDTH);
  const cells = Array.from({ length: WIDTH }, (_, i): string => (i < filled ? "#" : "-"));
  if (compactionAt === undefined) return `[${cells.join("")}]`;
  cells[Math.min(WIDTH - 1, Math.round(share(compactionAt) * WIDTH))] = "|";
  return `[${cells.join("")}] compaction at ${Math.round(share(compactionAt) * 100)} %`;
}

function picture(cells: UsageBuckets): string[] {
  const letters = bucketNames.flatMap((name) => Array<string>(cells[name]).fill(SHOWN[name].letter));
  const rows = Math.ceil(letters.length / ROW);
  return Array.from({ length: rows }, (_, row) => letters.slice(row * ROW, (row + 1) * ROW).join(" "));
}

function bucketLines(report: ContextReport): string[] {
  const { prompts, answers, toolResults, other, recalled = 0 } = report.history;
  const parts: Partial<Record<BucketName, [string, number][]>> = {
    tools: report.tools.map(({ source, tokens }) => [source, tokens]),
    memory: report.memory.map(({ source, tokens }) => [source, tokens]),
    history: [
      ["prompts", prompts],
      ["pins, facts and quotes before prompts", recalled],
      ["answers", answers],
      ["tool results", toolResults],
      ["notices and other", other],
    ],
  };
  return bucketNames.flatMap((name) => [
    line(`${SHOWN[name].letter} ${SHOWN[name].label}`, report.buckets[name], share(report, report.buckets[name])),
    ...(parts[name] ?? []).filter(([, tokens]) => tokens > 0).map(([label, tokens]) => line(`    ${label}`, tokens)),
  ]);
}

function largest({ largest: items }: ContextReport): string[] {
  if (items.length === 0) return [];
  const lines = items.map(({ ref, what, tokens, shortened }) =>
    line(`  ${ref} ${what}${shortened ? ", shortened" : ""}`, tokens),
  );
  return ["Largest items:", ...lines, ""];
}

function facts({ usage, cut, lastCompaction, calibration }: ContextReport): string[] {
  const { compactionAt, effectiveLimit, tokenLimit } = usage;
  const next =
    compactionAt === undefined
      ? "never by itself"
      : `at ${number(compactionAt)} tokens${compactionAt <= usage.currentTokens ? " (reached)" : ""}`;
  const samples = calibration.samples === 1 ? "1 answer" : `${calibration.samples} answers`;
  return [
    ...(effectiveLimit < tokenLimit ? [`Usable after refusals for size: ${number(effectiveLimit)} tokens`] : []),
    `Cut in force: ${cut ? cutText(cut) : "none"}`,
    `Last compaction: ${lastCompaction ? compactionText(lastCompaction) : "none"}`,
    `Next compaction: ${next}`,
    `Calibration: ${calibration.samples === 0 ? "none yet, counts are estimates" : `factor ${calibration.factor.toFixed(2)} from ${samples}`}`,
  ];
}

function cutText({ omittedMessages, turns, shortenedItems }: NonNullable<ContextReport["cut"]>): string {
  const left = turns ? [`${omittedMessages} messages of ${turns} left out`] : [];
  const short = shortenedItems > 0 ? [`${shortenedItems} items shortened`] : [];
  return [...left, ...short].join(", ") || "nothing left out";
}

function compactionText(last: NonNullable<ContextReport["lastCompaction"]>): string {
  const turns = last.turns ? `, ${last.turns}` : "";
  const checkpoint = last.checkpointNumber === undefined ? "" : `, checkpoint ${last.checkpointNumber}`;
  return `${number(last.before)} → ${number(last.after)} tokens (${last.trigger}${turns}${checkpoint})`;
}

const line = (label: string, tokens: number, more = ""): string =>
  `${label.padEnd(34)}${number(tokens).padStart(11)}${more === "" ? "" : more.padStart(9)}`;

const share = ({ usage }: ContextReport, tokens: number): string =>
  `${((tokens * 100) / Math.max(1, usage.tokenLimit)).toFixed(1)} %`;

/** Thousands with commas, whatever the machine's language. */
const number = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
