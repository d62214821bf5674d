// What a session's passing events leave behind for charts and timelines.
import { ok, type Result } from "../../base/result.ts";
import { addObservations, type ChartFigure } from "../../memory/observe/observation.ts";
import type { Envelope, EventType } from "../../schema/event/envelope.ts";
import type { Fault } from "../../store/fault.ts";
import type { Database } from "../../store/sqlite.ts";

type Reading<T extends EventType> = (event: Envelope<T>) => Omit<ChartFigure, "at" | "session">;
const READINGS: { [T in EventType]?: Reading<T> } = {
  "session.usage_info": ({ data }) => ({
    type: "window",
    asked: data.untruncatedTokens,
    sent: data.currentTokens,
    ...(data.cachedTokens === undefined ? {} : { cached: data.cachedTokens }),
    data: { limit: data.tokenLimit, ...(data.compactionAt === undefined ? {} : { compactionAt: data.compactionAt }) },
  }),
  "session.truncation": ({ data }) => ({
    type: "truncation",
    data: { tokens: data.tokensRemovedDuringTruncation, messages: data.messagesRemovedDuringTruncation },
  }),
  "recall.completed": ({ data }) => ({
    type: "recall",
    ms: data.durationMs,
    data: { caller: data.caller, results: data.results },
  }),
  "sidekick.skipped": ({ data: { name, reason } }) => ({ type: "sidekick", data: { name, state: "skipped", reason } }),
  "sidekick.ended": ({ data: { name, state, tokens, sends, durationMs } }) => ({
    type: "sidekick",
    ms: durationMs,
    data: { name, state, tokens, sends },
  }),
};

/** A turn that never ends must not fill the memory with figures. */
const MOST = 10_000;

/** Gathers until the store is written to anyway: after each turn. */
export class ObservationQueue {
  readonly #session: string;
  #rows: ChartFigure[] = [];

  constructor(session: string) {
    this.#session = session;
  }

  /** The windows of subagents are left out: a chart has one line. */
  see(event: Envelope): void {
    const reading = READINGS[event.type] as Reading<EventType> | undefined;
    if (!reading || this.#rows.length >= MOST) return;
    if (event.type === "session.usage_info" && event.agentId !== undefined) return;
    this.#rows.push({ ...reading(event), at: Date.parse(event.timestamp), session: this.#session });
  }

  /** What could not be saved is tried again. */
  async save(db: Database): Promise<Result<void, Fault>> {
    const rows = this.#rows;
    if (rows.length === 0) return ok(undefined);
    this.#rows = [];
    const added = await addObservations(db, rows, Date.now());
    if (!added.ok) this.#rows.unshift(...rows);
    return added;
  }
}
