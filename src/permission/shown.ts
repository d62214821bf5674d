// Texts of models, files and hooks in sentences for people: what cannot be seen or would steer a terminal is written out.

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text on one line. */
export const shown = (text: string): string => text.replace(UNSEEN, written);

/** Line ends and tabs stay. */
export const shownLines = (text: string): string => text.replace(UNSEEN, (c) => (isBlank(c) ? c : written(c)));

/** Line ends and tabs stay, and so does the length, for what points into the text. */
export const boxed = (text: string): string => text.replace(UNSEEN, (c) => (isBlank(c) ? c : "□".repeat(c.length)));

const isBlank = (c: string): boolean => c === "\n" || c === "\t";

function written(c: string): string {
  if (c === "\n") return "\\n";
  const hex = (c.codePointAt(0) ?? 0).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
}
