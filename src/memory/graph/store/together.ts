// Writes that come at the same time share one transaction: each is durable when it returns, and the disk is asked once.
import { setImmediate as nextRound, setTimeout as sleep } from "node:timers/promises";
import { ok, type Result } from "../../../base/result.ts";
import type { Fault } from "../../../store/fault.ts";
import { type Database, write as writeOnce } from "../../../store/sqlite.ts";
import { indexing } from "./index-later.ts";

type Waiting = { work(): unknown; answer(result: Result<unknown, Fault>): void; fail(error: unknown): void };

export type SharedWrites = {
  /** In the order of their coming. What one of them throws is its own: the others run without it. */
  write<T>(work: () => T): Promise<Result<T, Fault>>;
  /** Work that nobody waits for, one at a time: when no other write has come for a moment, but at last after the limit. */
  writeLater<T>(work: () => T): Promise<Result<T, Fault>>;
};

export type SharedOptions = {
  /** How many share a transaction. */
  most: number;
  /** No write for so long: nobody posts just now. */
  pauseMs: number;
  /** Of work that nobody waits for: ten times as long as the last took it waits for a pause, and never longer than this. */
  patienceMs: number;
};

const SHARE = 10;

export function together(db: Database, { most, pauseMs, patienceMs }: SharedOptions): SharedWrites {
  const write = <T>(work: () => T) => writeOnce(db, () => indexing(db, work));
  const waiting: Waiting[] = [];
  let isRunning = false;
  let lastCame = Number.NEGATIVE_INFINITY;
  let lastTook = 0;
  let later: Promise<unknown> = Promise.resolve();

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
      const outcome = await write(() => batch.map(({ work }) => work()));
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
      const wait = isRunning ? 1 : pauseMs - (now - lastCame);
      if (wait <= 0 || now >= end) return;
      await sleep(Math.min(wait, end - now));
    }
  };

  return {
    write: <T>(work: () => T) =>
      new Promise<Result<T, Fault>>((answer, fail) => {
        lastCame = performance.now();
        waiting.push({ work, answer: answer as Waiting["answer"], fail });
        if (!isRunning) void run();
      }),
    writeLater<T>(work: () => T) {
      const outcome = later.then(quiet).then(async () => {
        const from = performance.now();
        const result = await write(work);
        lastTook = performance.now() - from;
        return result;
      });
      later = outcome.catch(() => undefined); // whoever asked is told
      return outcome;
    },
  };
}
