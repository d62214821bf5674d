// Waits for agents: each has a signal and a limit, and leaves nothing behind.

import type { Waited, WaitOptions } from "./contract.ts";
import type { After, Core, Waiter } from "./core.ts";
import { type AgentRecord, isTerminal } from "./record.ts";

/** Shells get 5 s to end; an executor that has not returned by then is left behind with a dead handle. */
export const UNWIND_MS = 6000;

/** True when the promise came first. */
export async function settlesWithin(
  promise: Promise<unknown>,
  ms: number,
  after: After,
  signal?: AbortSignal,
): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const stop = () => over.resolve(false);
  const cancel = Number.isFinite(ms) ? after(ms, stop) : undefined;
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    return await Promise.race([promise.then(() => true), over.promise]);
  } finally {
    cancel?.();
    signal?.removeEventListener("abort", stop);
  }
}

/** Waits until `answer` is true, which is asked now and after each change of that agent (of any: undefined). */
async function waitUntil(
  core: Core,
  id: string | undefined,
  waiter: Waiter,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (waiter.answer()) return true;
  const finished = Promise.withResolvers<void>();
  const entry = { ...waiter, id, release: finished.resolve };
  core.waiters.add(entry);
  try {
    return await settlesWithin(finished.promise, ms, core.after, AbortSignal.any([signal, core.over.signal]));
  } finally {
    core.waiters.delete(entry);
  }
}

export async function getAgentResult(core: Core, id: string, options: WaitOptions): Promise<Waited> {
  const first = core.records.get(id);
  if (!first) return { outcome: "unknown" };
  const { signal, limitMs, sinceTurn, reads = true } = options;
  const wasForeground = options.foreground ?? first.executionMode === "sync";
  let waited: Waited | undefined;
  const answer = (): boolean => {
    const record = core.records.get(id);
    waited = record ? outcomeOf(record, wasForeground, sinceTurn) : { outcome: "unknown" };
    return waited !== undefined;
  };
  const inTime = await waitUntil(core, id, { answer, reads }, limitMs, signal);
  if (inTime && waited) {
    // What a sync agent started, its own servers among it, has ended when its call returns.
    const live = core.lives.get(id);
    if (live?.retired) await settlesWithin(live.returned.promise, UNWIND_MS, core.after, signal);
    if (reads && "record" in waited) await markRead(core, id);
    return waited;
  }
  const record = core.records.get(id);
  return record ? { outcome: "timeout", record } : { outcome: "unknown" };
}

function outcomeOf(record: AgentRecord, wasForeground: boolean, sinceTurn: number | undefined): Waited | undefined {
  if (isTerminal(record)) return { outcome: "final", record };
  if (wasForeground && record.executionMode === "background") return { outcome: "promoted", record };
  if (wasForeground && record.status === "idle") return { outcome: "turn", record };
  if (sinceTurn === undefined) return undefined;
  // At rest nothing more comes until somebody writes to it.
  const isNews = record.status !== "running" || record.turnHistory.length > sinceTurn;
  return isNews ? { outcome: "turn", record } : undefined;
}

/** Marks a record at rest; what a running one said so far is told again with its status when it rests. */
export async function markRead(core: Core, id: string): Promise<void> {
  const isNews = (): boolean => {
    const record = core.records.get(id);
    return record !== undefined && record.status !== "running" && !record.told;
  };
  if (!isNews()) return;
  await core.order.run(async () => {
    if (isNews()) await core.parts.emit(id, "subagent.read", { agentId: id });
  });
}

export async function waitForAgents(
  core: Core,
  signal: AbortSignal,
  { ms = Infinity, silenceMs = Infinity }: { ms?: number; silenceMs?: number },
): Promise<{ outcome: "settled" | "timeout" | "aborted"; running: AgentRecord[] }> {
  const { clock } = core.parts;
  const until = clock.monotonic() + ms;
  const running = () => core.running();
  const waiter = { answer: () => running().length === 0, reads: false };
  // What has just been written is announced before its change is over.
  await core.order.run(async () => undefined);
  for (;;) {
    const left = Math.min(until - clock.monotonic(), silenceMs - core.silentFor());
    if (await waitUntil(core, undefined, waiter, Math.max(0, left), signal)) return { outcome: "settled", running: [] };
    if (signal.aborted || core.over.signal.aborted) return { outcome: "aborted", running: running() };
    if (clock.monotonic() >= until || core.silentFor() >= silenceMs) return { outcome: "timeout", running: running() };
  }
}
