// `everlong board` and `/board`: the context board in the user's own hand.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { commandUsage, errorText, type Failure } from "../base/failure.ts";
import { optional } from "../base/optional.ts";
import { fail, ok, type Result } from "../base/result.ts";
import type { BoardChange, BoardChoice, BoardItem } from "../runtime/client.ts";
import { type Command, type CommandCall, describe, type Person, type SlashCommand } from "./contract.ts";
import { counted, minute } from "./format.ts";

type Texts = { description?: string; content?: string; file?: string };

const of = [
  { flags: "--branch <name>", help: "the board of another branch" },
  { flags: "--repo <key>", help: "the board of another repository, such as acme/app" },
  { flags: "--src <src>", help: "only items written by agent or user" },
];
const texts = [
  { flags: "--description <text>", help: "one line that says when the item helps" },
  { flags: "--content <text>", help: "the item's text" },
  { flags: "-f, --file <file>", help: "read the text from a file" },
];

type Of<More = object> = CommandCall<BoardChoice & More>;

const list: Command = {
  name: "list",
  summary: "list items, yours first",
  isDefault: true,
  options: of,
  json: "lines",
  run: async ({ options }: Of, { on }) =>
    describe(await on.board((board) => board.list(options)), ({ place, items }) => {
      const name = `${place.repository}, branch ${place.branch}`;
      const rows = [`Board of ${name}:`, ...items.map(rowText)];
      return { data: items, text: items.length === 0 ? `The board of ${name} is empty.` : rows.join("\n") };
    }),
};

const show: Command = {
  name: "show",
  summary: "show one item",
  arguments: "<name>",
  options: of,
  json: "lines",
  run: async ({ args: [name = ""], options }: Of, { on }) =>
    describe(await on.board((board) => board.show(name, options)), (item) => ({ data: [item], text: itemText(item) })),
};

/** Both take the same words. */
const writing = (verb: "add" | "edit", summary: string): Command => ({
  name: verb,
  summary,
  arguments: "<name>",
  options: [...of, ...texts],
  async run({ args: [name = ""], options }: Of<Texts>, { on, person }) {
    const stored = await on.board(async (board) => {
      const text = await textsOf(options, person);
      return text.ok ? board[verb](name, text.value, options) : text;
    });
    return describe(
      stored,
      ({ key, redactions }) => `Stored ${key}.${redactions > 0 ? ` Secrets redacted: ${redactions}.` : ""}`,
    );
  },
});

const remove: Command = {
  name: "remove",
  alias: "delete",
  summary: "remove an item",
  arguments: "<name>",
  options: of,
  run: async ({ args: [name = ""], options }: Of, { on }) =>
    describe(
      await on.board((board) => board.remove(name, options)),
      ({ key, undoDays }) => `Removed ${key}. Its text is kept for ${undoDays} days so that you can undo this.`,
    ),
};

const changes: Command = {
  name: "changes",
  summary: "list changes, newest first",
  options: [
    ...of,
    { flags: "--run <id>", help: "only from this run" },
    { flags: "--limit <n>", help: "maximum rows", kind: "count", default: 50 },
  ],
  json: "lines",
  run: async ({ options }: Of<{ run?: string; limit?: number }>, { on }) =>
    describe(await on.board((board) => board.changes(options, options)), (rows) => ({
      data: rows,
      text: rows.map(changeText).join("\n") || "No changes on this board yet.",
    })),
};

const undo: Command = {
  name: "undo",
  summary: "undo a change, or a whole run",
  arguments: "<change>",
  options: [...of, { flags: "--force", help: "even if it changed again since" }],
  run: async ({ args: [which = ""], options }: Of<{ force?: boolean }>, { on }) =>
    describe(
      await on.board((board) => board.undo(which, options, options.force ?? false)),
      (items) => `Restored: ${items.join(", ")}.`,
    ),
};

const adopt: Command = {
  name: "adopt",
  summary: "copy items from another branch, if they don't clash",
  arguments: "<branch>",
  options: of,
  run: async ({ args: [branch = ""], options }: Of, { on }) =>
    describe(await on.board((board) => board.adopt(branch, options)), ({ copied, clashed, full }) =>
      [
        `Copied: ${copied.join(", ") || "nothing"}.`,
        ...(clashed.length > 0 ? [`Already here: ${clashed.join(", ")}.`] : []),
        ...(full.length > 0 ? [`No room for: ${full.join(", ")}.`] : []),
      ].join("\n"),
    ),
};

export const board: SlashCommand = {
  name: "board",
  summary: "list and edit what later sessions on this branch should know",
  subcommands: [
    list,
    show,
    writing("add", "add an item: a --description, and text from --content, -f or stdin"),
    writing("edit", "edit an item, yours or an agent's"),
    remove,
    changes,
    undo,
    adopt,
  ],
  slash: {
    usage: "[list|show|add|edit|remove|changes|undo|adopt]",
    summary: "list and edit what later sessions on this branch should know",
  },
};

/** The content comes from an option, a file, or what was piped in. */
async function textsOf(
  { description, content, file }: Texts,
  person: Person,
): Promise<Result<{ description?: string; content?: string }, Failure>> {
  if (content !== undefined) return ok({ ...optional("description", description), content });
  const read = file === undefined ? await (person.input?.("wait") ?? ok(undefined)) : contentOf(resolve(file));
  if (!read.ok) return read;
  return ok({ ...optional("description", description), ...optional("content", read.value || undefined) });
}

function contentOf(path: string): Result<string, Failure> {
  try {
    return ok(readFileSync(path, "utf8"));
  } catch (error) {
    return fail(commandUsage(`Cannot read ${path}: ${errorText(error)}.`, "Give a file, --content or text on stdin."));
  }
}

const keyOf = ({ src, name }: { src: string; name: string }): string => `${src}/${name}`;

const rowText = (item: BoardItem): string =>
  `${keyOf(item)}: ${item.description} (read ${item.readCount}×, shown to ${counted(item.count, "session")})`;

export function itemText(item: BoardItem): string {
  const { source } = item;
  const origin = [
    source.session ? `session ${source.session}` : "",
    source.run ? `run ${source.run}` : "",
    source.turns?.length ? `turns ${source.turns.join(", ")}` : "",
  ].filter(Boolean);
  return [
    rowText(item),
    `version ${item.version}, by ${item.author}, ${minute(item.updatedAt)}${origin.length > 0 ? `; from ${origin.join(", ")}` : ""}`,
    "",
    item.content,
  ].join("\n");
}

export function changeText(change: BoardChange): string {
  const { id, at, action, actor, run, after, before } = change;
  const about = (after ?? before)?.description ?? "";
  return `${id}  ${minute(at)}  ${action} ${keyOf(change)} by ${actor}${run ? ` (${run})` : ""}: ${about}`;
}
