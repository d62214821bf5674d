// Secrets are not promoted: what the filter finds, and in lines that nobody looked over also what is named as one.
import type { Redactor } from "../secret/filter.ts";

/** The rule that finds a credential in the text; undefined: none does. */
export function secretIn(redactor: Redactor, text: string): string | undefined {
  const filtered = redactor.text(text);
  return filtered.ok ? filtered.value.findings[0]?.rule : filtered.error;
}

const NAME = String.raw`\b(?:passwords?|passwd|secrets?|tokens?|api[ _-]?keys?|private[ _-]?keys?)\b`;
/** A name of a secret with a value behind it: `token: abc`, `the password is hunter2`. */
const NAMED_VALUE = new RegExp(
  String.raw`${NAME}["'\`]?\s*(?:[:=]\s*\S{3,}|(?:is|are|was)\s+(?:["'\`]\S|\S*[\d!@#$%^&*_+=]\S*|\S+[.!]?\s*$))`,
  "im",
);

/** The stricter guard of directives. */
export const namesSecret = (text: string): boolean => NAMED_VALUE.test(text);
