// Prompts that were made lately, for as long as nothing has changed: the same question at the same time is asked of the database once.
import type { Strategy } from "./contract.ts";

type Outcome = Awaited<ReturnType<Strategy["prompt"]>>;
type Entry = { generation: number; at: number; state: "waits" | "runs" | "ended"; outcome: Promise<Outcome> };

/** Which memories are best depends on their age, so an answer grows old by itself. */
const FRESH_MS = 60_000;
const MOST = 1000;

/** While writers write, a prompt is out of date as soon as it is made: one is made at a time, and all who ask meanwhile share the next. */
export class PromptCache {
  readonly #entries = new Map<string, Entry>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  async get(key: string, generation: number, make: () => Promise<Outcome>): Promise<Outcome> {
    const entry = this.#entries.get(key);
    if (entry?.generation === generation && this.#monotonic() - entry.at <= FRESH_MS) return entry.outcome;
    if (entry?.state === "waits") {
      // It has not begun, so it will read what this question is to be answered from.
      entry.generation = generation;
      return entry.outcome;
    }
    const earlier = entry?.state === "runs" ? entry.outcome : undefined;
    const begin = async (): Promise<Outcome> => {
      await earlier?.catch(() => undefined); // whoever asked for it hears of it
      fresh.state = "runs";
      return make().finally(() => {
        fresh.state = "ended";
      });
    };
    const fresh: Entry = { generation, at: this.#monotonic(), state: "waits", outcome: Promise.resolve().then(begin) };
    this.#entries.delete(key); // the newest stands last
    this.#entries.set(key, fresh);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MOST && oldest !== undefined) this.#entries.delete(oldest);
    const outcome = await fresh.outcome;
    // A failure is no answer: the next one asks again.
    if (outcome.type === "failed" && this.#entries.get(key) === fresh) this.#entries.delete(key);
    return outcome;
  }
}
