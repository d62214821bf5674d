// The live parts beside the records, and the one way in which a record changes: written, then told.

import { MAX_TIMER_MS } from "../../base/abort.ts";
import { Mutex } from "../../base/mutex.ts";
import { optional } from "../../base/optional.ts";
import type { AgentCaps } from "../catalog/definition.ts";
import type { AgentChange, AgentEnd, Doing, LiveParts, RegistryParts } from "./contract.ts";
import type { AgentRecords } from "./fold.ts";
import { type AgentRecord, isTerminal, MCP_TASK } from "./record.ts";
import { msBetween } from "./transition.ts";

/** Asked after every change; its first answer ends the wait. */
export type Waiter = { answer: () => boolean; reads: boolean };

export type After = (ms: number, run: () => void) => () => void;

/** Does not hold the process: what it waits for does. */
const unreferencedTimer: After = (ms, run) => {
  const timer = setTimeout(run, Math.min(ms, MAX_TIMER_MS)).unref();
  return () => clearTimeout(timer);
};

/** An executor at work, or asleep in its wait for a message. */
export class LiveAgent {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly parts: LiveParts;
  readonly caps: AgentCaps;
  readonly controller = new AbortController();
  /** The executor has returned. */
  readonly returned = Promise.withResolvers<void>();
  /** Its wait for a message. */
  sleep: PromiseWithResolvers<void> | undefined;
  /** Somebody ends the record, and writes its end when the executor has returned. */
  stopping = false;
  /** Takes no more messages. */
  closed = false;
  /** Its record rests, and the executor returns for good: a message finds another one. */
  retired = false;
  /** Messages handed to the executor. */
  readonly taken = new Set<string>();
  progressAt: number;
  /** Silence is counted from here: progress, or a wait that is nobody's silence. */
  quietFrom: number;
  /** Silent periods that were dealt with. */
  stalls = 0;
  doing: Doing = { type: "model" };
  /** How often it, or an agent below it, waits for a person right now; since when, and for how long it has before. */
  readonly asking = { count: 0, since: 0, ms: 0 };
  nudge: ((reason: string) => void) | undefined;
  publishedAt = -Infinity;

  constructor({ id, parentId }: { id: string; parentId?: string }, parts: LiveParts, caps: AgentCaps, now: number) {
    this.id = id;
    this.parentId = parentId;
    this.parts = parts;
    this.caps = caps;
    this.progressAt = now;
    this.quietFrom = now;
  }
}

export type Core = {
  readonly parts: RegistryParts;
  readonly after: After;
  readonly records: AgentRecords;
  /** Ids that have not ended. */
  readonly open: Set<string>;
  /** When a record got its status, by the monotonic clock. */
  readonly since: Map<string, number>;
  readonly lives: Map<string, LiveAgent>;
  /** Idle ones that are being completed. */
  readonly closing: Set<string>;
  /**
   * Every change of a record that is decided by its status goes through here, one at a time: what the decision saw is
   * what the event meets. So no slot is taken twice and nothing ends twice, whatever the interleaving.
   */
  readonly order: Mutex;
  readonly waiters: Set<Waiter & { id: string | undefined; release: () => void }>;
  readonly over: AbortController;
  spawned: number;
  timer: { at: number; cancel: () => void } | undefined;
  running(): AgentRecord[];
  /** Milliseconds since anything that runs made progress; 0 when nothing runs. */
  silentFor(): number;
};

export function createCore(parts: RegistryParts): Core {
  const core: Core = {
    parts,
    after: parts.after ?? unreferencedTimer,
    records: new Map(),
    open: new Set(),
    since: new Map(),
    lives: new Map(),
    closing: new Set(),
    order: new Mutex(),
    waiters: new Set(),
    over: new AbortController(),
    spawned: 0,
    timer: undefined,
    running: () => openRecords(core).filter((record) => record.status === "running"),
    silentFor() {
      const now = parts.clock.monotonic();
      const progress = core.running().map(({ id }) => {
        const live = core.lives.get(id);
        return live && isPatient(live.doing) ? now : (live?.progressAt ?? core.since.get(id) ?? 0);
      });
      return progress.length === 0 ? 0 : now - Math.max(...progress);
    },
  };
  return core;
}

export const openRecords = (core: Core): AgentRecord[] => [...core.open].flatMap((id) => core.records.get(id) ?? []);

export function createLive(
  core: Core,
  agent: { id: string; parentId?: string },
  parts: LiveParts,
  caps: AgentCaps,
): LiveAgent {
  const live = new LiveAgent(agent, parts, caps, core.parts.clock.monotonic());
  core.lives.set(agent.id, live);
  return live;
}

/** Its wait for a message looks again. */
export function wake(live: LiveAgent | undefined): void {
  live?.sleep?.resolve();
  if (live) live.sleep = undefined;
}

/** Progress of an agent is progress of all above it. */
export function touch(core: Core, id: string | undefined): void {
  const now = core.parts.clock.monotonic();
  for (let at = id; at !== undefined; at = core.records.get(at)?.parentId) {
    const live = core.lives.get(at);
    if (live) Object.assign(live, { progressAt: now, quietFrom: now, stalls: 0 });
  }
}

/** A person may take any time, and what ends by a time-out of its own is waited for: neither is silence. */
export const isPatient = (doing: Doing): boolean =>
  doing.type === "permission" || (doing.type === "tool" && doing.bounded === true);

/** A person's time is nobody's: neither that of the agent that asks nor that of those above it, which wait for it. */
export function setDoing(core: Core, live: LiveAgent, doing: Doing): void {
  const [asked, asks] = [live.doing, doing].map(({ type }) => type === "permission");
  live.doing = doing;
  if (asked === asks) return;
  if (asked) touch(core, live.id);
  const now = core.parts.clock.monotonic();
  for (let at: string | undefined = live.id; at !== undefined; at = core.records.get(at)?.parentId) {
    const asking = core.lives.get(at)?.asking;
    if (!asking) continue;
    if (asks && asking.count++ === 0) asking.since = now;
    if (asked && --asking.count === 0) asking.ms += now - asking.since;
  }
}

/** After its event is written, inside `order`: whoever waits for the result counts as told before the others are told. */
export async function tell(core: Core, id: string, change: AgentChange): Promise<void> {
  const record = core.records.get(id);
  const isRead = waitersOf(core, id).some((waiter) => waiter.reads && waiter.answer());
  if (record && record.status !== "running" && !record.told && isRead)
    await core.parts.emit(id, "subagent.read", { agentId: id });
  announce(core, id, change);
  release(core, id);
}

export function announce({ parts, records }: Core, id: string, change: AgentChange): void {
  const record = records.get(id);
  if (!record) return;
  parts.onChange(record, change);
  if (record.executionMode === "background") parts.publish(undefined, "session.background_tasks_changed", {});
}

/** Ends the waits that have their answer. */
export function release(core: Core, id: string): void {
  for (const waiter of waitersOf(core, id)) if (waiter.answer()) waiter.release();
}

const waitersOf = ({ waiters }: Core, id: string) =>
  [...waiters].filter((waiter) => waiter.id === undefined || waiter.id === id);

export type RecordEnd = AgentEnd | { type: "cancelled"; by: string; reason: string };

/** Writes the end of a record, inside `order`. False when it had ended already. */
export async function endRecord(core: Core, id: string, end: RecordEnd): Promise<boolean> {
  const record = core.records.get(id);
  if (!record || isTerminal(record)) return false;
  const live = core.lives.get(id);
  if (live) setDoing(core, live, { type: "model" });
  await emitEnd(core, record, end);
  core.lives.delete(id);
  wake(live);
  touch(core, record.parentId);
  await tell(core, id, "ended");
  return true;
}

async function emitEnd({ parts }: Core, record: AgentRecord, end: RecordEnd): Promise<void> {
  const { id, progress, telemetry } = record;
  // One that rests has given its answer: however its executor ends, that answer stands.
  const result = record.status === "idle" ? (record.latestResponse ?? "") : undefined;
  const phase = end.type === "failed" && result === undefined ? "failure" : "end";
  // A process may have ended between the two: then the boundary is there already.
  if (record.boundary === "start") await parts.emit(id, "subagent_session_boundary", { agentId: id, phase });
  if (end.type === "cancelled") {
    await parts.emit(id, "subagent.cancelled", { agentId: id, by: end.by, reason: end.reason });
    return;
  }
  const ran = record.status === "running" ? msBetween(record.startedAt, parts.clock.now()) : 0;
  const totals = {
    agentId: id,
    ...optional("toolCallId", record.toolCallId),
    agentName: record.agentType,
    agentDisplayName: record.displayName,
    model: record.model,
    totalToolCalls: progress.toolCalls,
    totalTokens: progress.tokensIn + progress.tokensOut,
    durationMs: telemetry.durationMs + ran,
    turns: progress.turns,
  };
  if (result !== undefined) await parts.emit(id, "subagent.completed", { ...totals, result });
  else if (end.type === "completed") await parts.emit(id, "subagent.completed", { ...totals, result: end.result });
  else await parts.emit(id, "subagent.failed", { ...totals, error: end.error });
}

/** Records that hold a slot. */
export const slotsTaken = (core: Core): number =>
  core.running().filter((record) => record.agentType !== MCP_TASK).length;
