// What a message lends to those around it: a short reply is found by the question before it.
import type { IndexedItem } from "../store/indexed-item.ts";
import { readings } from "../text/reading.ts";
import { speakerOf } from "../text/speaker.ts";
import { WEIGHTS } from "./weights.ts";

/** A message as its neighbours see it. */
export type NearbyMessage = {
  seq: number;
  speaker: string;
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

/** `passages` are those that are known of it, the best one first. */
export function nearbyMessage(
  { seq, role }: Pick<IndexedItem, "seq" | "role">,
  passages: readonly { start: number; text: string }[],
): NearbyMessage {
  const [first, ...others] = passages.toSorted((a, b) => a.start - b.start);
  const last = others.at(-1) ?? first;
  const words = passages.reduce((sum, { text }) => sum + readings().of(text).content, 0);
  const asks = words <= LONGEST_QUESTION && last !== undefined && readings().of(last.text).asks;
  return { seq, speaker: speakerOf(role, first?.text ?? ""), words, asks };
}

/** The part of its own score that `from` lends; `between` stands between the two, if anything does. */
export function lentShare(from: NearbyMessage, to: NearbyMessage, between?: NearbyMessage): number {
  const direction = to.seq < from.seq ? "earlier" : from.asks && from.speaker !== to.speaker ? "reply" : "later";
  const distance = between && between.words > PASSED_OVER ? WEIGHTS.further : 1;
  const room = Math.min(1, Math.max(LEAST_ROOM, ROOM / Math.max(1, to.words)));
  return WEIGHTS.context[direction] * distance * room;
}
