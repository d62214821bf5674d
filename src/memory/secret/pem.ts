// Private keys as blocks of text: PEM of every kind, OpenSSH, PGP, PuTTY; whole or cut short, on lines or on one line.
import type { SecretSpan } from "./span.ts";

const BEGIN = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
const END = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/;
const MAX_BLOCK = 40_000;
const HEADER = "(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Subject|Private-MAC|Private-Hash):[^\\n\\\\]{0,120}";
/** A line of the body or its headers, with what a language or a format puts around it; a short one must be alone. */
const LINE = new RegExp(
  `(?:[\\s"'\`+,.|>#*]|\\\\[nr]|\\\\|// |- )*(?:${HEADER}|[A-Za-z0-9+/=]{16,4000}|[A-Za-z0-9+/=]{1,15}(?=["'\`]|\\s*\\n|\\s*\\\\|\\s*$))`,
  "y",
);

const MARKS = /\\[nrt]|[\s"'`+,;.|>#*()\\-]/g;
const HEADERS = new RegExp(HEADER, "g");

/** A body, not the code or the dots that stand for one. */
function isBody(text: string): boolean {
  const core = text.replace(HEADERS, "").replace(MARKS, "");
  if (!/^[A-Za-z0-9+/=]{4,}$/.test(core) || /^(.)\1+$/.test(core)) return false;
  return /^(?:MI|b3B|MC|MH|lQ|lI|xc|AAA)/.test(core) || (core.length >= 16 && /\d/.test(core) && /[A-Z]/.test(core));
}

function endOfCut(text: string, from: number): number {
  let end = from;
  while (end - from < MAX_BLOCK) {
    LINE.lastIndex = end;
    const line = LINE.exec(text);
    if (!line) break;
    end = LINE.lastIndex;
  }
  return end;
}

export function findPrivateKeys(text: string, out: SecretSpan[]): void {
  if (text.includes("PRIVATE KEY")) findBlocks(text, out);
  if (text.includes("Private-Lines")) findPutty(text, out);
}

function findBlocks(text: string, out: SecretSpan[]): void {
  const begins = new RegExp(BEGIN);
  for (let begin = begins.exec(text); begin; begin = begins.exec(text)) {
    const from = begins.lastIndex;
    const window = text.slice(from, from + MAX_BLOCK);
    const next = window.search(BEGIN);
    const close = END.exec(next < 0 ? window : window.slice(0, next));
    const end = close ? from + close.index + close[0].length : endOfCut(text, from);
    if (!isBody(text.slice(from, close ? from + close.index : end))) continue;
    out.push({ kind: "private-key", start: begin.index, end });
    begins.lastIndex = end;
  }
}

/** PuTTY names the private part; the lines before it are public. */
function findPutty(text: string, out: SecretSpan[]): void {
  const putty = /Private-Lines: \d{1,4}(?:\r?\n|\\r|\\n){1,2}/g;
  for (let match = putty.exec(text); match; match = putty.exec(text)) {
    const end = endOfCut(text, putty.lastIndex);
    if (end > putty.lastIndex) out.push({ kind: "private-key", start: putty.lastIndex, end });
    putty.lastIndex = Math.max(end, putty.lastIndex);
  }
}
