// Whether what was quoted or named in a query stands in a text as it was written.
import { foldText, type Query } from "./query.ts";

const SPACED = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N} ]+$/u;

/** `phrases`: all of them stand there; `names`: those that do, as they were written in the query. */
export function verbatim(
  { phrases, names }: Pick<Query, "phrases" | "names">,
  passages: readonly { text: string }[],
): { names: string[]; phrases: boolean } {
  if (phrases.length === 0 && names.length === 0) return { names: [], phrases: false };
  const folded = phrases.length > 0 ? passages.map((p) => ` ${foldText(p.text)} `) : [];
  const all = phrases.length > 0 && phrases.every((phrase) => folded.some((text) => holds(text, phrase)));
  const lower = names.length > 0 ? passages.map((p) => p.text.toLowerCase()) : [];
  const standing = names.filter((name) => lower.some((text) => text.includes(name.raw.toLowerCase())));
  return { names: standing.map((n) => n.raw), phrases: all };
}

/** Words stand side by side as whole words; scripts without spaces have no word ends. */
const holds = (text: string, phrase: string): boolean => text.includes(SPACED.test(phrase) ? ` ${phrase} ` : phrase);
