// Which todos can be begun, and which never will because something they depend on is blocked. Pure.
import type { Todo, TodoDep } from "../../schema/todo.ts";

export type Todos = { todos: readonly Todo[]; deps: readonly TodoDep[] };

/** Pending with every dependency done, oldest first. A dependency on a todo that is gone holds nothing up. */
export function readyTodos({ todos, deps }: Todos): Todo[] {
  const status = new Map(todos.map((t) => [t.id, t.status]));
  const waiting = new Set(deps.flatMap((d) => ((status.get(d.depends_on) ?? "done") === "done" ? [] : [d.todo_id])));
  return todos
    .filter((t) => t.status === "pending" && !waiting.has(t.id))
    .sort((a, b) => compare(a.created_at ?? "", b.created_at ?? ""));
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** By the id of each todo that is held up, directly or not: the blocked ones it depends on. */
export function heldUp({ todos, deps }: Todos): Map<string, string[]> {
  const status = new Map(todos.map((t) => [t.id, t.status]));
  const blockers = new Map<string, string[]>();
  for (const todo of todos) {
    if (todo.status !== "pending") continue;
    const blocked = [...dependencies(todo.id, deps)].filter((id) => status.get(id) === "blocked");
    if (blocked.length > 0) blockers.set(todo.id, blocked);
  }
  return blockers;
}

function dependencies(id: string, deps: readonly TodoDep[]): Set<string> {
  const cyclic = new Set<string>();
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const d of deps)
      if (d.todo_id === at && !cyclic.has(d.depends_on)) {
        cyclic.add(d.depends_on);
        open.push(d.depends_on);
      }
  return cyclic;
}

/** What is left to do for a fleet. */
export const openTodos = ({ todos }: Todos): Todo[] =>
  todos.filter((t) => t.status === "pending" || t.status === "in_progress");
