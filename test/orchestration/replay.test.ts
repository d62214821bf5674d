// The registry and the main conversation come from the log alone: live, after a resume, after going back.
import { describe, expect, it } from "vitest";
import { type AgentRecords, foldAgents } from "../../src/agent/task/fold.ts";
import { agentTree } from "../../src/agent/task/show.ts";
import type { DurableEnvelope } from "../../src/schema/event/envelope.ts";
import { bash, messagesOf, onlySession, toolResults, userTexts } from "../agent/scene.ts";
import { converse } from "../context/stage.ts";
import { calls, error, hang, text } from "../model-server/reply.ts";
import { logOf, type Place, run, start } from "../tool/everlong.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";
import { at, leave } from "./terminal.ts";

const call = (name: string, args: object) => calls([{ name, args }]);

/** Records at every prefix of the log. */
function prefixes(place: Place, id: string): AgentRecords[] {
  const records: AgentRecords = new Map();
  return (logOf(place, id) as DurableEnvelope[]).map((event) => {
    foldAgents(records, event, id);
    return new Map(records);
  });
}

const tree = (records: AgentRecords | undefined): string =>
  agentTree(
    [...(records?.values() ?? [])].filter((r) => !r.removed),
    { now: new Date(0).toISOString() },
  );
/** Without the time that a running agent takes. */
const timeless = (list: string): string => list.replace(/\s+\d+[smh]\S*/g, "");
const linesOf = (text: string): string[] => text.split("\n").filter((line) => / turns {2}/.test(line));

describe("OI1 the registry", () => {
  const script = () =>
    cast(
      (_request, step) =>
        [
          tasks(
            task("SYNC", { name: "sync" }),
            task("IDLE", { name: "idle", mode: "background" }),
            task("STOP", { name: "stop", mode: "background" }),
            task("BAD", { name: "bad", mode: "background" }),
          ),
          call("write_agent", { agent_id: "idle", message: "and more?" }),
          call("stop_agent", { agent_id: "stop" }),
        ][step] ?? text(`main ${step}`),
      {
        SYNC: [tasks(task("LEAF", { name: "leaf" })), text("sync result")],
        LEAF: [text("leaf result")],
        IDLE: [text("one", { delayMs: 100 }), text("two"), text("three")],
        STOP: () => hang(),
        BAD: () => error(401, "no entry"),
      },
    );

  it("OI1 OI2 O59 after starts, messages, cancels and failures /tasks says the same before and after a kill", async () => {
    const { place } = await script();
    const terminal = await at(place);
    terminal.type("go");
    const settled = () =>
      linesOf(tree(prefixes(place, onlySession(place)).at(-1))).filter((l) => / running /.test(l)).length === 0;
    await terminal.see("task: stop cancelled");
    await expect.poll(settled).toBe(true);
    await terminal.see(/main \d/);
    const from = terminal.screen().length;
    terminal.type("/tasks");
    await expect.poll(() => linesOf(terminal.screen().slice(from)).length).toBe(5);
    const shown = linesOf(terminal.screen().slice(from)).map((line) => line.replace(/^> /, ""));
    process.kill(terminal.pid, "SIGKILL");
    await terminal.exit;
    const id = onlySession(place);
    const resumed = await run(place, ["--resume", id, "-p", "/tasks"]);
    expect(linesOf(resumed.stdout)).toEqual(shown);
    expect(shown.map((line) => line.trim().split(/ {2,}/)[0])).toEqual(["sync", "leaf", "idle", "stop", "bad"]);
    expect(shown.join("\n")).toMatch(/leaf .*completed[\s\S]*idle .*idle[\s\S]*stop .*cancelled[\s\S]*bad .*failed/);
    const ends = new Map<string, number>();
    for (const event of eventsOf(place, id, "subagent_session_boundary"))
      if (event["phase"] !== "start") ends.set(`${event["agentId"]}`, (ends.get(`${event["agentId"]}`) ?? 0) + 1);
    expect(Math.max(...ends.values())).toBe(1);
  });

  it("OI1 OI2 the live list equals the fold of the log whenever nothing moves, and no prefix of it throws", async () => {
    const { place } = await script();
    const { client, say, close } = await converse(place, { interactive: true });
    const compare = () => {
      const all = prefixes(place, client.sessionId);
      expect(timeless(client.tasks.list())).toBe(timeless(tree(all.at(-1))));
      return all;
    };
    await say("go");
    compare();
    await client.tasks.sendMessage("idle", "once more");
    await client.untilIdle();
    compare();
    await client.tasks.cancel("idle");
    await client.tasks.remove("stop");
    const all = compare();
    // A record that has ended never changes its status again.
    const ended = new Map<string, string>();
    for (const records of all)
      for (const [id, record] of records) {
        if (ended.has(id)) expect(record.status).toBe(ended.get(id));
        if (["completed", "failed", "cancelled"].includes(record.status)) ended.set(id, record.status);
      }
    // The sync agent waits for a follow-up until the session ends.
    expect([...ended.keys()].sort()).toEqual(["bad", "idle", "leaf", "stop"]);
    await close();
  });
});

describe("O59 going back", () => {
  it("O59 OI9 /undo cancels what was started since; its record is gone and its id is never used again", async () => {
    const { place, of } = await cast(
      (request, step) =>
        step === 0 ||
        userTexts(request).at(-1)?.startsWith("start") !== true ||
        messagesOf(request).at(-1)?.role === "tool"
          ? text(`main ${step}`)
          : tasks(task("LATE", { name: "late", mode: "background" })),
      { LATE: (_r, step) => (step === 0 ? calls([bash("sleep 1000")]) : text("late again")) },
    );
    const terminal = await at(place, ["--allow-all"]);
    terminal.type("hello");
    await terminal.see("main 0");
    terminal.type("start it");
    await terminal.see("main 2");
    const started = () => JSON.stringify(eventsOf(place, onlySession(place), "tool.execution_start"));
    await expect.poll(started).toContain("sleep 1000");
    terminal.type("/undo");
    await terminal.see("Removed 1 message");
    terminal.type("/tasks");
    await terminal.see("No tasks yet.");
    terminal.type("start another");
    await terminal.see(/task: late\S* started/);
    await terminal.see("main");
    await expect.poll(() => of("LATE").length).toBe(2);
    await leave(terminal);
    const id = onlySession(place);
    const log = logOf(place, id);
    const cancelled = log.findIndex((e) => e.type === "subagent.cancelled" && e.agentId === "late");
    const back = log.findIndex((e) => e.type === "session.snapshot_rewind");
    expect(cancelled).toBeGreaterThan(0);
    expect(cancelled).toBeLessThan(back);
    expect(log.slice(back).some((e) => e.agentId === "late")).toBe(false);
    // Nothing of the one that is gone reaches the model again.
    for (const request of of("main").slice(3)) expect(request.rawBody).not.toMatch(/agent_id late\b(?!-)|Agent late /);
    const resumed = await run(place, ["--resume", id, "-p", "/tasks"]);
    expect(linesOf(resumed.stdout).map((line) => line.split(/ {2,}/)[0])).toEqual(["late-2"]);
    expect((await run(place, ["sessions", "verify", id])).stdout).toContain("intact");
  });

  it("O59 an agent of before the target keeps its conversation, also what was said to it since", async () => {
    const { place, of } = await cast(
      (request, step) =>
        [
          tasks(task("EARLY", { name: "early", mode: "background" })),
          call("read_agent", { agent_id: "early", wait: true, timeout: 20 }),
          text("main 2"),
          call("write_agent", { agent_id: "early", message: "second question" }),
          call("read_agent", { agent_id: "early", wait: true, timeout: 20 }),
          text("main 5"),
          call("write_agent", { agent_id: "early", message: "third question" }),
          call("read_agent", { agent_id: "early", wait: true, timeout: 20, since_turn: 2 }),
        ][step] ?? text(`main ${userTexts(request).length}`),
      { EARLY: [text("first answer"), text("second answer"), text("third answer")] },
    );
    const { client, say, close } = await converse(place, { interactive: true });
    await say("one");
    await say("two");
    expect(await client.history.rewind(undefined)).toMatchObject({ ok: true });
    expect(client.tasks.list()).toMatch(/early .* idle .* 2 turns/);
    await say("three");
    expect(userTexts(of("EARLY")[2])).toEqual(["EARLY", "second question", "third question"]);
    expect(toolResults(of("main").at(-1)).at(-1)?.text).toContain("third answer");
    // What was read of it left with the rewind, so it is told again, once.
    expect(of("main").at(-1)?.rawBody.split("second answer")).toHaveLength(2);
    await close();
  });
});

describe("O59 what was waited for", () => {
  it("O59 OI15 O78 a sync agent that a kill interrupted goes on by write_agent, and its answer is announced", async () => {
    const { place, of } = await cast(
      (_request, step) =>
        [
          tasks(task("SYNC", { name: "waited" })),
          call("write_agent", { agent_id: "waited", message: "go on" }),
          text("written"),
        ][step] ?? text("heard"),
      { SYNC: [hang(), text("the late answer", { delayMs: 300 })] },
    );
    const running = start(place, ["-p", "go"]);
    await expect.poll(() => of("SYNC").length).toBe(1);
    running.kill("SIGKILL");
    await running.done;
    const id = onlySession(place);
    const done = await run(place, ["--resume", id, "-p", "what now?"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout.trim()).toBe("heard");
    expect(toolResults(of("main")[1])).toHaveLength(1);
    expect(userTexts(of("main")[1]).join("\n")).toContain("waited");
    expect(userTexts(of("SYNC")[1])).toEqual(["SYNC", "go on"]);
    expect(userTexts(of("main").at(-1)).at(-1)).toContain("the late answer");
  });

  it("O47 O100 an interrupted agent is stopped by /tasks stop without any model being called", async () => {
    const { place, of, server } = await cast([tasks(task("BACK", { name: "waited", mode: "background" })), hang()], {
      BACK: () => hang(),
    });
    const running = start(place, ["-p", "go"]);
    await expect.poll(() => of("BACK").length + of("main").length).toBe(3);
    running.kill("SIGKILL");
    await running.done;
    const before = server.requests.length;
    const id = onlySession(place);
    const stopped = await run(place, ["--resume", id, "-p", "/tasks stop waited"]);
    expect(stopped.code, stopped.stderr).toBe(0);
    expect((await run(place, ["--resume", id, "-p", "/tasks"])).stdout).toMatch(/waited .*cancelled/);
    expect(server.requests).toHaveLength(before);
  });

  it("O59 going back while a turn runs is refused, and stops nobody", async () => {
    const { place, of } = await cast([tasks(task("SYNC", { name: "waited" })), text("main end")], {
      SYNC: () => hang(),
    });
    const terminal = await at(place);
    terminal.type("go");
    await expect.poll(() => of("SYNC").length).toBe(1);
    terminal.type("/undo");
    await terminal.see("A turn is running.");
    terminal.type("/tasks");
    await terminal.see(/waited .*running/);
    await leave(terminal);
  });
});

describe("O71 the main conversation", () => {
  it("O71 holds nothing of its agents but what they returned, live and after a resume; /usage counts them", async () => {
    const usage = (input: number) => ({ usage: { input, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 } });
    const { place, of } = await cast(
      [tasks(task("CHILD", { name: "child" })), text("main end", usage(10)), text("resumed", usage(10))],
      {
        CHILD: [
          calls([bash("echo inner-out-$((20+3))")], { text: "inner thought", ...usage(1000) }),
          text("the result", usage(2000)),
        ],
      },
    );
    const done = await run(place, ["-p", "go", "--allow-all", "--output-format", "json"]);
    expect(done.code, done.stderr).toBe(0);
    const id = onlySession(place);
    await run(place, ["--resume", id, "-p", "again"]);
    expect(of("CHILD")[1]?.rawBody).toContain("inner-out-23");
    for (const request of of("main")) expect(request.rawBody).not.toMatch(/inner/);
    expect(messagesOf(of("main")[2]).map((m) => m.role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    const first = eventsOf(place, id, "assistant.usage")[0];
    const total = Number(first?.["inputTokens"]) + 10 + 10 + 3000;
    expect((await run(place, ["--resume", id, "-p", "/usage"])).stdout).toContain(`${total} in`);
    expect(done.json["usage"]).toMatchObject({ inputTokens: total - 10 });
  });
});
