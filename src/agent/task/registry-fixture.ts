// For tests only: a registry on a log in memory, with time, ids and executors in the test's hand.
import { systemClock } from "../../base/clock.ts";
import type { DurableEnvelope, Envelope, EphemeralType } from "../../schema/event/envelope.ts";
import { readEvent } from "../../schema/event/envelope.ts";
import { noUsage } from "../../schema/model.ts";
import type { AgentEnd, AgentHandle, AgentSpec, RegistryLimits, RegistryParts } from "./contract.ts";
import type { AgentRecord } from "./record.ts";
import { createRegistry } from "./registry.ts";

/** Lets everything run that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 60; i++) await Promise.resolve();
}

export const spec = (name: string, more: Partial<AgentSpec> = {}): AgentSpec => ({
  name,
  agentType: "general-purpose",
  displayName: "General purpose",
  agentDescription: "Does whole jobs",
  description: `job ${name}`,
  prompt: `do ${name}`,
  model: "openai/gpt",
  executionMode: "background",
  requestedMode: "background",
  multiTurn: true,
  ...more,
});

/** An executor that does what the test says, when it says so. */
export function puppet() {
  const started = Promise.withResolvers<AgentHandle>();
  const end = Promise.withResolvers<AgentEnd>();
  return {
    started: started.promise,
    end: end.resolve,
    crash: end.reject,
    run: (handle: AgentHandle): Promise<AgentEnd> => {
      started.resolve(handle);
      return end.promise;
    },
  };
}

export const turnOf = (response: string) => ({ prompt: "p", response, stopReason: "end_turn", usage: noUsage });

/** As a session does it: answers each message until there is none. */
export async function talker(handle: AgentHandle): Promise<AgentEnd> {
  let response = "";
  let next: string | undefined = handle.record().prompt;
  while (next !== undefined && !handle.signal.aborted) {
    response = `answer to ${next}`;
    await handle.setLatestResponse({ ...turnOf(response), prompt: next });
    next = (await handle.waitForMessage())?.message;
  }
  return { type: "completed", result: response };
}

export function scene(limits: Partial<RegistryLimits> = {}, more: Partial<RegistryParts> = {}) {
  const events: DurableEnvelope[] = [];
  const published: { type: EphemeralType; agentId: string | undefined }[] = [];
  const changes: string[] = [];
  const broken: unknown[] = [];
  const timers = new Set<{ at: number; run: () => void }>();
  let ids = 0;
  let time = 0;
  const wall = () => new Date(Date.UTC(2026, 0, 1) + time).toISOString();
  const all: RegistryLimits = {
    maxDepth: 6,
    maxConcurrent: 32,
    maxPerPrompt: 1000,
    idleMs: 1_800_000,
    stallMs: 0,
    maxSteps: 400,
    maxTokens: 2_000_000,
    maxMs: 3_600_000,
    multiTurn: true,
    ...limits,
  };
  const append = (agentId: string | undefined, type: string, data: object): DurableEnvelope => {
    const event = {
      id: `e${events.length}`,
      type,
      timestamp: wall(),
      parentId: events.at(-1)?.id ?? null,
      ...(agentId === undefined ? {} : { agentId }),
      data,
    };
    const read = readEvent(event);
    if (read.type !== "known") throw new Error(`not an event: ${JSON.stringify(read)}`);
    events.push(event as DurableEnvelope);
    registry.fold(event as DurableEnvelope);
    return event as DurableEnvelope;
  };
  const registry = createRegistry({
    sessionId: "s1",
    emit: async (agentId, type, data) => {
      await Promise.resolve();
      return append(agentId, type, data);
    },
    publish: (agentId, type) => void published.push({ type, agentId }),
    clock: { ...systemClock, now: wall, monotonic: () => time },
    newId: () => `m${++ids}`,
    limits: () => all,
    usedIds: () => new Set(events.flatMap((e) => (e.type === "subagent.started" ? [e.data.agentId] : []))),
    revive: () => ({ executor: talker }),
    onChange: (record: AgentRecord, change) =>
      void changes.push(`${record.id} ${change} ${record.status}${record.told ? " told" : ""}`),
    onBroken: (error) => void broken.push(error),
    after: (ms, run) => {
      const timer = { at: time + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    ...more,
  });
  return {
    registry,
    events,
    published,
    changes,
    broken,
    timers,
    limits: all,
    append,
    types: (agentId?: string) =>
      events.filter((e) => agentId === undefined || e.agentId === agentId).map((e: Envelope) => e.type),
    /** Lets time pass, ringing every timer on the way. */
    async pass(ms: number): Promise<void> {
      const until = time + ms;
      for (;;) {
        await settle();
        const next = [...timers].sort((a, b) => a.at - b.at)[0];
        if (!next || next.at > until) break;
        time = Math.max(time, next.at);
        timers.delete(next);
        next.run();
      }
      time = until;
      await settle();
    },
    async start(name: string, run: (handle: AgentHandle) => Promise<AgentEnd> = talker, more: Partial<AgentSpec> = {}) {
      const started = await registry.startAgent(spec(name, more), run);
      if (!started.ok) throw new Error(started.error.code);
      await settle();
      return started.value.id;
    },
  };
}

export const never = new AbortController().signal;
