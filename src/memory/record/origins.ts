// Where a fact's words come from: a pure function of the texts that the session has seen.

import { wordsOf } from "../recall/text/words.ts";
import type { FactOrigin, OriginKind } from "./contract.ts";
import { contentWords } from "./fold.ts";

/** A text of the session. `thisTurn`: seen since the user's last message. */
export type SeenText = {
  kind: Extract<OriginKind, "user" | "tool" | "file" | "web" | "mcp" | "memory">;
  text: string;
  /** Turn and call, or the record. */
  ref?: string;
  thisTurn?: boolean;
};

const RUN = 8;
const PART = 0.6;
const WINDOW = 100;

export function originsOf(fact: string, seen: readonly SeenText[]): FactOrigin[] {
  const isLike = overlapWith(fact);
  const matches = seen.filter((one) => isLike(one.text));
  const typed = matches.some(({ kind }) => kind === "user");
  // Its words may have been put otherwise: what came from outside in this turn stands behind it, unless the user said it.
  const near = typed ? [] : seen.filter((one) => one.thisTurn && (one.kind === "web" || one.kind === "mcp"));
  const origins = [...matches, ...near].map(
    ({ kind, ref }): FactOrigin => ({ kind, ...(ref === undefined || kind === "user" ? {} : { ref }) }),
  );
  const different = new Map(origins.map((origin) => [`${origin.kind} ${origin.ref ?? ""}`, origin]));
  return different.size > 0 ? [...different.values()] : [{ kind: "assistant" }];
}

/** A run of eight words in common, or three fifths of the fact's content words within a hundred words. */
function overlapWith(fact: string): (text: string) => boolean {
  const words = wordsOf(fact);
  const wanted = new Set(contentWords(fact));
  const enough = Math.ceil(wanted.size * PART);
  const runs: string[] = [];
  let least = enough;
  for (let i = 0; i + RUN <= words.length; i++) {
    const run = words.slice(i, i + RUN);
    runs.push(` ${run.join(" ")} `);
    least = Math.min(least, new Set(run.filter((word) => wanted.has(word))).size);
  }
  return (text) => {
    if (!mayHold(text, wanted, least)) return false;
    const all = wordsOf(text);
    const joined = runs.length > 0 ? ` ${all.join(" ")} ` : "";
    return runs.some((run) => joined.includes(run)) || isWithin(all, wanted, enough);
  };
}

const ASCII = /^[\x00-\x7f]*$/;
/** Between spaces, with something else than ASCII in it. */
const ODD = /(?<!\S)[^\s\x80-\uffff]*[\x80-\uffff]\S*/g;

/**
 * Whether so many of the words are in the text, or more. Cheap, and never wrong when it says no: a session has seen megabytes,
 * and next to none of that is worth being split into words. Only in pieces that are not ASCII can a word hide by its spelling.
 */
function mayHold(text: string, wanted: ReadonlySet<string>, least: number): boolean {
  const lower = text.toLowerCase();
  const odd = ASCII.test(text) ? [] : new Set(text.match(ODD));
  const spelt = new Set(wordsOf([...odd].join(" ")));
  let [found, left] = [0, wanted.size];
  for (const word of wanted) {
    if (found >= least || found + left < least) break;
    if (lower.includes(word) || spelt.has(word)) found++;
    left--;
  }
  return found >= least;
}

function isWithin(words: readonly string[], wanted: ReadonlySet<string>, enough: number): boolean {
  if (enough === 0) return false;
  const inWindow = new Map<string, number>();
  for (const [i, word] of words.entries()) {
    if (wanted.has(word)) inWindow.set(word, (inWindow.get(word) ?? 0) + 1);
    const left = words[i - WINDOW];
    if (left !== undefined && wanted.has(left)) {
      const count = (inWindow.get(left) ?? 0) - 1;
      if (count > 0) inWindow.set(left, count);
      else inWindow.delete(left);
    }
    if (inWindow.size >= enough) return true;
  }
  return false;
}
