// The few lines of figures that prompt mode prints to stderr at its end.
import { costText } from "../../schema/model.ts";
import type { RunTotals } from "./totals.ts";

export function metrics(totals: RunTotals, run: { durationMs: number; sessionId: string }): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  const lines = [
    `Took ${seconds(run.durationMs)} (model ${seconds(totals.modelMs)}), ${plural(totals.steps, "step")}.`,
  ];
  for (const [model, u] of Object.entries(totals.byModel)) {
    const tokens = `${u.estimated ? "about " : ""}${u.inputTokens} in, ${u.outputTokens} out, ${u.cacheReadTokens} cached`;
    lines.push(`${model}: ${[tokens, costText(u)].filter(Boolean).join(", ")}`);
  }
  if (totals.files.size > 0) {
    const all = [...totals.files.values()];
    const added = all.reduce((n, f) => n + f.added, 0);
    const removed = all.reduce((n, f) => n + f.removed, 0);
    lines.push(`${plural(totals.files.size, "file")} changed, +${added} -${removed}`);
  }
  lines.push(resumeHint(run.sessionId));
  return `${lines.join("\n")}\n`;
}

/** Eight letters tell sessions apart; any beginning of an id is accepted. */
const resumeHint = (sessionId: string): string => `Resume with: everlong --resume ${sessionId.slice(0, 8)}`;

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;
