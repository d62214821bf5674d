// Finds every credential of a text: tokens, forms, keys, named literals; also behind escapes and inside base64.
import { findAssignments } from "./assignment.ts";
import { findForms } from "./forms.ts";
import { findKeyData } from "./key-data.ts";
import { findPrivateKeys } from "./pem.ts";
import { rules, type TokenRule } from "./rules.ts";
import { apart, joined, type SecretSpan } from "./span.ts";
import { base64Runs, codeUnits, unescaped } from "./view.ts";

const MARK = /\[redacted:[a-z-]{1,40}:[0-9a-f]{8}\]/g;
/** A token in a manual: the prefix is right, the rest is filler. */
const FILLER = /[xX]{6,}|\*{3}|\.{3}|your[-_]?|[-_]here$|(?:0{10}|1{10})/;
const MAX_REPEATED = 32;

type Prefix = { rule: TokenRule; prefix: string };
/** The prefixes by their first two letters: one look into a table for each word of the text. */
const byStart: (Prefix[] | undefined)[] = new Array(128 * 128).fill(undefined);
for (const rule of rules) {
  for (const prefix of rule.prefixes) {
    const at = prefix.charCodeAt(0) * 128 + prefix.charCodeAt(1);
    byStart[at] = [...(byStart[at] ?? []), { rule, prefix }];
  }
}
const isAlnum = Uint8Array.from({ length: 128 }, (_, c) => Number(/[A-Za-z0-9]/.test(String.fromCharCode(c))));

/** Where the token at i ends, or -1. */
function tokenAt(text: string, i: number, out: SecretSpan[]): number {
  const a = text.charCodeAt(i);
  const b = text.charCodeAt(i + 1);
  const candidates = a < 128 && b < 128 ? byStart[a * 128 + b] : undefined;
  let position = -1;
  if (!candidates) return position;
  for (const { rule, prefix } of candidates) {
    rule.pattern.lastIndex = i;
    if (!text.startsWith(prefix, i) || !rule.pattern.test(text)) continue;
    const end = rule.pattern.lastIndex;
    if (FILLER.test(text.slice(i + prefix.length, end))) continue;
    out.push({ kind: rule.kind, start: i, end });
    position = Math.max(position, end);
  }
  return position;
}

/** Words start after what is no letter or digit, after another token, and after an escape: a literal \n, %20, \u0022. */
function findTokens(text: string, out: SecretSpan[]): void {
  const units = codeUnits(text);
  const { length } = units;
  let inWord = false;
  let glued = -1;
  for (let i = 0; i < length; i++) {
    const c = units[i] ?? 0;
    const alnum = c < 128 && isAlnum[c] === 1;
    if (alnum && (!inWord || i === glued)) {
      const before = units[i - 1];
      const skip = before === BACKSLASH ? (c === LETTER_U ? 5 : 1) : before === PERCENT ? 2 : 0;
      glued = Math.max(glued, tokenAt(text, i, out), skip && tokenAt(text, i + skip, out));
    }
    inWord = alnum;
  }
}
const [BACKSLASH, PERCENT, LETTER_U] = [92, 37, 117];

function findKnown(text: string, secrets: readonly string[], out: SecretSpan[]): void {
  for (const value of secrets) {
    for (let i = text.indexOf(value); i >= 0; i = text.indexOf(value, i + value.length)) {
      out.push({ kind: "configured-key", start: i, end: i + value.length });
    }
  }
}

function scanAsIs(text: string, secrets: readonly string[], named: boolean): SecretSpan[] {
  const out: SecretSpan[] = [];
  findKnown(text, secrets, out);
  findPrivateKeys(text, out);
  findTokens(text, out);
  findForms(text, out);
  findKeyData(text, out);
  if (named) findAssignments(text, out);
  return out;
}

/** The same value elsewhere in the text is the same secret, with or without its name. */
function findRepeated(text: string, spans: readonly SecretSpan[], out: SecretSpan[]): void {
  const values = new Map<string, string>();
  for (const { kind, start, end } of spans) {
    const value = text.slice(start, end);
    if (values.size < MAX_REPEATED && end - start >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value))
      values.set(value, kind);
  }
  for (const [value, kind] of values) {
    for (let i = text.indexOf(value); i >= 0; i = text.indexOf(value, i + value.length)) {
      out.push({ kind, start: i, end: i + value.length });
    }
  }
}

/** Spans in the order of the text, none touching a mark that is already there. */
export function scan(text: string, secrets: readonly string[] = []): SecretSpan[] {
  const spans = scanAsIs(text, secrets, true);
  for (const view of unescaped(text)) {
    for (const { kind, start, end } of scanAsIs(view.text, secrets, true)) {
      spans.push({ kind, start: view.original(start), end: view.original(end - 1) + 1 });
    }
  }
  for (const run of base64Runs(text)) {
    const [inside] = scanAsIs(run.text, secrets, !run.isDataUri);
    if (inside) spans.push({ kind: inside.kind, start: run.start, end: run.end });
  }
  if (spans.length === 0) return spans;
  findRepeated(text, spans, spans);
  const marks = [...text.matchAll(MARK)].map((m) => ({ start: m.index, end: m.index + m[0].length }));
  return apart(joined(spans), marks);
}
