// A fleet's tables: whose row a worker may change, who writes todo_runs, and the claim of a todo.
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Mutex } from "../../base/mutex.ts";
import { sqlTool } from "../builtin/sql.ts";
import { call, testContext, testOwner, textOf } from "../builtin/test-context.ts";
import type { TodosDiff } from "./child.ts";
import { stepTodo, type TodoRun, writeTodos } from "./todo-tables.ts";

const owner = testOwner();
afterAll(() => owner.end(500));

const run = (more: Partial<TodoRun> = {}): TodoRun => ({
  todo_id: "a",
  attempt: 1,
  agent_id: "agent-a",
  started_at: "2026-01-01T00:00:00.000Z",
  ...more,
});

function session() {
  const context = testContext();
  const file = join(context.sessionDir, "session.db");
  const diffs: TodosDiff[] = [];
  const oneAtATime = new Mutex();
  const toolFor = (worker?: string) =>
    sqlTool({
      owner,
      redact: (text) => text,
      onTodosChanged: async (diff) => void diffs.push(diff),
      restore: async () => undefined,
      worker: () => worker,
      oneAtATime,
    });
  const main = toolFor();
  const own = toolFor("a");
  writeTodos(
    file,
    ["a", "b", "c"].map((id) => ({ id, title: id.toUpperCase(), status: "pending" as const })),
    [{ todo_id: "b", depends_on: "a" }],
  );
  return {
    file,
    diffs,
    sql: async (query: string) => textOf(await call(main, { query }, context)),
    asWorker: async (query: string) => textOf(await call(own, { query }, context)),
  };
}

describe("todo_runs", () => {
  it("O113 OB20 a worker changes its own row; any other change is not_your_todo and nothing is changed", async () => {
    const { sql, asWorker, diffs } = session();
    expect(await asWorker("UPDATE todos SET status = 'done', description = 'as asked' WHERE id = 'a'")).toBe(
      "[1 rows changed]",
    );
    expect(diffs).toMatchObject([{ todos: [{ id: "a", status: "done", description: "as asked" }] }]);
    const before = await sql("SELECT id, title, status FROM todos ORDER BY id");
    for (const query of [
      "UPDATE todos SET status = 'done' WHERE id = 'b'",
      "UPDATE todos SET status = 'blocked'",
      "UPDATE todos SET title = 'mine' WHERE id = 'a'; UPDATE todos SET title = 'mine too' WHERE id = 'c'",
      "DELETE FROM todos WHERE id = 'a'",
      "DELETE FROM todos WHERE id = 'c'",
      "UPDATE todos SET id = 'z' WHERE id = 'a'",
      "DELETE FROM todo_deps",
      "INSERT INTO todo_deps VALUES ('a', 'c')",
      "INSERT INTO todos (id, title) VALUES ('new', 'New')",
      "CREATE TEMP TABLE todos AS SELECT * FROM main.todos; UPDATE main.todos SET status = 'done' WHERE id = 'b'",
    ])
      expect(await asWorker(query), query).toMatch(/^not_your_todo: you work on todo a .*Nothing was changed/);
    expect(await sql("SELECT id, title, status FROM todos ORDER BY id")).toBe(before);
    expect(await sql("SELECT count(*) AS n FROM todo_deps")).toContain("\n1\n");
    expect(diffs).toHaveLength(1);
  });

  it("O113 a worker reads everything and keeps tables of its own", async () => {
    const { asWorker } = session();
    expect(
      await asWorker("CREATE TABLE notes (x); INSERT INTO notes VALUES (1); SELECT count(*) AS n FROM todos"),
    ).toBe("n\n3\n[1 rows]\n[1 rows changed]");
  });

  it("O110 todo_runs is read by all and written by no sql call", async () => {
    const { file, sql, asWorker } = session();
    expect((await stepTodo(file, { todoId: "a", run: run(), status: "in_progress", ifReady: true })).ok).toBe(true);
    for (const query of [
      "DELETE FROM todo_runs",
      "UPDATE Todo_Runs SET outcome = 'done'",
      "INSERT INTO todo_runs VALUES ('b', 1, 'x', NULL, NULL, 'now', NULL)",
      "DROP TABLE todo_runs",
      "ALTER TABLE todo_runs RENAME TO x",
    ]) {
      expect(await sql(query), query).toMatch(/^failed: not authorized.*todo_runs/);
      expect(await asWorker(query), query).toMatch(/^failed: not authorized/);
    }
    expect(await asWorker("SELECT todo_id, agent_id, outcome FROM todo_runs")).toBe(
      "todo_id\tagent_id\toutcome\na\tagent-a\tNULL\n[1 rows]",
    );
  });

  it("O112 a claim takes a ready todo once, in one transaction", async () => {
    const { file, sql } = session();
    expect(
      await stepTodo(file, { todoId: "b", run: run({ todo_id: "b" }), status: "in_progress", ifReady: true }),
    ).toEqual({
      ok: false,
      error: { code: "todo_not_ready" },
    });
    const claims = await Promise.all(
      ["one", "two", "three"].map((agent_id) =>
        stepTodo(file, { todoId: "a", run: run({ agent_id }), status: "in_progress", ifReady: true }),
      ),
    );
    expect(claims.map((c) => c.ok).sort()).toEqual([false, false, true]);
    expect(claims.find((c) => c.ok)).toMatchObject({ value: { todo: { id: "a", status: "in_progress", title: "A" } } });
    expect(await sql("SELECT count(*) AS n FROM todo_runs")).toContain("\n1\n");
    const ended = run({ agent_id: "one", outcome: "done", note: "n", ended_at: "2026-01-01T00:00:01.000Z" });
    expect(await stepTodo(file, { todoId: "a", run: ended, status: "done" })).toMatchObject({
      value: { todo: { status: "done" } },
    });
    expect(await stepTodo(file, { todoId: "a", run: ended, status: "done" })).toEqual({ ok: true, value: {} });
    expect(
      await stepTodo(file, { todoId: "b", run: run({ todo_id: "b" }), status: "in_progress", ifReady: true }),
    ).toMatchObject({
      ok: true,
    });
    expect(
      await stepTodo(file, { todoId: "gone", run: run({ todo_id: "gone" }), status: "in_progress", ifReady: true }),
    ).toMatchObject({
      ok: false,
    });
  });

  it("O110 replay writes the runs with the todos", async () => {
    const { file, sql } = session();
    await stepTodo(file, { todoId: "a", run: run({ attempt: 7 }) });
    writeTodos(file, [{ id: "a", title: "A", status: "done" }], [], [run({ outcome: "done", note: "well" })]);
    expect(await sql("SELECT todo_id, attempt, outcome, note, ended_at FROM todo_runs")).toBe(
      "todo_id\tattempt\toutcome\tnote\tended_at\na\t1\tdone\twell\tNULL\n[1 rows]",
    );
  });
});
