// The user's own hand on the context board. It works also while memory is off.
import { systemClock } from "../../base/clock.ts";
import { type Failure, refusal } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { KEPT_DAYS, listChanges, undoChanges } from "../../memory/board/change.ts";
import { checkItem } from "../../memory/board/check.ts";
import { type BoardItem, type BoardPlace, keyOf, type PutOutcome, type Src } from "../../memory/board/item.ts";
import { findItem, listItems } from "../../memory/board/row.ts";
import { adoptItems, putItem, removeItem } from "../../memory/board/store.ts";
import { branchNamed, PLACE_REFUSED, repositoryNamed } from "../../memory/place-name.ts";
import { filteredValue } from "../../memory/secret/filter.ts";
import { CAPACITY } from "../../schema/board.ts";
import type { SessionContext } from "../../schema/session.ts";
import { embeddedStore, runUnit } from "../../store/embedded-store.ts";
import type { Database } from "../../store/sqlite.ts";
import type { ResultPromise } from "../client/open.ts";
import { healing, openStore } from "../store.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { redactorOf, type Workspace } from "../workspace.ts";
import { boardPlace } from "./board.ts";

/** Which board, and whose items; this repository's and branch's unless said. */
export type BoardChoice = { branch?: string; repo?: string; src?: string };

export type BoardAccess = ReturnType<typeof accessTo>;

type ItemTexts = { description?: string; content?: string };

const USER = { actor: "user", source: {} } as const;

const refused = (code: string, what: string, next: string, exit: 1 | 2 = 1) => fail(refusal(code, what, next, exit));
const usage = (what: string, next: string) => refused("usage", what, next, 2);
const LIST = "everlong board list shows all items.";

export function withBoard<T>(
  workspace: Workspace,
  context: SessionContext,
  work: (board: BoardAccess) => ResultPromise<T>,
): ResultPromise<T> {
  return healing(workspace.paths, async () => {
    const opened = await openStore(workspace.paths, { recall: workspace.indexing.recall });
    if (!opened.ok) return opened;
    try {
      return await work(accessTo(opened.value, workspace, context));
    } finally {
      opened.value.close();
    }
  });
}

function accessTo(db: Database, workspace: Workspace, context: SessionContext) {
  const store = embeddedStore(db);
  const placeOf = (choice: BoardChoice) => boardOf(workspace, context, choice);
  // What the user's hand does counts as the user's: an agent's shell has no part in it.
  const toChange = (choice: BoardChoice): Result<BoardPlace, Failure> => {
    const inShell = refuseInToolShell(workspace.env, "change the board");
    return inShell ? fail(inShell) : placeOf(choice);
  };
  const shown = <V>(value: V): V => filteredValue(workspace.redact, value);
  const put = async (
    place: BoardPlace,
    { src, only, ...given }: { src: Src; only: "new" | "present"; name: string; description: string; content: string },
  ): ResultPromise<{ key: string; redactions: number }> => {
    const checked = checkItem(redactorOf(workspace), given);
    if (!checked.ok) {
      const { code, message } = checked.error;
      return refused(
        code,
        message,
        "Give --description TEXT (one line) and --content TEXT; content may also come from -f FILE or stdin.",
        2,
      );
    }
    const { text, redactions } = checked.value;
    const stored = await putItem(store, place, { src, text, at: systemClock.now(), only }, USER);
    if (!stored.ok) return stored;
    return stored.value.type === "stored"
      ? ok({ key: keyOf({ src, name: text.name }), redactions })
      : notStored(stored.value, text.name);
  };

  return {
    async list(choice: BoardChoice) {
      const place = placeOf(choice);
      if (!place.ok) return place;
      const rows = runUnit(db, listItems(place.value)).filter(
        ({ src }) => choice.src === undefined || src === choice.src,
      );
      return ok({ place: place.value, items: shown(rows) });
    },
    /** By its name, or `src/name`. */
    async show(name: string, choice: BoardChoice) {
      const place = placeOf(choice);
      const item = place.ok ? one(db, place.value, name, choice) : place;
      return item.ok ? ok(shown(item.value)) : item;
    },
    async add(name: string, { description = "", content = "" }: ItemTexts, choice: BoardChoice) {
      const place = toChange(choice);
      return place.ok ? put(place.value, { src: "user", only: "new", name, description, content }) : place;
    },
    /** A text that is absent stays as it is. */
    async edit(wanted: string, text: ItemTexts, choice: BoardChoice) {
      const place = toChange(choice);
      if (!place.ok) return place;
      const item = one(db, place.value, wanted, choice);
      if (!item.ok) return item;
      const { src, name, description, content } = { ...item.value, ...text };
      return put(place.value, { src, only: "present", name, description, content });
    },
    async remove(wanted: string, choice: BoardChoice) {
      const place = toChange(choice);
      if (!place.ok) return place;
      const item = one(db, place.value, wanted, choice);
      if (!item.ok) return item;
      const { src, name } = item.value;
      const removed = await removeItem(store, place.value, { src, name, at: systemClock.now() }, USER);
      if (!removed.ok) return removed;
      return removed.value.type === "removed" ? ok({ key: keyOf({ src, name }), undoDays: KEPT_DAYS }) : missing(name);
    },
    async changes(choice: BoardChoice, { run, limit }: { run?: string; limit?: number }) {
      const place = placeOf(choice);
      return place.ok ? ok(shown(runUnit(db, listChanges(place.value, { run, ...optional("limit", limit) })))) : place;
    },
    /** A change, or all changes of a run; gives the items that are as before. */
    async undo(which: string, choice: BoardChoice, force: boolean) {
      const place = toChange(choice);
      if (!place.ok) return place;
      const undone = await undoChanges(store, place.value, { which, at: systemClock.now(), force }, USER.actor);
      if (!undone.ok) return undone;
      const { value: outcome } = undone;
      if (outcome.type === "undone") return ok([...outcome.items]);
      if (outcome.type === "not_found")
        return refused(
          "not_found",
          `Change or run not found on this board: ${which}.`,
          "everlong board changes lists them.",
        );
      if (outcome.type === "board_full") return refused("board_full", FULL, "Remove some items first.");
      const again = `${outcome.items.join(", ")} changed again since then.`;
      return refused("changed_later", again, "Look at everlong board changes; --force undoes it anyway.");
    },
    async adopt(branch: string, choice: BoardChoice) {
      const place = toChange(choice);
      if (!place.ok) return place;
      if (branch === place.value.branch) return usage("A branch cannot adopt its own items.", "Name another branch.");
      const items = runUnit(db, listItems({ ...place.value, branch }));
      if (items.length === 0) return refused("not_found", `The board of branch ${branch} is empty.`, LIST);
      return adoptItems(store, place.value, { items, at: systemClock.now() }, USER);
    },
  };
}

function boardOf(workspace: Workspace, context: SessionContext, choice: BoardChoice): Result<BoardPlace, Failure> {
  const { repo, branch, src } = choice;
  if (src !== undefined && src !== "agent" && src !== "user")
    return usage(`--src is agent or user, not "${src}".`, LIST);
  const here = boardPlace(workspace, context);
  const redactor = redactorOf(workspace);
  const repository = repo === undefined ? here.repository : repositoryNamed(redactor, repo);
  const named = branch === undefined ? here.branch : branchNamed(redactor, branch);
  if (repository === undefined || named === undefined)
    return refused("invalid_inputs", PLACE_REFUSED, "--repo takes owner/name, host/path or local:FOLDER.", 2);
  return ok({ repository, branch: named });
}

const FULL = `The board has room for ${CAPACITY} items only.`;

const missing = (name: string) => refused("not_found", `Item not found on this board: ${name}.`, LIST);

/** By its name; `src/name` or --src tells apart what both have. */
function one(db: Database, place: BoardPlace, wanted: string, { src: only }: BoardChoice): Result<BoardItem, Failure> {
  const [, prefix, name = wanted] = /^(agent|user)\/(.+)$/.exec(wanted) ?? [];
  const srcs = (["user", "agent"] as const).filter((src) => [undefined, src].includes((prefix ?? only) as Src));
  const items = srcs.flatMap((src) => runUnit(db, findItem(place, src, name)) ?? []);
  const [item] = items;
  if (item && items.length === 1) return ok(item);
  if (items.length > 1) return usage(`Both ${items.map(keyOf).join(" and ")} exist.`, "Say which with --src.");
  return missing(wanted);
}

function notStored({ type }: PutOutcome, name: string) {
  switch (type) {
    case "exists":
      return refused("exists", `You already have an item "${name}".`, `To change it: everlong board edit ${name}`);
    case "board_full":
      return refused("board_full", FULL, "Remove one first.");
    default:
      return missing(name);
  }
}
