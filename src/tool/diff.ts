// A unified diff of two texts, small enough for a result and a permission prompt.
import { structuredPatch } from "diff";
import { cutAt } from "../base/text.ts";

type Diff = { text: string; added: number; removed: number };

const PROMPT_CHARS = 64 * 1024;
/** A larger text shows only the beginning of what changed, so that the log does not hold it twice. */
const MAX_TEXT = 2 * 1024 * 1024;
const MAX_CHARS = 256 * 1024;
/** The time that a comparison takes grows with the square of the edits; beyond these, the change is shown in one piece. */
const MAX_EDITS = 1000;

/** A diff for a permission prompt: what nobody would read to its end is cut. */
export function promptDiff(name: string, before: string, after: string): string {
  const { text } = unifiedDiff(name, before, after);
  return text.length <= PROMPT_CHARS
    ? text
    : `${cutAt(text, PROMPT_CHARS)}\n[… ${text.length - PROMPT_CHARS} more characters]`;
}

export function unifiedDiff(name: string, before: string, after: string): Diff {
  if (before === after) return { text: "", added: 0, removed: 0 };
  const isLarge = Math.max(before.length, after.length) > MAX_TEXT;
  const limits = { context: 3, maxEditLength: MAX_EDITS };
  const patch = isLarge ? undefined : structuredPatch(name, name, before, after, undefined, undefined, limits);
  if (!patch) return wholeChange(name, before, after);
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  const hunks = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => {
    const from = (start: number, length: number): string => `${length === 0 ? start - 1 : start},${length}`;
    return [`@@ -${from(oldStart, oldLines)} +${from(newStart, newLines)} @@`, ...lines];
  });
  return { text: [`--- ${name}`, `+++ ${name}`, ...hunks].join("\n"), added: count("+"), removed: count("-") };
}

/** All between the texts' common beginning and common end, as lines removed and lines added. */
function wholeChange(name: string, before: string, after: string): Diff {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  start = start === 0 ? 0 : before.lastIndexOf("\n", start - 1) + 1;
  let end = 0;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end++;
  if (![before, after].every((text) => isLineStart(text, text.length - end))) {
    const next = before.indexOf("\n", before.length - end) + 1;
    end = next === 0 ? 0 : before.length - next;
  }
  const [minus, plus] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const [removed, added] = [linesIn(minus), linesIn(plus)];
  const line = linesIn(before.slice(0, start)) + 1;
  const head = [`--- ${name}`, `+++ ${name}`, `@@ -${line},${removed} +${line},${added} @@`];
  return { text: [...head, ...shown("-", minus), ...shown("+", plus)].join("\n"), added, removed };
}

const isLineStart = (text: string, at: number): boolean => at === 0 || text.charCodeAt(at - 1) === 10;

function linesIn(text: string): number {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** The first lines of a changed part, and how many characters follow them. */
function shown(sign: "-" | "+", text: string): string[] {
  if (text === "") return [];
  const part = text.slice(0, MAX_CHARS);
  const lines = part.replace(/\n$/, "").split("\n");
  const more = text.length - part.length;
  const note = more > 0 ? [`[… ${more} more characters]`] : text.endsWith("\n") ? [] : ["\\ No newline at end of file"];
  return [...lines.map((line) => sign + line), ...note];
}
