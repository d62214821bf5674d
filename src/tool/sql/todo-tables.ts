// The todo tables as the runtime writes them: whole from the log, which is their truth, and one step of a todo's run at a time.
import { fail, ok, type Result } from "../../base/result.ts";
import type { EventData } from "../../schema/event/envelope.ts";
import type { Todo, TodoDep } from "../../schema/todo.ts";
import type { Fault } from "../../store/fault.ts";
import { createPrivate, type Database, sqlite, write } from "../../store/sqlite.ts";
import { replacingDamaged } from "./session-db.ts";
import { SESSION_SCHEMA } from "./session-schema.ts";

/** One attempt of an agent at a todo. */
export type TodoRun = EventData<"session.todo_run">;

/** Makes the tables exactly what the log says. */
export function writeTodos(
  file: string,
  todos: readonly Todo[],
  deps: readonly TodoDep[],
  runs: readonly TodoRun[] = [],
): void {
  replacingDamaged(file, () => putTodos(file, todos, deps, runs));
}

function putTodos(file: string, todos: readonly Todo[], deps: readonly TodoDep[], runs: readonly TodoRun[]): void {
  createPrivate(file);
  const db = new (sqlite().DatabaseSync)(file, { timeout: 2000 });
  try {
    db.exec(SESSION_SCHEMA);
    db.exec("BEGIN IMMEDIATE; DELETE FROM todo_deps; DELETE FROM todos; DELETE FROM todo_runs");
    const addTodo = db.prepare(
      "INSERT INTO todos (id, title, description, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)",
    );
    for (const t of todos)
      addTodo.run(t.id, t.title, t.description ?? null, t.status, t.created_at ?? null, t.updated_at ?? null);
    const addDep = db.prepare("INSERT INTO todo_deps (todo_id, depends_on) VALUES (?, ?)");
    for (const d of deps) addDep.run(d.todo_id, d.depends_on);
    for (const run of runs) putRun(db, run);
    db.exec("COMMIT");
  } finally {
    db.close();
  }
}

export type TodoStep = {
  todoId: string;
  /** The attempt as it stands now. */
  run?: TodoRun;
  /** What the todo becomes, if it is still there; absent leaves it as it is. */
  status?: Todo["status"];
  /** Only when it is pending and all that it depends on is done; else nothing is written. */
  ifReady?: boolean;
};

/** Writes the run and the status, in one transaction. The row is absent when it did not change. */
export async function stepTodo(
  file: string,
  { todoId, run, status, ifReady = false }: TodoStep,
): Promise<Result<{ todo?: Todo }, { code: "todo_not_ready" } | Fault>> {
  createPrivate(file);
  const db = new (sqlite().DatabaseSync)(file, { timeout: 10 });
  try {
    const written = await write(db, () => {
      db.exec(SESSION_SCHEMA);
      if (ifReady && !isReady(db, todoId)) return undefined;
      if (run) putRun(db, run);
      const { changes } =
        status === undefined
          ? { changes: 0 }
          : db.prepare("UPDATE todos SET status = ? WHERE id = ? AND status <> ?").run(status, todoId, status);
      if (changes === 0) return {};
      return { todo: { ...db.prepare("SELECT * FROM todos WHERE id = ?").get(todoId) } as Todo };
    });
    if (!written.ok) return written;
    return written.value ? ok(written.value) : fail({ code: "todo_not_ready" });
  } finally {
    db.close();
  }
}

function isReady(db: Database, id: string): boolean {
  const sql = `SELECT 1 FROM todos t WHERE id = ? AND status = 'pending' AND NOT EXISTS (SELECT 1 FROM todo_deps d
    JOIN todos x ON x.id = d.depends_on WHERE d.todo_id = t.id AND x.status <> 'done')`;
  return db.prepare(sql).get(id) !== undefined;
}

function putRun(db: Database, run: TodoRun): void {
  const sql = "INSERT OR REPLACE INTO todo_runs VALUES (?, ?, ?, ?, ?, ?, ?)";
  const { todo_id, attempt, agent_id, outcome = null, note = null, started_at, ended_at = null } = run;
  db.prepare(sql).run(todo_id, attempt, agent_id, outcome, note, started_at, ended_at);
}
