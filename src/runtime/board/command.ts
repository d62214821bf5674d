// `everlong board` and `/board`: the user's own hand on the context board. It works also while memory is off.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { errorText, type Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { KEPT_DAYS, listChanges, undoChanges } from "../../memory/board/change.ts";
import { type Checked, checkItem } from "../../memory/board/check.ts";
import {
  type BoardItem,
  type BoardPlace,
  CAPACITY,
  keyOf,
  type PutOutcome,
  type Src,
} from "../../memory/board/item.ts";
import { findItem, listItems } from "../../memory/board/row.ts";
import { adoptItems, putItem, removeItem } from "../../memory/board/store.ts";
import { givenBranch, givenRepository, PLACE_REFUSED } from "../../memory/given-place.ts";
import { filteredValue } from "../../memory/secret/filter.ts";
import type { SessionContext } from "../../schema/session.ts";
import type { Database } from "../../store/sqlite.ts";
import { refuseInToolShell } from "../settings-command.ts";
import { healing, openStore } from "../store.ts";
import { openWorkspace, redactorOf, type Workspace } from "../workspace.ts";
import { boardPlace } from "./board.ts";
import { changeText, itemText, rowText } from "./show.ts";

export type BoardOptions = {
  branch?: string;
  repo?: string;
  src?: string;
  json?: boolean;
  description?: string;
  content?: string;
  file?: string;
  run?: string;
  limit?: number;
  force?: boolean;
};
export type BoardVerb = "list" | "show" | "add" | "edit" | "remove" | "changes" | "undo" | "adopt";
export type BoardAnswer = Result<string, Failure>;

type Desk = {
  db: Database;
  workspace: Workspace;
  place: BoardPlace;
  options: BoardOptions;
  stdin: () => Promise<string>;
};

const USER = { actor: "user", source: {} } as const;

const refused = (code: string, what: string, next: string, exit: 1 | 2 = 1) =>
  fail<Failure>({ code, what, data: "Nothing was changed.", next, exit });
const usage = (what: string, next: string) => refused("usage", what, next, 2);
const LOOKING: readonly BoardVerb[] = ["list", "show", "changes"];
const LIST = "everlong board list shows what is there.";

/** `at`: in an open session its own workspace. `stdin`: what was piped in; empty at a terminal. */
export async function boardCommand(
  verb: BoardVerb,
  argument: string | undefined,
  options: BoardOptions,
  stdin: () => Promise<string> = async () => "",
  at?: { workspace: Workspace; context: SessionContext },
): Promise<BoardAnswer> {
  const stood = at ? ok(at.workspace) : await openWorkspace();
  if (!stood.ok) return stood;
  const { value: workspace } = stood;
  // What the user's hand does counts as the user's: an agent's shell has no part in it.
  const kept = LOOKING.includes(verb) ? undefined : refuseInToolShell(workspace.env, "The board is");
  if (kept) return fail(kept);
  if (options.src !== undefined && options.src !== "agent" && options.src !== "user")
    return usage(`--src is agent or user, not "${options.src}".`, LIST);
  const place = placeOf(workspace, at?.context ?? workspace.context, options);
  if (!place.ok) return place;
  return healing(workspace.paths, async () => {
    const opened = await openStore(workspace.paths, { recall: workspace.indexing.recall });
    if (!opened.ok) return opened;
    try {
      return await verbs[verb]({ db: opened.value, workspace, place: place.value, options, stdin }, argument ?? "");
    } finally {
      opened.value.close();
    }
  });
}

function placeOf(
  workspace: Workspace,
  context: SessionContext,
  { repo, branch }: BoardOptions,
): Result<BoardPlace, Failure> {
  const here = boardPlace(workspace, context);
  const redactor = redactorOf(workspace);
  const repository = repo === undefined ? here.repository : givenRepository(redactor, repo);
  const named = branch === undefined ? here.branch : givenBranch(redactor, branch);
  if (repository === undefined || named === undefined)
    return refused("invalid_inputs", PLACE_REFUSED, "--repo takes owner/name, host/path or local:FOLDER.", 2);
  return ok({ repository, branch: named });
}

const verbs: Record<BoardVerb, (desk: Desk, argument: string) => Promise<BoardAnswer> | BoardAnswer> = {
  list({ db, workspace, place, options }) {
    const rows = listItems(db, place).filter(({ src }) => options.src === undefined || src === options.src);
    const items = filteredValue(workspace.redact, rows);
    if (options.json) return lines(items);
    const of = `${place.repository}, branch ${place.branch}`;
    return ok(
      items.length === 0 ? `The board of ${of} is empty.` : [`Board of ${of}:`, ...items.map(rowText)].join("\n"),
    );
  },
  show(desk, name) {
    const found = one(desk, name);
    if (!found.ok) return found;
    const item = filteredValue(desk.workspace.redact, found.value);
    return desk.options.json ? lines([item]) : ok(itemText(item));
  },
  async add(desk, name) {
    const text = await given(desk, { name, description: desk.options.description ?? "" });
    return text.ok ? put(desk, "user", text.value, "new") : text;
  },
  async edit(desk, wanted) {
    const found = one(desk, wanted);
    if (!found.ok) return found;
    const { src, name, content, description: before } = found.value;
    const text = await given(desk, { name, description: desk.options.description ?? before }, content);
    return text.ok ? put(desk, src, text.value, "present") : text;
  },
  async remove(desk, wanted) {
    const found = one(desk, wanted);
    if (!found.ok) return found;
    const { src, name } = found.value;
    const done = await removeItem(desk.db, desk.place, { src, name, at: systemClock.now() }, USER);
    if (!done.ok) return done;
    if (done.value.type !== "removed") return missing(name);
    return ok(
      `${src}/${name} is removed. Its text stays in the log of changes for ${KEPT_DAYS} days, so that undo works.`,
    );
  },
  changes({ db, workspace, place, options: { run, limit, json } }) {
    const changes = filteredValue(workspace.redact, listChanges(db, place, { run, ...optional("limit", limit) }));
    if (json) return lines(changes);
    return ok(changes.length === 0 ? "Nothing was changed on this board." : changes.map(changeText).join("\n"));
  },
  async undo({ db, place, options: { force = false } }, which) {
    const done = await undoChanges(db, place, { which, at: systemClock.now(), force }, USER.actor);
    if (!done.ok) return done;
    const { value: outcome } = done;
    if (outcome.type === "undone") return ok(`As before: ${outcome.items.join(", ")}.`);
    if (outcome.type === "not_found")
      return refused(
        "not_found",
        `There is no change or run "${which}" of this board.`,
        "everlong board changes lists them.",
      );
    if (outcome.type === "board_full") return refused("board_full", FULL, "Remove some items first.");
    const again = `${outcome.items.join(", ")} changed again since then.`;
    return refused("changed_later", again, "Look at everlong board changes; --force undoes it all the same.");
  },
  async adopt({ db, place }, branch) {
    if (branch === place.branch) return usage("A branch cannot adopt its own items.", "Name another branch.");
    const items = listItems(db, { ...place, branch });
    if (items.length === 0) return refused("not_found", `The board of branch ${branch} is empty.`, LIST);
    const done = await adoptItems(db, place, { items, at: systemClock.now() }, USER);
    if (!done.ok) return done;
    const { copied, clashed, full } = done.value;
    const said = [
      `Copied: ${copied.join(", ") || "nothing"}.`,
      clashed.length > 0 ? `Already here: ${clashed.join(", ")}.` : "",
      full.length > 0 ? `No room for: ${full.join(", ")}.` : "",
    ];
    return ok(said.filter(Boolean).join("\n"));
  },
};

const FULL = `The board would hold more than ${CAPACITY} items.`;

const lines = (objects: readonly object[]): BoardAnswer => ok(objects.map((one) => JSON.stringify(one)).join("\n"));

const missing = (name: string): BoardAnswer => refused("not_found", `There is no item "${name}" on this board.`, LIST);

/** By its name; `src/name` or --src tells apart what both have. */
function one({ db, place, options }: Desk, wanted: string): Result<BoardItem, Failure> {
  const [, prefix, name = wanted] = /^(agent|user)\/(.+)$/.exec(wanted) ?? [];
  const srcs = (["user", "agent"] as const).filter((src) => [undefined, src].includes((prefix ?? options.src) as Src));
  const found = srcs.flatMap((src) => findItem(db, place, src, name) ?? []);
  const [item] = found;
  if (item && found.length === 1) return ok(item);
  if (found.length > 1) return usage(`Both ${found.map(keyOf).join(" and ")} exist.`, "Say which with --src.");
  return missing(wanted) as Result<never, Failure>;
}

async function given(
  { workspace, options: { content, file }, stdin }: Desk,
  text: { name: string; description: string },
  before?: string,
): Promise<Result<Checked, Failure>> {
  let context = content;
  if (context === undefined && file !== undefined) {
    const path = resolve(workspace.context.cwd, file);
    if (!existsSync(path)) return usage(`There is no file ${path}.`, "Give a file, --content or text on stdin.");
    try {
      context = readFileSync(path, "utf8");
    } catch (error) {
      return refused("unreadable", `${path}: ${errorText(error)}.`, "Give a file that can be read.");
    }
  }
  context ??= (await stdin()) || before;
  const checked = checkItem(redactorOf(workspace), { ...text, context: context ?? "" });
  if (checked.ok) return checked;
  const { code, message } = checked.error;
  return refused(code, message, "Content comes from --content, -f FILE or stdin; --description is one line.", 2);
}

async function put(desk: Desk, src: Src, { text, redactions }: Checked, only: "new" | "present"): Promise<BoardAnswer> {
  const done = await putItem(desk.db, desk.place, { src, text, at: systemClock.now(), only }, USER);
  if (!done.ok) return done;
  return said(done.value, src, text.name, redactions);
}

function said(outcome: PutOutcome, src: Src, name: string, redactions: number): BoardAnswer {
  switch (outcome.type) {
    case "stored":
      return ok(`${src}/${name} is stored.${redactions > 0 ? ` Secrets redacted: ${redactions}.` : ""}`);
    case "exists":
      return refused("exists", `You have an item "${name}" already.`, `everlong board edit ${name} changes it.`);
    case "board_full":
      return refused("board_full", FULL, "Remove one first.");
    default:
      return missing(name);
  }
}
