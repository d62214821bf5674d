// Invariants of the registry under any interleaving: replay equals live, only allowed transitions, never over a limit.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentNews } from "../../runtime/agent/news.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import { type AgentHandle, MAIN, USER } from "./contract.ts";
import { type AgentRecords, foldAgents } from "./fold.ts";
import { type AgentStatus, isTerminal, MCP_TASK } from "./record.ts";
import { puppet, scene, settle, spec, turnOf } from "./registry-fixture.ts";

const LIMIT = 3;
const DEPTH = 3;
type Scene = ReturnType<typeof scene>;
type Puppet = ReturnType<typeof puppet> & { handle?: AgentHandle };

const ACTS = [
  "start",
  "child",
  "sync",
  "quiet",
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
  "usage",
  "pass",
  "settle",
];
/** One thing that happens; `who` picks an agent that has started. */
const act = (...more: string[]) => fc.record({ who: fc.nat(7), what: fc.constantFrom(...ACTS, ...more) });
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
  if (what === "quiet") return begin({ quiet: true });
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

const phases = ({ events }: Scene, id: string) =>
  events.flatMap((e) => (e.agentId === id && e.type === "subagent_session_boundary" ? [e.data.phase] : []));

const ENDS = ["subagent.completed", "subagent.failed", "subagent.cancelled"];

describe("registry under any interleaving", () => {
  it("OI1 OI2 OI3 OI9: replay equals live at every prefix, only transitions of O47, one start, one end, limits kept", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act("notice"), { minLength: 5, maxLength: 60 }), async (acts) => {
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
          expect(phases(s, id).join(" "), id).toMatch(/^(|start|start (end|failure))$/);
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
  });

  it("OI10 O78 each settled background record is announced exactly once or has been read, over every resume and going on", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act("pull", "pull", "kill"), { minLength: 5, maxLength: 60 }), async (acts) => {
        const limits = { maxConcurrent: LIMIT, maxDepth: DEPTH, stallMs: 1000 };
        let s = scene(limits);
        let puppets = new Map<string, Puppet>();
        /** As a session does it at a request boundary. */
        const pull = (cause: "user" | "notification") => {
          const notices = agentNews(s.registry.list({ removed: true }), cause, s.events);
          for (const { kind, content, agentIds, data } of notices)
            s.append(undefined, "system.notification", { kind, content, ...(agentIds ? { agentIds } : {}), ...data });
          return notices.length;
        };
        for (const one of acts) {
          if (one.what === "pull") pull(one.who % 2 === 0 ? "user" : "notification");
          else if (one.what === "kill") {
            const { events } = s;
            s = scene(limits);
            puppets = new Map();
            s.events.push(...events);
            s.registry.reload(events);
            s.append(undefined, "session.resume", resumed);
          } else {
            const work = play(s, puppets, one);
            if (one.what === "pass") await work;
            // Some come while others are being written.
            if (one.who % 3 !== 0) await settle();
          }
        }
        await s.pass(10_000);
        pull("user");
        expect(pull("user")).toBe(0);
        checkTold(s.events);
      }),
      { numRuns: 300 },
    );
  });
});

const resumed = { resumeTime: "t", eventCount: 1, model: "m", context: { cwd: "/w" } };

/** By the events alone: nothing is told twice, or of what nobody is to be told; and in the end nothing is left to tell. */
function checkTold(events: readonly DurableEnvelope[]): void {
  type Known = { status: string; background: boolean; quiet: boolean; news: boolean; stall: boolean };
  const agents = new Map<string, Known>();
  const isToTell = (one: Known) => one.news && (one.status === "interrupted" || (one.background && !one.quiet));
  for (const event of events) {
    const one = agents.get(event.agentId ?? "");
    switch (event.type) {
      case "subagent.started": {
        const { executionMode, quiet = false } = event.data;
        const background = executionMode === "background";
        agents.set(event.data.agentId, { status: "running", background, quiet, news: false, stall: false });
        break;
      }
      case "subagent.promoted":
        Object.assign(one ?? {}, { background: true });
        break;
      case "subagent.message":
        // Whoever lets one go on wants to hear of it: the call that waited for it is over.
        if (one?.status === "interrupted") Object.assign(one, { quiet: false });
        if (one && one.status !== "running") one.background = true;
        if (one && one.status !== "running") Object.assign(one, { status: "running", news: false });
        break;
      case "subagent.idle":
      case "subagent.failed":
      case "subagent.completed":
        // What rested has given its answer before.
        Object.assign(one ?? {}, one?.status === "idle" ? {} : { news: true }, { status: event.type, stall: false });
        if (one && event.type === "subagent.idle") one.status = "idle";
        break;
      case "subagent.cancelled":
        Object.assign(one ?? {}, { status: event.type, news: event.data.by !== MAIN, stall: false });
        break;
      case "subagent.stalled":
        Object.assign(one ?? {}, { stall: true });
        break;
      case "subagent.read":
        Object.assign(one ?? {}, { news: false });
        break;
      case "session.resume":
        for (const each of agents.values())
          if (each.status === "running") Object.assign(each, { status: "interrupted", news: true, stall: false });
        break;
      case "system.notification": {
        const { kind, agentIds = [] } = event.data;
        if (kind === "agent_stalled") {
          const stalled = agents.get(String(event.data["agentId"]));
          expect(stalled, event.id).toMatchObject({ stall: true, quiet: false });
          Object.assign(stalled ?? {}, { stall: false });
        }
        for (const id of agentIds) {
          const told = agents.get(id);
          expect(told && isToTell(told), `${event.id}: ${kind} of ${id}`).toBe(true);
          Object.assign(told ?? {}, { news: false });
        }
      }
    }
  }
  for (const [id, one] of agents) expect(isToTell(one), id).toBe(false);
}
