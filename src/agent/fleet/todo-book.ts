// The session's todos and the runs of agents at them, as the runtime reads and writes them: tables and log in step.

import { FailureError } from "../../base/failure.ts";
import type { Mutex } from "../../base/mutex.ts";
import type { Todo } from "../../schema/todo.ts";
import type { Session } from "../../session/session.ts";
import { stepTodo, type TodoRun, type TodoStep } from "../../tool/sql/todo-tables.ts";
import type { Todos } from "./ready.ts";

export type TodoBook = {
  todos(): Todos;
  /** Oldest first; an attempt stands there once, with its newest state. */
  runs(): readonly TodoRun[];
  /** Gives a ready todo to an agent, in one transaction; undefined when it is not ready any more. */
  claim(todoId: string, agentId: string): Promise<TodoRun | undefined>;
  /** Ends a run, and moves its todo with it when a status is given. */
  record(run: TodoRun, status?: Todo["status"]): Promise<void>;
  /** Back to pending: nobody works on it. */
  release(todoId: string): Promise<void>;
};

type BookParts = {
  /** The main session: todos belong to its chain, whichever agent changes them. */
  session: Pick<Session, "state" | "emit">;
  /** session.db */
  file: string;
  /** The one that the sql tools of this session have. */
  oneAtATime: Mutex;
  now: () => Date;
};

export function createTodoBook({ session, file, oneAtATime, now }: BookParts): TodoBook {
  /** False when the todo is not ready. A database that cannot be written ends the fleet: nothing could be kept. */
  const step = (todo: TodoStep): Promise<boolean> =>
    oneAtATime.run(async () => {
      const outcome = await stepTodo(file, todo);
      if (!outcome.ok) {
        if (outcome.error.code === "todo_not_ready") return false;
        throw new FailureError(outcome.error);
      }
      if (todo.run) await session.emit("session.todo_run", todo.run);
      const changed = outcome.value.todo;
      if (changed)
        await session.emit("session.todos_changed", { todos: [changed], removedTodos: [], deps: [], removedDeps: [] });
      return true;
    });
  const runs = () => session.state.todoRuns;

  return {
    todos: () => ({ todos: [...session.state.todos.values()], deps: session.state.deps }),
    runs,
    async claim(todoId, agentId) {
      const attempt = 1 + Math.max(0, ...runs().flatMap((r) => (r.todo_id === todoId ? [r.attempt] : [])));
      const run = { todo_id: todoId, attempt, agent_id: agentId, started_at: now().toISOString() };
      return (await step({ todoId, run, status: "in_progress", ifReady: true })) ? run : undefined;
    },
    async record(run, status) {
      const ended = { ...run, ended_at: run.ended_at ?? now().toISOString() };
      await step({ todoId: run.todo_id, run: ended, ...(status ? { status } : {}) });
    },
    release: async (todoId) => void (await step({ todoId, status: "pending" })),
  };
}

export function latestRun(runs: readonly TodoRun[], todoId: string): TodoRun | undefined {
  const own = runs.filter((r) => r.todo_id === todoId);
  return own.length === 0 ? undefined : own.reduce((a, b) => (b.attempt > a.attempt ? b : a));
}
