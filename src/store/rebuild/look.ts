// Looking at a database file before it is used: whether it is one, whether an unclean stop or a damaged page left it broken.
import { lstatSync, statSync } from "node:fs";
import { errorText } from "../../base/failure.ts";
import { codeOf } from "../fault.ts";
import type { Database } from "../sqlite.ts";
import { isSuspect } from "./suspect.ts";

/** A larger file is not read as a whole for an unclean stop alone: damage then shows when it is met. */
const CHECKED_BYTES = 512 * 1024 * 1024;

/** A broken full-text index is made anew in place. */
const INDEX = /FTS5 table/;

type FileState = "missing" | "file" | "other";

export function fileState(path: string): FileState {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return "missing";
  return stat.isFile() ? "file" : "other";
}

/** A log beside the file, and nobody who has it open: the last one did not get to close it. Asked before opening. */
export const hasLog = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** What is wrong with the pages; undefined when nothing is, or when there is no reason to look. */
export function damageIn(db: Database, path: string, hadLog: boolean): string | undefined {
  const isLarge = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > CHECKED_BYTES;
  if (!isSuspect(path) && (isLarge || !hadLog || !isAlone(db))) return undefined;
  return quickCheck(db);
}

export function quickCheck(db: Database): string | undefined {
  try {
    const rows = db.prepare("PRAGMA quick_check(20)").all();
    return rows.map((row) => String(Object.values(row)[0])).find((text) => text !== "ok" && !INDEX.test(text));
  } catch (error) {
    if (codeOf(error) === "store_corrupt") return errorText(error);
    throw error;
  }
}

/** Every connection to a database with a log holds a shared lock: the exclusive one is to be had by one who is alone. */
function isAlone(db: Database): boolean {
  const { timeout } = db.prepare("PRAGMA busy_timeout").get() ?? {};
  try {
    db.exec("PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; ROLLBACK");
    return true;
  } catch (error) {
    if (codeOf(error) === "store_busy") return false;
    throw error;
  } finally {
    db.exec(
      `PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_master; PRAGMA busy_timeout = ${Number(timeout)}`,
    );
  }
}
