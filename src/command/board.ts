// `everlong board` and `/board`: the context board in the user's own hand.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { commandUsage, errorText, type Failure } from "../base/failure.ts";
import { optional } from "../base/optional.ts";
import { fail, ok, type Result } from "../base/result.ts";
import type { BoardChange, BoardChoice, BoardItem, BoardStored } from "../runtime/client/board.ts";
import { type At, type Call, type Command, type Outcome, type SlashCommand, said, shown } from "./contract.ts";
import { minute } from "./format.ts";

type Texts = { description?: string; content?: string; file?: string };

const of = [
  { flags: "--branch <name>", help: "of another branch" },
  { flags: "--repo <key>", help: "of another repository" },
  { flags: "--src <src>", help: "agent or user" },
];
const texts = [
  { flags: "--description <text>", help: "one line: when it helps" },
  { flags: "--content <text>", help: "the content" },
  { flags: "-f, --file <file>", help: "the content from a file" },
];

const list: Command = {
  name: "list",
  summary: "what is on it, yours first",
  isDefault: true,
  options: of,
  json: "lines",
  run: ({ options }: Call<BoardChoice>, { on }) =>
    on.board(async (board) => {
      const listed = await board.list(options);
      if (!listed.ok) return listed;
      const { place, items } = listed.value;
      const name = `${place.repository}, branch ${place.branch}`;
      const text =
        items.length === 0 ? `The board of ${name} is empty.` : [`Board of ${name}:`, ...items.map(rowText)].join("\n");
      return shown(items, text);
    }),
};

const show: Command = {
  name: "show",
  summary: "one item with its content; this is not counted as a reading",
  arguments: "<name>",
  options: of,
  json: "lines",
  run: ({ args: [name = ""], options }: Call<BoardChoice>, { on }) =>
    on.board(async (board) => {
      const item = await board.show(name, options);
      return item.ok ? shown([item.value], itemText(item.value)) : item;
    }),
};

const add: Command = {
  name: "add",
  summary: "add an item of your own; content from --content, -f or stdin",
  arguments: "<name>",
  options: [...of, ...texts],
  run: ({ args: [name = ""], options }: Call<BoardChoice & Texts>, at) =>
    at.on.board(async (board) => {
      const text = await textsOf(options, at);
      return text.ok ? stored(await board.add(name, text.value, options)) : text;
    }),
};

const edit: Command = {
  name: "edit",
  summary: "change an item, also an agent's",
  arguments: "<name>",
  options: [...of, ...texts],
  run: ({ args: [name = ""], options }: Call<BoardChoice & Texts>, at) =>
    at.on.board(async (board) => {
      const text = await textsOf(options, at);
      return text.ok ? stored(await board.edit(name, text.value, options)) : text;
    }),
};

const remove: Command = {
  name: "remove",
  alias: "delete",
  summary: "remove an item, also an agent's",
  arguments: "<name>",
  options: of,
  run: ({ args: [name = ""], options }: Call<BoardChoice>, { on }) =>
    on.board(async (board) => {
      const gone = await board.remove(name, options);
      if (!gone.ok) return gone;
      const { key, undoDays } = gone.value;
      return said(`${key} is removed. Its text stays in the log of changes for ${undoDays} days, so that undo works.`);
    }),
};

const changes: Command = {
  name: "changes",
  summary: "what was changed, newest first",
  options: [
    ...of,
    { flags: "--run <id>", help: "only by that consolidation" },
    { flags: "--limit <n>", help: "most rows", kind: "count", default: 50 },
  ],
  json: "lines",
  run: ({ options }: Call<BoardChoice & { run?: string; limit?: number }>, { on }) =>
    on.board(async (board) => {
      const rows = await board.changes(options, options);
      if (!rows.ok) return rows;
      const none = "Nothing was changed on this board.";
      return shown(rows.value, rows.value.length === 0 ? none : rows.value.map(changeText).join("\n"));
    }),
};

const undo: Command = {
  name: "undo",
  summary: "take back a change, or all of a run",
  arguments: "<change>",
  options: [...of, { flags: "--force", help: "also what was changed again since" }],
  run: ({ args: [which = ""], options }: Call<BoardChoice & { force?: boolean }>, { on }) =>
    on.board(async (board) => {
      const items = await board.undo(which, options, options.force ?? false);
      return items.ok ? said(`As before: ${items.value.join(", ")}.`) : items;
    }),
};

const adopt: Command = {
  name: "adopt",
  summary: "copy another branch's items that do not clash",
  arguments: "<branch>",
  options: of,
  run: ({ args: [branch = ""], options }: Call<BoardChoice>, { on }) =>
    on.board(async (board) => {
      const done = await board.adopt(branch, options);
      if (!done.ok) return done;
      const { copied, clashed, full } = done.value;
      const lines = [
        `Copied: ${copied.join(", ") || "nothing"}.`,
        clashed.length > 0 ? `Already here: ${clashed.join(", ")}.` : "",
        full.length > 0 ? `No room for: ${full.join(", ")}.` : "",
      ];
      return said(lines.filter(Boolean).join("\n"));
    }),
};

export const board: SlashCommand = {
  name: "board",
  summary: "reusable knowledge of this repository and branch",
  subcommands: [list, show, add, edit, remove, changes, undo, adopt],
  slash: {
    usage: "[list|show|add|edit|remove|changes|undo|adopt]",
    summary: "knowledge of this repository and branch that agents keep",
  },
};

/** The content comes from an option, a file, or what was piped in. */
async function textsOf(
  { description, content, file }: Texts,
  { person }: At,
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
    return fail(
      commandUsage(`${path} cannot be read: ${errorText(error)}.`, "Give a file, --content or text on stdin."),
    );
  }
}

const stored = (done: Result<BoardStored, Failure>): Outcome => {
  if (!done.ok) return done;
  const { key, redactions } = done.value;
  return said(`${key} is stored.${redactions > 0 ? ` Secrets redacted: ${redactions}.` : ""}`);
};

const keyOf = ({ src, name }: { src: string; name: string }): string => `${src}/${name}`;

const rowText = (item: BoardItem): string =>
  `${keyOf(item)}: ${item.description} (read ${item.readCount}, shown to ${item.count} sessions)`;

function itemText(item: BoardItem): string {
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

function changeText(change: BoardChange): string {
  const { id, at, action, actor, run, after, before } = change;
  const about = (after ?? before)?.description ?? "";
  return `${id}  ${minute(at)}  ${action} ${keyOf(change)} by ${actor}${run ? ` (${run})` : ""}: ${about}`;
}
