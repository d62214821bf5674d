// Raw output as the model may see it: valid text without terminal codes, no endless lines.
import { cutAt, stripAnsi } from "../base/text.ts";

export const MAX_LINE = 2000;

type Cleaned = { text: string /** Some line lost its end. */; clipped: boolean };

export function clean(raw: Buffer): Cleaned {
  let clipped = false;
  const lines = stripAnsi(raw.toString("utf8")).split("\n");
  const text = lines.map((line) => {
    if (line.length > MAX_LINE) clipped = true;
    return clipLine(line);
  });
  return { text: text.join("\n"), clipped };
}

export function clipLine(line: string): string {
  if (line.length <= MAX_LINE) return line;
  const head = cutAt(line, MAX_LINE);
  return `${head}[… ${line.length - head.length} more characters in this line]`;
}

/** The first whole lines within the budget; of a first line that is longer, as much as fits. */
export function headWithin(raw: Buffer, budget: number): string {
  const lines = clean(dropPartialEnd(raw)).text.split("\n");
  if (lines.length > 1) lines.pop(); // cut by the window, or empty
  return takeLines(lines, budget, (line) => startOf(line, budget)).join("\n");
}

/** The last whole lines within the budget; of a last line that is longer, its end. */
export function tailWithin(raw: Buffer, budget: number): string {
  const text = stripAnsi(dropPartialStart(raw).toString("utf8")).replace(/\n$/, "");
  const lines = text.split("\n");
  if (lines.length > 1) lines.shift();
  const clippedLines = lines.map(clipLine).reverse();
  return takeLines(clippedLines, budget, () => `…${endOf(text, Math.min(budget, MAX_LINE) - 3)}`)
    .reverse()
    .join("\n");
}

function takeLines(lines: string[], budget: number, firstTooLong: (line: string) => string): string[] {
  const taken: string[] = [];
  let left = budget;
  for (const line of lines) {
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) return taken.length > 0 ? taken : [firstTooLong(line)];
    taken.push(line);
  }
  return taken;
}

function startOf(text: string, budget: number): string {
  return dropPartialEnd(Buffer.from(text).subarray(0, budget)).toString("utf8");
}

function endOf(text: string, budget: number): string {
  const bytes = Buffer.from(text);
  return dropPartialStart(bytes.subarray(Math.max(0, bytes.length - budget))).toString("utf8");
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Drops a character whose last bytes lie beyond the end. */
function dropPartialEnd(raw: Buffer): Buffer {
  let lead = raw.length - 1;
  while (lead >= 0 && lead > raw.length - 4 && isContinuation(raw[lead])) lead--;
  const first = raw[lead] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return lead >= 0 && lead + length > raw.length ? raw.subarray(0, lead) : raw;
}

/** Drops the bytes of a character that began before the start. */
function dropPartialStart(raw: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(raw[start])) start++;
  return raw.subarray(start);
}
