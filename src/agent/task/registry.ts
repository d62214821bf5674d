// The registry of agents: which there are, which run, and all that can be done to them. Records change only by their events.
import { fail, ok } from "../../base/result.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import { findRecord, unknownAgent } from "./agent-id.ts";
import type { Registry, RegistryParts } from "./contract.ts";
import { type Core, createCore, openRecords, slotsTaken, tell, touch } from "./core.ts";
import { foldAgents } from "./fold.ts";
import { sendMessage } from "./message.ts";
import { isTerminal } from "./record.ts";
import { refusal, startAgent } from "./start.ts";
import { cancelRecursive, completeIdle, isBelow } from "./stop.ts";
import { getAgentResult, markRead, waitForAgents } from "./wait.ts";
import { plan, unwatch } from "./watch.ts";

const PROGRESS_EVERY_MS = 1000;
/** A finished step, call or turn of an agent. Bytes and output come by its handle. */
const PROGRESS: ReadonlySet<string> = new Set(["assistant.message", "assistant.usage", "tool.execution_complete"]);

export function createRegistry(parts: RegistryParts): Registry {
  const core = createCore(parts);
  const { records, order } = core;
  const idleIds = () => openRecords(core).flatMap(({ id, status }) => (status === "idle" ? [id] : []));
  return {
    fold: (event) => fold(core, event),
    reload(events) {
      records.clear();
      for (const event of events) foldAgents(records, event, parts.sessionId);
      noteAll(core);
    },
    get: (id) => records.get(id),
    list: ({ removed = false } = {}) => [...records.values()].filter((record) => removed || !record.removed),
    resolve: (idOrName) => findRecord(records, idOrName),
    isDescendant: (id, ancestorId) => isBelow(core, records.get(id)?.parentId, ancestorId),
    refusal: (spec) => refusal(core, spec),
    startAgent: (spec, executor, live) => startAgent(core, spec, executor, live),
    getAgentResult: (id, options) => getAgentResult(core, id, options),
    markRead: (id) => markRead(core, id),
    sendMessage: (id, from, message) => sendMessage(core, id, from, message),
    promoteAgentToBackground: (id) => order.run(() => promote(core, id)),
    updateMcpTask: (id, mcpTask) =>
      order.run(async () => {
        const record = records.get(id);
        if (!record || isTerminal(record)) return;
        await parts.emit(id, "subagent.mcp_task", { agentId: id, mcpTask });
        touch(core, id);
        if (record.executionMode === "background") parts.publish(undefined, "session.background_tasks_changed", {});
      }),
    waitForAgents: (signal, limit) => waitForAgents(core, signal, limit),
    cancelRecursive: (id, by, reason) => cancelRecursive(core, [id], by, reason),
    cancelAll(by, reason) {
      const starting = [...core.lives.keys()].filter((id) => !records.has(id));
      const running = core.running().map(({ id }) => id);
      return cancelRecursive(core, [...running, ...starting], by, reason);
    },
    completeIdle: () => completeIdle(core, idleIds()),
    remove: (id) =>
      order.run(async () => {
        const record = records.get(id);
        if (!record) return fail(unknownAgent(id));
        if (!isTerminal(record))
          return fail({ code: "agent_not_finished", message: `${id} is ${record.status}. Stop it first.` });
        if (!record.removed) await parts.emit(id, "subagent.removed", { agentId: id });
        return ok(undefined);
      }),
    runningCount: () => slotsTaken(core),
    isWaitingForPermission: (id) => core.lives.get(id)?.doing.type === "permission",
    resetPrompt() {
      core.spawned = 0;
    },
    end() {
      core.over.abort();
      unwatch(core);
    },
    leftovers: () => ({
      live: core.lives.size,
      waiters: core.waiters.size,
      timers: core.timer ? 1 : 0,
      slots: slotsTaken(core),
    }),
  };
}

function fold(core: Core, event: DurableEnvelope): void {
  const { records, parts } = core;
  const id = event.agentId;
  const before = id === undefined ? undefined : records.get(id);
  foldAgents(records, event, parts.sessionId);
  if (event.type === "session.resume" || event.type === "session.snapshot_rewind") noteAll(core);
  const record = id === undefined ? undefined : records.get(id);
  if (!record) return;
  if (record.status !== before?.status) {
    core.since.delete(record.id);
    note(core, record.id);
  }
  if (PROGRESS.has(event.type)) touch(core, id);
  if (record.progress !== before?.progress) publishProgress(core, record.id);
}

function note(core: Core, id: string): void {
  const record = core.records.get(id);
  if (record && !isTerminal(record)) {
    core.open.add(id);
    if (!core.since.has(id)) core.since.set(id, core.parts.clock.monotonic());
  } else {
    core.open.delete(id);
    core.since.delete(id);
    if (core.open.size === 0) unwatch(core);
  }
}

/** What was open and still is keeps its time. */
function noteAll(core: Core): void {
  for (const id of new Set([...core.open, ...core.records.keys()])) {
    note(core, id);
    plan(core, id);
  }
  for (const waiter of core.waiters) if (waiter.answer()) waiter.release();
}

/** At most once a second for each agent: faces want to see it move, and every event is there for who wants more. */
function publishProgress({ lives, parts, records }: Core, id: string): void {
  const live = lives.get(id);
  const record = records.get(id);
  const now = parts.clock.monotonic();
  if (!live || !record || now - live.publishedAt < PROGRESS_EVERY_MS) return;
  live.publishedAt = now;
  const { stalled, mcpTask: _, ...progress } = record.progress;
  parts.publish(id, "subagent.progress", {
    agentId: id,
    ...progress,
    ...(stalled ? { stalled: stalled.reason } : {}),
  });
}

/** Only a sync agent of the main agent moves: inside subagents a result comes only as the return of its call. */
async function promote(core: Core, id: string): ReturnType<Registry["promoteAgentToBackground"]> {
  const record = core.records.get(id);
  const refuse = (code: string, message: string) => fail({ code, message });
  if (!record) return fail(unknownAgent(id));
  if (record.status !== "running") return refuse("agent_not_running", `${id} is ${record.status}.`);
  if (record.executionMode === "background") return ok(record);
  if (record.parentId !== undefined)
    return refuse("not_promotable", `${id} works for ${record.parentId}. Promote the agent at the top of its branch.`);
  await core.parts.emit(id, "subagent.promoted", { agentId: id });
  await tell(core, id, "promoted");
  return ok(core.records.get(id) ?? record);
}
