// The text that came on stdin beside a prompt: the first evidence for its answer.
import type { OfflineQuestion } from "./question.ts";

export type PipedText = {
  text: string;
  /** Holds all of it when the prompt shows only the beginning. */
  file?: string;
};

/** How lines of it are cited. */
export const STDIN = "stdin";
export const FAILURE_WORDS =
  "\\b(?:[a-z]*error|[a-z]*exception|fail(?:s|ed|ure|ures|ing)?|fatal|panic(?:ked)?|traceback|cannot|denied|refused|not found|segfault|aborted)\\b";
export const FAILURE_LINE = new RegExp(FAILURE_WORDS, "i");

const BLOCK = /<stdin>\n([\s\S]*?)\n<\/stdin>/;
const PREVIEW = /\n\[preview of \d+ bytes; all of it is in (.+)\]$/;
const ASKS_FAILURE = /\b(?:wrong|fail\w*|errors?|broken?|broke|crash\w*|problem|issue|bug|why)\b/i;
const MAX_FAILURES = 3;

export function pipedText(prompt: string): PipedText | undefined {
  const body = BLOCK.exec(prompt)?.[1];
  if (body === undefined) return undefined;
  const file = PREVIEW.exec(body)?.[1];
  return file === undefined ? { text: body } : { text: body.replace(PREVIEW, ""), file };
}

export function asksForFailure(question: OfflineQuestion): boolean {
  return ASKS_FAILURE.test(question.text);
}

/** The lines that stand for the whole text when none holds what was asked: its failures, else its beginning. */
export function tellingLines(
  question: OfflineQuestion,
  lines: ReadonlyMap<number, string>,
): { line: number; text: string; opens: boolean }[] {
  const rows = [...lines].map(([line, text]) => ({ line, text })).filter(({ text }) => text.trim() !== "");
  const failures = rows.filter(({ text }) => FAILURE_LINE.test(text));
  if (failures.length > 0 && (asksForFailure(question) || question.words.length === 0))
    return failures.slice(0, MAX_FAILURES).map((row) => ({ ...row, opens: false }));
  return rows.slice(0, 1).map((row) => ({ ...row, opens: true }));
}
