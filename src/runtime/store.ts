// store.db: opened when first needed, migrated, and brought up to the logs before anything is read from it.
import type { Failure } from "../base/failure.ts";
import { ok, type Result } from "../base/result.ts";
import type { HomePaths } from "../host/paths.ts";
import { findSession, type NamedSession, sessionIds } from "../session/find-session.ts";
import { indexSession } from "../session/index/index-session.ts";
import type { Redact } from "../session/index/write-index.ts";
import { migrate } from "../store/migrate.ts";
import { storeMigrations } from "../store/migrations.ts";
import { type Database, openDatabase } from "../store/sqlite.ts";

export async function openStore(paths: HomePaths): Promise<Result<Database, Failure>> {
  const db = await openDatabase(paths.store);
  if (!db.ok) return db;
  const migrated = await migrate(db.value, storeMigrations);
  if (migrated.ok) return db;
  db.value.close();
  return migrated;
}

/** The store with every session's log indexed to its end. */
export async function openCaughtUp(paths: HomePaths, redact: Redact): Promise<Result<Database, Failure>> {
  const db = await openStore(paths);
  if (!db.ok) return db;
  for (const id of sessionIds(paths.sessions)) {
    const done = await indexSession(db.value, id, paths.session(id), redact);
    if (!done.ok && done.error.code !== "not_found") {
      db.value.close();
      return done;
    }
  }
  return db;
}

export function namesIn(db: Database): NamedSession[] {
  return db
    .prepare("SELECT id, name FROM sessions WHERE name <> ''")
    .all()
    .map((r) => ({ id: String(r["id"]), name: String(r["name"]) }));
}

/** The id that the text means. The store is opened only to look up names. */
export async function lookUpSession(
  wanted: string,
  paths: HomePaths,
  redact: Redact,
): Promise<Result<string, Failure>> {
  return findSession(wanted, sessionIds(paths.sessions), async () => {
    const db = await openCaughtUp(paths, redact);
    if (!db.ok) return []; // without an index only ids are known
    const names = namesIn(db.value);
    db.value.close();
    return names;
  });
}

/** The latest session of this root that a person began; undefined when there is none. */
export async function latestSession(
  root: string,
  paths: HomePaths,
  redact: Redact,
): Promise<Result<string | undefined, Failure>> {
  const db = await openCaughtUp(paths, redact);
  if (!db.ok) return db;
  const row = db.value
    .prepare(
      `SELECT id FROM sessions WHERE COALESCE(git_root, cwd) = ? AND parent_session_id IS NULL AND source = 'everlong'
       ORDER BY updated_at DESC, created_at DESC LIMIT 1`,
    )
    .get(root);
  db.value.close();
  return ok(row ? String(row["id"]) : undefined);
}
