// A fleet in memory: todos in maps, workers that do what the test says when the test says, one turn function for the main agent.

import { setImmediate as soon } from "node:timers/promises";
import { fail, ok } from "../../base/result.ts";
import type { Todo, TodoDep } from "../../schema/todo.ts";
import type { TurnEnd } from "../../session/turn-input.ts";
import type { TodoRun } from "../../tool/sql/todo-tables.ts";
import type { WorkerEnd } from "./attempt.ts";
import type { WorkerJob } from "./dispatch.ts";
import { readyTodos } from "./ready.ts";
import type { FleetParts } from "./run-fleet.ts";
import type { TodoBook } from "./todo-book.ts";

export function memoryBook(ids: string[], edges: [string, string][] = []) {
  const todos = new Map<string, Todo>(ids.map((id) => [id, { id, title: `Title ${id}`, status: "pending" }]));
  const deps: TodoDep[] = edges.map(([todo_id, depends_on]) => ({ todo_id, depends_on }));
  const runs: TodoRun[] = [];
  const set = (id: string, status: Todo["status"]) => {
    const todo = todos.get(id);
    if (todo) todos.set(id, { ...todo, status });
  };
  const book: TodoBook = {
    todos: () => ({ todos: [...todos.values()], deps }),
    runs: () => [...runs],
    async claim(todoId, agentId) {
      if (!readyTodos(book.todos()).some((t) => t.id === todoId)) return undefined;
      const attempt = 1 + runs.filter((r) => r.todo_id === todoId).length;
      const run = { todo_id: todoId, attempt, agent_id: agentId, started_at: "t" };
      runs.push(run);
      set(todoId, "in_progress");
      return run;
    },
    async record(run, status) {
      const at = runs.findIndex((r) => r.todo_id === run.todo_id && r.attempt === run.attempt);
      runs[at] = run;
      if (status) set(run.todo_id, status);
    },
    release: async (id) => set(id, "pending"),
  };
  return { book, set, add: (id: string) => todos.set(id, { id, title: id, status: "pending" }), runs };
}

export type LiveWorker = { id: string; job: WorkerJob; end: (end: WorkerEnd) => void };

export function fakeFleet(
  book: TodoBook,
  options: { limit?: number; turn?: (prompt: string, display: string) => Promise<TurnEnd> } = {},
) {
  const { limit = 2, turn = async () => ({ status: "done" }) as const } = options;
  const live = new Map<string, LiveWorker>();
  const listeners = new Set<() => void>();
  const lines: string[] = [];
  const events: { type: string; data: Record<string, unknown> }[] = [];
  const prompts: string[] = [];
  const started: string[] = [];
  const cancelled: string[] = [];
  /** Slots that other agents hold. */
  let others = 0;
  const parts: FleetParts = {
    book,
    freeSlots: () => limit - live.size - others,
    onSlotFree(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async startWorker(job) {
      if (live.size + others >= limit) return fail({ code: "concurrency_limit", message: "full" });
      const id = `w${book.runs().length + 1}`;
      if (!(await job.claim(id))) return fail({ code: "todo_not_ready", message: "no" });
      started.push(job.todo.id);
      const done = new Promise<WorkerEnd>((resolve) => {
        const end = (how: WorkerEnd) => {
          live.delete(id);
          resolve(how);
        };
        live.set(id, { id, job, end });
      });
      return ok({ id, done });
    },
    isRunning: (id) => live.has(id),
    async cancelWorker(id, reason) {
      cancelled.push(id);
      live.get(id)?.end({ type: "cancelled", reason });
    },
    turn: (prompt, display) => {
      prompts.push(prompt);
      return turn(prompt, display);
    },
    planText: () => "the plan",
    emit: async (type, data) => void events.push({ type, data }),
    report: (line) => void lines.push(line),
  };
  return {
    parts,
    live,
    listeners,
    lines,
    events,
    prompts,
    started,
    cancelled,
    /** Until every promise that can go on has gone on. */
    calm: async () => {
      for (let i = 0; i < 5; i++) await soon();
    },
    worker: (todoId: string): LiveWorker => {
      const found = [...live.values()].find((w) => w.job.todo.id === todoId);
      if (!found) throw new Error(`nobody works on ${todoId}`);
      return found;
    },
    hold: (slots: number) => {
      others = slots;
      for (const listener of listeners) listener();
    },
  };
}
