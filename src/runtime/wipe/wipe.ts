// `everlong wipe`: removes memories, sessions or everything of ours, alone in home, through no link.
import { existsSync, lstatSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorText, type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { gitContext } from "../../host/git.ts";
import { homePaths } from "../../host/paths.ts";
import { forgetTarget } from "../../memory/graph/store/forget.ts";
import { clearIndex } from "../../memory/recall/store/damage.ts";
import { removeKinds } from "../../memory/recall/store/source.ts";
import { processEnvironment } from "../../settings/environment.ts";
import { resolveHome } from "../../settings/home.ts";
import { runUnit } from "../../store/embedded-store.ts";
import { holdHomeAlone } from "../../store/home-lock.ts";
import { HOME_MARK, isMarked } from "../../store/home-marker.ts";
import { tableKinds } from "../../store/kinds.ts";
import { type Database, emptyLog, openDatabase, write } from "../../store/sqlite.ts";
import { homeBusy } from "../home-busy.ts";
import { openStore } from "../store.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { MEMORY_FOLDERS, MEMORY_TABLES, planWipe, SESSION_FOLDERS, type WipePlan, type WipeScope } from "./plan.ts";

/** What would go. Refused where the folder is not marked as ours. */
export async function wipePlan(scope: WipeScope): Promise<Result<WipePlan, Failure>> {
  const env = processEnvironment();
  const refused = refuseInToolShell(env, "delete data");
  if (refused) return fail(refused);
  const wanted = resolveHome(env);
  if (!wanted.ok) return wanted;
  if (!existsSync(wanted.value)) return fail(nothingThere(wanted.value));
  const home = realpathSync(wanted.value);
  if (!isMarked(home)) return fail(notOurs(home));
  const { gitRoot, cwd } = gitContext(process.cwd());
  return ok(await planWipe(home, scope, gitRoot ?? cwd));
}

export async function wipe({ home, scope, items }: WipePlan): Promise<Result<void, Failure>> {
  const lock = await holdHomeAlone(home);
  if (!lock.ok) return fail(lock.error.code === "store_busy" ? homeBusy(home) : lock.error);
  try {
    if (scope !== "all") return await wipePart(home, scope);
    // The mark goes when all else is gone, so that a wipe that was cut short can be run again; then the lock's folder:
    // until then nobody else can begin to work here.
    const names = items.map(({ name }) => name.replace(/\/$/, ""));
    const last = [HOME_MARK, "locks"];
    for (const name of [...names.filter((n) => !last.includes(n)), ...last]) removeEntry(join(home, name));
  } catch (error) {
    return fail(broken(home, error));
  } finally {
    lock.value.release();
  }
  return removeIfEmpty(home);
}

async function wipePart(home: string, scope: "memory" | "sessions"): Promise<Result<void, Failure>> {
  const paths = homePaths(home);
  const hasStore = existsSync(paths.store) || existsSync(paths.journal);
  const removeFolders = (): void => {
    for (const name of scope === "memory" ? MEMORY_FOLDERS : SESSION_FOLDERS) removeEntry(join(home, name));
  };
  // First of all, so that a full disk has room for the rest.
  removeFolders();
  // Changes that only the journal has are rows first, so that what stays loses nothing.
  const level = hasStore ? await closed(openStore(paths)) : ok(undefined);
  if (!level.ok) return level;
  removeFolders(); // a damaged store may just have been set aside
  if (!hasStore) return ok(undefined);
  // Old lines of the journal hold what is to go. It is written anew, from the rows that are left, when the store is opened.
  removeEntry(paths.journal);
  const emptied = await emptyTables(paths.store, scope);
  return emptied.ok ? closed(openStore(paths)) : emptied;
}

async function emptyTables(path: string, scope: "memory" | "sessions"): Promise<Result<void, Failure>> {
  const db = await openDatabase(path);
  if (!db.ok) return db;
  const deleted = await write(db.value, () => empty(db.value, scope));
  // What was deleted stays readable in free pages until the file is written anew.
  if (deleted.ok) db.value.exec("VACUUM");
  const emptied = deleted.ok ? await emptyLog(db.value) : deleted;
  db.value.close();
  return emptied;
}

async function closed(opening: Promise<Result<Database, Failure>>): Promise<Result<void, Failure>> {
  const db = await opening;
  if (!db.ok) return db;
  db.value.close();
  return ok(undefined);
}

function empty(db: Database, scope: "memory" | "sessions"): void {
  db.exec("PRAGMA defer_foreign_keys = ON");
  const tables = scope === "memory" ? MEMORY_TABLES : Object.keys(tableKinds).filter(isOfSessions);
  for (const table of tables) db.exec(`DELETE FROM ${table}`);
  if (scope === "sessions") {
    runUnit(db, forgetTarget({ type: "session" }, new Date().toISOString()));
    clearIndex(db);
  } else {
    removeKinds(db, ["record", "board", "fact", "episode"]);
    db.exec("UPDATE memory_generation SET value = value + 1");
  }
}

/** The search index is made anew as a whole. */
const isOfSessions = (table: string): boolean =>
  !/^(recall_|search_index)/.test(table) &&
  (/^(?:proxy|import)_/.test(table) || tableKinds[table]?.rebuiltFrom === tableKinds["sessions"]?.rebuiltFrom);

/** A link goes, what it leads to stays. */
function removeEntry(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) rmSync(path, { recursive: true });
}

function removeIfEmpty(home: string): Result<void, Failure> {
  try {
    rmdirSync(home);
  } catch {
    // Files that are not ours are in it, or it may not be removed: the plan has named what stays.
  }
  return ok(undefined);
}

const nothingThere = (home: string): Failure =>
  refusal(
    "nothing_to_wipe",
    `${home} does not exist.`,
    "If your data is in another folder, name it with EVERLONG_HOME.",
  );

const notOurs = (home: string): Failure =>
  refusal(
    "home_not_marked",
    `${home} is not marked as Everlong's folder, so nothing in it was deleted.`,
    "If it also contains other files, delete Everlong's by hand.",
  );

const broken = (home: string, error: unknown): Failure => ({
  code: "wipe_failed",
  what: `Not everything in ${home} could be removed: ${errorText(error)}.`,
  data: "What was removed is gone; the rest is unchanged.",
  next: "Get permission to delete these files, then run the same command again.",
  exit: 1,
});
