// SQLite databases: opening, and writing without ever blocking the event loop for long.
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type Clock, systemClock } from "../base/clock.ts";
import { errorCode } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { codeOf, type Fault, faultOf, isFileDamage } from "./fault.ts";
import { suspect } from "./rebuild/suspect.ts";
import type { WriteTurn } from "./write-turn.ts";

export type Database = DatabaseSync;
export type BusyOptions = {
  signal?: AbortSignal;
  clock?: Clock /** Total wait for other writers. */;
  limitMs?: number;
};

/** One blocking wait inside SQLite; longer waits are asynchronous. */
const BLOCK_MS = 10;
const BUSY_LIMIT_MS = 5000;

/** node:sqlite, loaded at first use; only its own experimental warning is silenced. */
export function sqlite(): typeof import("node:sqlite") {
  const emit = process.emitWarning;
  process.emitWarning = (...args: unknown[]) => {
    if (!String(args[0]).startsWith("SQLite is an experimental feature")) Reflect.apply(emit, process, args);
  };
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emit;
  }
}

/**
 * Opens a database, made with mode 0600 when it is missing. Its file must never be opened and closed by anything else
 * in this process: POSIX then drops SQLite's locks.
 */
export async function openDatabase(
  path: string,
  options: BusyOptions & { readOnly?: boolean } = {},
): Promise<Result<Database, Fault>> {
  const { readOnly = false } = options;
  let db: Database | undefined;
  const opened = await whileBusy(
    path,
    () => {
      if (!readOnly) createPrivate(path);
      db ??= new (sqlite().DatabaseSync)(path, { readOnly, enableForeignKeyConstraints: true });
      if ("enableDefensive" in db) db.enableDefensive(true);
      db.exec(`PRAGMA busy_timeout = ${BLOCK_MS}`);
      const { journal_mode: mode } = db.prepare("PRAGMA journal_mode").get() ?? {};
      if (!readOnly && mode !== "wal") db.exec("PRAGMA journal_mode = WAL");
      // What is deleted leaves no bytes in the file.
      db.exec("PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 67108864; PRAGMA secure_delete = ON");
      return db;
    },
    options,
  );
  if (!opened.ok) db?.close();
  return opened;
}

/** Creates the file only if there is none, so that no descriptor of a locked file is ever closed. */
export function createPrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** What goes along with every transaction of a connection; the change journal is one. */
export type Companion = {
  /** In the transaction, before the work. What it throws rolls back, as does `beforeCommit`. */
  begin(): void;
  beforeCommit(): void;
  /** The transaction is still open and will be rolled back. */
  undo(): void;
  /** The commit failed and left no transaction open: whether it happened all the same. */
  wasCommitted(): boolean;
  afterCommit(): Promise<void>;
  /** After an `OutOfStep`: makes the next attempt possible. */
  bringUp(): Promise<Result<unknown, Fault>>;
};
/** The companion has to be brought up before the work can run. */
export class OutOfStep extends Error {}

const companions = new WeakMap<Database, Companion>();

export const companionOf = (db: Database): Companion | undefined => companions.get(db);
export const accompany = (db: Database, companion: Companion): void => void companions.set(db, companion);

const turns = new WeakMap<Database, WriteTurn>();

/** Another thread of this process writes to the same database: from now on they take turns. */
export const takeTurns = (db: Database, turn: WriteTurn): void => void turns.set(db, turn);

/** How long ago the thread wrote that this one gives way to; there may be none. */
export const quietMsOf = (db: Database): number => turns.get(db)?.quietMs ?? Number.POSITIVE_INFINITY;

/** Threads of one process give way to each other; only a transaction of one huge item takes longer. */
const TURN_MS = 1000;
const ATTEMPTS = 3;

/**
 * Runs the work in one BEGIN IMMEDIATE transaction. The work must be synchronous, short (50 ms, 500 rows) and have no
 * effect but on the database: it runs again when another writer was in the way. What it throws rolls back.
 */
export async function write<T>(
  db: Database,
  work: (db: Database) => T,
  options: BusyOptions = {},
): Promise<Result<T, Fault>> {
  const turn = turns.get(db);
  if (!turn) return writeNow(db, work, options);
  // Without it the database itself says who has to wait.
  const isOurs = turn.tryTake() || (await turn.take(TURN_MS));
  try {
    return await writeNow(db, work, options);
  } finally {
    if (isOurs) turn.give();
  }
}

async function writeNow<T>(db: Database, work: (db: Database) => T, options: BusyOptions): Promise<Result<T, Fault>> {
  const companion = companions.get(db);
  for (let attempt = 1; ; attempt++) {
    try {
      const outcome = await whileBusy(db.location() ?? "memory", () => transaction(db, work, companion), options);
      if (outcome.ok) await companion?.afterCommit();
      else if (outcome.error.code === "store_full" && attempt === 1 && (await emptyLog(db)).ok) continue;
      return outcome;
    } catch (error) {
      if (!companion || !(error instanceof OutOfStep) || attempt === ATTEMPTS) throw error;
      const ready = await companion.bringUp();
      if (!ready.ok) return ready;
    }
  }
}

/**
 * Moves what SQLite's log holds into the database and gives its bytes back. On a full disk that alone may make room, and
 * nothing else would do it: who can write nothing reaches no checkpoint. After a deletion the log still has the old pages;
 * a reader in the way leaves them to the next time.
 */
export const emptyLog = (db: Database): Promise<Result<void, Fault>> =>
  whileBusy(db.location() ?? "memory", () => db.exec("PRAGMA wal_checkpoint(TRUNCATE)"), { limitMs: 0 });

function transaction<T>(db: Database, work: (db: Database) => T, companion: Companion | undefined): T {
  db.exec("BEGIN IMMEDIATE");
  let value: T;
  try {
    companion?.begin();
    value = work(db);
    if (value instanceof Promise) throw new TypeError("a transaction must not wait");
    companion?.beforeCommit();
  } catch (error) {
    rollBack(db, companion);
    throw error;
  }
  try {
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) rollBack(db, companion);
    else if (companion?.wasCommitted()) return value;
    throw error;
  }
  return value;
}

function rollBack(db: Database, companion: Companion | undefined): void {
  companion?.undo();
  if (db.isTransaction) db.exec("ROLLBACK");
}

/** Tries again, with a growing random wait, for as long as another process holds the database. */
export async function whileBusy<T>(path: string, work: () => T, options: BusyOptions): Promise<Result<T, Fault>> {
  const { signal, clock = systemClock, limitMs = BUSY_LIMIT_MS } = options;
  const end = clock.monotonic() + limitMs;
  for (let wait = 4; ; wait = Math.min(wait * 2, 100)) {
    try {
      return ok(work());
    } catch (error) {
      const left = end - clock.monotonic();
      const pause = Math.min(left, wait * (0.5 + Math.random()));
      const again = codeOf(error) === "store_busy" && left > 0 && (await clock.sleep(pause, signal));
      if (again) continue;
      if (isFileDamage(error)) suspect(path);
      return fail(faultOf(error, path));
    }
  }
}
