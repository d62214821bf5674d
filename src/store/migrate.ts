// Forward-only migrations: the n-th text brings the database to version n.
import { ok, type Result } from "../base/result.ts";
import { type Fault, faultAt } from "./fault.ts";
import { type BusyOptions, type Database, emptyLog, write } from "./sqlite.ts";

/** Brings the database to the last version, one transaction a step; several processes may do it at once. */
export async function migrate(
  db: Database,
  migrations: readonly string[],
  options: BusyOptions = {},
): Promise<Result<{ from: number; to: number }, Fault>> {
  const from = versionOf(db);
  if (from > migrations.length) {
    const reason = `it has schema version ${from}, this program knows ${migrations.length}`;
    return { ok: false, error: faultAt("store_too_new", db.location() ?? "memory", reason) };
  }
  for (const [index, sql] of migrations.entries()) {
    const step = () => {
      if (versionOf(db) !== index) return; // done before, or just now by another process
      db.exec(sql);
      db.exec(`PRAGMA user_version = ${index + 1}`);
    };
    if (from > index) continue;
    const outcome = await write(db, step, options);
    if (!outcome.ok) return outcome;
  }
  // A new schema would stand on the disk twice; where this fails, the log is only longer.
  if (from < migrations.length) await emptyLog(db);
  return ok({ from, to: migrations.length });
}

export function versionOf(db: Database): number {
  return Number(db.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}
