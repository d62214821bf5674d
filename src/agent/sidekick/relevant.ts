// Whether a message is worth a sidekick: what it says at all, and what it shares with the board.
import { humpsOf, namesOf } from "../../memory/recall/text/identifier.ts";
import { stem } from "../../memory/recall/text/stem.ts";
import { STOP_WORDS } from "../../memory/recall/text/stop-words.ts";
import { gramsOf, runsOf } from "../../memory/recall/text/words.ts";
import type { MessageSource } from "../../schema/event/conversation.ts";

const FEWEST_WORDS = 3;
const QUOTED = /["“«`][^"”»`]+["”»`]|(?<![\p{L}\p{N}])'[^']+'(?![\p{L}\p{N}])/u;

/** Stems of the words that carry meaning. */
function meaningfulStems(text: string): Set<string> {
  const { words, runs } = runsOf(text);
  const stems = [...words, ...humpsOf(text)].filter((word) => word.length > 1 && !STOP_WORDS.has(word)).map(stem);
  return new Set([...stems, ...runs.flatMap(gramsOf).filter((gram) => gram.length > 1)]);
}

/** Nothing that a person asked anew, or too little to look anything up by. */
export function isTrivial(text: string, source: MessageSource, lastText: string | undefined): boolean {
  if (source !== "user" || folded(text) === folded(lastText ?? "")) return true;
  return meaningfulStems(text).size < FEWEST_WORDS && namesOf(text).length === 0 && !QUOTED.test(text);
}

const folded = (text: string): string => text.replace(/\s+/g, " ").trim();

export type BoardText = { name: string; description: string; content: string };

export function sharesWord(text: string, items: readonly BoardText[]): boolean {
  const wanted = meaningfulStems(text);
  return items.some(({ name, description, content }) => {
    const words = meaningfulStems(`${name} ${description} ${content}`);
    return [...wanted].some((word) => words.has(word));
  });
}
