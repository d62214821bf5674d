// A database of another program, looked at in a copy: opening the original would write files beside it.
import { constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { errorText } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { sqlite } from "../../store/sqlite.ts";

/** While its program writes, a copy may be of two moments. */
const ATTEMPTS = 5;

/** `work` gets the copy, which is gone afterwards. The error is a reason in words. */
export async function withCopy<T>(path: string, work: (db: DatabaseSync) => Promise<T>): Promise<Result<T, string>> {
  const folder = mkdtempSync(join(tmpdir(), "everlong-import-"));
  let db: DatabaseSync | undefined;
  try {
    for (let attempt = 1; !db; attempt++) {
      const state = stateOf(path);
      const copy = copyInto(folder, path);
      if (state !== stateOf(path) && attempt < ATTEMPTS) continue;
      db = new (sqlite().DatabaseSync)(copy);
      db.exec("PRAGMA query_only = ON");
      db.prepare("SELECT count(*) FROM sqlite_master").get();
    }
    return ok(await work(db));
  } catch (error) {
    return fail(errorText(error));
  } finally {
    db?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is not in the file yet stands in the journal beside it. */
export const journalOf = (path: string): string => `${path}-wal`;

function copyInto(folder: string, path: string): string {
  const copy = join(folder, basename(path));
  rmSync(journalOf(copy), { force: true });
  copyFileSync(path, copy, constants.COPYFILE_FICLONE);
  if (existsSync(journalOf(path))) copyFileSync(journalOf(path), journalOf(copy), constants.COPYFILE_FICLONE);
  return copy;
}

const stateOf = (path: string): string =>
  [path, journalOf(path)]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((stat) => `${stat?.size} ${stat?.mtimeMs}`)
    .join(" ");
