// The writer of a session: lock, repair, append one line an event, fold it into the state, tell the listeners.
import { hostname } from "node:os";
import { join } from "node:path";
import { within } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { errorText, type Failure, FailureError } from "../base/failure.ts";
import type { MakeId } from "../base/id.ts";
import { Mutex } from "../base/mutex.ts";
import { releaseMemory } from "../base/release-memory.ts";
import { fail, ok, type Result } from "../base/result.ts";
import type { SessionPaths } from "../host/paths.ts";
import {
  type DurableEnvelope,
  type DurableType,
  type Envelope,
  type EphemeralType,
  type EventData,
  readEvent,
} from "../schema/event/envelope.ts";
import { type AppendLog, type LogIo, openLog } from "../store/append-log.ts";
import { acquireLock, type Lock } from "../store/lock.ts";
import type { LogReport } from "../store/read-log.ts";
import { lostLog, pausedText, sessionInUse, sessionTooNew, unopenedLog, unwritableLog } from "./log-failure.ts";
import { eventReader, LOG_VERSION, type LogContents } from "./read-session.ts";
import { applyEvent, LogFold } from "./replay.ts";
import { type FoldedLog, LONG_LOG, readResumeCache, writeResumeCache } from "./resume-cache.ts";
import { isLong, spillEvent } from "./spilled-event.ts";
import { emptyState, type SessionState } from "./state.ts";

type LogOptions = {
  paths: SessionPaths;
  quarantine: string;
  sessionId: string;
  clock: Clock;
  newId: MakeId;
  onEvent: (event: Envelope) => void;
  /** How long a log that cannot be written is tried again before the session gives up. */
  giveUpMs: number;
  /** The log is long, from so many bytes on. */
  longLog?: number;
  /** The disk, for tests of its failures. */
  io?: LogIo;
};

const RETRY_MS = 2000;
const CLOSE_SYNC_MS = 1000;
const CLOSE_CACHE_MS = 5000;
/** The points where the log also reaches the disk itself. */
const SYNC_AT: ReadonlySet<string> = new Set([
  "user.message",
  "session.compaction_complete",
  "turn.end",
  "session.shutdown",
]);

/** `past`: every event that the file had already, in its order. */
export type OpenedLog = Omit<LogContents, "version"> & { log: SessionLog; report: LogReport; past: DurableEnvelope[] };

export class SessionLog {
  readonly state: SessionState = emptyState();
  /** What else is folded from the log, in its order and before anybody is told: the agents and their conversations. */
  onFold: (event: DurableEnvelope) => void = () => undefined;
  readonly #options: LogOptions;
  readonly #order = new Mutex();
  readonly #stopped = new AbortController();
  #log: AppendLog | undefined;
  #lock: Lock | undefined;
  #syncing: Promise<unknown> = Promise.resolve();
  #caching: Promise<unknown> = Promise.resolve();
  /** When the log has failed for too long. One deadline, however many events wait for it. */
  #giveUpAt: number | undefined;
  /** Set when an event was given up: one after it would tell of a history that the log does not have. */
  #givenUp: FailureError | undefined;
  #wasLong = false;

  private constructor(options: LogOptions) {
    this.#options = options;
  }

  /** Opens for writing. The lock is the kernel's: it ends with this process, however it ends. */
  static async open(options: LogOptions): Promise<Result<OpenedLog, Failure>> {
    const self = new SessionLog(options);
    const lock = await acquireLock(join(options.paths.dir, "session.lock"), {
      note: { pid: process.pid, host: hostname() },
    });
    if (!lock.ok)
      return fail(
        lock.error.code === "store_busy"
          ? sessionInUse(options.sessionId, lock.error.heldBy?.pid)
          : unopenedLog(lock.error, options.sessionId),
      );
    self.#lock = lock.value;
    const { paths, longLog = LONG_LOG } = options;
    let folded: FoldedLog = { state: self.state, past: [], places: [], end: 0 };
    const fold = new LogFold(self.state);
    const reader = eventReader(paths, (event, { offset, bytes }) => {
      fold.add(event);
      folded.past.push(event);
      folded.places.push(offset, offset + bytes);
    });
    const opened = await openLog(paths.events, {
      ...reader,
      ...(options.io ? { io: options.io } : {}),
      quarantine: { folder: options.quarantine, label: `${options.sessionId}-events` },
      skip: async (log) => {
        const cached = (await log.stat()).size < longLog ? undefined : await readResumeCache(paths, log);
        if (cached) folded = { ...cached, state: Object.assign(self.state, cached.state) };
        return { bytes: folded.end, lines: folded.past.length };
      },
      keep: () => reader.contents.version > LOG_VERSION,
    });
    if (!opened.ok) {
      self.#lock.release();
      return fail(unopenedLog(opened.error, options.sessionId));
    }
    fold.end();
    self.#log = opened.value.log;
    if (reader.contents.version > LOG_VERSION) {
      await self.close();
      return fail(sessionTooNew(options.sessionId, reader.contents.version));
    }
    const { report } = opened.value;
    const { unknownTypes, unknown } = reader.contents;
    // What is damaged or unknown is told anew by each resume, so such a log is read whole.
    const isPlain = report.damaged.length === 0 && report.doubled === 0 && unknownTypes.size === 0;
    if (isPlain && report.end - folded.end >= longLog)
      self.#caching = writeResumeCache(paths, { ...folded, end: report.end }).catch((error: unknown) =>
        self.publish("soft_failure", { part: "resume cache", code: "failed", message: errorText(error) }),
      );
    return ok({ log: self, report, unknownTypes, unknown, past: folded.past });
  }

  get size(): number {
    return this.#log?.size ?? 0;
  }

  /** `agentId`: the subagent whose event it is. */
  emit<T extends DurableType>(
    type: T,
    data: EventData<T>,
    { parentId, agentId }: { parentId?: string | undefined; agentId?: string | undefined } = {},
  ): Promise<Envelope<T>> {
    const { clock, newId, onEvent } = this.#options;
    const id = newId();
    return this.#order.run(async () => {
      const event = {
        id,
        type,
        timestamp: clock.now(),
        parentId: parentId ?? this.state.lastEventId,
        ...(agentId === undefined ? {} : { agentId }),
        data,
      } as Envelope<T>;
      const read = readEvent(event);
      if (read.type !== "known")
        throw new Error(
          `An event that does not fit its own schema was not written: ${read.type === "invalid" ? read.reason : type}`,
        );
      await this.#write(event as DurableEnvelope);
      applyEvent(this.state, event as DurableEnvelope);
      this.onFold(event as DurableEnvelope);
      if (SYNC_AT.has(type)) this.#syncing = this.#sync();
      onEvent(event as Envelope);
      return event;
    });
  }

  publish<T extends EphemeralType>(type: T, data: EventData<T>, agentId?: string): void {
    const { clock, newId, onEvent } = this.#options;
    onEvent({
      id: newId(),
      type,
      timestamp: clock.now(),
      parentId: this.state.lastEventId,
      ...(agentId === undefined ? {} : { agentId }),
      ephemeral: true,
      data,
    } as Envelope);
  }

  /** A failed append pauses whoever waits for it, before the next side effect; the same id is tried again. */
  async #write(event: DurableEnvelope): Promise<void> {
    const { clock, giveUpMs, paths, sessionId } = this.#options;
    if (this.#givenUp) throw this.#givenUp;
    const isNowLong = isLong(event);
    // The pieces in which the text came, and what the work with it has left.
    if (isNowLong || this.#wasLong) releaseMemory();
    this.#wasLong = isNowLong;
    // Not made one long line first: that would cost its size several times over.
    const early = isNowLong ? await spillEvent(event, paths.files) : undefined;
    if (early) releaseMemory();
    for (let record = early?.ok ? early.value : event; ; ) {
      if (!this.#log) throw new Error("The session's log is closed: nothing can be written to it any more.");
      const written = this.#log.append(record);
      if (written.ok) {
        this.#giveUpAt = undefined;
        return;
      }
      if (written.error.code === "too_large" && record === event) {
        const spilled = await spillEvent(event, paths.files);
        if (spilled.ok) {
          record = spilled.value;
          continue;
        }
      }
      if (written.error.code === "store_gone") throw this.#giveUp(lostLog(written.error, sessionId));
      if (this.#giveUpAt === undefined) {
        this.#giveUpAt = clock.monotonic() + giveUpMs;
        this.publish("soft_failure", {
          part: "session log",
          code: written.error.code,
          message: pausedText(written.error),
        });
      }
      const isTime = clock.monotonic() + RETRY_MS < this.#giveUpAt;
      if (!isTime || !(await clock.sleep(RETRY_MS, this.#stopped.signal)))
        throw this.#giveUp(unwritableLog(written.error, paths.dir, sessionId, this.state.lastEventId));
    }
  }

  #giveUp(failure: Failure): FailureError {
    this.#givenUp = new FailureError(failure);
    return this.#givenUp;
  }

  async #sync(): Promise<void> {
    const synced = await this.#log?.sync();
    if (synced && !synced.ok)
      this.publish("soft_failure", {
        part: "sync of the session log",
        code: synced.error.code,
        message: synced.error.what,
      });
  }

  /** Ends a wait for a log that cannot be written. */
  stop(): void {
    this.#stopped.abort();
  }

  /** Lets go of the file and the lock; what was appended is on its way to the disk. */
  async close(): Promise<void> {
    this.stop();
    await this.#order.run(async () => undefined);
    // A disk that is slow to sync does not hold up the end: what was appended survives the process without it.
    await within(this.#syncing, CLOSE_SYNC_MS);
    await within(this.#caching, CLOSE_CACHE_MS);
    await this.#log?.close();
    this.#log = undefined;
    this.#lock?.release();
  }
}
