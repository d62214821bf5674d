// What an executor may do to its record. Once the record has ended, or its end has begun, nothing here does anything.
import type { AgentHandle, Coded } from "./contract.ts";
import { announce, type Core, type LiveAgent, release, setDoing, tell, touch } from "./core.ts";
import { type AgentMessage, type AgentRecord, MCP_TASK } from "./record.ts";
import { plan } from "./watch.ts";

export function createHandle(core: Core, live: LiveAgent): AgentHandle {
  const { id } = live;
  const last = core.records.get(id);
  if (!last) throw new Error(`There is no record ${id}.`);
  const isDead = () => core.lives.get(id) !== live || live.stopping;
  return {
    id,
    signal: live.controller.signal,
    record: () => core.records.get(id) ?? last,
    waitForMessage: () => waitForMessage(core, live),
    async setLatestResponse(turn) {
      await core.order.run(async () => {
        const record = core.records.get(id);
        if (isDead() || record?.status !== "running") return;
        // Who waits for a turn gets it at the next boundary, when it is known whether the agent rests; at the latest here.
        release(core, id);
        await core.parts.emit(id, "subagent.turn", { agentId: id, turn: record.turnHistory.length, ...turn });
        touch(core, id);
        announce(core, id, "turn");
      });
    },
    cap() {
      const record = core.records.get(id);
      return isDead() || !record ? undefined : capReached(core, live, record);
    },
    touch() {
      if (!isDead()) touch(core, id);
    },
    doing(what) {
      if (!isDead()) setDoing(core, live, what);
    },
    onNudge(callback) {
      live.nudge = callback;
    },
  };
}

function capReached(
  core: Core,
  { caps }: LiveAgent,
  { agentType, telemetry, progress }: AgentRecord,
): Coded | undefined {
  if (agentType === MCP_TASK) return undefined;
  const limits = core.parts.limits();
  const maxSteps = Math.min(limits.maxSteps, caps.maxSteps ?? Infinity);
  const maxTokens = Math.min(limits.maxTokens, caps.maxTokens ?? Infinity);
  if (telemetry.steps >= maxSteps) return { code: "cap_steps", message: `It has used all of its ${maxSteps} steps.` };
  if (progress.tokensIn + progress.tokensOut >= maxTokens)
    return { code: "cap_tokens", message: `It has used all of its ${maxTokens} tokens.` };
  return undefined;
}

async function waitForMessage(core: Core, live: LiveAgent): Promise<AgentMessage | undefined> {
  for (;;) {
    // Before the boundary, so that no wake is missed.
    live.sleep ??= Promise.withResolvers();
    const { promise } = live.sleep;
    const next = await core.order.run(() => boundary(core, live));
    if (next === "end") return undefined;
    if (next !== "sleep") return next;
    await promise;
  }
}

/** Between two turns: on with a message, to rest, or to the end. */
async function boundary(core: Core, live: LiveAgent): Promise<AgentMessage | "sleep" | "end"> {
  const { id } = live;
  const record = core.records.get(id);
  if (!record || core.lives.get(id) !== live || live.stopping || live.retired) return "end";
  if (record.status === "idle") return "sleep";
  if (record.status !== "running") return "end";
  const message = record.messageQueue.find(({ messageId }) => !live.taken.has(messageId));
  if (message) {
    live.taken.add(message.messageId);
    release(core, id);
    return message;
  }
  if (!mayRest(core, record) || live.closed) {
    // A message that comes now would never be read: its sender is told.
    live.closed = true;
    return "end";
  }
  // The call that waits gets its answer, and follow-ups are rare: nothing is kept in memory for one.
  live.retired = record.executionMode === "sync";
  await core.parts.emit(id, "subagent.idle", { agentId: id });
  touch(core, record.parentId);
  await tell(core, id, "idle");
  plan(core, id);
  return live.retired ? "end" : "sleep";
}

/** Inside subagents an answer comes only as the return of its call: nobody there would be told of a later one. */
const mayRest = (core: Core, { multiTurn, executionMode, parentId }: AgentRecord): boolean =>
  multiTurn && core.parts.limits().multiTurn && (executionMode === "background" || parentId === undefined);
