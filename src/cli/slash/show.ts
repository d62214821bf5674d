// Commands that only show: usage, session facts, todos, context.
import { commandUsage } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import type { Client, CommandResult } from "../../runtime/client.ts";

export function showUsage(client: Client): string {
  const view = client.view();
  const rows = Object.entries(view.usage).map(([model, u]) => {
    const cost = u.cost === undefined ? "" : `, $${u.cost.toFixed(4)}`;
    const about = u.estimated ? " (estimated)" : "";
    return `${model}: ${u.inputTokens} in, ${u.outputTokens} out, ${u.cacheReadTokens} cache read, ${u.cacheWriteTokens} cache write${cost}${about}`;
  });
  if (rows.length === 0) return "No model was called in this session yet.";
  return [...rows, `Model time: ${(view.apiDurationMs / 1000).toFixed(1)} s`].join("\n");
}

export function showTodos(client: Client): string {
  const { todos, deps } = client.view();
  if (todos.length === 0) return "No todos.";
  const done = todos.filter((t) => t.status === "done").length;
  const rows = todos.map((t) => {
    const waits = deps.filter((d) => d.todo_id === t.id).map((d) => d.depends_on);
    return `[${t.status}] ${t.id}: ${t.title}${waits.length > 0 ? ` (after ${waits.join(", ")})` : ""}`;
  });
  return [`${done} of ${todos.length} done`, ...rows].join("\n");
}

export function showContext(client: Client): Promise<string> {
  return client.contextReport();
}

export async function showSession(client: Client, args: string): Promise<CommandResult> {
  if (args === "files" || args === "refs" || args === "plan") return client.facts(args);
  const checkpoints = /^checkpoints(?:\s+(\S+))?$/.exec(args);
  if (checkpoints) return client.facts("checkpoints", checkpoints[1]);
  if (args !== "") {
    const what = `/session knows checkpoints, files, refs and plan, not "${args}".`;
    return fail(commandUsage(what, "Try /session."));
  }
  const view = client.view();
  return ok(
    [
      `Session: ${view.sessionId}`,
      `Name: ${view.title || "(none yet)"}`,
      `Model: ${view.model} (${view.modelReason})`,
      `Mode: ${view.mode}${view.allowAll ? ", allow-all" : ""}`,
      `Folder: ${view.context.cwd}${view.trusted ? "" : " (not trusted)"}`,
      ...(view.context.branch ? [`Branch: ${view.context.branch}`] : []),
      `Prompts: ${view.promptCount}`,
      `Files changed: ${view.changedFiles.length}`,
      `State: ${client.dir}`,
    ].join("\n"),
  );
}
