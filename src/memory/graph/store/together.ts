// Writes that come at the same time share one transaction: each is durable when it returns, and the disk is asked once.
import { setImmediate as nextRound } from "node:timers/promises";
import { ok, type Result } from "../../../base/result.ts";
import type { Fault } from "../../../store/fault.ts";
import { type Database, write } from "../../../store/sqlite.ts";

type Waiting = { work(): unknown; answer(result: Result<unknown, Fault>): void; fail(error: unknown): void };

/** In the order of their coming. What one of them throws is its own: the others run without it. */
export function together(db: Database, most: number): <T>(work: () => T) => Promise<Result<T, Fault>> {
  const waiting: Waiting[] = [];
  let isRunning = false;

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
      const outcome = await write(db, () => batch.map(({ work }) => work()));
      for (const [i, { answer }] of batch.entries()) answer(outcome.ok ? ok(outcome.value[i]) : outcome);
      return true;
    } catch {
      return false; // nothing was stored: each says for itself what is wrong
    }
  };
  const alone = async ({ work, answer, fail }: Waiting): Promise<void> => {
    try {
      answer(await write(db, work));
    } catch (error) {
      fail(error);
    }
  };

  return <T>(work: () => T) =>
    new Promise<Result<T, Fault>>((answer, fail) => {
      waiting.push({ work, answer: answer as Waiting["answer"], fail });
      if (!isRunning) void run();
    });
}
