// A fleet's middle phase: every ready todo gets an agent as soon as a slot is free, until nothing is ready and none runs.
import type { Result } from "../../base/result.ts";
import type { Todo } from "../../schema/todo.ts";
import type { TodoRun } from "../../tool/sql/todo-tables.ts";
import { MAX_ATTEMPTS, type Settled, settle, type WorkerEnd } from "./attempt.ts";
import { Bell } from "./bell.ts";
import { noReportPrompt, workerPrompt } from "./prompt.ts";
import { readyTodos, type Todos } from "./ready.ts";
import { latestRun, type TodoBook } from "./todo-book.ts";

export type WorkerJob = {
  todo: Todo;
  prompt: string;
  /** Called with the agent's id before it does anything; when it gives false the agent must not begin (`todo_not_ready`). */
  claim: (agentId: string) => Promise<boolean>;
  /** Asked when the agent has nothing more to do: a message to go on with, or undefined to complete. */
  beforeEnd: () => string | undefined;
};
export type Worker = { id: string; done: Promise<WorkerEnd> };

export type DispatchParts = {
  book: TodoBook;
  freeSlots: () => number;
  /** Tells whenever a slot may have become free, whoever had it. Returns how to stop that. */
  onSlotFree: (listener: () => void) => () => void;
  /** Starts a background agent; `done` never rejects for an expected end. */
  startWorker: (job: WorkerJob) => Promise<Result<Worker, { code: string; message: string }>>;
  isRunning: (agentId: string) => boolean;
  /** Resolves when it has stopped, or is left behind. Also for one that a former process left interrupted. */
  cancelWorker: (agentId: string, reason: string) => Promise<unknown>;
  /** One line for each change. */
  report: (line: string) => void;
};

/** What a former process, or a hand, left in progress without anybody at it. */
export async function reconcile({ book, isRunning, cancelWorker, report }: DispatchParts): Promise<void> {
  for (const run of book.runs()) {
    if (run.outcome !== undefined || isRunning(run.agent_id)) continue;
    // It could be continued, beside the one that takes over.
    await cancelWorker(run.agent_id, "its todo goes to another agent");
    report(changeLine(run.todo_id, await settle(book, run, { type: "interrupted" })));
  }
  for (const todo of book.todos().todos) {
    const run = latestRun(book.runs(), todo.id);
    const isFree = run === undefined || run.outcome !== undefined;
    if (todo.status === "in_progress" && isFree) await book.release(todo.id);
  }
}

/** Ends early, with all its workers stopped and their todos pending again, when the signal is aborted. */
export async function dispatch(parts: DispatchParts, signal: AbortSignal): Promise<void> {
  const { book } = parts;
  const bell = new Bell();
  const working = new Map<string, string>();
  const passedOver = new Set<string>();
  const broken: unknown[] = [];
  const stopListening = parts.onSlotFree(() => bell.ring());

  const follow = async (todo: Todo, { id, done }: Worker): Promise<void> => {
    const end = await done;
    const run = runOf(book, todo.id, id);
    if (!run) return;
    const settled = await settle(
      book,
      run,
      signal.aborted && end.type === "cancelled" ? { type: "fleet_cancelled" } : end,
    );
    parts.report(changeLine(todo.id, settled));
  };

  /** False when there is no slot after all. */
  const begin = async (todo: Todo): Promise<boolean> => {
    const started = await parts.startWorker(jobFor(todo, book));
    if (!started.ok) {
      if (started.error.code === "concurrency_limit") return false;
      const isSettled = started.error.code !== "todo_not_ready" && (await failedToStart(todo, started.error, parts));
      if (!isSettled) passedOver.add(todo.id);
      return true;
    }
    const worker = started.value;
    working.set(todo.id, worker.id);
    parts.report(`fleet: ${todo.id} started (agent ${worker.id})`);
    void follow(todo, worker)
      .catch((error: unknown) => broken.push(error))
      .finally(() => {
        working.delete(todo.id);
        bell.ring();
      });
    return true;
  };

  const startable = (): Todo[] => readyTodos(rested(book)).filter((t) => !passedOver.has(t.id));

  const look = async (): Promise<void> => {
    for (;;) {
      const todo = startable().find((t) => !working.has(t.id));
      if (!todo || signal.aborted || parts.freeSlots() <= 0) return;
      if (!(await begin(todo))) return;
    }
  };

  try {
    while (!signal.aborted && broken.length === 0) {
      await look();
      if (startable().length === 0 && working.size === 0 && !othersWork(parts)) break;
      await bell.next(signal);
    }
  } finally {
    // Stopped, or broken: no worker goes on without its fleet.
    await Promise.all([...working.values()].map((id) => parts.cancelWorker(id, "the fleet was cancelled")));
    while (working.size > 0) await bell.next(NEVER);
    stopListening();
  }
  if (broken.length > 0) throw broken[0];
}

export const runOf = (book: TodoBook, todoId: string, agentId: string): TodoRun | undefined =>
  book.runs().find((r) => r.agent_id === agentId && r.todo_id === todoId);

const NEVER = new AbortController().signal;

/** A todo is set to done just before its worker's last word: who builds on it waits for that, and for its note. */
function rested(book: TodoBook): Todos {
  const { todos, deps } = book.todos();
  const worked = new Set(book.runs().flatMap((r) => (r.outcome === undefined ? [r.todo_id] : [])));
  return { todos: todos.map((t) => (worked.has(t.id) ? { ...t, status: "in_progress" } : t)), deps };
}

/** An agent that a `task` call put to work on a todo. */
export const othersWork = ({ book, isRunning }: DispatchParts): boolean =>
  book.runs().some((r) => r.outcome === undefined && isRunning(r.agent_id));

export function jobFor(todo: Todo, book: TodoBook): WorkerJob {
  let hasAsked = false;
  return {
    todo,
    prompt: workerPrompt(todo, book.todos(), book.runs()),
    claim: async (agentId) => (await book.claim(todo.id, agentId)) !== undefined,
    beforeEnd() {
      const now = book.todos().todos.find((t) => t.id === todo.id);
      if (hasAsked || !now || now.status === "done" || now.status === "blocked") return undefined;
      hasAsked = true;
      return noReportPrompt(todo);
    },
  };
}

/** No agent came to be; the attempt counts all the same, so that this ends. False when the todo was not ready either. */
async function failedToStart(
  todo: Todo,
  error: { code: string; message: string },
  { book, report }: DispatchParts,
): Promise<boolean> {
  const run = await book.claim(todo.id, "none");
  if (run) report(changeLine(todo.id, await settle(book, run, { type: "failed", ...error })));
  return run !== undefined;
}

function changeLine(todoId: string, { outcome, note, status }: Settled): string {
  const why = outcome === "done" ? "" : `: ${note.split("\n", 1)[0]}`;
  const next =
    status === "pending"
      ? ", to be tried again"
      : status === "blocked" && outcome !== "blocked"
        ? `, blocked after ${MAX_ATTEMPTS} attempts`
        : "";
  return `fleet: ${todoId} ${outcome}${next}${why}`;
}
