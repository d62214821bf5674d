// The name of one who holds work for a while: others see by it whether its process, or its thread, can still be at it.
import { threadId } from "node:worker_threads";
import { shortId } from "../base/id.ts";
import { isAlive, startOf } from "./survivors.ts";

/** What ended a worker, when that is certain; else its lease counts. */
export type EndOf = (worker: string) => "process" | "thread" | undefined;

export const newWorkerName = (kind: string): string =>
  `${shortId(kind)}.${process.pid}.${startOf(process.pid)}.${threadId}`;

/** `endedThreads`: those of this process. A name of another form tells nothing. */
export function endOf(worker: string, endedThreads: readonly number[] = []): ReturnType<EndOf> {
  const [pid = 0, start = 0, thread = 0] = (/\.(\d+)\.(\d+)\.(\d+)$/.exec(worker) ?? []).slice(1).map(Number);
  if (pid === 0) return undefined;
  // After a restart another process may have the number: in a container it nearly always does.
  if (!isAlive(pid) || startOf(pid) !== start) return "process";
  return pid === process.pid && endedThreads.includes(thread) ? "thread" : undefined;
}
