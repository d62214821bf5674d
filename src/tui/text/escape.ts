// Text of models, tools, files and memory is untrusted: what would move the cursor, hide, or turn text around is shown by its name.
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** All that a terminal may take as an order, and all that is there without being seen. A newline and a tab are layout. */
const UNSAFE = /[[\p{Control}\p{Default_Ignorable_Code_Point}\p{Format}\p{Surrogate}\u2028\u2029]--[\n\t]]/v;
const EMOJI = /^\p{RGI_Emoji}$/v;
/** Text or colour: a choice of form, right behind a sign that has both. */
const PRESENTED = /^\p{Emoji}[\ufe0e\ufe0f]$/v;

/** Escapes read `\x1b` and `U+202E`. Lines end with `\n` alone. */
export function escapeText(text: string): string {
  if (!UNSAFE.test(text)) return text;
  const clean = text.replaceAll("\r\n", "\n").toWellFormed();
  if (!UNSAFE.test(clean)) return clean;
  let escaped = "";
  for (const { segment } of segmenter.segment(clean))
    escaped += !UNSAFE.test(segment) || EMOJI.test(segment) || PRESENTED.test(segment) ? segment : named(segment);
  return escaped;
}

function named(segment: string): string {
  let text = "";
  for (const char of segment) text += UNSAFE.test(char) ? nameOf(char.codePointAt(0) ?? 0) : char;
  return text;
}

const nameOf = (code: number): string =>
  code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;

/** The same on one line, runs of white space as one space. */
export const escapeLine = (text: string): string => escapeText(text.replace(/\s+/g, " ").trim());
