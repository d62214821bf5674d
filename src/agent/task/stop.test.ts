// Ends from outside: cancel, caps, stalls, and that nothing is left.
import { describe, expect, it } from "vitest";
import { sessionExecutor } from "../execute/session-executor.ts";
import { MAIN, USER } from "./contract.ts";
import { MCP_TASK } from "./record.ts";
import { never, puppet, scene, settle, spec, talker, turnOf } from "./registry-fixture.ts";

const untilAborted = (handle: { signal: AbortSignal }) =>
  new Promise<{ type: "completed"; result: string }>((resolve) =>
    handle.signal.addEventListener("abort", () => resolve({ type: "completed", result: "too late" })),
  );

describe("O53 cancelRecursive", () => {
  it("O53 aborts the whole subtree, lets it unwind, then writes the ends bottom up; siblings go on", async () => {
    const s = scene();
    await s.start("a", untilAborted);
    await s.start("b", untilAborted, { parentId: "a", executionMode: "sync" });
    await s.start("c", untilAborted, { parentId: "b", executionMode: "sync" });
    await s.start("other", untilAborted);
    const waiting = s.registry.getAgentResult("c", { signal: never, limitMs: Infinity });
    expect(await s.registry.cancelRecursive("a", MAIN, "enough")).toEqual(["c", "b", "a"]);
    expect(s.events.slice(-6).map((e) => `${e.agentId} ${e.type}`)).toEqual(
      ["c", "b", "a"].flatMap((id) => [`${id} subagent_session_boundary`, `${id} subagent.cancelled`]),
    );
    expect(await waiting).toMatchObject({
      outcome: "final",
      record: { status: "cancelled", by: MAIN, reason: "enough" },
    });
    expect(s.registry.get("other")?.status).toBe("running");
  });

  it("O53 an executor that does not unwind is left behind after 6 s, and its handle is dead", async () => {
    const s = scene();
    const p = puppet();
    await s.start("a", p.run);
    const handle = await p.started;
    const cancelled = s.registry.cancelRecursive("a", USER, "x");
    await s.pass(5999);
    expect(s.registry.get("a")?.status).toBe("running");
    await s.pass(1);
    expect(await cancelled).toEqual(["a"]);
    const before = s.events.length;
    await handle.setLatestResponse(turnOf("late"));
    expect(await handle.waitForMessage()).toBeUndefined();
    handle.touch();
    p.end({ type: "completed", result: "late" });
    await settle();
    expect(s.events.length).toBe(before);
    expect(s.registry.get("a")?.status).toBe("cancelled");
    expect(s.registry.leftovers()).toEqual({ live: 0, waiters: 0, timers: 0, slots: 0 });
  });

  it("O53 a child whose start is being written is cancelled too and never runs; one that comes later is refused", async () => {
    const s = scene();
    await s.start("a", untilAborted);
    let ran = false;
    const starting = s.registry.startAgent(spec("b", { parentId: "a" }), async (handle) => {
      ran = true;
      return untilAborted(handle);
    });
    await Promise.resolve();
    const cancelled = s.registry.cancelRecursive("a", USER, "x");
    const late = s.registry.startAgent(spec("c", { parentId: "a" }), talker);
    expect((await starting).ok).toBe(true);
    expect(await late).toMatchObject({ error: { code: "parent_ended" } });
    expect((await cancelled).sort()).toEqual(["a", "b"]);
    expect(ran).toBe(false);
  });

  it("OI2 a record is not cancelled twice, and an end that came first stands", async () => {
    const s = scene();
    await s.start("a", untilAborted);
    const both = await Promise.all([
      s.registry.cancelRecursive("a", USER, "one"),
      s.registry.cancelRecursive("a", MAIN, "two"),
    ]);
    expect(both.flat()).toEqual(["a"]);
    expect(await s.registry.cancelRecursive("a", USER, "three")).toEqual([]);
    expect(s.types("a").filter((type) => type === "subagent.cancelled")).toHaveLength(1);
  });

  it("O125 completeIdle completes the idle ones and leaves the running", async () => {
    const s = scene();
    await s.start("a");
    await s.start("b", puppet().run);
    const done = s.registry.completeIdle();
    expect(await s.registry.sendMessage("a", MAIN, "late")).toMatchObject({ error: { code: "agent_finished" } });
    await done;
    expect(s.registry.list().map((r) => r.status)).toEqual(["completed", "running"]);
  });
});

describe("caps", () => {
  it("O58 steps and tokens are asked before each step; a definition lowers and never raises", async () => {
    const s = scene({ maxSteps: 3, maxTokens: 100 });
    const p = puppet();
    await s.start("a", p.run, { caps: { maxSteps: 2, maxTokens: 1000 } });
    const handle = await p.started;
    const usage = (tokens: number) =>
      s.append("a", "assistant.usage", {
        inputTokens: tokens,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
        model: "m",
        turnId: "t",
        step: 1,
        interaction: "conversation-subagent",
        durationMs: 1,
        ttftMs: 1,
      });
    usage(10);
    expect(handle.cap()).toBeUndefined();
    usage(10);
    expect(handle.cap()).toMatchObject({ code: "cap_steps", message: expect.stringContaining("2") });
    const q = puppet();
    await s.start("b", q.run);
    const other = await q.started;
    s.append("b", "assistant.usage", {
      ...(s.events.findLast((e) => e.type === "assistant.usage")?.data as object),
      inputTokens: 100,
    });
    expect(other.cap()).toMatchObject({ code: "cap_tokens", message: expect.stringContaining("100") });
  });

  it("O58 cap_minutes counts time in running only, and fails the record with what it said kept", async () => {
    const s = scene({ maxMs: 10_000 });
    await s.start("a", async (handle) => {
      await handle.setLatestResponse(turnOf("so far"));
      await handle.waitForMessage();
      return untilAborted(handle);
    });
    await s.pass(60_000);
    expect(s.registry.get("a")?.status).toBe("idle");
    await s.registry.sendMessage("a", MAIN, "go");
    await s.pass(9_999);
    expect(s.registry.get("a")?.status).toBe("running");
    await s.pass(1);
    expect(s.registry.get("a")).toMatchObject({
      status: "failed",
      error: { code: "cap_minutes" },
      latestResponse: "so far",
    });
  });
});

describe("O56 waiting for a person", () => {
  const asking = { type: "permission" } as const;
  const model = { type: "model" } as const;

  it("O56 O58 the time of an answer counts for nobody's cap_minutes: not the agent's, not of those above it", async () => {
    const s = scene({ maxMs: 10_000 });
    const [parent, child] = [puppet(), puppet()];
    await s.start("a", parent.run);
    await s.start("b", child.run, { parentId: "a", executionMode: "sync" });
    const handle = await child.started;
    await s.pass(4000);
    handle.doing(asking);
    await s.pass(60_000);
    handle.doing(model);
    await s.pass(4000);
    const { signal } = await parent.started;
    expect([signal.aborted, handle.signal.aborted]).toEqual([false, false]);
    await s.pass(4000);
    expect(signal.reason).toBe("cap_minutes");
    expect(handle.signal.reason).toBe("cap_minutes");
  });

  it("O56 a question that ends with its agent stops counting for the parent", async () => {
    const s = scene({ maxMs: 10_000 });
    await s.start("a", untilAborted);
    await s.start("b", untilAborted, { parentId: "a", executionMode: "sync" });
    const c = puppet();
    await s.start("c", c.run, { parentId: "a", executionMode: "sync" });
    (await c.started).doing(asking);
    await s.pass(20_000);
    expect(s.registry.get("a")?.status).toBe("running");
    c.end({ type: "completed", result: "x" });
    await s.pass(11_000);
    expect(s.registry.get("a")).toMatchObject({ status: "failed", error: { code: "cap_minutes" } });
  });

  it("O57 O126 a tool with a time-out of its own is not silent, neither for the stall nor for who waits in prompt mode", async () => {
    const s = scene({ stallMs: 1000 });
    const a = puppet();
    await s.start("a", a.run);
    const handle = await a.started;
    handle.doing({ type: "tool", name: "bash", bounded: true });
    const waited = s.registry.waitForAgents(handle.signal, { silenceMs: 1000 });
    await s.pass(20_500);
    expect(s.types("a")).not.toContain("subagent.stalled");
    expect(await Promise.race([waited, "waits"])).toBe("waits");
    handle.doing({ type: "tool", name: "grep" });
    await s.pass(4000);
    expect(handle.signal.reason).toBe("stalled");
  });
});

describe("O61 boundaries", () => {
  const phases = (s: ReturnType<typeof scene>, id: string) =>
    s.events.flatMap((e) => (e.agentId === id && e.type === "subagent_session_boundary" ? [e.data.phase] : []));

  it("O61 OI2 one start and one end around every run, whoever its executor is and however it ends", async () => {
    const s = scene({ stallMs: 1000 });
    await s.start("good", talker, { multiTurn: false });
    await s.start("bad", async () => ({ type: "failed", error: { code: "c", message: "m" } }));
    await s.start("thrown", () => Promise.reject(new Error("x")));
    await s.start(
      "unopened",
      sessionExecutor(() => Promise.reject(new Error("there is no conversation"))),
    );
    await s.start("cancelled", untilAborted);
    await s.start("task", untilAborted, { agentType: MCP_TASK });
    await s.registry.cancelAll(USER, "enough");
    await s.start("silent", untilAborted);
    await s.pass(3000);
    await s.start("deaf", puppet().run);
    const stopped = s.registry.cancelRecursive("deaf", USER, "enough");
    await s.pass(6000);
    await stopped;
    expect(Object.fromEntries(s.registry.list().map(({ id }) => [id, phases(s, id)]))).toEqual({
      good: ["start", "end"],
      bad: ["start", "failure"],
      thrown: ["start", "failure"],
      unopened: ["start", "failure"],
      cancelled: ["start", "end"],
      task: ["start", "end"],
      silent: ["start", "failure"],
      deaf: ["start", "end"],
    });
    expect(s.registry.get("unopened")).toMatchObject({ error: { message: "there is no conversation" } });
  });
});

it("O61 a record that nobody has worked on since a resume is closed with its boundary", async () => {
  const s = scene();
  await s.start("a", talker);
  const again = scene();
  for (const e of s.events) again.append(e.agentId, e.type, e.data);
  await again.registry.cancelRecursive("a", USER, "enough");
  expect(again.types("a").slice(-2)).toEqual(["subagent_session_boundary", "subagent.cancelled"]);
});

describe("stalls", () => {
  it("O56 O57 silence is announced, then nudged, then fails; what it waited for is the reason", async () => {
    const s = scene({ stallMs: 1000 });
    const nudges: string[] = [];
    await s.start("a", (handle) => {
      handle.doing({ type: "tool", name: "bash" });
      handle.onNudge((reason) => nudges.push(reason));
      return untilAborted(handle);
    });
    await s.pass(1000);
    expect(s.registry.get("a")?.progress.stalled).toMatchObject({ reason: "tool:bash" });
    expect(s.changes.at(-1)).toBe("a stalled running");
    await s.pass(1000);
    expect(nudges).toEqual(["tool:bash"]);
    await s.pass(1000);
    expect(s.registry.get("a")).toMatchObject({ status: "failed", error: { code: "stalled" } });
    expect(s.registry.get("a")).toMatchObject({ error: { message: expect.stringContaining("tool:bash") } });
    expect(s.types("a").filter((type) => type === "subagent.stalled")).toHaveLength(1);
  });

  it("O57 one that keeps printing is not silent, and progress after a stall starts the count anew", async () => {
    const s = scene({ stallMs: 1000 });
    const p = puppet();
    await s.start("a", p.run);
    const handle = await p.started;
    for (let i = 0; i < 10; i++) {
      await s.pass(900);
      handle.touch();
    }
    expect(s.types("a")).not.toContain("subagent.stalled");
    await s.pass(2500);
    handle.touch();
    await s.pass(2500);
    expect(s.registry.get("a")?.status).toBe("running");
    await s.pass(500);
    expect(s.registry.get("a")?.progress.stalled).toBeDefined();
  });

  it("O56 the stall is cleared by the next step", async () => {
    const s = scene({ stallMs: 1000 });
    await s.start("a", puppet().run);
    await s.pass(1000);
    expect(s.registry.get("a")?.progress.stalled).toEqual({ since: expect.any(String), reason: "model_silent" });
    const result = { content: "", bytes: 0, lines: 0 };
    s.append("a", "tool.execution_complete", {
      toolCallId: "c",
      success: true,
      resultType: "success",
      result,
      durationMs: 1,
    });
    expect(s.registry.get("a")?.progress.stalled).toBeUndefined();
  });

  it("O56 a wait for a person never stalls", async () => {
    const s = scene({ stallMs: 1000 });
    const p = puppet();
    await s.start("a", p.run);
    const handle = await p.started;
    handle.doing({ type: "permission" });
    await s.pass(100_000);
    expect(s.registry.isWaitingForPermission("a")).toBe(true);
    handle.doing({ type: "tool", name: "bash" });
    await s.pass(999);
    expect(s.types("a")).not.toContain("subagent.stalled");
  });

  it("O56 a silent child fails, not the parent that waits for it", async () => {
    const s = scene({ stallMs: 1000 });
    const nudged: string[] = [];
    await s.start("a", (handle) => {
      handle.onNudge(() => nudged.push("a"));
      return untilAborted(handle);
    });
    await s.start("b", untilAborted, { parentId: "a", executionMode: "sync" });
    await s.pass(3000);
    expect(s.registry.list().map((r) => r.status)).toEqual(["running", "failed"]);
    expect(nudged).toEqual([]);
    expect(s.types("a")).not.toContain("subagent.stalled");
    await s.pass(3000);
    expect(s.registry.get("a")).toMatchObject({ status: "failed", error: { code: "stalled" } });
  });

  it("O58 the stall of an MCP task is only announced, and it has no caps", async () => {
    const s = scene({ stallMs: 1000, maxMs: 5000 });
    await s.start("t", untilAborted, { agentType: MCP_TASK });
    await s.pass(100_000);
    expect(s.registry.get("t")?.status).toBe("running");
    expect(s.types("t").filter((type) => type === "subagent.stalled")).toHaveLength(1);
  });

  it("O56 O58 an MCP task that moves and falls silent again is announced again", async () => {
    const s = scene({ stallMs: 1000 });
    const p = puppet();
    await s.start("t", p.run, { agentType: MCP_TASK });
    const { touch } = await p.started;
    await s.pass(5500);
    touch();
    await s.pass(900);
    expect(s.types("t").filter((type) => type === "subagent.stalled")).toHaveLength(1);
    await s.pass(100);
    expect(s.types("t").filter((type) => type === "subagent.stalled")).toHaveLength(2);
  });
});

it("O58 O59 a rewind gives those that stay no new time, neither of work nor of rest", async () => {
  const s = scene({ maxMs: 10_000, idleMs: 10_000 });
  await s.start("busy", untilAborted);
  await s.start("idle");
  await s.start("gone", untilAborted);
  await s.pass(9000);
  await s.registry.cancelRecursive("gone", USER, "x");
  const rewound = { upToEventId: "e0", eventsRemoved: 2, filesRestored: [], filesSkipped: [] };
  s.append(undefined, "session.snapshot_rewind", { ...rewound, withdrawnAgents: ["gone"] });
  await s.pass(1000);
  expect(s.registry.get("busy")).toMatchObject({ status: "failed", error: { code: "cap_minutes" } });
  expect(s.registry.get("idle")?.status).toBe("completed");
  expect(s.registry.leftovers()).toEqual({ live: 0, waiters: 0, timers: 0, slots: 0 });
});

describe("leaks", () => {
  it("O48 after 256 agents, in every way of ending, nothing is left", async () => {
    const s = scene({ maxConcurrent: 256, stallMs: 1000, idleMs: 5000, maxDepth: 3 });
    const waits: Promise<unknown>[] = [];
    for (let i = 0; i < 256; i++) {
      const run = i % 2 === 0 ? talker : untilAborted;
      const id = await s.start(`a${i}`, run, { executionMode: i % 3 === 0 ? "sync" : "background" });
      waits.push(s.registry.getAgentResult(id, { signal: never, limitMs: 3_600_000 }));
    }
    await Promise.all([s.registry.cancelRecursive("a1", USER, "x"), s.registry.cancelRecursive("a4", USER, "x")]);
    await s.pass(10_000);
    await Promise.all(waits);
    await s.registry.cancelAll(USER, "end");
    await s.registry.completeIdle();
    s.registry.end();
    expect(s.registry.leftovers()).toEqual({ live: 0, waiters: 0, timers: 0, slots: 0 });
    expect(s.timers.size).toBe(0);
    expect(s.broken).toEqual([]);
  });

  it("O48 end() ends every wait and starts nothing more", async () => {
    const s = scene();
    await s.start("a", puppet().run);
    const wait = s.registry.getAgentResult("a", { signal: never, limitMs: Infinity });
    const all = s.registry.waitForAgents(never, {});
    await settle();
    s.registry.end();
    expect((await wait).outcome).toBe("timeout");
    expect((await all).outcome).toBe("aborted");
    expect((await s.registry.startAgent(spec("b"), talker)).ok).toBe(false);
    expect(s.timers.size).toBe(0);
  });
});
