// What a message lends to those around it: a short reply is found by the question before it.
import type { IndexedItem } from "../store/read.ts";
import { isQuestion } from "../text/question.ts";
import { STOP_WORDS } from "../text/stop-words.ts";
import { wordsOf } from "../text/words.ts";
import { WEIGHTS } from "./weights.ts";

/** A message as its neighbours see it. */
export type NearbyMessage = {
  seq: number;
  role: string;
  /** Words that say something. */
  words: number;
  /** A short question: what comes next answers it. */
  asks: boolean;
};

const LONGEST_QUESTION = 15;
/** A longer message has words of its own for what it is about, and is lent less. */
const ROOM = 20;
const LEAST_ROOM = 0.25;
/** "No, what happened?" stands between a hint and its story without parting them. */
const PASSED_OVER = 3;

export function nearbyMessage({ seq, role }: Pick<IndexedItem, "seq" | "role">, text: string): NearbyMessage {
  const words = wordsOf(text).filter((word) => !STOP_WORDS.has(word)).length;
  return { seq, role, words, asks: words <= LONGEST_QUESTION && isQuestion(text) };
}

/** The part of its own score that `from` lends; `between` stands between the two, if anything does. */
export function lentShare(from: NearbyMessage, to: NearbyMessage, between?: NearbyMessage): number {
  const direction = to.seq < from.seq ? "earlier" : from.asks && from.role !== to.role ? "reply" : "later";
  const distance = between && between.words > PASSED_OVER ? WEIGHTS.further : 1;
  const room = Math.min(1, Math.max(LEAST_ROOM, ROOM / Math.max(1, to.words)));
  return WEIGHTS.context[direction] * distance * room;
}
