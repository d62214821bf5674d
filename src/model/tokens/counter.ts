// Exact token counts of texts, each counted once: cached by content for the whole process.
import { hash } from "node:crypto";
import { setImmediate as nextTick } from "node:timers/promises";
import { upperBound } from "./estimate.ts";
import { type CountSlice, loadO200k, TOKENISER } from "./o200k.ts";
import { slices } from "./slice.ts";

const MOST_ENTRIES = 100_000;
/** UTF-16 units between two breaths: no synchronous stretch of work covers more than 256 KB. */
const BREATH = 65_536;

/** More than any model takes: how much more is not worth minutes of counting. */
const HUGE_CHARS = 16 * 1024 * 1024;

export class TokenCounter {
  /** UTF-16 units that went through the tokeniser; cached ones do not count. */
  tokenisedChars = 0;
  #cache = new Map<string, number>();
  #countSlice: CountSlice | undefined;
  #sinceBreath = 0;

  get loaded(): boolean {
    return this.#countSlice !== undefined;
  }

  async load(): Promise<void> {
    this.#countSlice = await loadO200k();
  }

  /** The exact count. Loads the tokeniser at the first call and lets other work run between slices. */
  async count(text: string): Promise<number> {
    if (text.length > HUGE_CHARS) return upperBound(text);
    const count = this.#known(text);
    if (count !== undefined) return count;
    const countSlice = await loadO200k();
    this.#countSlice = countSlice;
    let tokens = 0;
    for (const slice of slices(text.toWellFormed())) {
      if (this.#sinceBreath + slice.length > BREATH) {
        await nextTick();
        this.#sinceBreath = 0;
      }
      this.#sinceBreath += slice.length;
      tokens += countSlice(slice);
    }
    return this.#keep(text, tokens);
  }

  /** Serves callers that cannot wait: the exact count if it is at hand or quick to get, else the upper bound. */
  countNow(text: string): number {
    const count = this.#known(text);
    if (count !== undefined) return count;
    if (!this.#countSlice || text.length > BREATH) return upperBound(text);
    let tokens = 0;
    for (const slice of slices(text.toWellFormed())) tokens += this.#countSlice(slice);
    return this.#keep(text, tokens);
  }

  #known(text: string): number | undefined {
    if (text === "") return 0;
    const key = keyOf(text);
    const tokens = this.#cache.get(key);
    if (tokens === undefined) return undefined;
    this.#cache.delete(key);
    this.#cache.set(key, tokens);
    return tokens;
  }

  #keep(text: string, tokens: number): number {
    this.tokenisedChars += text.length;
    this.#cache.set(keyOf(text), tokens);
    if (this.#cache.size > MOST_ENTRIES) {
      for (const oldest of this.#cache.keys()) {
        this.#cache.delete(oldest);
        break;
      }
    }
    return tokens;
  }
}

/** Tokeniser and 128 bits of the content's hash. */
const keyOf = (text: string): string => `${TOKENISER}:${hash("sha256", text, "hex").slice(0, 32)}`;

/** The process's counter: sessions, subagents and the gateway share its cache. */
export const tokenCounter = new TokenCounter();
