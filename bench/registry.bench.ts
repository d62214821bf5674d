// Transitions of the registry, each written and told, against the fold of the same events alone. Target: 10,000 a second.

import { type AgentHandle, MAIN } from "../src/agent/task/contract.ts";
import { foldAgents } from "../src/agent/task/fold.ts";
import { createRegistry } from "../src/agent/task/registry.ts";
import { systemClock } from "../src/base/clock.ts";
import type { DurableEnvelope } from "../src/schema/event/envelope.ts";
import { noUsage } from "../src/schema/model.ts";
import { alternate, print, timed } from "./measure.ts";

const AGENTS = 200;
const MESSAGES = 12;
const LIMITS = {
  maxDepth: 6,
  maxConcurrent: 256,
  maxPerPrompt: Number.POSITIVE_INFINITY,
  idleMs: 1_800_000,
  stallMs: 120_000,
  maxSteps: 400,
  maxTokens: 2_000_000,
  maxMs: 3_600_000,
  multiTurn: true,
};

async function talk(handle: AgentHandle) {
  let prompt: string | undefined = "begin";
  while (prompt !== undefined) {
    await handle.setLatestResponse({ prompt, response: "done", stopReason: "end_turn", usage: noUsage });
    prompt = (await handle.waitForMessage())?.message;
  }
  return { type: "completed", result: "done" } as const;
}

async function work(): Promise<DurableEnvelope[]> {
  const events: DurableEnvelope[] = [];
  let ids = 0;
  const registry = createRegistry({
    sessionId: "s",
    emit: async (agentId, type, data) => {
      const id = `e${++ids}`;
      const event = { id, type, timestamp: systemClock.now(), parentId: null, agentId, data } as DurableEnvelope;
      events.push(event);
      registry.fold(event);
    },
    publish: () => undefined,
    clock: systemClock,
    newId: () => `m${++ids}`,
    limits: () => LIMITS,
    usedIds: () => new Set(),
    revive: () => ({ executor: talk }),
    onChange: () => undefined,
    onBroken: (error) => {
      throw error;
    },
  });
  const spec = {
    agentType: "task",
    displayName: "t",
    agentDescription: "d",
    description: "d",
    prompt: "p",
    model: "m",
    executionMode: "background",
    requestedMode: "background",
    multiTurn: true,
  } as const;
  const never = new AbortController().signal;
  for (let i = 0; i < AGENTS; i++) await registry.startAgent({ ...spec, name: `agent ${i}` }, talk);
  for (let round = 0; round < MESSAGES; round++) {
    await registry.waitForAgents(never, {});
    for (const { id } of registry.list()) await registry.sendMessage(id, MAIN, "more");
  }
  await registry.waitForAgents(never, {});
  await registry.completeIdle();
  registry.end();
  return events;
}

export async function bench(): Promise<void> {
  const events = await work();
  const bare = () =>
    timed(() => {
      const records = new Map();
      for (const event of events) foldAgents(records, event, "s");
    });
  const measured = await alternate(5, bare, () => timed(work));
  const rate = Math.round((events.length / measured.product) * 1000);
  print(`${events.length} transitions (${rate} a second; target 10000)`, measured, "<= 20");
}
