// Panels about the open conversation: going back in it, its todos, its model, what fills its window.
import { basename } from "node:path";
import { optional } from "../../base/optional.ts";
import { ok } from "../../base/result.ts";
import { firstLine } from "../../base/text.ts";
import { counted, grouped } from "../../command/format.ts";
import { ago } from "../../command/memory/text.ts";
import type { Client } from "../../runtime/client.ts";
import { confirmPage, type PageResult, type PanelPage, type PickerRow, pickerPage, textPage } from "./page.ts";

const MOST_LETTERS = 200;

/** With a message's name: what can be done with it. */
export const rewindPage = async (client: Client, ref: string): PageResult =>
  ref === "" ? ok(rewindList(client)) : rewindStep(client, ref);

function rewindList(client: Client): PanelPage {
  const now = Date.now();
  const past = client.past();
  const messages = past.flatMap((event, index) =>
    event.type === "user.message" && event.agentId === undefined && event.data.ref !== undefined
      ? [{ ...event.data, ref: event.data.ref, time: event.timestamp, index }]
      : [],
  );
  const rows = messages.map(
    ({ ref, content, display, time, index }, at): PickerRow => ({
      label: `${ref}  ${ago(time, now)}`,
      more: fileCount(past, index, messages[at + 1]?.index),
      detail: firstLine(display ?? content, MOST_LETTERS),
      does: { type: "open", command: "rewind", args: ref },
    }),
  );
  return pickerPage("Go back to before which message?", rows.toReversed(), "No message to go back to yet.");
}

/** What would go, and what would become of files, is told before anything is chosen. */
async function rewindStep(client: Client, ref: string): PageResult {
  const preview = client.history.preview(ref);
  if (!preview.ok) return preview;
  const { prompts, files } = preview.value;
  const run = (more: string): PickerRow["does"] => ({
    type: "run",
    line: `/rewind ${ref}${more}`,
    afterwards: "close",
    // It may be sent again in other words.
    ...optional("insert", prompts[0]?.content),
  });
  const goes = `takes ${counted(prompts.length, "message")} out of it`;
  const changes = files.filter(({ action }) => action !== "skip");
  const foreign = files.filter(({ isForeign }) => isForeign);
  const lost = files.filter(({ action, isForeign }) => action === "skip" && !isForeign);
  const rows: PickerRow[] = [
    { label: "conversation only", detail: `${goes}; files stay as they are`, does: run("") },
    ...(changes.length === 0
      ? []
      : [{ label: "conversation and files", detail: `${goes}; ${filesDetail(changes)}`, does: run(" --files") }]),
    ...(foreign.length === 0
      ? []
      : [
          {
            label: "also files changed by others",
            detail: `${filesDetail(foreign)}: what they hold now is kept as a copy`,
            does: run(" --files --overwrite"),
          },
        ]),
    { label: "cancel", detail: "change nothing", does: { type: "close" } },
  ];
  const words = firstLine(prompts[0]?.content ?? "", MOST_LETTERS);
  const note = lost.length === 0 ? undefined : `${filesDetail(lost)} cannot go back: the old text was not kept.`;
  return ok({ ...pickerPage(`Back to before ${ref}: ${words}`, rows), ...optional("note", note) });
}

const filesDetail = (files: readonly { path: string }[]): string => {
  const names = files.map(({ path }) => basename(path));
  return `${counted(files.length, "file")} (${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""})`;
};

/** How many files were changed between two events, in words. Counted once and only when asked: it reads the log. */
function fileCount(past: ReturnType<Client["past"]>, from: number, to: number | undefined): () => string {
  let words: string | undefined;
  const count = (): string => {
    const changes = past
      .slice(from, to)
      .flatMap((event) => (event.type === "tool.execution_complete" ? (event.data.filesChanged ?? []) : []));
    const paths = new Set(changes.flatMap(({ path, operation }) => (operation === "view" ? [] : [path])));
    return paths.size === 0 ? "" : `  ${counted(paths.size, "file")}`;
  };
  return () => {
    words ??= count();
    return words;
  };
}

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
    const price = multiplier === 1 ? [] : [multiplier === 0 ? "free" : `${multiplier} times the price`];
    const facts = [`prompts up to ${grouped(promptLimit)} tokens`, ...price];
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

/** Summaries that compactions wrote; Enter shows one whole. */
export async function checkpointsPage(client: Client): PageResult {
  const all = await client.checkpoints();
  if (!all.ok) return all;
  const now = Date.now();
  const rows = all.value.toReversed().map(({ number, created, turns, title, text }): PickerRow => {
    const state = textPage(`Checkpoint ${number}: ${title}`, text);
    const label = `${number}  ${ago(created, now)}  t${turns.from}-t${turns.to}`;
    return { label, detail: title, does: { type: "show", state } };
  });
  return ok(
    pickerPage("Checkpoints", rows, "No checkpoints yet: they are written when the conversation is compacted."),
  );
}

/** Rules in force with where they come from; approvals can be taken back. */
export async function permissionsPage(client: Client): PageResult {
  const { allowAll, rules, folders, sandbox } = await client.permissions.list();
  const facts = [`folders: ${folders.join(", ")}`, sandbox].join("\n");
  const reset = (scope: "session" | "location"): PickerRow => {
    const line = `/permissions reset ${scope}`;
    const state = confirmPage(`Remove your approvals for this ${scope}?`, line);
    return {
      label: `reset ${scope}`,
      detail: `remove your approvals for this ${scope}`,
      does: { type: "show", state },
    };
  };
  const rows = [
    ...rules.map(
      ({ list, rule, origin }): PickerRow => ({
        label: `${list.padEnd(5)} ${rule}`,
        detail: origin,
        does: { type: "show", state: textPage(`${list} ${rule}`, `It comes from: ${origin}.\n${facts}`) },
      }),
    ),
    reset("session"),
    reset("location"),
    {
      label: "folders and sandbox",
      detail: sandbox,
      does: { type: "show", state: textPage("Folders and sandbox", facts) },
    } as const,
  ];
  return ok(pickerPage(`Permissions: allow-all is ${allowAll ? "on" : "off"}, ${counted(rules.length, "rule")}`, rows));
}
