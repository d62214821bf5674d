// Panels about the open conversation: going back in it, its todos, its model, what fills its window.
import { ok } from "../../base/result.ts";
import { firstLine } from "../../base/text.ts";
import { counted, grouped } from "../../command/format.ts";
import { age } from "../../command/memory/text.ts";
import type { Client } from "../../runtime/client.ts";
import { type PageResult, type PanelPage, type PickerRow, pickerPage, textPage } from "./page.ts";

const MOST_LETTERS = 200;

export async function rewindPage(client: Client): PageResult {
  const now = Date.now();
  const messages = client
    .past()
    .flatMap((event) =>
      event.type === "user.message" && event.agentId === undefined && event.data.ref !== undefined
        ? [{ ...event.data, ref: event.data.ref, time: event.timestamp }]
        : [],
    )
    .toReversed();
  const rows = messages.map(({ ref, content, display, time }, newer): PickerRow => {
    const words = firstLine(display ?? content, MOST_LETTERS);
    const state = rewindStep(ref, words, newer + 1);
    return { label: `${ref}  ${age(time, now)} ago`, detail: words, does: { type: "show", state } };
  });
  return ok(pickerPage("Go back to before which message?", rows, "No message to go back to yet."));
}

/** What would go is counted before anything is chosen. */
const rewindStep = (ref: string, words: string, count: number): PanelPage =>
  pickerPage(`Back to before ${ref}: ${words}`, [
    {
      label: "conversation only",
      detail: `takes ${counted(count, "message")} out of it; files stay as they are`,
      does: { type: "run", line: `/rewind ${ref}`, afterwards: "close" },
    },
    { label: "cancel", detail: "change nothing", does: { type: "close" } },
  ]);

export async function todosPage(client: Client): PageResult {
  const { todos, deps } = client.view();
  const count = (status: string): number => todos.filter((todo) => todo.status === status).length;
  const parts = [
    `${count("done")} of ${counted(todos.length, "todo")} done`,
    ...(count("in_progress") > 0 ? [`${count("in_progress")} in progress`] : []),
    ...(count("blocked") > 0 ? [`${count("blocked")} blocked`] : []),
  ];
  const lines = todos.map(({ id, title, status }) => {
    const waits = deps.filter((dep) => dep.todo_id === id).map((dep) => dep.depends_on);
    const mark = { done: "[x]", in_progress: "[>]", blocked: "[!]", pending: "[ ]" }[status];
    const after = waits.length > 0 ? `, after ${waits.join(", ")}` : "";
    return `${mark} ${id}: ${title} (${status.replace("_", " ")}${after})`;
  });
  if (todos.length === 0)
    return ok(textPage("Todos", "No todos yet. The agent writes them when work has several steps."));
  return ok(textPage(parts.join(", "), lines.join("\n")));
}

export async function modelPage(client: Client): PageResult {
  const rows = client.model.list().map(({ id, promptLimit, multiplier, isInUse }): PickerRow => {
    const facts = [`prompts up to ${grouped(promptLimit)} tokens`, ...(multiplier === 1 ? [] : [`${multiplier}x`])];
    return {
      label: id,
      detail: [...facts, ...(isInUse ? ["in use"] : [])].join(", "),
      does: isInUse ? { type: "close" } : { type: "run", line: `/model ${id}`, afterwards: "close" },
    };
  });
  return ok(pickerPage("Which model?", rows, "No model can be used here: everlong doctor says why."));
}

export const contextPage = async (client: Client): PageResult =>
  ok(textPage("What fills the context window", await client.session.contextReport()));

export const tasksPage = async (client: Client): PageResult =>
  ok(textPage("Agents, MCP tasks and commands", client.tasks.list()));
