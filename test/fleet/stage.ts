// A fleet on a scripted model: what the main agent and each worker answer, and what the log then says.
import { oneCall, toolResults, userTexts } from "../agent/scene.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { type Reply, text } from "../model-server/reply.ts";
import type { Answerer } from "../model-server/server.ts";
import { logOf, only, type Place } from "../tool/everlong.ts";

export const SLOTS = { EVERLONG_SUBAGENT_MAX_CONCURRENT: "2" };
export const sql = (query: string): Reply => oneCall("sql", { query });
export const set = (id: string, status: string): Reply =>
  sql(`UPDATE todos SET status = '${status}' WHERE id = '${id}'`);

export const todoOf = (request: Recorded): string | undefined =>
  /<todo id="([^"]+)">/.exec(userTexts(request)[0] ?? "")?.[1];
export const results = (request: Recorded): string[] => toolResults(request).map((r) => r.text);

export type Worker = (request: Recorded) => Reply | Promise<Reply>;
/** Sets its todo, then answers. */
export const report =
  (id: string, status = "done"): Worker =>
  (request) =>
    results(request).length === 0 ? set(id, status) : text(`note of ${id}`);

/** The main agent plans by `plan` and answers every other turn by `main`; each worker does what its todo's function says. */
export function fleet(
  plan: string,
  workers: Record<string, Worker>,
  main: (request: Recorded) => Reply = () => text("Checked."),
): { answer: Answerer; seen: { todo: string; request: Recorded }[]; checks: Recorded[] } {
  const seen: { todo: string; request: Recorded }[] = [];
  const checks: Recorded[] = [];
  const answer: Answerer = (request) => {
    const todo = todoOf(request);
    if (todo !== undefined) {
      seen.push({ todo, request });
      return (workers[todo] ?? report(todo))(request);
    }
    const last = userTexts(request).at(-1) ?? "";
    if (last.includes("A fleet of agents will do this job"))
      return results(request).length === 0 ? sql(plan) : text("Planned.");
    checks.push(request);
    return main(request);
  };
  return { answer, seen, checks };
}

export const add = (ids: string[], deps: [string, string][] = []): string =>
  [
    `INSERT INTO todos (id, title) VALUES ${ids.map((id) => `('${id}', 'Title ${id}')`).join(", ")}`,
    ...deps.map(([a, b]) => `INSERT INTO todo_deps VALUES ('${a}', '${b}')`),
  ].join("; ");

export const DIAMOND: [string, string][] = [
  ["b", "a"],
  ["c", "a"],
  ["d", "b"],
  ["d", "c"],
];

/** Most subagents that ran at one time, from the log. */
export function mostAtOnce(place: Place): number {
  let now = 0;
  let most = 0;
  for (const event of logOf(place)) {
    if (event.type === "subagent.started") most = Math.max(most, ++now);
    if (["subagent.completed", "subagent.failed", "subagent.cancelled"].includes(event.type)) now--;
  }
  return most;
}

export const statuses = (place: Place): Record<string, string> => {
  const found: Record<string, string> = {};
  for (const e of only(logOf(place), "session.todos_changed")) for (const t of e.data.todos) found[t.id] = t.status;
  return found;
};
export const outcomes = (place: Place): string[] =>
  only(logOf(place), "session.todo_run").flatMap(({ data }) =>
    data.outcome ? [`${data.todo_id} ${data.attempt} ${data.outcome}`] : [],
  );
