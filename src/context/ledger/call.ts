// What one tool call does, whichever program's tools it belongs to: files it changes, the command it runs, todos it sets.
import { isRecord } from "../../base/json.ts";
import { clip } from "../../base/text.ts";
import { changedByShell } from "./command.ts";
import type { LedgerTodo } from "./happening.ts";

export type FileDeed = {
  path: string;
  did: "created" | "edited" | "written" | "deleted" | "moved";
  added: number;
  removed: number;
};
type CallRead = {
  changes: FileDeed[];
  /** The file that the tool was pointed at, changed or not. */
  path?: string;
  /** The whole line, for shells. */
  command?: string;
  /** The whole list as it is now. */
  todos?: LedgerTodo[];
  /** The tool only reads, so its failures leave nothing open. */
  looks: boolean;
};

const PATH_KEYS = [
  "path",
  "file_path",
  "filePath",
  "absolute_path",
  "target_file",
  "filename",
  "file_name",
  "notebook_path",
];
const COMMAND_KEYS = ["command", "cmd", "script"];
const OLD_KEYS = ["old_str", "old_string", "old_text", "oldText", "old"];
const NEW_KEYS = [
  "new_str",
  "new_string",
  "new_text",
  "newText",
  "new",
  "file_text",
  "content",
  "contents",
  "insert_text",
];
const EDITOR_COMMANDS: ReadonlyMap<string, FileDeed["did"] | "view"> = new Map([
  ["view", "view"],
  ["create", "created"],
  ["str_replace", "edited"],
  ["insert", "edited"],
  ["undo_edit", "edited"],
]);
const LOOKING =
  /^(?:mcp__\w+?__)?(?:read|view|get|list|ls|glob|find|grep|search|fetch|open|recall|web|look|describe|show|todo)(?!_?(?:and_)?replace)/i;
const PATCHED = /^\*\*\* (Add|Update|Delete) File: (.+)$/;

export function readCall(tool: string, args: unknown): CallRead {
  const path = isRecord(args) ? firstText(args, PATH_KEYS) : undefined;
  return { ...(path === undefined ? {} : { path }), ...effectOf(tool, args, path) };
}

function effectOf(tool: string, args: unknown, path: string | undefined): Omit<CallRead, "path"> {
  const fields = isRecord(args) ? args : {};
  const text = typeof args === "string" ? args : "";
  const todos = todosOf(tool, fields);
  const command = commandOf(fields) ?? "";
  const editor = path === undefined ? undefined : EDITOR_COMMANDS.get(command);
  const patch = [text, command, ...["patch", "input", "diff"].map((key) => textAt(fields, key))].find((one) =>
    one.includes("*** "),
  );
  const patched = patch === undefined ? [] : patchedFiles(patch);
  if (patched.length > 0) return { changes: patched, looks: false };
  const looks = editor === "view" || (editor === undefined && LOOKING.test(tool));
  if (path !== undefined && !looks) {
    const did = editor ?? deedOf(tool);
    if (did !== undefined) return { changes: [{ path: clip(path, 300), did, ...linesOf(fields) }], looks };
  }
  if (editor === undefined && command !== "") {
    const changes = changedByShell(command).map((change) => ({ ...change, added: 0, removed: 0 }));
    return { changes, command, looks: false };
  }
  return { changes: [], looks: looks || todos !== undefined, ...(todos ? { todos } : {}) };
}

function deedOf(tool: string): FileDeed["did"] | undefined {
  if (/delete|remove/i.test(tool)) return "deleted";
  if (/edit|replace|patch|update|insert|modify|diff/i.test(tool)) return "edited";
  if (/create/i.test(tool)) return "created";
  return /write|save|append/i.test(tool) ? "written" : undefined;
}

function linesOf(args: Record<string, unknown>): { added: number; removed: number } {
  const edits = Array.isArray(args["edits"]) ? args["edits"].filter(isRecord) : [args];
  const lines = (text: string | undefined): number => (text ? text.replace(/\n$/, "").split("\n").length : 0);
  return {
    added: edits.reduce((sum, edit) => sum + lines(firstText(edit, NEW_KEYS)), 0),
    removed: edits.reduce((sum, edit) => sum + lines(firstText(edit, OLD_KEYS)), 0),
  };
}

function patchedFiles(patch: string): FileDeed[] {
  const files: FileDeed[] = [];
  for (const line of patch.split(/\n|\\n/)) {
    const [, verb, path = ""] = PATCHED.exec(line) ?? [];
    const current = files.at(-1);
    if (verb)
      files.push({
        path: clip(path.trim(), 300),
        did: verb === "Add" ? "created" : verb === "Delete" ? "deleted" : "edited",
        added: 0,
        removed: 0,
      });
    else if (current && /^\+(?!\+\+)/.test(line)) current.added++;
    else if (current && /^-(?!--)/.test(line)) current.removed++;
  }
  return files;
}

function todosOf(tool: string, args: Record<string, unknown>): LedgerTodo[] | undefined {
  if (!/todo|plan|task_?list/i.test(tool)) return undefined;
  const list = [args["todos"], args["plan"], args["items"], args["tasks"]].find(Array.isArray);
  return list?.filter(isRecord).flatMap((entry, at) => {
    const title = firstText(entry, ["content", "step", "title", "task", "text", "description"]);
    const status = firstText(entry, ["status", "state"]) ?? (entry["completed"] === true ? "completed" : "pending");
    return title === undefined
      ? []
      : [{ id: firstText(entry, ["id"]) ?? String(at + 1), title: clip(title, 160), status }];
  });
}

function commandOf(args: Record<string, unknown>): string | undefined {
  for (const key of COMMAND_KEYS) {
    const value = args[key];
    if (typeof value === "string" && value.trim() !== "") return value;
    if (Array.isArray(value) && value.length > 0) return joined(value.map(String));
  }
  return undefined;
}

/** A shell around one line is left out; other vectors are joined. */
function joined(words: readonly string[]): string {
  const [program = "", flag = "", line] = words;
  return /(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-\w*c$/.test(flag) && line !== undefined ? line : words.join(" ");
}

const textAt = (args: Record<string, unknown>, key: string): string => {
  const value = args[key];
  return typeof value === "string" ? value : "";
};

function firstText(args: Record<string, unknown>, keys: readonly string[]): string | undefined {
  const key = keys.find((one) => typeof args[one] === "string" && args[one] !== "");
  return key === undefined ? undefined : textAt(args, key);
}
