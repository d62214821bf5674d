// An agent as the worker of a todo, on the task registry: it claims the todo before its first step, is asked once to report, and completes.
import type { MakeId } from "../../base/id.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type AgentSpec, type Coded, type Executor, MAIN, type Registry } from "../task/contract.ts";
import type { AgentRecord } from "../task/record.ts";
import { settle, type WorkerEnd } from "./attempt.ts";
import { jobFor, runOf, type Worker, type WorkerJob } from "./dispatch.ts";
import { dutyPrompt } from "./prompt.ts";
import { readyTodos } from "./ready.ts";
import type { TodoBook } from "./todo-book.ts";

/** Starts the agent with these fields added to its spec and this around its executor. */
export type Start = (
  more: Pick<AgentSpec, "todoId" | "multiTurn"> & Partial<AgentSpec>,
  wrap: (executor: Executor) => Executor,
) => Promise<Result<AgentRecord, Coded>>;

type WorkerParts = { registry: Pick<Registry, "getAgentResult">; newId: MakeId };

/** A fleet's: announced to nobody, not counted against the prompt's limit. */
export function startWorker(parts: WorkerParts, job: WorkerJob, start: Start): Promise<Result<Worker, Coded>> {
  const own = { quiet: true, uncounted: true, prompt: job.prompt };
  return begin(parts, job, (more, wrap) => start({ ...own, ...more }, wrap));
}

/** Serves a `task` call that names a todo. `onBroken` is called when the log cannot be written. */
export async function takeTodo(
  parts: WorkerParts & { book: TodoBook; onBroken: (error: unknown) => void },
  { todoId, prompt }: { todoId: string; prompt: string },
  start: Start,
): Promise<Result<AgentRecord, Coded>> {
  const { book, onBroken } = parts;
  const todo = readyTodos(book.todos()).find((t) => t.id === todoId);
  if (!todo) return fail(notReady(todoId));
  let record: AgentRecord | undefined;
  const worker = await begin(parts, jobFor(todo, book), async (more, wrap) => {
    const started = await start({ ...more, prompt: `${prompt}\n\n${dutyPrompt(todo)}` }, wrap);
    if (started.ok) record = started.value;
    return started;
  });
  if (!worker.ok) return worker;
  const { id, done } = worker.value;
  void done
    .then(async (end) => {
      const run = runOf(book, todoId, id);
      if (run) await settle(book, run, end);
    })
    .catch(onBroken);
  return record ? ok(record) : fail(notReady(todoId));
}

async function begin(
  { registry, newId }: WorkerParts,
  { todo, claim, beforeEnd }: WorkerJob,
  start: Start,
): Promise<Result<Worker, Coded>> {
  const claimed = Promise.withResolvers<boolean>();
  const wrap =
    (executor: Executor): Executor =>
    async (handle) => {
      const mine = await claim(handle.id);
      claimed.resolve(mine);
      if (!mine) return { type: "failed", error: notReady(todo.id) };
      return executor({
        ...handle,
        // What somebody wrote to it comes first; after the follow-up the real one ends it.
        async waitForMessage() {
          const record = handle.record();
          const isWanted = record.status === "running" && record.messageQueue.length === 0;
          const message = isWanted ? beforeEnd() : undefined;
          return message === undefined ? handle.waitForMessage() : { messageId: newId(), from: MAIN, message };
        },
      });
    };
  const started = await start({ todoId: todo.id, multiTurn: false }, wrap);
  if (!started.ok) return started;
  const { id } = started.value;
  const ending = endOf(registry, id);
  // An agent that was cancelled before it began never asks.
  const mine = await Promise.race([claimed.promise, ending.then(() => false)]);
  return mine ? ok({ id, done: ending }) : fail(notReady(todo.id));
}

const notReady = (todoId: string): Coded => ({
  code: "todo_not_ready",
  message: `Todo ${todoId} is not ready: it must be pending, with everything that it depends on done.`,
});

/** The registry bounds every agent by its caps; when the registry itself ends, the agent is interrupted. */
async function endOf(registry: WorkerParts["registry"], id: string): Promise<WorkerEnd> {
  const { signal } = new AbortController();
  // Reading the result is not ours: a caller of `task` waits for it as well.
  const waited = await registry.getAgentResult(id, { signal, limitMs: Number.POSITIVE_INFINITY, reads: false });
  return waited.outcome === "final" ? workerEnd(waited.record) : { type: "interrupted" };
}

function workerEnd(record: AgentRecord): WorkerEnd {
  switch (record.status) {
    case "completed":
      return { type: "completed", result: record.result };
    case "failed":
      return { type: "failed", ...record.error };
    case "cancelled":
      return { type: "cancelled", reason: record.reason };
    default:
      return { type: "interrupted" };
  }
}
