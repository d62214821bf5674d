// A worker on a real registry and a real session.db: claim, follow-up, completion; and the `task` call that names a todo.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { Mutex } from "../../base/mutex.ts";
import { ok } from "../../base/result.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { Todo, TodoDep } from "../../schema/todo.ts";
import { applyEvent } from "../../session/replay.ts";
import type { Session } from "../../session/session.ts";
import { emptyState } from "../../session/state.ts";
import { writeTodos } from "../../tool/sql/todo-tables.ts";
import { event } from "../event-fixture.ts";
import type { Executor } from "../task/contract.ts";
import { puppet, scene, spec, talker, turnOf } from "../task/registry-fixture.ts";
import { jobFor } from "./dispatch.ts";
import { type Start, startWorker, takeTodo } from "./start-worker.ts";
import { createTodoBook } from "./todo-book.ts";

/** Todos "a" and "b" after "a". */
function stage() {
  const dir = mkdtempSync(join(tmpdir(), "everlong-book-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, "session.db");
  const todos: Todo[] = ["a", "b"].map((id) => ({ id, title: id, status: "pending" }));
  const deps: TodoDep[] = [{ todo_id: "b", depends_on: "a" }];
  writeTodos(file, todos, deps);
  const state = emptyState();
  const events: DurableEnvelope[] = [];
  const fold = (e: DurableEnvelope) => {
    events.push(e);
    applyEvent(state, e);
    return e;
  };
  fold(event("session.todos_changed", { todos, removedTodos: [], deps, removedDeps: [] }));
  const emit = (async (type: "session.todo_run", data: object) => fold(event(type, data))) as Session["emit"];
  const book = createTodoBook({
    session: { state, emit },
    file,
    oneAtATime: new Mutex(),
    now: () => new Date("2026-01-01T00:00:00Z"),
  });
  const rows = (sql: string) => {
    const db = new DatabaseSync(file, { readOnly: true });
    try {
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  };
  /** As the worker's sql tool does it. */
  const report = async (id: string, status: Todo["status"]) => {
    const db = new DatabaseSync(file);
    db.prepare("UPDATE todos SET status = ? WHERE id = ?").run(status, id);
    db.close();
    const changed = { id, title: id, status };
    await emit("session.todos_changed", { todos: [changed], removedTodos: [], deps: [], removedDeps: [] });
  };
  const job = (id: string) => {
    const todo = book.todos().todos.find((t) => t.id === id);
    if (!todo) throw new Error(id);
    return jobFor(todo, book);
  };
  const registry = scene();
  const starter =
    (executor: Executor): Start =>
    (more, wrap) =>
      registry.registry.startAgent(spec("worker", more), wrap(executor));
  const parts = { registry: registry.registry, newId: () => "follow-up" };
  return { book, rows, report, job, registry, starter, parts, state, events };
}

describe("a worker", () => {
  it("O112 claims its todo, tables and log in step, before its executor begins", async () => {
    const { job, parts, starter, rows, state, registry } = stage();
    const { run, started } = puppet();
    const worker = await startWorker(parts, job("a"), starter(run));
    expect(worker).toMatchObject({ ok: true, value: { id: "worker" } });
    await started;
    expect(rows("SELECT id, status FROM todos ORDER BY id")).toMatchObject([
      { id: "a", status: "in_progress" },
      { id: "b", status: "pending" },
    ]);
    expect(state.todos.get("a")?.status).toBe("in_progress");
    expect(rows("SELECT todo_id, attempt, agent_id, outcome FROM todo_runs")).toMatchObject(
      state.todoRuns.map((r) => ({ ...r, started_at: undefined, outcome: null })).map(({ started_at: _, ...r }) => r),
    );
    expect(state.todoRuns).toHaveLength(1);
    expect(registry.registry.get("worker")).toMatchObject({ todoId: "a", quiet: true, multiTurn: false });
  });

  it("O112 the executor of a worker that was late never begins", async () => {
    const { job, parts, starter, book } = stage();
    let began = 0;
    const count = starter(async () => {
      began++;
      return { type: "completed", result: "" };
    });
    expect(await startWorker(parts, job("b"), count)).toMatchObject({ error: { code: "todo_not_ready" } });
    const late = job("a");
    expect(await book.claim("a", "another")).toMatchObject({ attempt: 1 });
    expect(await startWorker(parts, late, count)).toMatchObject({ error: { code: "todo_not_ready" } });
    expect(began).toBe(0);
  });

  it("O114 one that has not settled its todo gets one more message, then completes", async () => {
    const { job, parts, starter, registry } = stage();
    const worker = await startWorker(parts, job("a"), starter(talker));
    if (!worker.ok) throw new Error("not started");
    const end = await worker.value.done;
    expect(end).toMatchObject({ type: "completed", result: expect.stringContaining("answer to You have stopped") });
    const record = registry.registry.get("worker");
    expect(record).toMatchObject({ status: "completed" });
    expect(record?.turnHistory).toHaveLength(2);
  });

  it("O114 one whose todo is settled completes at once and is never idle", async () => {
    const { job, parts, starter, report, registry } = stage();
    const executor: Executor = async (handle) => {
      await report("a", "done");
      await handle.setLatestResponse(turnOf("did it"));
      const next = await handle.waitForMessage();
      return { type: "completed", result: next ? "asked again" : "did it" };
    };
    const worker = await startWorker(parts, job("a"), starter(executor));
    expect(worker.ok && (await worker.value.done)).toEqual({ type: "completed", result: "did it" });
    expect(registry.events.map((e) => e.type)).not.toContain("subagent.idle");
  });

  it("O114 failed and cancelled ends are told as such", async () => {
    const { job, parts, starter, registry, report } = stage();
    const failing = await startWorker(
      parts,
      job("a"),
      starter(async () => Promise.reject(new Error("boom"))),
    );
    expect(failing.ok && (await failing.value.done)).toMatchObject({ type: "failed", message: "boom" });
    await report("a", "pending");
    const hanging: Executor = ({ signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve({ type: "completed", result: "" })));
    const worker = await startWorker(parts, job("a"), starter(hanging));
    if (!worker.ok) throw new Error("not started");
    await registry.registry.cancelRecursive(worker.value.id, "user", "enough");
    expect(await worker.value.done).toEqual({ type: "cancelled", reason: "enough" });
  });

  it("O113 a task call with todo_id makes its agent the worker, and its end settles the todo", async () => {
    const { parts, starter, book, state, events, registry } = stage();
    const broken: unknown[] = [];
    const all = { ...parts, book, onBroken: (error: unknown) => broken.push(error) };
    const start = starter(talker);
    expect(await takeTodo(all, { todoId: "b", prompt: "p" }, start)).toMatchObject({
      error: { code: "todo_not_ready" },
    });
    expect(await takeTodo(all, { todoId: "nobody", prompt: "p" }, start)).toMatchObject({ ok: false });
    expect(events).toHaveLength(1);
    const taken = await takeTodo(all, { todoId: "a", prompt: "do it so" }, start);
    expect(taken).toMatchObject(ok({ id: "worker", todoId: "a", quiet: false }));
    expect(taken.ok && taken.value.prompt).toMatch(/^do it so\n\nYou work on todo a/);
    await registry.registry.waitForAgents(new AbortController().signal, {});
    await expect.poll(() => state.todos.get("a")?.status).toBe("blocked");
    expect(state.todoRuns).toMatchObject([
      { outcome: "blocked", note: expect.stringMatching(/^no_report: answer to/) },
    ]);
    expect(broken).toEqual([]);
  });
});
