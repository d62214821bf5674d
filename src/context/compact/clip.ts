// A quoted text cut to a number of tokens: its head and tail stay.
import { shortenText } from "../truncate/shorten-text.ts";
import type { Count } from "./items.ts";

export const TRUNCATED = "...<truncated>...";

/** Below this a piece of text says nothing any more. */
const LEAST_CHARS = 40;
/** More characters than this do not fit into one token, on any ordinary text. */
const CHARS_PER_TOKEN = 8;

/** At most so many tokens; empty when there is no room for anything worth reading. */
export function clipTo(text: string, maxTokens: number, count: Count): string {
  if (text === "" || count(text) <= maxTokens) return text;
  let chars = Math.min(text.length - 1, maxTokens * CHARS_PER_TOKEN);
  while (chars >= LEAST_CHARS) {
    const clipped = shortenText(text, chars, () => TRUNCATED);
    const tokens = count(clipped);
    if (tokens <= maxTokens) return clipped;
    chars = Math.floor(chars * Math.min(0.95, maxTokens / tokens));
  }
  return "";
}
