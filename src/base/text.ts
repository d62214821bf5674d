// Plain text work: clipping, near names, invisible characters.
export function firstLine(text: string, max: number): string {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? "";
  return clip(line, max);
}

/** At most max UTF-16 units, never half a surrogate pair, with an ellipsis when cut. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${cutAt(text, Math.max(0, max - 1))}…`;
}

/** The longest prefix of at most `end` units that does not split a surrogate pair. */
export function cutAt(text: string, end: number): string {
  const last = text.charCodeAt(end - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end);
}

/** The beginning and the end of a text, and between them what `mark` says of the characters left out; no pair is split. */
export function clipMiddle(text: string, head: number, tail: number, mark: (omitted: number) => string): string {
  if (text.length <= head + tail) return text;
  const start = cutAt(text, head);
  const end = text.slice(text.length - tail).replace(/^[\udc00-\udfff]/, "");
  return `${start}${mark(text.length - start.length - end.length)}${end}`;
}

/** The names nearest to a misspelt one, best first; none when nothing is near. */
export function nearNames(wanted: string, names: Iterable<string>, count = 3, farthest?: number): string[] {
  const w = wanted.toLowerCase().slice(0, 64);
  const limit = farthest ?? Math.max(2, Math.floor(w.length / 2));
  const scored: { name: string; score: number }[] = [];
  for (const name of names) {
    const n = name.toLowerCase().slice(0, 64);
    const score = n.startsWith(w) || w.startsWith(n) ? 1 : distance(w, n);
    if (score <= limit) scored.push({ name, score });
  }
  return scored
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map((s) => s.name);
}

/** Letters added, left out, changed, or swapped with the next one. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped && i > 1 && j > 1 ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/** Removes bidirectional controls, Unicode tags and zero-width characters, and says how many there were. */
export function stripInvisible(text: string): { text: string; removed: number } {
  let removed = 0;
  const clean = text.replace(INVISIBLE, () => {
    removed++;
    return "";
  });
  return { text: clean, removed };
}

const ANSI =
  /\u001b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/g;

export function stripAnsi(text: string): string {
  return text.includes("\u001b") ? text.replace(ANSI, "") : text;
}

const PIECE_CHARS = 1024 * 1024;

/** Parts of a text, none cut within a character: encoded one by one, a long text is never there twice. */
export function* pieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = start + PIECE_CHARS;
    if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end++;
    yield text.slice(start, end);
    start = end;
  }
}

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of models and tools is untrusted: control characters appear escaped. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(CONTROL, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** A secret as its last four characters; a short one shows nothing, since four would be most of it. */
export const maskedForm = (secret: string): string => (secret.length >= 12 ? `…${secret.slice(-4)}` : "…");

/** Given as a function: in a text, `$&` at the end of a secret would put the whole secret back. */
export const maskIn = (text: string, secret: string): string => text.replaceAll(secret, () => maskedForm(secret));

/** A regular expression's source that matches this text and nothing else. */
export const asPattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
