// store.db: opened when first needed, migrated, and brought up to the logs before anything is read from it.
import { setImmediate as nextRound } from "node:timers/promises";
import type { Failure } from "../base/failure.ts";
import { ok, type Result } from "../base/result.ts";
import type { HomePaths } from "../host/paths.ts";
import { noteOf } from "../memory/recall/store/note.ts";
import { isFilled, leaveUnindexed } from "../memory/recall/store/source.ts";
import { findSession, type NamedSession, sessionIds } from "../session/find-session.ts";
import { indexSession } from "../session/index/index-session.ts";
import type { IndexOptions } from "../session/index/indexed-text.ts";
import { type Fault, isFileDamage } from "../store/fault.ts";
import { type OpenStoreOptions, openStoreAt } from "../store/open-store.ts";
import type { StoreRebuilt } from "../store/rebuild/rebuild-file.ts";
import { rebuiltText } from "../store/rebuild/rebuilt-text.ts";
import { isSuspect, suspect } from "../store/rebuild/suspect.ts";
import type { Database } from "../store/sqlite.ts";

type OpenOptions = Partial<OpenStoreOptions> & {
  /** False: what is changed over this connection is not made searchable. */
  recall?: boolean | undefined;
};

/** Told of a session whose log cannot be read; the others go on without it. */
export type OnSkipped = (id: string, why: Failure) => void;

const reported = new Set<string>();

/** One line for each session and process. */
export const tellSkipped: OnSkipped = (id, why) => {
  if (reported.has(id)) return;
  reported.add(id);
  process.stderr.write(`${skippedText(id, why)}\n`);
};

export const skippedText = (id: string, why: Failure): string => `Session ${id} was left out: ${why.what}`;

/** One that is lost or broken is made anew, and the user is told what came back and what did not. */
export async function openStore(paths: HomePaths, options: OpenOptions = {}): Promise<Result<Database, Failure>> {
  const { recall = true, ...rest } = options;
  const db = await openStoreAt(paths, { onRebuilt: tellRebuilt, fill: (db) => fillStore(db, paths), ...rest });
  if (db.ok && !recall) leaveUnindexed(db.value);
  return db;
}

export const tellRebuilt = (rebuilt: StoreRebuilt): void => void process.stderr.write(`${rebuiltText(rebuilt)}\n`);

/** What a new store gets besides the journal; sessions follow from their logs when somebody asks for them. */
async function fillStore(db: Database, paths: HomePaths): Promise<Result<string[], Fault>> {
  const { restoreProxied } = await import("../proxy/store/restore.ts");
  const proxied = await restoreProxied(db, paths.proxy);
  if (!proxied.ok) return proxied;
  return ok(proxied.value.sessions > 0 ? ["proxied logs"] : []);
}

/** Work that meets a damaged store runs once more: the store is made anew when it is opened again. */
export async function healing<T>(
  paths: HomePaths,
  work: () => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  try {
    const result = await work();
    if (result.ok || !isSuspect(paths.store)) return result;
  } catch (error) {
    if (!isFileDamage(error)) throw error;
    suspect(paths.store);
  }
  return work();
}

/** The store with every session's log indexed to its end. */
export function openCaughtUp(
  paths: HomePaths,
  indexing: IndexOptions,
  onSkipped: OnSkipped = tellSkipped,
): Promise<Result<Database, Failure>> {
  return healing(paths, async () => {
    const db = await openStore(paths);
    if (!db.ok) return db;
    const outcome = await catchUp(db.value, paths, indexing, onSkipped).catch((error: unknown) => {
      db.value.close();
      throw error;
    });
    if (outcome.ok) return db;
    db.value.close();
    return outcome;
  });
}

const ROUND = 50;

export async function catchUp(
  db: Database,
  paths: HomePaths,
  indexing: IndexOptions,
  onSkipped: OnSkipped,
): Promise<Result<void, Failure>> {
  for (const [i, id] of sessionIds(paths.sessions).entries()) {
    if (i % ROUND === ROUND - 1) await nextRound(); // others are served in between
    const outcome = await indexSession(db, id, paths.session(id), indexing);
    if (outcome.ok || outcome.error.code === "not_found") continue;
    if (!outcome.error.unreadable) return outcome;
    onSkipped(id, outcome.error);
  }
  if (noteOf(db, "rebuild") === undefined && isFilled(db)) return ok(undefined);
  const { fillMissing } = await import("./recall/fill.ts");
  return fillMissing(db, indexing);
}

/** Where sessions are looked for: a repository, else a root; everywhere when nothing is said. */
export type Here = { repository?: string; root?: string };

/** Sessions of a repository or root, with their names. */
export function sessionsIn(db: Database, { repository, root }: Here = {}): NamedSession[] {
  return db
    .prepare(
      `SELECT id, COALESCE(name, '') AS name FROM sessions WHERE (?1 IS NULL OR repository = ?1)
       AND (?1 IS NOT NULL OR ?2 IS NULL OR COALESCE(git_root, cwd) = ?2)`,
    )
    .all(repository ?? null, root ?? null)
    .map((r) => ({ id: String(r["id"]), name: String(r["name"]) }));
}

/** The id that the text means. The store is opened only to look up names. */
export async function lookUpSession(
  wanted: string,
  paths: HomePaths,
  indexing: IndexOptions,
): Promise<Result<string, Failure>> {
  return findSession(wanted, sessionIds(paths.sessions), async () => {
    const db = await openCaughtUp(paths, indexing);
    if (!db.ok) return []; // without an index only ids are known
    const names = sessionsIn(db.value);
    db.value.close();
    return names;
  });
}

/** The latest session of this root that a person began and that has a turn; undefined when there is none. */
export async function latestSession(
  root: string,
  paths: HomePaths,
  indexing: IndexOptions,
): Promise<Result<string | undefined, Failure>> {
  const db = await openCaughtUp(paths, indexing);
  if (!db.ok) return db;
  const id = latestIn(db.value, root);
  db.value.close();
  return ok(id);
}

export function latestIn(db: Database, root: string): string | undefined {
  const row = db
    .prepare(
      `SELECT id FROM sessions WHERE COALESCE(git_root, cwd) = ? AND parent_session_id IS NULL AND source = 'everlong'
         AND EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id)
       ORDER BY updated_at DESC, created_at DESC LIMIT 1`,
    )
    .get(root);
  return row ? String(row["id"]) : undefined;
}
