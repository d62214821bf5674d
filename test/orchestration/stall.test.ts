// Silence: what works is never taken for it, what is really silent is cancelled alone, and a stall is told once.
import { describe, expect, it } from "vitest";
import { bash, onlySession, toolResults } from "../agent/scene.ts";
import { name, server } from "../mcp/stage.ts";
import { type Call, calls, hang, stall, text } from "../model-server/reply.ts";
import { type Place, run } from "../tool/everlong.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";

const TWO_SECONDS = { env: { EVERLONG_AGENT_STALL_SECONDS: "2" } };
const slow = (steps: number, stepMs: number): Call => ({ name: "far-slow", args: { steps, stepMs } });

/** Reasons of stalls but for the model's: on a busy machine its answer may take that long. */
const reasons = (place: Place) =>
  eventsOf(place, onlySession(place), "subagent.stalled")
    .map((e) => String(e["reason"]))
    .filter((reason) => reason !== "model_silent");

const notified = (place: Place, kind: string) =>
  eventsOf(place, onlySession(place), "system.notification").filter((e) => e["kind"] === kind);

describe("O57 what works is not silent", () => {
  it.each([
    ["a command that sleeps within its wait", [bash("sleep 6; echo fine", { initial_wait: 60 })], "fine"],
    [
      "a command that prints",
      [bash("for i in 1 2 3 4 5 6; do echo $i; sleep 1; done; echo fine", { initial_wait: 60 })],
      "fine",
    ],
  ])("O57 %s", async (_, made, words) => {
    const { place, of } = await cast(
      [tasks(task("WORKER")), text("noted")],
      { WORKER: [calls(made), text("done")] },
      TWO_SECONDS,
    );
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    expect(reasons(place)).toEqual([]);
    expect(toolResults(of("WORKER").at(-1)).at(-1)?.text).toContain(words);
  });

  it("O57 a read_bash that waits for its command", async () => {
    const { place, of } = await cast(
      [tasks(task("WORKER")), text("noted")],
      {
        WORKER: [
          calls([bash("sleep 30", { mode: "async", shell_id: "s1" })]),
          calls([{ name: "read_bash", args: { shell_id: "s1", delay: 6 } }]),
          text("done"),
        ],
      },
      TWO_SECONDS,
    );
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    expect(reasons(place)).toEqual([]);
    expect(toolResults(of("WORKER").at(-1)).at(-1)?.text).not.toContain("stalled");
  });

  it("O56 O126 O136 the progress of a server's tool is progress of the agent that called it", async () => {
    const { place, of } = await cast(
      [tasks(task("WORKER", { mode: "background" })), text("started"), text("heard")],
      { WORKER: [calls([slow(8, 500)]), text("done")] },
      { env: { EVERLONG_AGENT_STALL_SECONDS: "3", EVERLONG_TASK_WAIT_SECONDS: "3" } },
    );
    name(place, { far: server("plain") });
    const done = await run(place, ["-p", "go", "--allow-all", "--trust-folder", "--output-format", "stream-json"]);
    expect(done.code, done.stderr).toBe(0);
    expect(reasons(place)).toEqual([]);
    expect(toolResults(of("WORKER").at(-1)).at(-1)?.text).toContain("slow and done");
    const progress = done.events.filter((e) => e.type === "tool.execution_progress");
    expect(progress.length).toBeGreaterThan(0);
    expect(new Set(progress.map((e) => e.agentId))).toEqual(new Set(["worker"]));
  });

  it("O126 prompt.waitSeconds does not cut an agent that waits for its command", async () => {
    const { place } = await cast(
      [tasks(task("WORKER", { mode: "background" })), text("started"), text("heard")],
      { WORKER: [calls([bash("sleep 4; echo fine", { initial_wait: 60 })]), text("done")] },
      { env: { EVERLONG_TASK_WAIT_SECONDS: "2" } },
    );
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout.trim()).toBe("heard");
  });
});

describe("O57 what is silent", () => {
  it("O56 O57 a silent call of a server: stalled with the server's name, cancelled alone with an error result", async () => {
    const { place, of } = await cast(
      [tasks(task("WORKER")), text("noted")],
      { WORKER: [calls([slow(1, 100_000), bash("sleep 8; echo fine", { initial_wait: 60 })]), text("done")] },
      { env: { ...TWO_SECONDS.env, EVERLONG_MCP_CALL_TIMEOUT_SECONDS: "100" } },
    );
    name(place, { far: server("plain") });
    const done = await run(place, ["-p", "go", "--allow-all", "--trust-folder"]);
    expect(done.code, done.stderr).toBe(0);
    expect(reasons(place)).toEqual(["mcp:far"]);
    const [silent, command] = toolResults(of("WORKER").at(-1)).map((r) => r.text);
    expect(silent).toMatch(/^Error \(stalled\): Stopped, because/);
    expect(command).toContain("fine");
    expect(toolResults(of("main").at(-1)).at(-1)?.text).toBe("done");
  });
});

describe("O57 a model that falls silent again", () => {
  it("O57 OB7 after the one retry of its call, its third silent period fails the record as stalled", async () => {
    const { place, of } = await cast(
      [tasks(task("SILENT")), text("noted")],
      { SILENT: (_, step) => (step === 0 ? hang() : stall("some words, and then")) },
      { env: { EVERLONG_AGENT_STALL_SECONDS: "0.7" } },
    );
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(of("SILENT")).toHaveLength(2);
    const id = onlySession(place);
    expect(eventsOf(place, id, "subagent.failed")).toMatchObject([{ error: { code: "stalled" } }]);
    expect(toolResults(of("main").at(-1)).at(-1)?.text).toContain("model_silent");
    // Nobody has stopped it by hand.
    expect(eventsOf(place, id, "abort").filter((e) => e["reason"] === "user")).toEqual([]);
  });
});

describe("O56 telling of a stall", () => {
  it("O56 O76 O78 the main agent is woken once for it, and the failure that follows says its code once", async () => {
    const { place } = await cast(
      [tasks(task("SILENT", { name: "mute", mode: "background" })), text("started"), text("I see"), text("heard")],
      { SILENT: () => hang() },
      TWO_SECONDS,
    );
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(notified(place, "agent_stalled")).toMatchObject([{ agentId: "mute", status: "running" }]);
    const [failed] = notified(place, "agent_completed");
    expect(String(failed?.["content"])).toMatch(/failed \(stalled\)\.\nNothing came from it/);
  });

  it("O56 one that moves again has nothing to tell", async () => {
    const { place } = await cast(
      [tasks(task("SLOW")), text("end")],
      { SLOW: [text("late answer", { delayMs: 3000 })] },
      TWO_SECONDS,
    );
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(eventsOf(place, onlySession(place), "subagent.stalled")).toHaveLength(1);
    expect(notified(place, "agent_stalled")).toEqual([]);
  });
});
