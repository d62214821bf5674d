// session.db opened for one use. Its inbox is journalled beside it; a damaged file is set aside and made anew.
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { fail, type Result } from "../../base/result.ts";
import { type Fault, faultOf, isFileDamage } from "../../store/fault.ts";
import { openJournal } from "../../store/journal/journal.ts";
import { sessionJournal } from "../../store/journal/tables.ts";
import { journalTables } from "../../store/schema/journal.ts";
import { createPrivate, type Database, sqlite, write } from "../../store/sqlite.ts";
import { SESSION_SCHEMA } from "./session-schema.ts";

const journalOf = (file: string): string => join(dirname(file), "journal");
const quarantineOf = (file: string): string => join(dirname(file), "quarantine");

/** False: nothing was ever sent or planned in this session. */
export const hasSessionDb = (file: string): boolean => existsSync(file) || existsSync(journalOf(file));

/** Opened for each use: entries are few, and the agent's own `sql` works on the same file. */
export async function usingSessionDb<T>(file: string, work: (db: Database) => T): Promise<Result<T, Fault>> {
  const first = await useOnce(file, work);
  if (first.ok || first.error.code !== "store_corrupt") return first;
  setAside(file);
  return useOnce(file, work);
}

async function useOnce<T>(file: string, work: (db: Database) => T): Promise<Result<T, Fault>> {
  let db: Database | undefined;
  try {
    createPrivate(file);
    db = new (sqlite().DatabaseSync)(file, { timeout: 10 });
    const open = db;
    // What is deleted is not to be found in the file either.
    open.exec("PRAGMA secure_delete = ON");
    const prepared = await write(open, () => open.exec(SESSION_SCHEMA + journalTables));
    if (!prepared.ok) return prepared;
    const place = { folder: journalOf(file), quarantine: quarantineOf(file), tables: sessionJournal };
    const level = await openJournal(open, place);
    return level.ok ? await write(open, () => work(open)) : level;
  } catch (error) {
    return fail(faultOf(error, file));
  } finally {
    db?.close();
  }
}

/** Work that makes the tables from elsewhere; a damaged file makes room for it. */
export function replacingDamaged<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isFileDamage(error)) throw error;
    setAside(file);
    return work();
  }
}

function setAside(file: string): void {
  const folder = quarantineOf(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const at = systemClock.now().replace(/[:.]/g, "-");
  for (const end of ["", "-journal", "-wal", "-shm"])
    if (existsSync(file + end)) renameSync(file + end, join(folder, `${at}-${basename(file)}${end}`));
}
