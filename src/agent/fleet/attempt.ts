// One attempt at a todo: how an agent's end, and what it said of its todo, become the todo's next status.
import { clip } from "../../base/text.ts";
import type { Todo } from "../../schema/todo.ts";
import type { TodoRun } from "../../tool/sql/todo-tables.ts";
import type { TodoBook } from "./todo-book.ts";

export const MAX_ATTEMPTS = 2;
const NO_REPORT = "no_report";
const FLEET_CANCELLED = "fleet_cancelled";
const MAX_NOTE = 20_000;

export type WorkerEnd =
  | { type: "completed"; result: string }
  | { type: "failed"; code: string; message: string }
  | { type: "cancelled"; reason: string }
  /** Found after the process had ended in the middle of it. */
  | { type: "interrupted" }
  /** The fleet itself was stopped: no fault of the todo, so the attempt is not held against it. */
  | { type: "fleet_cancelled" };

export type Settled = { outcome: NonNullable<TodoRun["outcome"]>; note: string; status?: Todo["status"] };

/** Writes the end of the run, unless it has one, and, where the agent has not settled its todo itself, moves the todo. */
export async function settle(book: TodoBook, run: TodoRun, end: WorkerEnd): Promise<Settled> {
  const todo = book.todos().todos.find((t) => t.id === run.todo_id);
  const existing = book.runs().find((r) => r.todo_id === run.todo_id && r.attempt === run.attempt);
  if (existing?.outcome !== undefined) return { outcome: existing.outcome, note: existing.note ?? "" };
  const failures = 1 + book.runs().filter((r) => r.todo_id === run.todo_id && counts(r)).length;
  const settled = judge(todo, end, failures);
  const note = clip(settled.note, MAX_NOTE);
  await book.record({ ...run, outcome: settled.outcome, note }, settled.status);
  return { ...settled, note };
}

/** `failures`: attempts that came to nothing, this one included if it did. */
function judge(todo: Todo | undefined, end: WorkerEnd, failures: number): Settled {
  const answer = end.type === "completed" ? end.result : reasonOf(end);
  if (!todo) return { outcome: "cancelled", note: `The todo was removed. ${answer}` };
  if (todo.status === "done" || todo.status === "blocked") return { outcome: todo.status, note: answer };
  if (end.type === "completed") return { outcome: "blocked", note: `${NO_REPORT}: ${answer}`, status: "blocked" };
  if (end.type === "fleet_cancelled") return { outcome: "cancelled", note: FLEET_CANCELLED, status: "pending" };
  return { outcome: end.type, note: answer, status: failures < MAX_ATTEMPTS ? "pending" : "blocked" };
}

function reasonOf(end: Exclude<WorkerEnd, { type: "completed" }>): string {
  switch (end.type) {
    case "failed":
      return `${end.code}: ${end.message}`;
    case "cancelled":
      return `cancelled: ${end.reason}`;
    default:
      return end.type;
  }
}

function counts({ outcome, note }: TodoRun): boolean {
  const failed = outcome === "failed" || outcome === "interrupted" || outcome === "cancelled";
  return failed && note !== FLEET_CANCELLED;
}
