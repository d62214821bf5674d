// The memory section of the system prompt: lines of any strategy, bounded at a line end, escaped and fenced.
import { optional } from "../../base/optional.ts";
import { inTag } from "../../base/tag.ts";
import { boundTokens } from "../../context/fragment/fragment.ts";
import { recalledLine } from "../../context/fragment/recalled.ts";
import { estimateTokens } from "../../model/tokens/estimate.ts";
import intro from "./section.md";

/** Tokens set aside for the line that says what is missing. */
const NOTE_TOKENS = 40;

/** The larger of two estimates: a bound must hold for words and for numbers alike. */
export const linesTokens = (text: string): number => Math.max(boundTokens(text), estimateTokens(text)) + 1;

/** What is left for lines within the section's bound. */
export const roomForLines = (maxTokens: number): number =>
  Math.max(0, maxTokens - linesTokens(inTag("memories", intro.trim())) - NOTE_TOKENS);

type Body = {
  /** Lines, as the strategy gave them. */
  prompt: string;
  /** Ids of the records that the lines show, in the order of the lines. */
  ids?: readonly string[];
  /** Records of the place that are not among them. */
  leftOut: number;
};

/** A line of the section, and which record it shows where the strategy says so. */
export type ShownLine = { id?: string; text: string };
type Section = { text: string; lines: ShownLine[] };

/** Empty when nothing fits. Equal inputs give equal bytes. */
export function memorySection(body: Body, bound: { maxTokens: number; maxRecords: number }): Section {
  const { prompt, ids, leftOut } = body;
  const room = roomForLines(bound.maxTokens);
  const lines: ShownLine[] = [];
  let tokens = 0;
  const all = prompt.split("\n").map(recalledLine).filter(Boolean);
  const validIds = ids?.length === all.length ? ids : undefined;
  for (const [i, text] of all.entries()) {
    const cost = linesTokens(text);
    if (tokens + cost > room || lines.length >= bound.maxRecords) break;
    tokens += cost;
    lines.push({ text, ...optional("id", validIds?.[i]) });
  }
  if (lines.length === 0) return { text: "", lines };
  const missing = leftOut + all.length - lines.length;
  const note = missing > 0 ? [`(${missing} more: the user sees them with \`everlong memory list\`)`] : [];
  return { text: inTag("memories", [intro.trim(), ...lines.map(({ text }) => text), ...note].join("\n")), lines };
}
