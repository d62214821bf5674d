// Passages as ranking reads them, in numbers: thousands are remembered, and collecting garbage does not look into them.
import { ownText } from "../../../base/own-text.ts";
import type { Channel } from "../rank/weights.ts";
import { humpsOf, namesOf } from "./identifier.ts";
import { isQuestion } from "./question.ts";
import { stem } from "./stem.ts";
import { STOP_WORDS } from "./stop-words.ts";
import { gramsOf, runsOf } from "./words.ts";

export type PassageReading = {
  /** The number of each distinct word, followed by how often it stands there. */
  words: Uint32Array;
  /** The numbers of what else it has for a channel, with repetitions: stems of words inside of camelCase names, forms of names, grams. */
  forms: readonly (readonly [Channel, readonly number[]])[];
  /** Runs of unspaced scripts. */
  runs: readonly string[];
  /** Words and unspaced characters. */
  length: number;
  /** Words that say something. */
  content: number;
  asks: boolean;
};

const MOST_PASSAGES = 4_000;
const MOST_WORDS = 200_000;

/** The newest few thousand passages that were looked at, by their text: a conversation is asked about more than once. */
class Readings {
  readonly #numbers = new Map<string, number>();
  readonly #words: string[] = [];
  readonly #stems: number[] = [];
  /** By word: where it was counted in the passage that was read last. It was in this one if it stands there. */
  readonly #lastAt: number[] = [];
  readonly #read = new Map<string, PassageReading>();

  get isFull(): boolean {
    return this.#read.size >= MOST_PASSAGES || this.#words.length >= MOST_WORDS;
  }

  /** A text has one number, wherever it stands. */
  numberOf(text: string): number {
    const earlier = this.#numbers.get(text);
    if (earlier !== undefined) return earlier;
    const own = ownText(text);
    const number = this.#words.push(own) - 1;
    this.#numbers.set(own, number);
    return number;
  }

  wordOf(number: number): string {
    return this.#words[number] ?? "";
  }

  /** The number of a word's stem. */
  stemOf(number: number): number {
    const earlier = this.#stems[number];
    if (earlier !== undefined) return earlier;
    const root = this.numberOf(stem(this.wordOf(number)));
    this.#stems[number] = root;
    return root;
  }

  of(text: string): PassageReading {
    const earlier = this.#read.get(text);
    if (earlier) return earlier;
    const reading = this.#reading(text);
    this.#read.set(text, reading);
    return reading;
  }

  #reading(text: string): PassageReading {
    const { words, runs } = runsOf(text);
    const counted: number[] = [];
    let content = 0;
    for (const word of words) {
      const number = this.numberOf(word);
      const at = this.#lastAt[number] ?? 0;
      if (counted[at] === number) counted[at + 1] = (counted[at + 1] ?? 0) + 1;
      else this.#lastAt[number] = counted.push(number, 1) - 2;
      if (!STOP_WORDS.has(word)) content++;
    }
    const forms: [Channel, string[]][] = [
      ["stem", humpsOf(text).map(stem)],
      ["ident", namesOf(text).flatMap((name) => name.forms)],
      ["gram", runs.flatMap(gramsOf)],
    ];
    return {
      words: Uint32Array.from(counted),
      forms: forms.flatMap(([channel, list]) =>
        list.length === 0 ? [] : [[channel, list.map((form) => this.numberOf(form))] as const],
      ),
      runs,
      length: words.length + runs.reduce((sum, run) => sum + run.length, 0),
      content: content + runs.reduce((sum, run) => sum + [...run].length, 0),
      asks: isQuestion(text),
    };
  }
}

let inUse = new Readings();

/** Those in use now: numbers of others mean something else. */
export function readings(): Readings {
  if (inUse.isFull) inUse = new Readings();
  return inUse;
}
