// Prompts that were made lately, for as long as nothing has changed: the same question at the same time is asked of the database once.
import type { Clock } from "../../base/clock.ts";
import type { Strategy } from "./contract.ts";

type Outcome = Awaited<ReturnType<Strategy["prompt"]>>;
type Entry = { generation: number; at: number; hasBegun: boolean; restsUntil: number; outcome: Promise<Outcome> };

/** Which memories are best depends on their age, so an answer grows old by itself. */
const FRESH_MS = 60_000;
const MOST = 1000;
/** Before the same one is made again the others have the processors for as many times as long as it took, within limits. */
const REST = 2;
const MOST_REST_MS = 250;

/** While writers write, a prompt is out of date as soon as it is made: one is made at a time, and all who ask meanwhile share the next. */
export class PromptCache {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;

  constructor(clock: Pick<Clock, "monotonic" | "sleep">) {
    this.#clock = clock;
  }

  async get(key: string, generation: number, make: () => Promise<Outcome>): Promise<Outcome> {
    const entry = this.#entries.get(key);
    const at = this.#clock.monotonic();
    if (entry?.generation === generation && at - entry.at <= FRESH_MS) return entry.outcome;
    if (entry && !entry.hasBegun) {
      // It will read what this question is to be answered from.
      entry.generation = generation;
      return entry.outcome;
    }
    const begin = async (): Promise<Outcome> => {
      await entry?.outcome.catch(() => undefined); // whoever asked for the one before hears of it
      const restMs = (entry?.restsUntil ?? 0) - this.#clock.monotonic();
      if (restMs > 0) await this.#clock.sleep(restMs);
      fresh.hasBegun = true;
      const begun = this.#clock.monotonic();
      return make().finally(() => {
        const ended = this.#clock.monotonic();
        fresh.restsUntil = ended + Math.min(REST * (ended - begun), MOST_REST_MS);
      });
    };
    const entered = { generation, at, hasBegun: false, restsUntil: 0 };
    const fresh: Entry = { ...entered, outcome: Promise.resolve().then(begin) };
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
