// The board's log of changes, and taking changes back.
import type { Result } from "../../base/result.ts";
import { CAPACITY } from "../../schema/board.ts";
import type { Fault } from "../../store/fault.ts";
import { allRows, execute, oneRow, type RowStore, type Unit } from "../../store/unit.ts";
import { indexed } from "../recall/store/source.ts";
import { type BoardItem, type BoardPlace, type BoardWriter, holdBoard, keyOf, type Src, stampOf } from "./item.ts";
import { boardRecallId, boardSource } from "./recall-source.ts";
import { countItems, deleteRow, findItem, writeRow } from "./row.ts";

type BoardAction = "add" | "edit" | "remove" | "adopt" | "undo";
export type BoardChange = {
  id: number;
  place: BoardPlace;
  src: Src;
  name: string;
  action: BoardAction;
  actor: string;
  run?: string;
  at: string;
  before?: BoardItem;
  after?: BoardItem;
};

export const KEPT_DAYS = 90;

type Recorded = { action: BoardAction; at: string; before: BoardItem | undefined; after: BoardItem | undefined };

/** Called in the transaction of the change itself, after the row was written or deleted. */
export function* recordChange(
  { repository, branch }: BoardPlace,
  { action, at, before, after }: Recorded,
  { actor, run }: Pick<BoardWriter, "actor" | "run">,
): Unit<void> {
  const { src, name } = after ?? before ?? {};
  if (src === undefined || name === undefined) return; // nothing was there and nothing is
  const json = (item: BoardItem | undefined) => (item ? JSON.stringify(item) : null);
  yield* execute(
    `INSERT INTO board_changes (repository, branch, src, name, action, actor, run, at, before, after)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[repository, branch, src, name, action, actor, run ?? null, at, json(before), json(after)],
  );
  yield* forgetOldChanges(at);
  yield* indexed([{ source: boardSource, id: boardRecallId({ repository, branch }, { src, name }) }]);
}

const oldest = (now: string): string => new Date(Date.parse(now) - KEPT_DAYS * 86_400_000).toISOString();

/** All boards are looked at, also those that nobody changes any more. */
export function* hasOldChanges(now: string): Unit<boolean> {
  return (yield* oneRow("SELECT 1 FROM board_changes WHERE at < ? LIMIT 1", oldest(now))) !== undefined;
}

/** In a transaction. The ids come from an index: the texts beside them are not read. */
export function* forgetOldChanges(now: string): Unit<void> {
  yield* execute("DELETE FROM board_changes WHERE id IN (SELECT id FROM board_changes WHERE at < ?)", oldest(now));
}

/** Newest first. `after`: those that are older than this one. */
export function* listChanges(
  { repository, branch }: BoardPlace,
  { run, limit = 50, after }: { run?: string | undefined; limit?: number; after?: number } = {},
): Unit<BoardChange[]> {
  const rows = yield* allRows(
    `SELECT * FROM board_changes WHERE repository = ? AND branch = ?
     ${run === undefined ? "" : "AND run = ?"} ${after === undefined ? "" : "AND id < ?"} ORDER BY id DESC LIMIT ?`,
    ...[repository, branch],
    ...[run, after].filter((value) => value !== undefined),
    limit,
  );
  return rows.map(changeOf);
}

type UndoOutcome =
  | { type: "undone"; items: string[] }
  | { type: "not_found" }
  /** They were changed again afterwards. */
  | { type: "changed_later"; items: string[] }
  | { type: "board_full" };

/** Takes back one change of this board, or all of a run: every row as it was before, or, unless forced, nothing at all. */
export function undoChanges(
  store: RowStore,
  place: BoardPlace,
  { which, at, force }: { which: string; at: string; force: boolean },
  actor: string,
): Promise<Result<UndoOutcome, Fault>> {
  return store.write(
    function* (): Unit<UndoOutcome> {
      yield* holdBoard(place);
      const rows = yield* allRows(
        "SELECT * FROM board_changes WHERE repository = ? AND branch = ? AND (run = ? OR id = ?) ORDER BY id",
        ...[place.repository, place.branch, which, /^\d{1,15}$/.test(which) ? Number(which) : -1],
      );
      if (rows.length === 0) return { type: "not_found" };
      const spans = [];
      for (const own of Map.groupBy(rows.map(changeOf), keyOf).values()) {
        const [first, last] = [own[0], own.at(-1)];
        if (first && last)
          spans.push({ ...last, before: first.before, now: yield* findItem(place, last.src, last.name) });
      }
      const later = spans.filter(({ after, now }) => (after && stampOf(after)) !== (now && stampOf(now)));
      if (later.length > 0 && !force) return { type: "changed_later", items: later.map(keyOf) };
      const more = spans.filter(({ before }) => before).length - spans.filter(({ now }) => now).length;
      if ((yield* countItems(place)).all + more > CAPACITY) return { type: "board_full" };
      for (const { src, name, before, now } of spans) {
        const counters = now && { readCount: now.readCount, count: now.count, lastReadAt: now.lastReadAt };
        const version = Math.max(before?.version ?? 0, now?.version ?? 0) + 1;
        const after = before && { ...before, ...counters, version, updatedAt: at };
        if (after) yield* writeRow(place, after);
        else yield* deleteRow(place, src, name);
        yield* recordChange(place, { action: "undo", at, before: now, after }, { actor });
      }
      return { type: "undone", items: spans.map(keyOf) };
    },
    { holds: true },
  );
}

function changeOf(row: Record<string, unknown>): BoardChange {
  const item = (name: "before" | "after") =>
    row[name] === null ? {} : { [name]: JSON.parse(String(row[name])) as BoardItem };
  return {
    id: Number(row["id"]),
    place: { repository: String(row["repository"]), branch: String(row["branch"]) },
    src: row["src"] === "user" ? "user" : "agent",
    name: String(row["name"]),
    action: String(row["action"]) as BoardAction,
    actor: String(row["actor"]),
    ...(row["run"] === null ? {} : { run: String(row["run"]) }),
    at: String(row["at"]),
    ...item("before"),
    ...item("after"),
  };
}
