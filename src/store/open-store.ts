// store.db, ready to be used: migrated, level with its journal; one that is lost or broken is made anew first.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, errorText } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { type Fault, faultAt, faultOf } from "./fault.ts";
import { openJournal } from "./journal/journal.ts";
import { segmentsIn } from "./journal/segment.ts";
import { storeJournal } from "./journal/tables.ts";
import { acquireLock } from "./lock.ts";
import { migrate, versionOf } from "./migrate.ts";
import { storeMigrations } from "./migrations.ts";
import { damageIn, fileState, hasLog } from "./rebuild/look.ts";
import { rebuildFile, type StorePlace, type StoreRebuilt } from "./rebuild/rebuild-file.ts";
import { acquit } from "./rebuild/suspect.ts";
import { type BusyOptions, type Database, openDatabase } from "./sqlite.ts";

export type OpenStoreOptions = BusyOptions & {
  onRebuilt: (rebuilt: StoreRebuilt) => void;
  /** Adds what other sources have to a store that is made anew. */
  fill?: Parameters<typeof rebuildFile>[2];
};
type Look = { type: "open"; db: Database } | { type: "broken"; reason: string } | { type: "failed"; fault: Fault };

const REBUILD_MS = 120_000;

export async function openStoreAt(place: StorePlace, options: OpenStoreOptions): Promise<Result<Database, Fault>> {
  const first = await look(place, options);
  if (first.type === "open") return ok(first.db);
  if (first.type === "failed") return fail(first.fault);
  return rebuildAndOpen(place, options);
}

/** The store anew, whatever state it is in. */
export async function rebuildStore(
  place: StorePlace,
  reason: string,
  fill?: OpenStoreOptions["fill"],
): Promise<Result<StoreRebuilt, Fault>> {
  const lock = await acquireLock(join(place.locks, "store.lock"), { limitMs: REBUILD_MS });
  if (!lock.ok) return lock;
  try {
    const rebuilt = await rebuildFile(place, reason, fill);
    if (rebuilt.ok) acquit(place.store);
    return rebuilt;
  } finally {
    lock.value.release();
  }
}

async function rebuildAndOpen(place: StorePlace, options: OpenStoreOptions): Promise<Result<Database, Fault>> {
  const lock = await acquireLock(join(place.locks, "store.lock"), { limitMs: REBUILD_MS });
  if (!lock.ok) return lock;
  try {
    // Another process may have done it meanwhile.
    const again = await look(place, options);
    if (again.type === "open") return ok(again.db);
    if (again.type === "failed") return fail(again.fault);
    const rebuilt = await rebuildFile(place, again.reason, options.fill);
    if (!rebuilt.ok) return rebuilt;
    acquit(place.store);
    options.onRebuilt(rebuilt.value);
    const last = await look(place, options);
    if (last.type === "open") return ok(last.db);
    return fail(last.type === "failed" ? last.fault : faultAt("store_corrupt", place.store, last.reason));
  } finally {
    lock.value.release();
  }
}

async function look(place: StorePlace, busy: BusyOptions): Promise<Look> {
  try {
    return await lookAt(place, busy);
  } catch (error) {
    return { type: "failed", fault: faultOf(error, place.journal) };
  }
}

async function lookAt(place: StorePlace, busy: BusyOptions): Promise<Look> {
  const { store } = place;
  const state = fileState(store);
  const hasJournal = segmentsIn(place.journal).length > 0;
  const side = ["-wal", "-shm"].find((end) => fileState(store + end) === "other");
  if (side !== undefined) return { type: "broken", reason: `store.db${side} is not a plain file` };
  if (state === "other") return { type: "broken", reason: "it is not a plain file" };
  if (state === "missing" && !existsSync(dirname(store)))
    return { type: "failed", fault: faultAt("not_found", store, "its folder is gone") };
  if (state === "missing" && hasJournal) return { type: "broken", reason: "it is missing" };
  const hadLog = hasLog(store);
  const opened = await openDatabase(store, busy);
  if (!opened.ok) return brokenOr(opened.error, store);
  const db = opened.value;
  let result: Look | undefined;
  try {
    result = await prepare(db, place, { hadLog, hasJournal }, busy);
  } catch (error) {
    // Tables of somebody else: ours do not fit beside them.
    if (errorCode(error) !== "ERR_SQLITE_ERROR") throw error;
    result = { type: "broken", reason: errorText(error) };
  } finally {
    if (result?.type !== "open") db.close();
  }
  return result;
}

async function prepare(
  db: Database,
  { store, journal, quarantine }: StorePlace,
  { hadLog, hasJournal }: { hadLog: boolean; hasJournal: boolean },
  busy: BusyOptions,
): Promise<Look> {
  const damage = damageIn(db, store, hadLog);
  if (damage !== undefined) return { type: "broken", reason: damage };
  acquit(store);
  if (hasJournal && versionOf(db) === 0) return { type: "broken", reason: "it is empty" };
  const migrated = await migrate(db, storeMigrations, busy);
  if (!migrated.ok) return brokenOr(migrated.error, store);
  const level = await openJournal(db, { folder: journal, quarantine, tables: storeJournal }, busy);
  return level.ok ? { type: "open", db } : brokenOr(level.error, store);
}

/** The reason stands in a sentence that names the file already. */
const brokenOr = (fault: Fault, store: string): Look =>
  fault.code === "store_corrupt"
    ? { type: "broken", reason: fault.what.replace(`${store}: `, "").replace(/\.$/, "") }
    : { type: "failed", fault };
