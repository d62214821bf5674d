// The prompt's memories, fetched once for whoever asks at the same time, kept until the place or the store changes.
import type { Clock } from "../../base/clock.ts";
import { optional } from "../../base/optional.ts";
import type { Place, PromptAnswer, RecordCounts, Scope, Strategy, StrategyChoice } from "./contract.ts";
import { memorySection, type ShownLine } from "./section.ts";

export type SectionLoad =
  | {
      type: "loaded";
      strategy: Strategy;
      answer: PromptAnswer;
      section: string;
      /** Those of the section. */
      lines: readonly ShownLine[];
      cached: boolean;
      durationMs: number;
    }
  /** No memory for this build of the prompt: no section, no tools. */
  | { type: "unavailable"; strategy: string; code: string; durationMs: number }
  | { type: "skipped"; reason: string; message: string };

export type LoaderParts = {
  client: () => Promise<StrategyChoice>;
  place: () => Place;
  scopes: () => readonly Scope[];
  bound: () => { maxTokens: number; maxRecords: number };
  timeoutMs: () => number;
  clock: Clock;
};

const FAILURES = 3;
const PAUSE_MS = 30_000;

type Entry = { key: string; generation: number | undefined; value: Promise<SectionLoad>; done?: SectionLoad };

/** Another process may have written, and where nobody can tell it may always have; what failed is tried again. */
const isFresh = ({ done, generation }: Entry, strategy: Strategy): boolean =>
  done?.type === "loaded" && generation !== undefined && generation === strategy.generation();

export class MemoryLoader {
  readonly #parts: LoaderParts;
  #entry: Entry | undefined;
  #failures = 0;
  #notBefore = 0;

  constructor(parts: LoaderParts) {
    this.#parts = parts;
  }

  /** Never rejects. A caller who gives up leaves the others waiting. */
  async load(): Promise<SectionLoad> {
    const client = await this.#parts.client();
    if (client.type === "skipped") {
      this.drop();
      return client;
    }
    const { strategy } = client;
    const key = this.#keyOf(strategy);
    const cached = this.#entry;
    if (cached?.key === key && (!cached.done || isFresh(cached, strategy))) {
      const value = await cached.value;
      return value.type === "loaded" && cached.done ? { ...value, cached: true } : value;
    }
    if (this.#failures >= FAILURES && this.#parts.clock.monotonic() < this.#notBefore)
      return { type: "unavailable", strategy: strategy.kind, code: "paused", durationMs: 0 };
    const entry: Entry = { key, generation: strategy.generation(), value: this.#ask(strategy) };
    this.#entry = entry;
    const value = await entry.value;
    // An answer for a place that is no longer the place is for nobody.
    if (this.#entry !== entry || this.#keyOf(strategy) !== key) {
      if (this.#entry === entry) this.#entry = undefined;
      return this.load();
    }
    entry.done = value;
    // Before the first use nobody could tell.
    entry.generation ??= strategy.generation();
    this.#count(value);
    return value;
  }

  /** Counts of the last answer, for conditions and figures. */
  counts(): RecordCounts | undefined {
    return this.#entry?.done?.type === "loaded" ? this.#entry.done.answer.counts : undefined;
  }

  /** Result and running fetch are both forgotten. */
  drop(): void {
    this.#entry = undefined;
  }

  #keyOf({ kind, endpoint }: Strategy): string {
    const { user, repository } = this.#parts.place();
    return JSON.stringify([kind, endpoint, user, repository, this.#parts.scopes(), this.#parts.bound()]);
  }

  #count(value: SectionLoad): void {
    this.#failures = value.type === "unavailable" ? this.#failures + 1 : 0;
    this.#notBefore = this.#parts.clock.monotonic() + PAUSE_MS;
  }

  async #ask(strategy: Strategy): Promise<SectionLoad> {
    const { clock, bound } = this.#parts;
    const start = clock.monotonic();
    const took = () => Math.round(clock.monotonic() - start);
    const limit = new AbortController();
    const { maxTokens, maxRecords } = bound();
    const ask = { place: this.#parts.place(), scopes: this.#parts.scopes(), maxTokens, maxRecords };
    const late = clock.sleep(this.#parts.timeoutMs(), limit.signal).then((isLate) => {
      if (isLate) limit.abort();
      return { type: "late" } as const;
    });
    const reply = await Promise.race([strategy.prompt(ask, limit.signal), late]);
    limit.abort();
    const failed = (code: string): SectionLoad => ({
      type: "unavailable",
      strategy: strategy.kind,
      code,
      durationMs: took(),
    });
    if (reply.type === "late") return failed("timeout");
    if (reply.type === "failed") return failed(reply.code);
    const { answer } = reply;
    const { counts, ids, enabled } = answer;
    const body = { prompt: enabled ? (answer.prompt ?? "") : "", leftOut: Math.max(0, counts.total - counts.shown) };
    const { text, lines } = memorySection({ ...body, ...optional("ids", ids) }, { maxTokens, maxRecords });
    return { type: "loaded", strategy, answer, section: text, lines, cached: false, durationMs: took() };
  }
}
