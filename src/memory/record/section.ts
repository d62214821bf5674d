// The memory section of the system prompt: lines of any strategy, bounded at a line end, escaped and fenced.
import { boundTokens } from "../../context/fragment/fragment.ts";
import { recalledLine } from "../../context/fragment/recalled.ts";
import { estimateTokens } from "../../model/tokens/estimate.ts";
import intro from "./section.md";

const [OPEN, CLOSE] = ["<memories>", "</memories>"];
/** For the line that says what is missing. */
const NOTE_TOKENS = 40;

/** The larger of two estimates: a bound must hold for words and for numbers alike. */
export const linesTokens = (text: string): number => Math.max(boundTokens(text), estimateTokens(text)) + 1;

/** Never over five in a hundred of what the model takes. */
export const sectionLimit = (maxTokens: number, promptLimit: number): number =>
  Math.max(0, Math.min(maxTokens, Math.floor(promptLimit * 0.05)));

/** What is left for lines within the section's bound. */
export const roomForLines = (maxTokens: number): number =>
  Math.max(0, maxTokens - linesTokens(`${OPEN}\n${intro.trim()}\n${CLOSE}`) - NOTE_TOKENS);

export type Body = {
  /** Lines, as the strategy gave them. */
  prompt: string;
  /** Records of the place that are not among them. */
  leftOut: number;
};

/** Empty when nothing fits. Equal inputs give equal bytes. */
export function memorySection({ prompt, leftOut }: Body, bound: { maxTokens: number; maxRecords: number }): string {
  const room = roomForLines(bound.maxTokens);
  const lines: string[] = [];
  let tokens = 0;
  const all = prompt.split("\n").map(recalledLine).filter(Boolean);
  for (const line of all) {
    const cost = linesTokens(line);
    if (tokens + cost > room || lines.length >= bound.maxRecords) break;
    tokens += cost;
    lines.push(line);
  }
  if (lines.length === 0) return "";
  const missing = leftOut + all.length - lines.length;
  const note = missing > 0 ? [`(${missing} more: the user sees them with \`everlong memory list\`)`] : [];
  return [OPEN, intro.trim(), ...lines, ...note, CLOSE].join("\n");
}
