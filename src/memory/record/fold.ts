// How texts of records are compared and measured: composed, trimmed, white space folded, counted in characters.
import { createHmac } from "node:crypto";
import { STOP_WORDS } from "../recall/text/stop-words.ts";
import { wordsOf } from "../recall/text/words.ts";

export const fold = (text: string): string => text.normalize("NFC").replace(/\s+/gu, " ").trim();

/** Counts Unicode code points. */
export function length(text: string): number {
  let n = 0;
  for (const _ of text) n++;
  return n;
}

/** Finds an equal fact, also one that was deleted; without the key it says nothing about the text. */
export const factHash = (key: string, fact: string): string =>
  createHmac("sha256", key)
    .update(`memory fact\n${fold(fact)}`)
    .digest("hex");

export const contentWords = (text: string): string[] => wordsOf(text).filter((word) => !STOP_WORDS.has(word));
