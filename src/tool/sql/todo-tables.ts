// Writing the todo tables from the log, which is their truth. Loaded when a session is opened, resumed or rewound.
import type { Todo, TodoDep } from "../../schema/todo.ts";
import { createPrivate, sqlite } from "../../store/sqlite.ts";
import { SESSION_SCHEMA } from "./session-schema.ts";

/** Makes both tables exactly what the log says. */
export function writeTodos(file: string, todos: readonly Todo[], deps: readonly TodoDep[]): void {
  createPrivate(file);
  const db = new (sqlite().DatabaseSync)(file, { timeout: 2000 });
  try {
    db.exec(SESSION_SCHEMA);
    db.exec("BEGIN IMMEDIATE; DELETE FROM todo_deps; DELETE FROM todos");
    const addTodo = db.prepare(
      "INSERT INTO todos (id, title, description, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)",
    );
    for (const t of todos)
      addTodo.run(t.id, t.title, t.description ?? null, t.status, t.created_at ?? null, t.updated_at ?? null);
    const addDep = db.prepare("INSERT INTO todo_deps (todo_id, depends_on) VALUES (?, ?)");
    for (const d of deps) addDep.run(d.todo_id, d.depends_on);
    db.exec("COMMIT");
  } finally {
    db.close();
  }
}
