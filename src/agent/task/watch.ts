// Time: one timer for all agents, set to the nearest moment at which one of them is silent, over its time or idle too long.
import type { Doing } from "./contract.ts";
import { type Core, isPatient, type LiveAgent, openRecords, tell, touch } from "./core.ts";
import { type AgentRecord, MCP_TASK } from "./record.ts";
import { completeIdle, failAgent } from "./stop.ts";

const MINUTE = 60_000;
/** While a person is asked, the caps of time are looked at again so often. */
const ASKED_MS = 1000;
/** Periods of silence: announced, nudged, failed. */
const LAST_PERIOD = 3;

/** Sees to it that the timer rings in time for this agent. Progress only moves moments later: it then rings too early. */
export function plan(core: Core, id: string): void {
  const record = core.records.get(id);
  if (record) ringAt(core, nextMoment(core, record));
}

function ringAt(core: Core, at: number): void {
  if (!Number.isFinite(at) || core.over.signal.aborted || (core.timer && core.timer.at <= at)) return;
  core.timer?.cancel();
  const ring = () => {
    core.timer = undefined;
    sweep(core);
  };
  core.timer = { at, cancel: core.after(Math.max(1, at - core.parts.clock.monotonic()), ring) };
}

export function unwatch(core: Core): void {
  core.timer?.cancel();
  core.timer = undefined;
}

function sweep(core: Core): void {
  for (const record of openRecords(core)) {
    const live = core.lives.get(record.id);
    if (live?.stopping || core.closing.has(record.id)) continue;
    if (record.status === "running" && live) checkRunning(core, record, live);
    else if (record.status === "idle" && isPast(core, idleUntil(core, record)))
      completeIdle(core, [record.id]).catch(core.parts.onBroken);
  }
  for (const record of openRecords(core)) ringAt(core, nextMoment(core, record));
}

const isPast = (core: Core, at: number): boolean => core.parts.clock.monotonic() >= at;

function nextMoment(core: Core, record: AgentRecord): number {
  const live = core.lives.get(record.id);
  if (live?.stopping || core.closing.has(record.id)) return Infinity;
  if (record.status === "idle") return idleUntil(core, record);
  if (record.status !== "running" || !live) return Infinity;
  const cap = live.asking.count > 0 ? core.parts.clock.monotonic() + ASKED_MS : capAt(core, record, live);
  return Math.min(cap, stallAt(core, live));
}

const idleUntil = (core: Core, { id }: AgentRecord): number => (core.since.get(id) ?? 0) + core.parts.limits().idleMs;

const maxMs = (core: Core, { caps }: LiveAgent): number =>
  Math.min(core.parts.limits().maxMs, (caps.maxMinutes ?? Infinity) * MINUTE);

/** Only time in `running` counts, that of earlier runs too; what a person takes for an answer does not. */
function capAt(core: Core, record: AgentRecord, live: LiveAgent): number {
  if (record.agentType === MCP_TASK) return Infinity;
  return (core.since.get(record.id) ?? 0) + maxMs(core, live) + live.asking.ms - record.telemetry.durationMs;
}

function stallAt(core: Core, { quietFrom, stalls }: LiveAgent): number {
  const { stallMs } = core.parts.limits();
  return stallMs > 0 ? quietFrom + (stalls + 1) * stallMs : Infinity;
}

function checkRunning(core: Core, record: AgentRecord, live: LiveAgent): void {
  const { id } = record;
  if (live.asking.count === 0 && isPast(core, capAt(core, record, live))) {
    const minutes = Math.round((maxMs(core, live) / MINUTE) * 100) / 100;
    failAgent(core, id, { code: "cap_minutes", message: `It has run for all of its ${minutes} minutes.` }).catch(
      core.parts.onBroken,
    );
    return;
  }
  if (!isPast(core, stallAt(core, live))) return;
  // An agent that waits for another is as quick as that one, whose end is progress too.
  if (isPatient(live.doing)) touch(core, id);
  else if (!hasRunningChild(core, id)) stalled(core, record, live);
  else live.quietFrom = core.parts.clock.monotonic();
}

const hasRunningChild = (core: Core, id: string): boolean => core.running().some((record) => record.parentId === id);

function stalled(core: Core, { id, agentType }: AgentRecord, live: LiveAgent): void {
  const reason = stallReason(live.doing);
  live.stalls++;
  if (live.stalls === 1)
    core.order
      .run(async () => {
        if (core.records.get(id)?.status !== "running" || live.stopping) return;
        await core.parts.emit(id, "subagent.stalled", { agentId: id, reason });
        await tell(core, id, "stalled");
      })
      .catch(core.parts.onBroken);
  // A server's task is only announced, and watched on: it may move and be silent again.
  else if (agentType === MCP_TASK) return;
  else if (live.stalls === 2) live.nudge?.(reason);
  else {
    const seconds = Math.round((LAST_PERIOD * core.parts.limits().stallMs) / 1000);
    const message = `Nothing came from it for ${seconds} s (${reason}), and one more try did not help.`;
    failAgent(core, id, { code: "stalled", message }).catch(core.parts.onBroken);
  }
}

function stallReason(doing: Doing): string {
  switch (doing.type) {
    case "model":
      return "model_silent";
    case "tool":
    case "hook":
      return `${doing.type}:${doing.name}`;
    case "mcp":
      return `mcp:${doing.server}`;
    case "permission":
      return "waiting_for_permission";
  }
}
