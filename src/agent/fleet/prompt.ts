// The texts of a fleet: the plan's, a worker's, its one follow-up, and the check of the results.
import { inTag, quoted } from "../../base/tag.ts";
import { clip } from "../../base/text.ts";
import type { Todo } from "../../schema/todo.ts";
import type { TodoRun } from "../../tool/sql/todo-tables.ts";
import noReport from "./no-report.md";
import plan from "./plan.md";
import planAgain from "./plan-again.md";
import { heldUp, type Todos } from "./ready.ts";
import { latestRun } from "./todo-book.ts";
import todoDuty from "./todo-duty.md";
import verify from "./verify.md";
import worker from "./worker.md";

const MAX_NOTES = 4000;
const MAX_TABLE_NOTES = 24_000;
const FROM_CONVERSATION = "What was asked for and agreed on in this conversation.";

/** `request`: what the user asked for, or else the plan's text; empty means the conversation. */
export const planPrompt = (request: string): string =>
  fill(plan, { request: quoted(request.trim()) || FROM_CONVERSATION });
export const planAgainPrompt = (): string => planAgain.trim();

export function workerPrompt(todo: Todo, { todos, deps }: Todos, runs: readonly TodoRun[]): string {
  const before = deps.filter((d) => d.todo_id === todo.id).map((d) => d.depends_on);
  const noted = before.flatMap((id) => {
    const note = latestRun(runs, id)?.note;
    return note ? [{ id, title: todos.find((t) => t.id === id)?.title ?? "", note }] : [];
  });
  // The share of each is the same, whoever wrote most.
  const notes = noted.map(({ id, title, note }) => quoted(`## ${id}: ${title}\n${note}`));
  const share = Math.floor(MAX_NOTES / Math.max(1, notes.length)) - 2;
  const text = notes.map((note) => clip(note, share)).join("\n\n");
  return fill(worker, {
    ...idOf(todo),
    title: quoted(todo.title),
    description: quoted(todo.description ?? ""),
    notes: text && `\nWhat those reported whose work yours builds on:\n\n${text}\n`,
  });
}

/** Added to the prompt of an agent that a `task` call puts to work on a todo. */
export const dutyPrompt = (todo: Todo): string => fill(todoDuty, idOf(todo));
export const noReportPrompt = (todo: Todo): string => fill(noReport, idOf(todo));

export function verifyPrompt(
  all: Todos,
  runs: readonly TodoRun[],
  { round, rounds, request }: { round: number; rounds: number; request: string },
): string {
  return fill(verify, {
    round: String(round),
    rounds: String(rounds),
    request: request.trim() && `\n${inTag("request", quoted(request.trim()))}\n`,
    table: quoted(table(all, runs)),
    last: round < rounds ? "" : ", but this fleet will not work on them: it was the last round",
  });
}

function table(all: Todos, runs: readonly TodoRun[]): string {
  const waiting = heldUp(all);
  const share = Math.floor(MAX_TABLE_NOTES / Math.max(1, all.todos.length));
  const rows = all.todos.map((todo) => {
    const run = latestRun(runs, todo.id);
    const blockers = waiting.get(todo.id);
    const by = run ? ` (agent ${run.agent_id}, attempt ${run.attempt})` : "";
    const note = run?.note ? `\n  ${clip(run.note, share).replaceAll("\n", "\n  ")}` : "";
    const why = blockers ? `\n  not run: it depends on ${blockers.join(", ")}, which is blocked` : "";
    return `- ${todo.id} [${todo.status}] ${todo.title}${by}${note}${why}`;
  });
  return rows.join("\n");
}

const idOf = ({ id }: Todo) => ({ id: quoted(id), sqlId: id.replaceAll("'", "''") });

const fill = (text: string, values: Record<string, string>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole).trim();
