// The secret filter: what looks like a credential is replaced by a mark before text is indexed, exported or logged.
import { createHmac } from "node:crypto";
import { rules } from "./rules.ts";

export type SecretFilter = (text: string) => string;

/**
 * Marks are `[redacted:<kind>:<8 hex>]`, equal for equal values, keyed so that they tell nothing about the value.
 * `known` are values that must never appear whatever they look like: configured keys and credentials.
 */
export function secretFilter(key: string, known: Iterable<string> = []): SecretFilter {
  const mark = (kind: string, value: string): string => {
    const hash = createHmac("sha256", key).update(value).digest("hex").slice(0, 8);
    return `[redacted:${kind}:${hash}]`;
  };
  const literals = [...known].filter((v) => v.length >= 8).sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const value of literals)
      if (clean.includes(value)) clean = clean.replaceAll(value, mark("configured-key", value));
    for (const { kind, hint, pattern } of rules) {
      if (hint && !hint.some((h) => clean.includes(h))) continue;
      clean = clean.replace(pattern, (whole: string, ...groups: unknown[]) => {
        const value = typeof groups[0] === "string" ? groups[0] : whole;
        return value.includes("[redacted:") ? whole : whole.replace(value, () => mark(kind, value));
      });
    }
    return clean;
  };
}
