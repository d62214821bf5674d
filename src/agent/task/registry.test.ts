// The registry, live: slots, messages, promotion, cancel, waits, what is told.
import { describe, expect, it } from "vitest";
import { fail, ok } from "../../base/result.ts";
import { MAIN, USER } from "./contract.ts";
import { MCP_TASK } from "./record.ts";
import { never, puppet, scene, settle, spec, talker, turnOf } from "./registry-fixture.ts";

describe("starting", () => {
  it("O43 OI9 ids come from names and are never used twice", async () => {
    const s = scene();
    const ids = [];
    for (const name of ["Auth Scan", "auth_scan", "!!!", "main", "user", "x".repeat(70), "-a-"])
      ids.push(await s.start(name));
    expect(ids).toEqual(["auth-scan", "auth-scan-2", "general-purpose", "main-2", "user-2", "x".repeat(40), "a"]);
    await s.registry.cancelRecursive("auth-scan", MAIN, "x");
    await s.registry.remove("auth-scan");
    expect(await s.start("auth scan")).toBe("auth-scan-3");
    expect(s.registry.resolve("auth-scan").ok).toBe(true);
  });

  it("O59 an id that a rewind took away is not used again", async () => {
    const s = scene();
    await s.start("scan", async () => ({ type: "completed", result: "r" }));
    const rewound = {
      upToEventId: "e0",
      eventsRemoved: 2,
      filesRestored: [],
      filesSkipped: [],
      withdrawnAgents: ["scan"],
    };
    s.append(undefined, "session.snapshot_rewind", rewound);
    expect(s.registry.get("scan")).toBeUndefined();
    expect(await s.start("scan")).toBe("scan-2");
  });

  it("O43 an id, the only name, or a prefix of 4 finds a record; else the candidates are named", async () => {
    const s = scene();
    await s.start("Auth Scan");
    await s.start("Auth Fix");
    await s.start("Auth Fix");
    const code = (text: string) => {
      const found = s.registry.resolve(text);
      return found.ok ? found.value.id : found.error.code;
    };
    expect(["auth-scan", " Auth Scan ", "auth-s", "auth", "Auth Fix", "aut", "nobody"].map(code)).toEqual([
      "auth-scan",
      "auth-scan",
      "auth-scan",
      "ambiguous_agent",
      "ambiguous_agent",
      "agent_not_found",
      "agent_not_found",
    ]);
    const missing = s.registry.resolve("nobody");
    expect(!missing.ok && missing.error.message).toContain("auth-fix-2, auth-fix, auth-scan");
  });

  it("O50 OI3 OB6 a full registry refuses at once, also when all starts come together", async () => {
    const s = scene({ maxConcurrent: 2 });
    const starts = await Promise.all(
      ["a", "b", "c", "d"].map((name) => s.registry.startAgent(spec(name), puppet().run)),
    );
    expect(starts.map((r) => (r.ok ? "ok" : r.error.code))).toEqual([
      "ok",
      "ok",
      "concurrency_limit",
      "concurrency_limit",
    ]);
    expect(s.registry.runningCount()).toBe(2);
    expect(s.types().filter((type) => type === "subagent.started")).toHaveLength(2);
  });

  it("O30 depth_limit and spawn_limit name the limit; workers of a fleet are not counted", async () => {
    const s = scene({ maxDepth: 2, maxPerPrompt: 3 });
    const a = await s.start("a", puppet().run);
    const b = await s.start("b", puppet().run, { parentId: a });
    expect(s.registry.get(b)?.depth).toBe(2);
    const deep = await s.registry.startAgent(spec("c", { parentId: b }), talker);
    expect(deep).toMatchObject({ ok: false, error: { code: "depth_limit", message: expect.stringContaining("2") } });
    await s.start("worker", puppet().run, { uncounted: true });
    await s.start("c", puppet().run);
    expect(await s.registry.startAgent(spec("d"), talker)).toMatchObject({ error: { code: "spawn_limit" } });
    s.registry.resetPrompt();
    expect((await s.registry.startAgent(spec("d"), talker)).ok).toBe(true);
  });

  it("O50 tasks of MCP servers hold no slot and have a limit of their own", async () => {
    const s = scene({ maxConcurrent: 1, maxPerPrompt: 2 });
    for (let i = 0; i < 64; i++) await s.start("t", puppet().run, { agentType: MCP_TASK });
    expect(s.registry.runningCount()).toBe(0);
    await s.start("a", puppet().run);
    const more = await s.registry.startAgent(spec("t", { agentType: MCP_TASK }), talker);
    expect(more).toMatchObject({ error: { code: "concurrency_limit" } });
  });

  it("O32 a change of model is written after the start", async () => {
    const s = scene();
    const modelChanged = { requested: "x", used: "y", reason: "cost_guard", ratio: 9 };
    await s.start("a", puppet().run, { modelChanged });
    expect(s.types("a").slice(0, 2)).toEqual(["subagent.started", "subagent.model_changed"]);
  });

  it("OI3 OI4 a start of which only the first event could be written is a failed record, and its slot is free", async () => {
    const s = scene({ maxConcurrent: 1 });
    const modelChanged = { requested: "x", used: "y", reason: "cost_guard", ratio: Number.POSITIVE_INFINITY };
    await expect(s.registry.startAgent(spec("a", { modelChanged }), talker)).rejects.toThrow("ratio");
    expect(s.registry.get("a")).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("ratio") },
    });
    expect(s.registry.leftovers()).toEqual({ live: 0, waiters: 0, timers: 0, slots: 0 });
    expect(await s.start("b")).toBe("b");
  });
});

describe("life", () => {
  it("O51 N39 an agent of the main agent goes idle and frees its slot; rem-agent, and every one with multi-turn off, completes", async () => {
    const s = scene({ maxConcurrent: 1 });
    await s.start("bg");
    expect(s.registry.get("bg")?.status).toBe("idle");
    await s.start("sync", talker, { executionMode: "sync" });
    expect(s.registry.get("sync")).toMatchObject({ status: "idle", latestResponse: "answer to do sync" });
    await s.start("rem", talker, { multiTurn: false });
    expect(s.registry.get("rem")?.status).toBe("completed");
    const off = scene({ multiTurn: false });
    await off.start("bg");
    expect(off.registry.get("bg")?.status).toBe("completed");
    await off.start("sync", talker, { executionMode: "sync" });
    expect(off.registry.get("sync")?.status).toBe("completed");
  });

  it("N39 O51 a sync agent that rests keeps nothing alive; a message gives it a new executor and puts it in the background", async () => {
    const s = scene();
    await s.start("a", talker, { executionMode: "sync" });
    expect(s.registry.leftovers().live).toBe(0);
    expect(await s.registry.sendMessage("a", MAIN, "more")).toMatchObject({ value: { delivery: "woken" } });
    await settle();
    expect(s.registry.get("a")).toMatchObject({ status: "idle", executionMode: "background", told: false });
    expect(s.registry.get("a")?.turnHistory.at(-1)?.prompt).toBe("more");
    await s.registry.completeIdle();
    expect(s.registry.get("a")).toMatchObject({ status: "completed" });
    expect(s.registry.leftovers()).toEqual({ live: 0, waiters: 0, timers: 0, slots: 0 });
  });

  it("N39 a message that comes while the old executor still returns is answered by the next one", async () => {
    const s = scene();
    const p = puppet();
    await s.start("a", p.run, { executionMode: "sync" });
    const handle = await p.started;
    await handle.setLatestResponse(turnOf("first"));
    expect(await handle.waitForMessage()).toBeUndefined();
    expect(await s.registry.sendMessage("a", MAIN, "quick")).toMatchObject({ ok: true });
    p.end({ type: "completed", result: "first" });
    await settle();
    expect(s.registry.get("a")?.turnHistory.at(-1)?.response).toBe("answer to quick");
    expect(s.types("a").filter((type) => type === "subagent.completed")).toEqual([]);
  });

  it("O41 O47 a message wakes an idle agent, and is queued for a running one until its turn ends", async () => {
    const s = scene();
    await s.start("a");
    const woken = await s.registry.sendMessage("a", MAIN, "more");
    await settle();
    expect(woken).toMatchObject({ ok: true, value: { delivery: "woken" } });
    expect(s.registry.get("a")?.turnHistory.map((t) => t.response)).toEqual(["answer to do a", "answer to more"]);

    const busy = puppet();
    await s.start("b", busy.run);
    const handle = await busy.started;
    expect(await s.registry.sendMessage("b", MAIN, "one")).toMatchObject({ value: { delivery: "queued" } });
    await s.registry.sendMessage("b", MAIN, "two");
    const first = await handle.waitForMessage();
    expect(first?.message).toBe("one");
    s.append("b", "user.message", {
      messageId: first?.messageId ?? "",
      turnId: "t",
      content: "one",
      source: "agent",
      mode: "interactive",
    });
    expect(s.registry.get("b")).toMatchObject({ status: "running", messageQueue: [{ message: "two" }] });
    expect((await handle.waitForMessage())?.message).toBe("two");
  });

  it("O47 an idle agent stays idle when there is no slot, and the message is not kept", async () => {
    const s = scene({ maxConcurrent: 1 });
    await s.start("a");
    await s.start("b", puppet().run);
    expect(await s.registry.sendMessage("a", MAIN, "hi")).toMatchObject({ error: { code: "concurrency_limit" } });
    expect(s.registry.get("a")?.status).toBe("idle");
    expect(s.types("a")).not.toContain("subagent.message");
  });

  it("O47 a message that comes as the agent goes idle is neither lost nor over the limit", async () => {
    const s = scene({ maxConcurrent: 1 });
    const p = puppet();
    await s.start("a", p.run);
    const handle = await p.started;
    const next = handle.waitForMessage();
    const [sent, other] = await Promise.all([
      s.registry.sendMessage("a", MAIN, "quick"),
      s.registry.startAgent(spec("b"), puppet().run),
    ]);
    expect(sent.ok).toBe(true);
    expect(other.ok).toBe(false);
    expect((await next)?.message).toBe("quick");
  });

  it("O41 one that has ended, or is about to, takes no message", async () => {
    const s = scene();
    const p = puppet();
    await s.start("a", p.run, { multiTurn: false });
    const handle = await p.started;
    expect(await handle.waitForMessage()).toBeUndefined();
    expect(await s.registry.sendMessage("a", MAIN, "late")).toMatchObject({ error: { code: "agent_finished" } });
    p.end({ type: "completed", result: "r" });
    await settle();
    expect(await s.registry.sendMessage("a", MAIN, "later")).toMatchObject({ error: { code: "agent_finished" } });
    expect(await s.registry.sendMessage("zz", MAIN, "x")).toMatchObject({ error: { code: "agent_not_found" } });
  });

  it("O147 an MCP task takes a message only when its server can be steered", async () => {
    const s = scene();
    await s.start("t", puppet().run, { agentType: MCP_TASK });
    expect(await s.registry.sendMessage("t", MAIN, "x")).toMatchObject({ error: { code: "mcp_task_not_steerable" } });
    const heard: string[] = [];
    const steer = async (message: string) =>
      message === "no" ? fail({ code: "c", message: "m" }) : ok(void heard.push(message));
    await s.registry.startAgent(spec("u", { agentType: MCP_TASK }), puppet().run, { steer });
    expect((await s.registry.sendMessage("u", MAIN, "left")).ok).toBe(true);
    expect((await s.registry.sendMessage("u", MAIN, "no")).ok).toBe(false);
    expect(heard).toEqual(["left"]);
    expect(s.registry.get("u")).toMatchObject({ messageQueue: [] });
  });

  it("O47 an executor that rejects fails its record", async () => {
    const s = scene();
    const p = puppet();
    await s.start("a", p.run);
    p.crash(new Error("boom"));
    await settle();
    expect(s.registry.get("a")).toMatchObject({ status: "failed", error: { code: "failed", message: "boom" } });
    expect(s.changes.at(-1)).toBe("a ended failed");
  });

  it("O47 an idle agent completes with its latest response when its time is over", async () => {
    const s = scene({ idleMs: 1000 });
    await s.start("a");
    await s.pass(999);
    expect(s.registry.get("a")?.status).toBe("idle");
    await s.pass(1);
    expect(s.registry.get("a")).toMatchObject({ status: "completed", result: "answer to do a" });
    expect(s.registry.leftovers()).toEqual({ live: 0, waiters: 0, timers: 0, slots: 0 });
  });

  it("O73 totals are those of the record", async () => {
    const s = scene();
    const p = puppet();
    await s.start("a", p.run, { toolCallId: "call_1" });
    const usage = {
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      cost: 0.5,
    };
    const call = { model: "m", turnId: "t", step: 1, durationMs: 1, ttftMs: 1 };
    s.append("a", "assistant.usage", { ...usage, ...call, interaction: "conversation-subagent" });
    s.append("a", "assistant.usage", { ...usage, ...call, interaction: "conversation-compaction" });
    const intent = { intent: " reading\n files " };
    s.append("a", "tool.execution_start", {
      toolCallId: "c",
      toolName: "report_intent",
      arguments: intent,
      turnId: "t",
    });
    await s.pass(2000);
    p.end({ type: "completed", result: "r" });
    await settle();
    expect(s.events.at(-1)).toMatchObject({
      type: "subagent.completed",
      agentId: "a",
      data: { agentId: "a", toolCallId: "call_1", totalToolCalls: 1, totalTokens: 30, durationMs: 2000, turns: 0 },
    });
    expect(s.registry.get("a")).toMatchObject({
      progress: { latestIntent: "reading files", latestTool: "report_intent" },
      telemetry: { durationMs: 2000, steps: 1, cost: 1 },
    });
  });
});

describe("waiting and telling", () => {
  it("O48 a wait ends by turn, end, promotion, time-out, and knows the unknown", async () => {
    const s = scene();
    const p = puppet();
    await s.start("a", p.run, { executionMode: "sync" });
    const handle = await p.started;
    const wait = (more: object) => s.registry.getAgentResult("a", { signal: never, limitMs: Infinity, ...more });
    expect(await s.registry.getAgentResult("zz", { signal: never, limitMs: 1 })).toEqual({ outcome: "unknown" });
    const late = wait({ limitMs: 500 });
    await s.pass(500);
    expect((await late).outcome).toBe("timeout");
    expect((await wait({ signal: AbortSignal.abort() })).outcome).toBe("timeout");

    const foreground = wait({ foreground: true });
    const final = s.registry.promoteAgentToBackground("a");
    expect((await foreground).outcome).toBe("promoted");
    expect((await final).ok).toBe(true);
    expect((await wait({ foreground: true })).outcome).toBe("promoted");

    const turn = wait({ sinceTurn: 0 });
    const end = wait({});
    await handle.setLatestResponse(turnOf("one"));
    void handle.waitForMessage();
    expect(await turn).toMatchObject({ outcome: "turn", record: { status: "idle", latestResponse: "one" } });
    p.end({ type: "completed", result: "x" });
    expect(await end).toMatchObject({ outcome: "final" });
    expect(s.registry.leftovers().waiters).toBe(0);
  });

  it("OI10 O78 what somebody waited for is told before it would be announced; what nobody read is not", async () => {
    const s = scene();
    const [a, b] = [puppet(), puppet()];
    await s.start("a", a.run);
    await s.start("b", b.run);
    const wait = s.registry.getAgentResult("a", { signal: never, limitMs: Infinity, sinceTurn: 0 });
    for (const p of [a, b]) {
      const handle = await p.started;
      await handle.setLatestResponse(turnOf("x"));
      void handle.waitForMessage();
    }
    await wait;
    await settle();
    expect(s.changes.filter((line) => line.includes("idle"))).toEqual(["a idle idle told", "b idle idle"]);
    await s.registry.getAgentResult("b", { signal: never, limitMs: 0, sinceTurn: 0, reads: false });
    expect(s.registry.get("b")?.told).toBe(false);
    await s.registry.getAgentResult("b", { signal: never, limitMs: 0, sinceTurn: 0 });
    expect(s.registry.get("b")?.told).toBe(true);
    expect(s.types("b").filter((type) => type === "subagent.read")).toHaveLength(1);
  });

  it("O78 a notification tells, over a resume too; that of a stall does not; nor need a cancel be told to its maker", async () => {
    const s = scene();
    await s.start("a");
    await s.start("b");
    s.append(undefined, "system.notification", { content: "c", kind: "agent_stalled", agentIds: ["a"] });
    expect(s.registry.get("a")?.told).toBe(false);
    s.append(undefined, "system.notification", { content: "c", kind: "agent_idle", agentIds: ["a"] });
    expect(s.registry.get("a")?.told).toBe(true);
    await s.registry.cancelRecursive("b", MAIN, "x");
    expect(s.registry.get("b")?.told).toBe(true);
  });

  it("O74 nothing is told before its event is written", async () => {
    const seen: string[] = [];
    const s = scene(
      {},
      { onChange: (record, change) => void seen.push(`${change} ${s.types().at(-1)} ${record.status}`) },
    );
    await s.start("a", talker, { multiTurn: false });
    expect(seen).toEqual([
      "started subagent.started running",
      "turn subagent.turn running",
      "ended subagent.completed completed",
    ]);
  });

  it("O75 O74 changes of background records and progress are published, progress once a second", async () => {
    const s = scene();
    await s.start("a", puppet().run);
    const count = () => s.published.filter(({ type }) => type === "subagent.progress").length;
    const call = () =>
      s.append("a", "tool.execution_start", { toolCallId: "c", toolName: "view", arguments: {}, turnId: "t" });
    expect(s.published.some(({ type }) => type === "session.background_tasks_changed")).toBe(true);
    const before = count();
    for (let i = 0; i < 5; i++) call();
    expect(count() - before).toBeLessThanOrEqual(1);
    const then = count();
    await s.pass(1000);
    call();
    expect(count()).toBe(then + 1);
  });

  it("O125 O126 waitForAgents ends when none runs, or when all have been silent; an active one is never cut", async () => {
    const s = scene();
    const p = puppet();
    await s.start("a", p.run);
    const handle = await p.started;
    let outcome = "";
    void s.registry.waitForAgents(never, { silenceMs: 2000 }).then((waited) => {
      outcome = waited.outcome;
    });
    for (let i = 0; i < 5; i++) {
      await s.pass(1500);
      handle.touch();
    }
    expect(outcome).toBe("");
    await s.pass(2000);
    expect(outcome).toBe("timeout");
    const settled = s.registry.waitForAgents(never, {});
    p.end({ type: "completed", result: "r" });
    expect(await settled).toEqual({ outcome: "settled", running: [] });
    expect(await s.registry.waitForAgents(never, { silenceMs: 0 })).toEqual({ outcome: "settled", running: [] });
  });

  it("O52 only a sync agent of the main agent is promoted", async () => {
    const s = scene();
    await s.start("a", puppet().run, { executionMode: "sync" });
    await s.start("b", puppet().run, { executionMode: "sync", parentId: "a" });
    expect(await s.registry.promoteAgentToBackground("b")).toMatchObject({ error: { code: "not_promotable" } });
    expect(await s.registry.promoteAgentToBackground("a")).toMatchObject({ value: { executionMode: "background" } });
  });
});

describe("resume", () => {
  const resumed = { resumeTime: "t", eventCount: 1, model: "m", context: { cwd: "/w" } };

  it("O59 idle and ended records stay, running ones are interrupted, and both kinds are continued", async () => {
    const s = scene();
    await s.start("idle");
    await s.start("done", talker, { multiTurn: false });
    await s.start("busy", puppet().run, { executionMode: "sync" });
    await s.registry.sendMessage("busy", MAIN, "undelivered");

    const next = scene();
    next.events.push(...s.events);
    next.registry.reload(s.events);
    next.append(undefined, "session.resume", resumed);
    const status = () => next.registry.list().map(({ id, status }) => `${id} ${status}`);
    expect(status()).toEqual(["idle idle", "done completed", "busy interrupted"]);
    expect(next.registry.get("busy")).toMatchObject({ told: false, messageQueue: [{ message: "undelivered" }] });

    await next.registry.sendMessage("idle", MAIN, "more");
    await next.registry.sendMessage("busy", MAIN, "go on");
    await settle();
    expect(status()).toEqual(["idle idle", "done completed", "busy idle"]);
    expect(next.registry.get("busy")?.turnHistory.map((t) => t.prompt)).toContain("undelivered");
    await next.registry.cancelRecursive("busy", USER, "x");
    expect(next.registry.get("busy")?.status).toBe("cancelled");
  });

  it("OI10 a fleet's worker that somebody lets go on is told of like any other: its fleet is gone", async () => {
    const s = scene();
    await s.start("worker", puppet().run, { quiet: true, multiTurn: false });
    const next = scene();
    next.registry.reload(s.events);
    expect(next.registry.get("worker")?.quiet).toBe(true);
    next.append(undefined, "session.resume", resumed);
    await next.registry.sendMessage("worker", USER, "go on");
    await settle();
    expect(next.registry.get("worker")).toMatchObject({ status: "completed", quiet: false, told: false });
  });

  it("O61 OI2 a process that ended between the boundary and the end: no second boundary, however it goes on", async () => {
    const s = scene();
    const p = puppet();
    await s.start("a", p.run);
    p.end({ type: "completed", result: "r" });
    await settle();
    expect(s.types("a").slice(-2)).toEqual(["subagent_session_boundary", "subagent.completed"]);
    for (const go of ["message", "cancel"]) {
      const next = scene();
      next.events.push(...s.events.slice(0, -1));
      next.registry.reload(next.events);
      next.append(undefined, "session.resume", resumed);
      if (go === "message") await next.registry.sendMessage("a", MAIN, "go on");
      await settle();
      await next.registry.cancelRecursive("a", USER, "x");
      expect(next.types("a").filter((type) => type === "subagent_session_boundary")).toHaveLength(2);
      expect(next.registry.get("a")?.status).toBe("cancelled");
    }
  });

  it("O59 an interrupted or idle record without executor is cancelled, and completed, directly", async () => {
    const s = scene({ idleMs: 1000 });
    await s.start("a", puppet().run);
    await s.start("b");
    const next = scene({ idleMs: 1000 });
    next.registry.reload(s.events);
    next.append(undefined, "session.resume", resumed);
    expect(await next.registry.cancelAll(USER, "x")).toEqual([]);
    expect(await next.registry.cancelRecursive("a", USER, "x")).toEqual(["a"]);
    await next.pass(1000);
    expect(next.registry.get("b")?.status).toBe("completed");
  });
});
