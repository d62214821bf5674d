// The task bridge on real servers: started, followed, cancelled, steered, and every way in which it can go wrong.
import { describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import type { Connection } from "../../src/mcp/connection.ts";
import type { HostParts } from "../../src/mcp/host.ts";
import type { Server } from "../../src/mcp/server.ts";
import type { McpTaskEnd, McpTaskState } from "../../src/mcp/task/state.ts";
import { followedTask, type McpTask } from "../../src/mcp/task/task.ts";
import { success } from "../../src/tool/contract.ts";
import { type Bench, bench, eventually, named, words } from "./fixture.ts";
import { startHttp } from "./http.ts";
import { program } from "./program.ts";
import type { TaskOptions, Work } from "./task.ts";
import { taskServer } from "./task.ts";

type TaskBench = Bench & { start: (work: Work) => Promise<McpTask> };

/** The agent's side, in short: a task is kept, and the tool answers with its id. */
function taskBench(
  servers: (journal: string) => Record<string, Record<string, unknown>>,
  more: Partial<HostParts> = {},
): TaskBench {
  const tasks: McpTask[] = [];
  const b = bench(servers, {
    runTask: async (task) => {
      tasks.push(task);
      return success(`agent_id ${task.taskId}`);
    },
    ...more,
  });
  return {
    ...b,
    async start(work) {
      const { tools } = await b.begin();
      const outcome = await b.call(named(tools, "work"), work);
      const task = tasks.at(-1);
      if (!task) throw new Error(words(outcome));
      expect(words(outcome)).toBe(`agent_id ${task.taskId}`);
      return task;
    },
  };
}

const overStdio =
  (options: TaskOptions = {}) =>
  (journal: string) => ({
    task: program("task", JSON.stringify({ journal, ...options })),
  });

const readAll = async (task: McpTask): Promise<McpTaskState[]> => {
  const states: McpTaskState[] = [];
  for await (const state of task.updates()) states.push(state);
  return states;
};
const failureOf = (end: McpTaskEnd) => (end.type === "failed" ? `${end.code} | ${end.message}` : end.type);

/** A task of a server that is reached so. */
function taskOf(use: Server["use"], clock: Clock = systemClock): McpTask {
  const server: Server = {
    plan: { name: "far", origin: "user", where: "", type: "failed", reason: "" },
    timeoutMs: 100,
    life: () => ({ status: "failed", reason: "gone" }),
    tools: () => [],
    lastLines: () => [],
    start: () => undefined,
    settled: async () => undefined,
    use,
    stop: async () => undefined,
  };
  const parts = { tool: "work", args: {}, clock, outcome: async () => success(""), unreachableMs: 900 };
  return followedTask({ taskId: "t", status: "working", pollInterval: 250 }, { server, ...parts });
}

describe("which tools are tasks", () => {
  it("O141 required goes over the bridge, optional is a plain call", async () => {
    const b = taskBench(overStdio());
    const task = await b.start({});
    await task.ended;
    expect(words(await b.call(named(b.host.turn().tools, "maybe")))).toBe("plain");
    expect(b.journal().filter((line) => line.startsWith("call"))).toEqual(["call work as task", "call maybe plain"]);
  });

  it("O141 with features.mcpTasks off, or at a server without the capability, a required tool is not offered", async () => {
    const off = bench(overStdio());
    expect((await off.begin()).tools.map((t) => t.mcp.tool)).toEqual(["maybe"]);
    const unable = taskBench(overStdio({ noCapability: true }));
    expect((await unable.begin()).tools.map((t) => t.mcp.tool)).toEqual(["maybe"]);
  });
});

describe("a task's way", () => {
  it("O142 O143 it runs in the background, tells its progress and ends with its result", async () => {
    const b = taskBench(overStdio());
    const task = await b.start({ steps: 4, stepMs: 200, poll: 250 });
    expect(b.host.tasks()).toHaveLength(1);
    const states = await readAll(task);
    const steps = states.flatMap(({ progress }) => progress.progress ?? []);
    expect(steps).toEqual([...steps].sort());
    expect(steps.at(-1)).toBe(4);
    const last = states.at(-1);
    expect(last).toMatchObject({
      phase: "ended",
      end: { type: "completed", outcome: { type: "success", text: "done task-1" } },
      progress: { server: "task", tool: "work", taskId: "task-1", status: "completed", total: 4, streamWarnings: [] },
    });
    expect(states.slice(0, -1).every(({ phase }) => phase === "running")).toBe(true);
    await eventually(() => b.host.tasks().length === 0);
  });

  it("O144 the server's word that a task has ended shortens the pause, however long its poll interval is", async () => {
    const b = taskBench(overStdio());
    const task = await b.start({ steps: 1, stepMs: 600, poll: 86_400_000 });
    expect((await task.ended).type).toBe("completed");
  });

  it("OB17 ten thousand progress notifications: the newest is kept, and a reader who comes late gets only that", async () => {
    const b = taskBench(overStdio());
    const task = await b.start({ flood: 10_000, steps: 3, stepMs: 10 });
    expect((await task.ended).type).toBe("completed");
    expect(task.state().progress.progress).toBe(3);
    expect(await readAll(task)).toEqual([task.state()]);
  });

  it("O142 no task within the time-out: an error, and no record", async () => {
    const b = taskBench((journal) => ({
      task: { ...program("task", JSON.stringify({ journal })), timeout: 500 },
    }));
    await expect(b.start({ never: true })).rejects.toThrow(
      /timeout: MCP server "task", tool "work": no answer within 500 ms/,
    );
    expect(b.host.tasks()).toEqual([]);
  });

  it.each([
    ["fail-in-result", "failed | the disk is full"],
    ["fail-with-status", "failed | the status says why"],
    ["fail-bare", "failed | The server gave no reason."],
  ] as const)("O145 %s ends with a reason: %s", async (end, expected) => {
    const b = taskBench(overStdio());
    expect(failureOf(await (await b.start({ end })).ended)).toBe(expected);
  });

  it("O145 O138 a task that needs an answer gets to ask for it", async () => {
    const b = taskBench(overStdio(), { answers: { elicit: async () => ({ which: "the left" }) } });
    const task = await b.start({ end: "ask", poll: 250 });
    const states = await readAll(task);
    expect(states.some(({ progress }) => progress.status === "input_required")).toBe(true);
    expect(states.at(-1)).toMatchObject({
      end: { type: "completed", outcome: { text: expect.stringContaining("the left") } },
    });
  });

  it("a task that the server cancels has been cancelled by the server", async () => {
    const b = taskBench(overStdio());
    expect(await (await b.start({ end: "cancel" })).ended).toEqual({
      type: "cancelled",
      by: "server",
      message: "the operator said stop",
    });
  });
});

describe("cancelling and steering", () => {
  it("O146 OE5 cancel reaches the server and ends the task", async () => {
    const b = taskBench(overStdio());
    const task = await b.start({ steps: 1000, stepMs: 100 });
    await Promise.all([task.cancel("no longer needed"), task.cancel()]);
    expect(await task.ended).toEqual({ type: "cancelled", by: "client", message: "no longer needed" });
    expect(b.journal().filter((line) => line === "tasks/cancel")).toHaveLength(1);
    expect(task.state().progress).toMatchObject({ status: "cancelled", streamWarnings: [] });
  });

  it("O146 OB19 a server that refuses: cancelled all the same, with a warning", async () => {
    const b = taskBench(overStdio({ refuseCancel: true }));
    const task = await b.start({ steps: 1000, stepMs: 100 });
    await task.cancel();
    expect(task.state()).toMatchObject({
      phase: "ended",
      end: { type: "cancelled" },
      progress: { streamWarnings: ["tasks/cancel: I do not stop"] },
    });
  });

  it("O146 P18 two seconds are for finding the server and for its answer together", async () => {
    const left: number[] = [];
    let now = 0;
    const use: Server["use"] = async (options, work) => {
      if (options.patient) now += 1500; // the time it takes to find the server
      const cancelTask: Connection["cancelTask"] = async (_id, { timeoutMs }) => {
        left.push(timeoutMs);
        return { ok: false, error: { code: "timeout", message: "no answer" } };
      };
      return work({ cancelTask, getTask: cancelTask } as Connection);
    };
    const task = taskOf(use, { ...systemClock, monotonic: () => now });
    await task.cancel();
    expect(left.at(-1)).toBe(500);
    expect(task.state().phase).toBe("ended");
  });

  it("O146 OE5 the end of the session cancels what still runs, before the servers end", async () => {
    const b = taskBench(overStdio());
    const task = await b.start({ steps: 1000, stepMs: 100 });
    await b.host.end();
    expect(b.journal()).toContain("tasks/cancel");
    expect((await task.ended).type).toBe("cancelled");
  });

  it("O147 a message reaches a server that takes them, and is refused clearly by one that does not", async () => {
    const { signal } = new AbortController();
    const steering = taskBench(overStdio({ steering: true }));
    const one = await steering.start({ steps: 1000, stepMs: 100 });
    expect(await one.steer("go left", signal)).toEqual({ ok: true, value: undefined });
    expect(steering.journal()).toContain("steered go left");
    await one.cancel();
    expect(await one.steer("too late", signal)).toMatchObject({ ok: false, error: { code: "mcp_task_ended" } });
    const deaf = taskBench(overStdio());
    const two = await deaf.start({ steps: 1000, stepMs: 100 });
    const refused = await two.steer("go left", signal);
    expect(refused).toMatchObject({ ok: false, error: { code: "mcp_task_not_steerable" } });
    expect(!refused.ok && refused.error.message).toMatch(/^mcp_task_not_steerable: .*start a new task/);
  });
});

describe("a stream that dies", () => {
  it("O144 OB19 OE14 over HTTP: three broken answers are warnings, the task is asked about until its end", async () => {
    let cuts = 0;
    const server = await startHttp(taskServer, ({ method }) =>
      method === "tasks/get" && cuts++ < 3 ? "cut" : undefined,
    );
    try {
      const b = taskBench(() => ({ far: { url: server.url } }));
      const task = await b.start({ steps: 5, stepMs: 100, poll: 250 });
      expect(await task.ended).toMatchObject({ type: "completed", outcome: { text: "done task-1" } });
      const { streamWarnings } = task.state().progress;
      expect(streamWarnings).toHaveLength(3);
      expect(streamWarnings[0]).toMatch(/^tasks\/get: the stream (broke|ended)/);
      expect(cuts).toBeGreaterThan(3);
      await b.host.end();
    } finally {
      await server.close();
    }
  });

  it("O144 over HTTP: a result that is cut off is fetched again", async () => {
    let cuts = 0;
    const server = await startHttp(taskServer, ({ method }) =>
      method === "tasks/result" && cuts++ < 1 ? "cut" : undefined,
    );
    try {
      const b = taskBench(() => ({ far: { url: server.url } }));
      const task = await b.start({ steps: 1, poll: 250 });
      expect(await task.ended).toMatchObject({ type: "completed" });
      expect(task.state().progress.streamWarnings).toEqual([expect.stringMatching(/^tasks\/result: the stream/)]);
      await b.host.end();
    } finally {
      await server.close();
    }
  });

  it("O144 OB19 a process that dies takes its tasks with it: looked for after the restart, then task_lost", async () => {
    const b = taskBench(overStdio());
    const task = await b.start({ steps: 5, stepMs: 100, exitAt: 3, poll: 250 });
    expect(failureOf(await task.ended)).toMatch(/^task_lost \| MCP server "task" no longer knows/);
    expect(b.statuses).toEqual(["task starting", "task connected", "task starting", "task connected"]);
  });

  it("O144 OB19 a server that forgets the task: task_lost", async () => {
    const b = taskBench(overStdio());
    expect(failureOf(await (await b.start({ end: "forget" })).ended)).toMatch(/^task_lost \| /);
  });

  it("O144 no answer for the limit: server_unreachable, with the server's name and the last reason", async () => {
    const task = taskOf(async () => ({ ok: false, error: { code: "unavailable", message: "it is gone" } }));
    expect(failureOf(await task.ended)).toMatch(
      /^server_unreachable \| MCP server "far" gave no answer for 1 s: it is gone/,
    );
    expect(task.state().progress.streamWarnings.length).toBeGreaterThan(1);
  });
});

describe("a server that lies about its tasks", () => {
  it("O144 a poll interval of zero and nudges without end are asked no faster than every 250 ms", async () => {
    const b = taskBench(() => ({ liar: program("liar", "task") }));
    const before = performance.now();
    const task = await b.start({});
    expect(await task.ended).toMatchObject({ type: "completed", outcome: { text: "asked 4 times" } });
    expect(performance.now() - before).toBeGreaterThan(4 * 250);
    expect(Date.parse(task.state().progress.createdAt)).toBeGreaterThan(Date.parse("2020-01-01"));
  });

  it("O144 answers about another task are no answers", async () => {
    const b = taskBench(() => ({ liar: program("liar", "other-task") }));
    const task = await b.start({});
    await eventually(() => task.state().progress.streamWarnings.length >= 2);
    expect(task.state().progress.streamWarnings[0]).toMatch(/another task/);
    expect(task.state().phase).toBe("running");
    await task.cancel();
    expect(task.state().phase).toBe("ended");
  });
});
