// Secrets kept from hooks: each text of a payload is filtered, and what a hook makes of it gets its secrets again.
import { mapTexts } from "../base/json.ts";
import { fail, ok, type Result } from "../base/result.ts";

export type PayloadRedactor = (text: string) => string;

export type RedactedPayload<T> = {
  value: T;
  /**
   * Puts back what was hidden: a whole text as it was given, a mark also inside a text that the hook made longer. Fails
   * where a mark can be more than one text, for nothing must be run with a mark in place of a secret.
   */
  restore: <V>(value: V) => Result<V, string>;
};

/** The mark as the filter writes it (memory/secret/filter.ts). */
const MARK = /\[redacted[^\]\s]*\]/g;

export function redactValue<T>(value: T, redact: PayloadRedactor): RedactedPayload<T> {
  /** What a shown text or a mark stands for; undefined when that could be more than one text. */
  const hidden = new Map<string, string | undefined>();
  const keep = (shown: string, text: string | undefined): void => {
    hidden.set(shown, hidden.has(shown) && hidden.get(shown) !== text ? undefined : text);
  };
  const hide = (text: string, key: string): string => {
    const shown = redactField(key, text, redact);
    const marks = shown.match(MARK) ?? [];
    const secrets = secretsIn(text, shown.split(MARK));
    if (shown !== text) keep(shown, text);
    for (const [i, mark] of marks.entries()) keep(mark, secrets[i]);
    return shown;
  };

  function restore<V>(value: V): Result<V, string> {
    let lost: string | undefined;
    const markBack = (mark: string): string => {
      const secret = hidden.get(mark);
      if (secret === undefined && hidden.has(mark)) lost = mark;
      return secret ?? mark;
    };
    const restored = mapTexts(value, (text) => hidden.get(text) ?? text.replace(MARK, markBack));
    return lost === undefined
      ? ok(restored)
      : fail(`its answer has ${lost} in a place where nobody can say which secret belongs there`);
  }

  return { value: mapTexts(value, hide), restore };
}

/** A value may be recognisable only beside its name: `password` and a plain word. */
function redactField(key: string, text: string, redact: PayloadRedactor): string {
  const shown = redact(text);
  if (shown !== text || key === "" || text.includes("\n")) return shown;
  const start = `${key}=`;
  const named = redact(start + text);
  return named.startsWith(start) ? named.slice(start.length) : shown;
}

/**
 * What stands in the text between the pieces that were left as they were: each piece looked for as early and as late as
 * it can be. Undefined where the two differ.
 */
function secretsIn(text: string, pieces: readonly string[]): (string | undefined)[] {
  const size = (i: number): number => pieces[i]?.length ?? 0;
  const last = pieces.length - 1;
  const early = [0];
  const late = [0];
  late[last] = text.length - size(last);
  for (let i = 1; i < last; i++) early[i] = text.indexOf(pieces[i] ?? "", (early[i - 1] ?? 0) + size(i - 1) + 1);
  for (let i = last - 1; i > 0; i--) late[i] = text.lastIndexOf(pieces[i] ?? "", (late[i + 1] ?? 0) - 1 - size(i));
  early[last] = late[last];
  const isSure = (i: number): boolean => early[i] === late[i];
  return pieces
    .slice(1)
    .map((_piece, i) => (isSure(i) && isSure(i + 1) ? text.slice((early[i] ?? 0) + size(i), early[i + 1]) : undefined));
}
