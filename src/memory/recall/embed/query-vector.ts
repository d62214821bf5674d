// The vector of a query, in the little time a search has for it: late or failing, the search goes on without.

import { within } from "../../../base/abort.ts";
import { type Clock, systemClock } from "../../../base/clock.ts";
import type { Embedder } from "./contract.ts";

type QueryVector =
  | { type: "vector"; embedder: string; values: Float32Array }
  /** Why there is none. */
  | { type: "none"; reason: string };

/** A search has so much time for the vector of its query. */
export const QUERY_VECTOR_MS = 150;
const FAILURES = 3;
const PAUSE_MS = 60_000;
const MAX_CHARS = 512;
const PAUSED = "the embedder failed three times";

/** How a search says that it went on without the vector of its query. */
export const withoutVector = (reason: string): string => `vectors: ${reason}`;

/** What the phases that a search skipped say of its vectors. `paused`: the embedder was not asked, so asking again is no use. */
export function vectorLoss(skipped: readonly string[]): "late" | "paused" | undefined {
  if (skipped.includes(withoutVector(PAUSED))) return "paused";
  return skipped.some((phase) => phase.startsWith("vectors")) ? "late" : undefined;
}

/** After three failures in a row nobody is asked for a minute. */
export class QueryEmbedder {
  readonly #embedder: Embedder;
  readonly #clock: Clock;
  #failures = 0;
  #openAt = 0;

  constructor(embedder: Embedder, clock: Clock = systemClock) {
    this.#embedder = embedder;
    this.#clock = clock;
  }

  async vectorOf(query: string, signal: AbortSignal, limitMs: number): Promise<QueryVector> {
    if (query.trim() === "") return { type: "none", reason: "there are no words" };
    if (this.#clock.monotonic() < this.#openAt) return { type: "none", reason: PAUSED };
    const late = new AbortController();
    const both = AbortSignal.any([signal, late.signal]);
    const text = query.slice(0, MAX_CHARS).toWellFormed();
    const answer = await within(this.#embedder.embed([text], both, "query"), limitMs, signal);
    late.abort();
    const values = answer.type === "value" && answer.value.ok ? answer.value.value[0] : undefined;
    if (values) {
      this.#failures = 0;
      return { type: "vector", embedder: this.#embedder.id, values };
    }
    if (answer.type === "aborted") return { type: "none", reason: "the search was stopped" };
    if (++this.#failures >= FAILURES) {
      this.#failures = 0;
      this.#openAt = this.#clock.monotonic() + PAUSE_MS;
    }
    const why =
      answer.type === "value" && !answer.value.ok ? answer.value.error.message : `no vector within ${limitMs} ms`;
    return { type: "none", reason: why };
  }
}
