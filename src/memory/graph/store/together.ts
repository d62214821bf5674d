// Writes that come at the same time share one transaction: each is durable when it returns, and the disk is asked once.
import { setImmediate as nextRound, setTimeout as sleep } from "node:timers/promises";
import { ok, type Result } from "../../../base/result.ts";
import type { Fault } from "../../../store/fault.ts";
import type { RowStore, Unit } from "../../../store/unit.ts";
import { type ChangedRows, indexing } from "./changed-row.ts";

type Work<T> = (changed: ChangedRows) => Unit<T>;
type Waiting = { work: Work<unknown>; answer(result: Result<unknown, Fault>): void; fail(error: unknown): void };

export type GraphWrites = {
  /** In the order of their coming. What one of them throws is its own: the others run without it. */
  write<T>(work: Work<T>): Promise<Result<T, Fault>>;
  /** Work that nobody waits for, one at a time: when no other write has come for a moment, but at last after the limit. */
  writeLater<T>(work: Work<T>): Promise<Result<T, Fault>>;
  /** How much of such work goes into one transaction just now; its index and its commit take as long again. */
  slice(): Slice;
};
/** So many in any case, and more for so long. */
export type Slice = { least: number; ms: number };

type SharedOptions = {
  /** How many share a transaction. */
  most: number;
  /** No write for so long: nobody posts just now. */
  pauseMs: number;
  /** Work that nobody waits for waits for a pause, forty times as long as the last took, and never longer than this. */
  patienceMs: number;
  /** How long ago another thread wrote that this work gives way to. */
  othersQuietMs?: () => number;
};

const SHARE = 40;
/** While others write, and when nobody has for a while: a longer transaction costs less for each of its rows. */
const SLICES = { busy: { least: 1, ms: 2 }, idle: { least: 16, ms: 10 } };
const IDLE_MS = 100;

/** Where many write at the same time, nobody has to wait for another. */
export function apart(rows: RowStore): GraphWrites {
  const write = <T>(work: Work<T>) => rows.write(() => indexing(work), { holds: true });
  return { write, writeLater: write, slice: () => SLICES.idle };
}

const ALONE = (): number => Number.POSITIVE_INFINITY;

export function together(rows: RowStore, options: SharedOptions): GraphWrites {
  const { most, pauseMs, patienceMs, othersQuietMs = ALONE } = options;
  const { write } = apart(rows);
  const waiting: Waiting[] = [];
  let isRunning = false;
  let lastCame = Number.NEGATIVE_INFINITY;
  let lastTook = 0;
  let later: Promise<unknown> = Promise.resolve();
  const quietMs = (): number => Math.min(performance.now() - lastCame, othersQuietMs());

  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      await nextRound(); // requests that are being read join
      const batch = waiting.splice(0, most);
      if (!(await isDone(batch))) for (const one of batch) await alone(one);
    }
    isRunning = false;
  };
  const isDone = async (batch: readonly Waiting[]): Promise<boolean> => {
    if (batch.length === 1) return false;
    try {
      const outcome = await write((changed) => oneAfterAnother(batch, changed));
      for (const [i, { answer }] of batch.entries()) answer(outcome.ok ? ok(outcome.value[i]) : outcome);
      return true;
    } catch {
      return false; // nothing was stored: each says for itself what is wrong
    }
  };
  const alone = async ({ work, answer, fail }: Waiting): Promise<void> => {
    try {
      answer(await write(work));
    } catch (error) {
      fail(error);
    }
  };

  const quiet = async (): Promise<void> => {
    const end = performance.now() + Math.min(patienceMs, SHARE * lastTook);
    await nextRound();
    for (;;) {
      const now = performance.now();
      const wait = isRunning ? 1 : pauseMs - quietMs();
      if (wait <= 0 || now >= end) return;
      await sleep(Math.min(wait, end - now));
    }
  };

  return {
    write: <T>(work: Work<T>) =>
      new Promise<Result<T, Fault>>((answer, fail) => {
        lastCame = performance.now();
        waiting.push({ work, answer: answer as Waiting["answer"], fail });
        if (!isRunning) void run();
      }),
    writeLater<T>(work: Work<T>) {
      const outcome = later.then(quiet).then(async () => {
        const from = performance.now();
        const result = await write(work);
        // A short one after a long one does not make up for it.
        lastTook = Math.max(performance.now() - from, lastTook / 2);
        return result;
      });
      later = outcome.catch(() => undefined); // whoever asked is told
      return outcome;
    },
    slice: () => (quietMs() < IDLE_MS ? SLICES.busy : SLICES.idle),
  };
}

function* oneAfterAnother(batch: readonly Waiting[], changed: ChangedRows): Unit<unknown[]> {
  const values: unknown[] = [];
  for (const { work } of batch) values.push(yield* work(changed));
  return values;
}
