// Chooses the quotes of an answer and cuts them: at most five of 400 characters, each a piece of its source as it stands.
import { cutAt } from "../../base/text.ts";
import { fileKind } from "./file-kind.ts";
import type { Gathered } from "./gather.ts";
import { indentOf } from "./manifest.ts";
import type { OfflineQuestion } from "./question.ts";
import type { AnswerCandidate } from "./rank.ts";
import type { FileRange } from "./topic.ts";
import { escapePattern } from "./word-match.ts";
import { fenced } from "./wording.ts";

type Quote = { source: string; text: string; note?: string };

const MAX_QUOTES = 5;
const MAX_CHARS = 400;
const MAX_PER_FILE = 2;
const HEADING = /^#{1,6}\s/;
/** A point of a list or a row of a table. */
const POINT = /^\s*(?:[-*+]|\d+[.)]|\|)\s/;

export function chooseQuotes(
  question: OfflineQuestion,
  evidence: readonly AnswerCandidate[],
  gathered: Gathered,
): Quote[] {
  const quotes: Quote[] = [];
  const texts = new Set<string>();
  const shown = new Map<string, { from: number; to: number }[]>();
  for (const candidate of newestFirst(evidence)) {
    if (quotes.length === MAX_QUOTES) break;
    if (candidate.type === "said") {
      const text = cutAround(candidate.text, question);
      if (texts.has(folded(text))) continue;
      texts.add(folded(text));
      const note = [candidate.date, candidate.note].filter(Boolean).join(", ");
      quotes.push({ source: candidate.source, text, ...(note === "" ? {} : { note }) });
      continue;
    }
    const ranges = shown.get(candidate.path) ?? [];
    if (
      ranges.length >= MAX_PER_FILE ||
      ranges.some((range) => candidate.line >= range.from && candidate.line <= range.to)
    )
      continue;
    const { from, to, text } = passage(question, candidate, gathered);
    if (texts.has(folded(text))) continue;
    texts.add(folded(text));
    shown.set(candidate.path, [...ranges, { from, to }]);
    quotes.push({ source: `${candidate.path}:${from}`, text });
  }
  return quotes;
}

/** Lines of a file as they stand, as many as it has and as fit; none when there is nothing on them. */
export function rangeQuotes({ path, from, to }: FileRange, gathered: Gathered): Quote[] {
  const lines = gathered.files.get(path) ?? new Map<number, string>();
  const rows: string[] = [];
  for (let at = from; at <= (gathered.crlf.has(path) ? from : to); at++) {
    const row = lines.get(at);
    if (row === undefined) break;
    if (rows.length > 0 && rows.join("\n").length + row.length >= MAX_CHARS) break;
    rows.push(cutAt(row, MAX_CHARS));
  }
  const text = rows.join("\n");
  return text.trim() === "" ? [] : [{ source: `${path}:${from}`, text }];
}

export function quoteText(quote: Quote): string {
  return `${quote.source}${quote.note === undefined ? "" : ` (${quote.note})`}\n${fenced(quote.text)}`;
}

/** Statements on one subject stand together, newest first; the older ones are marked. */
function newestFirst(evidence: readonly AnswerCandidate[]): (AnswerCandidate & { note?: string })[] {
  const used = new Set<AnswerCandidate>();
  return evidence.flatMap((candidate) => {
    if (used.has(candidate)) return [];
    if (candidate.type === "line") return [candidate];
    const group = evidence.filter(
      (other) => other.type === "said" && other.matched === candidate.matched && other.isOutput === candidate.isOutput,
    );
    for (const other of group) used.add(other);
    const sorted = group.sort((a, b) => (a.type === "said" && b.type === "said" && a.age < b.age ? 1 : -1));
    return sorted.map((passage, index) => (index === 0 ? passage : { ...passage, note: "earlier" }));
  });
}

/** The line, and when it opens something (a definition, a section, a file) as many whole lines of that as were seen and fit. */
function passage(
  question: OfflineQuestion,
  candidate: AnswerCandidate & { type: "line" },
  gathered: Gathered,
): { from: number; to: number; text: string } {
  const single = { from: candidate.line, to: candidate.line, text: cutAround(candidate.text.trim(), question) };
  if (gathered.crlf.has(candidate.path)) return single;
  const lines = gathered.files.get(candidate.path) ?? new Map<number, string>();
  const form =
    candidate.opens || question.terms.length + question.words.length === 0
      ? "file"
      : fileKind(candidate.path) === "doc"
        ? "prose"
        : "code";
  const from = candidate.defines && !question.wants.place ? firstComment(lines, candidate.line) : candidate.line;
  const at = form === "code" ? commented(lines, candidate.line) : candidate.line;
  const opening = at === candidate.line ? candidate.text : (lines.get(at) ?? "");
  const goesOn = endsOpen(opening) || (question.terms.length > 0 && /,\s*$/.test(opening));
  const last = form === "code" && !goesOn ? at : Number.POSITIVE_INFINITY;
  const rows: string[] = [];
  let size = -1;
  for (let line = from; line <= last; line++) {
    const row = lines.get(line);
    if (row === undefined || row.includes("\ufffd")) break;
    if (line > at && endsBefore(row, opening, form)) break;
    if (size + row.length + 1 > MAX_CHARS) {
      // Under a heading that says nothing alone, a part of what follows.
      if (HEADING.test(candidate.text) && rows.every((seen) => HEADING.test(seen) || seen.trim() === "")) {
        rows.push(cutAt(row, MAX_CHARS - size - 1).replace(/\s+\S*$/, ""));
      }
      break;
    }
    rows.push(row);
    size += row.length + 1;
    if (line > at && form === "code" && closes(row, opening)) break;
  }
  while (rows.at(-1)?.trim() === "") rows.pop();
  if (rows.length <= Math.max(1, candidate.line - from)) return single;
  return { from, to: from + rows.length - 1, text: rows.join("\n") };
}

const COMMENT = /^\s*(?:\/\/|\/?\*|#(?!!)|@\w|"""|--\s)/;

function firstComment(lines: ReadonlyMap<number, string>, line: number): number {
  let from = line;
  while (COMMENT.test(lines.get(from - 1) ?? "")) from--;
  return from;
}

/** The line of code that a comment is about, when it comes right below it; any other line is its own. */
function commented(lines: ReadonlyMap<number, string>, line: number): number {
  let at = line;
  while (COMMENT.test(lines.get(at) ?? "")) at++;
  return (lines.get(at) ?? "").trim() === "" ? line : at;
}

/** A heading's section ends at the next heading; a paragraph at a blank line too, a point at the next; code at a blank line. */
function endsBefore(row: string, first: string, form: "file" | "prose" | "code"): boolean {
  if (form === "file") return false;
  const isNext = form === "prose" && (HEADING.test(row) || (POINT.test(first) && POINT.test(row)));
  return isNext || (row.trim() === "" && !(form === "prose" && HEADING.test(first)));
}

function closes(row: string, first: string): boolean {
  return indentOf(row) <= indentOf(first) && /^\s*[)\]}]/.test(row) && !/[({[]\s*$/.test(row);
}

function endsOpen(text: string): boolean {
  return /[({[:=]\s*$|=>\s*$/.test(text);
}

/** A long line is cut around its first hit; behind 1,900 characters tools put a mark of their own. */
function cutAround(whole: string, question: OfflineQuestion): string {
  if (whole.length <= MAX_CHARS) return whole;
  const text = whole.slice(0, 1_900);
  const wanted = [...question.terms.map((term) => term.text), ...question.words].map(escapePattern).join("|");
  const at = wanted === "" ? 0 : Math.max(0, text.search(new RegExp(wanted, "i")));
  const from = Math.max(0, Math.min(at - 100, text.length - MAX_CHARS));
  const low = text.charCodeAt(from);
  const start = low >= 0xdc00 && low <= 0xdfff ? from + 1 : from;
  const piece = cutAt(text.slice(start), MAX_CHARS);
  return (start === 0 ? piece : piece.replace(/^\S{0,40}\s/, "")).trim();
}

function folded(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}
