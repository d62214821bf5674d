// Invariants of the registry under any interleaving: replay equals live, only allowed transitions, never over a limit.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import { type AgentHandle, MAIN, USER } from "./contract.ts";
import { type AgentRecords, foldAgents } from "./fold.ts";
import { type AgentStatus, isTerminal, MCP_TASK } from "./record.ts";
import { puppet, scene, settle, spec, turnOf } from "./registry-fixture.ts";

const LIMIT = 3;
const DEPTH = 3;
type Scene = ReturnType<typeof scene>;
type Puppet = ReturnType<typeof puppet> & { handle?: AgentHandle };

/** One thing that happens; `who` picks an agent that has started. */
const act = fc.record({
  who: fc.nat(7),
  what: fc.constantFrom(
    "start",
    "child",
    "sync",
    "mcp",
    "turn",
    "boundary",
    "message",
    "cancel",
    "cancelAll",
    "promote",
    "complete",
    "fail",
    "read",
    "closeIdle",
    "remove",
    "wait",
    "notice",
    "usage",
    "pass",
    "settle",
  ),
});
type Act = { who: number; what: string };

function play(s: Scene, puppets: Map<string, Puppet>, { who, what }: Act): Promise<unknown> | undefined {
  const ids = s.registry.list({ removed: true }).map(({ id }) => id);
  const id = ids[who % Math.max(1, ids.length)];
  const begin = (more: object) => {
    const p: Puppet = puppet();
    void p.started.then((handle) => {
      p.handle = handle;
      puppets.set(handle.id, p);
      handle.signal.addEventListener("abort", () => p.end({ type: "completed", result: "aborted" }));
    });
    return s.registry.startAgent(spec(`a${who % 2}`, more), p.run);
  };
  if (what === "start") return begin({});
  if (what === "sync") return begin({ executionMode: "sync" });
  if (what === "mcp") return begin({ agentType: MCP_TASK });
  if (what === "pass") return s.pass(700);
  if (what === "settle") return settle();
  if (what === "cancelAll") return s.registry.cancelAll(USER, "all");
  if (what === "closeIdle") return s.registry.completeIdle();
  if (id === undefined) return undefined;
  const p = puppets.get(id);
  switch (what) {
    case "child":
      return begin({ parentId: id, executionMode: "sync" });
    case "turn":
      return p?.handle?.setLatestResponse(turnOf(`turn ${who}`));
    case "boundary":
      return p?.handle?.waitForMessage().then((message) => {
        if (!message) p.end({ type: "completed", result: "no more" });
        else if (s.registry.get(id)?.status === "running")
          s.append(id, "user.message", {
            messageId: message.messageId,
            turnId: "t",
            content: message.message,
            source: "agent",
            mode: "interactive",
          });
      });
    case "message":
      return s.registry.sendMessage(id, MAIN, `hello ${who}`);
    case "cancel":
      return s.registry.cancelRecursive(id, USER, "one");
    case "promote":
      return s.registry.promoteAgentToBackground(id);
    case "complete":
      p?.end({ type: "completed", result: `result ${who}` });
      return undefined;
    case "fail":
      p?.end({ type: "failed", error: { code: "failed", message: "m" } });
      return undefined;
    case "read":
      return s.registry.markRead(id);
    case "remove":
      return s.registry.remove(id);
    case "wait":
      return s.registry.getAgentResult(id, { signal: AbortSignal.any([]), limitMs: 500, sinceTurn: who });
    case "notice":
      s.append(undefined, "system.notification", { content: "c", kind: "agent_idle", agentIds: [id] });
      return undefined;
    default: {
      const usage = { inputTokens: who, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
      const call = { model: "m", turnId: "t", step: 1, durationMs: 1, ttftMs: 1, interaction: "conversation-subagent" };
      s.append(id, "assistant.usage", { ...usage, ...call });
      return undefined;
    }
  }
}

const allowed: Record<AgentStatus | "none", readonly AgentStatus[]> = {
  none: ["running"],
  running: ["running", "idle", "completed", "failed", "cancelled", "interrupted"],
  idle: ["idle", "running", "completed", "cancelled"],
  interrupted: ["interrupted", "running", "cancelled"],
  completed: ["completed"],
  failed: ["failed"],
  cancelled: ["cancelled"],
};

/** Folds every prefix and looks at each step. */
function checkLog(events: readonly DurableEnvelope[]): AgentRecords {
  const records: AgentRecords = new Map();
  for (const event of events) {
    const before = new Map(records);
    foldAgents(records, event, "s1");
    for (const [id, record] of records) {
      const old = before.get(id);
      expect(allowed[old?.status ?? "none"], `${id} by ${event.type}`).toContain(record.status);
      if (old && isTerminal(old)) expect({ ...record, told: 0, removed: 0 }).toEqual({ ...old, told: 0, removed: 0 });
      expect(record.depth).toBeLessThanOrEqual(DEPTH);
    }
    const holding = [...records.values()].filter((r) => r.status === "running" && r.agentType !== MCP_TASK);
    expect(holding.length, "running at once").toBeLessThanOrEqual(LIMIT);
  }
  return records;
}

const ENDS = ["subagent.completed", "subagent.failed", "subagent.cancelled"];

describe("registry under any interleaving", () => {
  it("OI1 OI2 OI3 OI9: replay equals live at every prefix, only transitions of O47, one start, one end, limits kept", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 60 }), async (acts) => {
        const s = scene({ maxConcurrent: LIMIT, maxDepth: DEPTH, stallMs: 1000, idleMs: 3000, maxMs: 8000 });
        const puppets = new Map<string, Puppet>();
        const live: { length: number; records: string }[] = [];
        const going: Promise<unknown>[] = [];
        for (const one of acts) {
          const work = play(s, puppets, one);
          if (one.what === "pass" || one.what === "settle") await work;
          else if (work) going.push(work);
          // Some start while others are being written.
          if (one.who % 3 === 0) await Promise.resolve();
          live.push({ length: s.events.length, records: JSON.stringify(s.registry.list({ removed: true })) });
        }
        for (const { length, records } of live) {
          const replayed: AgentRecords = new Map();
          for (const event of s.events.slice(0, length)) foldAgents(replayed, event, "s1");
          expect(JSON.stringify([...replayed.values()])).toBe(records);
        }
        checkLog(s.events);
        for (const { id } of s.registry.list({ removed: true })) {
          const types = s.types(id);
          expect(types.filter((type) => type === "subagent.started")).toHaveLength(1);
          expect(types.filter((type) => ENDS.includes(type)).length).toBeLessThanOrEqual(1);
          const end = types.findIndex((type) => ENDS.includes(type));
          const after = end === -1 ? [] : types.slice(end + 1);
          const allowedAfter = ["subagent.read", "subagent.removed", "assistant.usage", "user.message"];
          expect(after.filter((type) => !allowedAfter.includes(type))).toEqual([]);
        }
        // Whatever happened, everything can be ended, and then nothing is left.
        await s.pass(20_000);
        const over = s.registry.cancelAll(USER, "end").then(() => s.registry.completeIdle());
        await s.pass(20_000);
        await over;
        await Promise.all(going);
        s.registry.end();
        expect(s.registry.leftovers()).toEqual({ live: 0, waiters: 0, timers: 0, slots: 0 });
        expect(s.timers.size).toBe(0);
        expect(s.broken).toEqual([]);
        expect(s.registry.list({ removed: true }).every(isTerminal)).toBe(true);
      }),
      { numRuns: 300 },
    );
  }, 120_000);

  it("OI10 every settled background record that nobody read is announced exactly once, by what it says of itself", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (acts) => {
        const announced: string[] = [];
        const s: Scene = scene(
          { maxConcurrent: LIMIT, maxDepth: DEPTH },
          {
            onChange(record, change) {
              if (change !== "idle" && change !== "ended") return;
              if (record.told) return;
              const last = s.events.findLast((e) => e.agentId === record.id);
              announced.push(`${record.id} ${last?.id}`);
              s.append(undefined, "system.notification", { content: "c", kind: "agent_idle", agentIds: [record.id] });
            },
          },
        );
        const puppets = new Map<string, Puppet>();
        const going: Promise<unknown>[] = [];
        for (const one of acts.filter(({ what }) => what !== "notice")) {
          const work = play(s, puppets, one);
          if (one.what === "pass" || one.what === "settle") await work;
          else if (work) going.push(work);
        }
        await s.pass(10_000);
        expect(new Set(announced).size).toBe(announced.length);
        for (const record of s.registry.list({ removed: true }))
          if (record.status !== "running") expect(record.told, record.id).toBe(true);
        const over = s.registry.cancelAll(USER, "end").then(() => s.registry.completeIdle());
        await s.pass(10_000);
        await over;
        await Promise.all(going);
      }),
      { numRuns: 100 },
    );
  }, 120_000);
});
