// Panels about the open conversation: going back in it, its todos, its model, what fills its window.
import { basename } from "node:path";
import { ok } from "../../base/result.ts";
import { firstLine } from "../../base/text.ts";
import { counted, grouped } from "../../command/format.ts";
import { age } from "../../command/memory/text.ts";
import type { Client } from "../../runtime/client.ts";
import { confirmPage, type PageResult, type PanelPage, type PickerRow, pickerPage, textPage } from "./page.ts";

const MOST_LETTERS = 200;

/** With a message's name: what can be done with it. */
export const rewindPage = async (client: Client, ref: string): PageResult =>
  ref === "" ? ok(rewindList(client)) : rewindStep(client, ref);

function rewindList(client: Client): PanelPage {
  const now = Date.now();
  const messages = client
    .past()
    .flatMap((event) =>
      event.type === "user.message" && event.agentId === undefined && event.data.ref !== undefined
        ? [{ ...event.data, ref: event.data.ref, time: event.timestamp }]
        : [],
    )
    .toReversed();
  const files = filesByMessage(client);
  const rows = messages.map(({ ref, content, display, time }): PickerRow => {
    const words = firstLine(display ?? content, MOST_LETTERS);
    const count = files.get(ref)?.size ?? 0;
    return {
      label: `${ref}  ${age(time, now)} ago${count === 0 ? "" : `  ${counted(count, "file")}`}`,
      detail: words,
      does: { type: "open", command: "rewind", args: ref },
    };
  });
  return pickerPage("Go back to before which message?", rows, "No message to go back to yet.");
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
  });
  const goes = `takes ${counted(prompts.length, "message")} out of it`;
  const changes = files.filter(({ action }) => action !== "skip");
  const left = files.filter(({ action }) => action === "skip");
  const rows: PickerRow[] = [
    { label: "conversation only", detail: `${goes}; files stay as they are`, does: run("") },
    ...(changes.length === 0
      ? []
      : [{ label: "conversation and files", detail: `${goes}; ${filesDetail(changes)}`, does: run(" --files") }]),
    ...(left.length === 0
      ? []
      : [
          {
            label: "also files changed by others",
            detail: `${filesDetail(left)}: what they hold now is kept as a copy`,
            does: run(" --files --overwrite"),
          },
        ]),
    { label: "cancel", detail: "change nothing", does: { type: "close" } },
  ];
  const words = firstLine(prompts[0]?.content ?? "", MOST_LETTERS);
  return ok(pickerPage(`Back to before ${ref}: ${words}`, rows));
}

const filesDetail = (files: readonly { path: string }[]): string => {
  const names = files.map(({ path }) => basename(path));
  return `${counted(files.length, "file")} (${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""})`;
};

/** Files that the agent changed while it worked on each message. */
function filesByMessage(client: Client): Map<string, Set<string>> {
  const files = new Map<string, Set<string>>();
  let ref = "";
  for (const event of client.past()) {
    if (event.type === "user.message" && event.agentId === undefined) ref = event.data.ref ?? ref;
    if (event.type !== "tool.execution_complete") continue;
    for (const { path, operation } of event.data.filesChanged ?? [])
      if (operation !== "view") files.set(ref, (files.get(ref) ?? new Set()).add(path));
  }
  return files;
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

/** Summaries that compactions wrote; Enter shows one whole. */
export async function checkpointsPage(client: Client): PageResult {
  const all = await client.checkpoints();
  if (!all.ok) return all;
  const now = Date.now();
  const rows = all.value.toReversed().map(({ number, created, turns, title, text }): PickerRow => {
    const state = textPage(`Checkpoint ${number}: ${title}`, text);
    const label = `${number}  ${age(created, now)} ago  t${turns.from}-t${turns.to}`;
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
    const state = confirmPage(`Take back what you approved for this ${scope}?`, line);
    return {
      label: `reset ${scope}`,
      detail: `take back what you approved for this ${scope}`,
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
