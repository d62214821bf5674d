// The record of a task on an MCP server: its start, its progress in the log, every way to end.
import { expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { ok } from "../../base/result.ts";
import { type McpTaskEnd, type McpTaskEvent, type McpTaskState, nextTaskState } from "../../mcp/task/state.ts";
import type { McpTask } from "../../mcp/task/task.ts";
import { success, type ToolContext, type ToolOutcome } from "../../tool/contract.ts";
import { scene, settle, spec } from "../task/registry-fixture.ts";
import { mcpTaskRunner } from "./mcp-task.ts";

/** A task whose states the test tells; cancelling it ends it, as the real one does. */
function toldTask() {
  const at = "2026-01-01T00:00:00.000Z";
  let state: McpTaskState = {
    phase: "running",
    progress: {
      server: "far",
      tool: "deploy it",
      taskId: "t1",
      status: "working",
      streamWarnings: [],
      createdAt: at,
      lastUpdatedAt: at,
    },
  };
  let changed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<McpTaskEnd>();
  const cancels: (string | undefined)[] = [];
  let ticks = 0;
  const tell = (event: McpTaskEvent): void => {
    state = nextTaskState(state, event, `2026-01-01T00:00:0${++ticks % 10}.000Z`);
    changed.resolve();
    changed = Promise.withResolvers();
    if (state.phase === "ended") ended.resolve(state.end);
  };
  const task: McpTask = {
    server: "far",
    tool: "deploy it",
    args: { to: "prod" },
    taskId: "t1",
    state: () => state,
    async *updates() {
      for (let told: McpTaskState | undefined; told?.phase !== "ended"; ) {
        const waiting = changed.promise;
        if (told === state) await waiting;
        told = state;
        yield told;
      }
    },
    ended: ended.promise,
    async cancel(reason) {
      cancels.push(reason);
      tell({ type: "ended", end: { type: "cancelled", by: "client" } });
    },
    steer: async () => ok(undefined),
  };
  return { task, tell, cancels };
}

function stage(more: Parameters<typeof scene>[0] = {}) {
  const s = scene(more);
  let pause = Promise.withResolvers<boolean>();
  // A second passes when the test says so, or when the task has ended.
  const sleep = (_ms: number, signal?: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve(false);
      signal?.addEventListener("abort", () => resolve(false), { once: true });
      void pause.promise.then(resolve);
    });
  const runTask = mcpTaskRunner({ registry: s.registry, clock: { ...systemClock, sleep } });
  const second = async (): Promise<void> => {
    await settle();
    pause.resolve(true);
    pause = Promise.withResolvers();
    await settle();
  };
  const context = (over: Partial<ToolContext> = {}) =>
    ({ toolCallId: "c1", signal: new AbortController().signal, ...over }) as ToolContext;
  return { ...s, runTask, second, context };
}

const done: McpTaskEvent = {
  type: "ended",
  end: { type: "completed", outcome: success("deployed") as Extract<ToolOutcome, { type: "success" }> },
};

it("O142 O143 the main agent goes on at once; the record is named by the tool, its prompt the arguments, its end the result", async () => {
  const s = stage();
  const { task, tell } = toldTask();
  const outcome = await s.runTask(task, s.context());
  expect(outcome).toMatchObject({ type: "success", text: expect.stringContaining("agent_id: deploy-it") });
  expect(s.registry.get("deploy-it")).toMatchObject({
    agentType: "mcp-task",
    prompt: '{"to":"prod"}',
    executionMode: "background",
    depth: 1,
    status: "running",
    progress: { mcpTask: { taskId: "t1", status: "working" } },
  });
  await s.second();
  tell(done);
  await s.second();
  expect(s.registry.get("deploy-it")).toMatchObject({
    status: "completed",
    result: "deployed",
    progress: { mcpTask: { status: "completed" } },
  });
  expect(s.events.flatMap((e) => (e.type === "subagent_session_boundary" ? [e.data.phase] : []))).toEqual([
    "start",
    "end",
  ]);
  expect(s.registry.leftovers()).toMatchObject({ live: 0, waiters: 0, slots: 0 });
});

it("O143 progress without end is at most one event a second, and to be heard of is no event", async () => {
  const s = stage();
  const { task, tell } = toldTask();
  await s.runTask(task, s.context());
  await settle();
  const count = (): number => s.events.filter((e) => e.type === "subagent.mcp_task").length;
  const before = count();
  for (let n = 0; n < 500; n++) tell({ type: "progressed", progress: { progress: n } });
  await settle();
  expect(count()).toBe(before);
  await s.second();
  expect(count()).toBe(before + 1);
  tell({ type: "reported", report: { taskId: "t1", status: "working" } });
  await s.second();
  expect(count()).toBe(before + 1);
});

it("O142 O36 a subagent waits for the result; stopped meanwhile, its task is cancelled", async () => {
  const s = stage();
  const parent = await s.start("parent", () => new Promise(() => undefined));
  const first = toldTask();
  const waited = s.runTask(first.task, s.context({ agentId: parent }));
  await settle();
  expect(s.registry.get("deploy-it")).toMatchObject({
    parentId: parent,
    depth: 2,
    executionMode: "sync",
    requestedMode: "background",
  });
  first.tell(done);
  await s.second();
  expect(await waited).toMatchObject({ type: "success", text: "deployed" });
  const second = toldTask();
  const stop = new AbortController();
  const cut = s.runTask(second.task, s.context({ agentId: parent, signal: stop.signal }));
  await settle();
  stop.abort();
  expect(await cut).toMatchObject({ type: "failure", code: "interrupted" });
  expect(second.cancels).toHaveLength(1);
  expect(s.registry.get("deploy-it-2")?.status).toBe("cancelled");
});

it("O146 a cancelled record cancels the task on its server; what the server says then does not count", async () => {
  const s = stage();
  const { task, cancels } = toldTask();
  await s.runTask(task, s.context());
  await settle();
  await s.registry.cancelRecursive("deploy-it", "main", "no longer needed");
  expect(cancels).toHaveLength(1);
  expect(s.registry.get("deploy-it")).toMatchObject({
    status: "cancelled",
    reason: "no longer needed",
    boundary: "end",
  });
});

it("O144 O145 a task that is lost, failed or cancelled by its server: failed, with the reason", async () => {
  for (const [end, error] of [
    [
      { type: "failed", code: "task_lost", message: "unknown" },
      { code: "task_lost", message: "unknown" },
    ],
    [
      { type: "cancelled", by: "server", message: "maintenance" },
      { code: "cancelled", message: 'MCP server "far" cancelled it: maintenance' },
    ],
  ] as const) {
    const s = stage();
    const { task, tell } = toldTask();
    await s.runTask(task, s.context());
    tell({ type: "ended", end });
    await s.second();
    expect(s.registry.get("deploy-it")).toMatchObject({ status: "failed", error });
  }
});

it("O50 MCP tasks hold no slot; the 65th is refused and cancelled on its server", async () => {
  const s = stage({ maxConcurrent: 1 });
  const tasks = Array.from({ length: 65 }, () => toldTask());
  const outcomes: ToolOutcome[] = [];
  for (const { task } of tasks) outcomes.push(await s.runTask(task, s.context()));
  expect(outcomes.filter((o) => o.type === "success")).toHaveLength(64);
  expect(outcomes.at(-1)?.type).toBe("failure");
  expect(tasks.at(-1)?.cancels).toHaveLength(1);
  expect(s.registry.runningCount()).toBe(0);
  expect(s.registry.refusal(spec("x"))).toBeUndefined();
});
