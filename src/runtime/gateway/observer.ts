// The gateway's own figures for charts: gathered from its events, written many at a time, long after each answer began.

import { systemClock } from "../../base/clock.ts";
import { addObservations, type ChartFigure } from "../../memory/observe/observation.ts";
import type { LiveEvent } from "../../schema/api/live.ts";
import type { OpenHomeServices } from "./home-services.ts";

const GATHER_MS = 500;
/** More than so many at a time are a flood: their sums are counted elsewhere, and charts do without the rest. */
const MOST = 5000;

export class GatewayObserver {
  readonly #open: OpenHomeServices;
  readonly #onTrouble: (code: string) => void;
  #waiting: ChartFigure[] = [];
  #writing: Promise<void> | undefined;
  readonly #closing = new AbortController();

  constructor(open: OpenHomeServices, onTrouble: (code: string) => void) {
    this.#open = open;
    this.#onTrouble = onTrouble;
  }

  see(event: LiveEvent): void {
    const row = rowOf(event);
    if (!row || this.#waiting.length >= MOST || this.#closing.signal.aborted) return;
    this.#waiting.push(row);
    this.#writing ??= this.#write();
  }

  /** What was gathered is written. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
  }

  async #write(): Promise<void> {
    await systemClock.sleep(GATHER_MS, this.#closing.signal);
    const rows = this.#waiting;
    this.#waiting = [];
    this.#writing = undefined;
    const services = await this.#open();
    if (!services.ok) return this.#onTrouble(services.error.code);
    const written = await addObservations(services.value.db, rows, Date.now());
    if (!written.ok) this.#onTrouble(written.error.code);
  }
}

/** Requests that were not managed have no figures. */
function rowOf({ type, data }: LiveEvent): ChartFigure | undefined {
  if (type === "recall.completed") return { type: "recall", at: Date.now(), ms: data.durationMs };
  if (type !== "proxy.request" || data.tokensIn === undefined) return undefined;
  const { session, tokensIn, tokensSent = tokensIn, usage, addedMs } = data;
  return {
    type: "request",
    at: Date.now(),
    asked: tokensIn,
    sent: tokensSent,
    ...(session === undefined ? {} : { session }),
    ...(usage?.input === undefined ? {} : { input: usage.input, cached: usage.cached ?? 0 }),
    ...(addedMs === undefined ? {} : { ms: addedMs }),
  };
}
