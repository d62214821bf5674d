// The passages of an item's text with the tokens under which they are found.
import { isName } from "../item.ts";
import { PASSAGE_CHARS, type Passage, passagesOf } from "../text/passage.ts";
import { tokensOf } from "../text/tokens.ts";
import { withoutOpaque } from "../text/words.ts";

/** More of one text is kept and given back, but not searched. */
export const INDEXED_CHARS = 4 * 1024 * 1024;

type Indexed = Passage & { tokens: string; length: number };

/** The passages of a text with their tokens; a speaker's name stands in each. Empty text has none. */
export function indexable(text: string, role: string): Indexed[] {
  if (text.trim() === "") return text === "" ? [] : [{ start: 0, text, tokens: "", length: 0 }];
  const blanked = withoutOpaque(text.slice(0, INDEXED_CHARS));
  const speaker = isName(role) ? `${role} ` : "";
  const passages = passagesOf(text.slice(0, INDEXED_CHARS)).map((p) => {
    const { text: tokens, length } = tokensOf(speaker + blanked.slice(p.start, p.start + p.text.length));
    return { ...p, tokens, length: Math.max(1, length) };
  });
  for (let start = INDEXED_CHARS; start < text.length; start += PASSAGE_CHARS * 1000)
    passages.push({ start, text: text.slice(start, start + PASSAGE_CHARS * 1000), tokens: "", length: 0 });
  return passages;
}
