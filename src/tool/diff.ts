// A unified diff of two texts, small enough for a result and a permission prompt.
import { cutAt } from "../base/text.ts";

type Diff = { text: string; added: number; removed: number };

const PROMPT_CHARS = 64 * 1024;
/** Of a larger text only the beginning of what changed is shown: it is not to stand in the log a second time. */
const MAX_TEXT = 2 * 1024 * 1024;
const MAX_CHARS = 256 * 1024;
const CONTEXT = 3;
/** Above this many comparisons the changed middle is shown as all removed, all added. */
const MAX_CELLS = 1_000_000;

type Edit = { kind: " " | "-" | "+"; line: string };

/** A diff for a permission prompt: what nobody would read to its end is cut. */
export function promptDiff(name: string, before: string, after: string): string {
  const { text } = unifiedDiff(name, before, after);
  return text.length <= PROMPT_CHARS
    ? text
    : `${cutAt(text, PROMPT_CHARS)}\n[… ${text.length - PROMPT_CHARS} more characters]`;
}

export function unifiedDiff(name: string, before: string, after: string): Diff {
  if (Math.max(before.length, after.length) > MAX_TEXT) return largeDiff(name, before, after);
  const edits = compare(splitLines(before), splitLines(after));
  const added = edits.filter((e) => e.kind === "+").length;
  const removed = edits.filter((e) => e.kind === "-").length;
  if (added + removed === 0) return { text: "", added, removed };
  return { text: [`--- ${name}`, `+++ ${name}`, ...hunks(edits)].join("\n"), added, removed };
}

/** Texts of megabytes are not compared line by line: the part between their common beginning and end is what changed. */
function largeDiff(name: string, before: string, after: string): Diff {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (start === before.length && start === after.length) return { text: "", added: 0, removed: 0 };
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
  const [minus, plus] = [before, after].map((text) => ({ text, from: start, to: text.length - end }));
  const [removed, added] = [linesIn(minus), linesIn(plus)];
  const line = linesIn({ text: before, from: 0, to: start }) + 1;
  const head = [`--- ${name}`, `+++ ${name}`, `@@ -${line},${removed} +${line},${added} @@`];
  return { text: [...head, ...shown("-", minus), ...shown("+", plus)].join("\n"), added, removed };
}

const isLineStart = (text: string, at: number): boolean => at === 0 || text.charCodeAt(at - 1) === 10;

type Stretch = { text: string; from: number; to: number };

function linesIn(stretch: Stretch | undefined): number {
  if (!stretch || stretch.from === stretch.to) return 0;
  const { text, from, to } = stretch;
  let lines = text.charCodeAt(to - 1) === 10 ? 0 : 1;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** The first lines of a stretch, and how many characters follow them. */
function shown(kind: Edit["kind"], stretch: Stretch | undefined): string[] {
  if (!stretch || stretch.from === stretch.to) return [];
  const { text, from, to } = stretch;
  const part = text.slice(from, Math.min(to, from + MAX_CHARS));
  const lines = part.replace(/\n$/, "").split("\n");
  const more = to - from - part.length;
  return [...lines.map((line) => kind + line), ...(more > 0 ? [`[… ${more} more characters]`] : [])];
}

function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  else lines.push(`${lines.pop() ?? ""}\n\\ No newline at end of file`);
  return lines;
}

function compare(a: string[], b: string[]): Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const same = (line: string): Edit => ({ kind: " ", line });
  const middle = compareMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
}

/** By longest common subsequence. */
function compareMiddle(a: string[], b: string[]): Edit[] {
  const minus = (line: string): Edit => ({ kind: "-", line });
  const plus = (line: string): Edit => ({ kind: "+", line });
  if (a.length * b.length > MAX_CELLS) return [...a.map(minus), ...b.map(plus)];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      edits.push({ kind: " ", line: left });
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      edits.push(minus(left));
      i++;
    } else if (right !== undefined) {
      edits.push(plus(right));
      j++;
    }
  }
  return edits;
}

function hunks(edits: Edit[]): string[] {
  const out: string[] = [];
  let [oldLine, newLine, at] = [1, 1, 0];
  const skip = (to: number) => {
    for (; at < to; at++) {
      if (edits[at]?.kind !== "+") oldLine++;
      if (edits[at]?.kind !== "-") newLine++;
    }
  };
  for (let next = nextChange(edits, 0); next !== -1; next = nextChange(edits, at)) {
    let end = next;
    for (let change = next; change !== -1 && change - end <= 2 * CONTEXT; change = nextChange(edits, end))
      end = change + 1;
    skip(Math.max(at, next - CONTEXT));
    const hunk = edits.slice(at, end + CONTEXT);
    const count = (kind: "+" | "-") => hunk.filter((e) => e.kind !== kind).length;
    const [olds, news] = [count("+"), count("-")];
    out.push(`@@ -${olds === 0 ? oldLine - 1 : oldLine},${olds} +${news === 0 ? newLine - 1 : newLine},${news} @@`);
    for (const { kind, line } of hunk) out.push(kind + line);
    skip(at + hunk.length);
  }
  return out;
}

function nextChange(edits: Edit[], from: number): number {
  for (let i = from; i < edits.length; i++) if (edits[i]?.kind !== " ") return i;
  return -1;
}
