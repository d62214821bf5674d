// A new store.db in the place of one that is lost or broken: from the journal, and from what of the old one can be read.
import { linkSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Fault, faultOf } from "../fault.ts";
import { type CaughtUp, extentOf } from "../journal/catch-up.ts";
import { openJournal } from "../journal/journal.ts";
import { segmentsIn } from "../journal/segment.ts";
import { storeJournal } from "../journal/tables.ts";
import { migrate } from "../migrate.ts";
import { storeMigrations } from "../migrations.ts";
import { type Database, emptyLog, openDatabase } from "../sqlite.ts";
import { fileState } from "./look.ts";
import { hasMore, type Salvaged, salvagedTables, salvageRows } from "./salvage-rows.ts";

/** Where a store and all that belongs to it lie. */
export type StorePlace = { store: string; journal: string; quarantine: string; locks: string };

export type StoreRebuilt = {
  /** Why, as it was found. */
  reason: string;
  /** Rows applied from the journal. */
  rows: number;
  /** Rows that the new database did not take. */
  skipped: number;
  /** Bytes of the journal that are no lines. */
  damaged: CaughtUp["damaged"];
  /** False: parts of the journal are missing or damaged, so changes may be too. */
  isJournalWhole: boolean;
  /** The old file had changes that the journal does not have. */
  isJournalBehind: boolean;
  salvaged: Salvaged[];
  /** Tables that only the old file had and that could not be read there. */
  unread: string[];
  sources: string[];
  /** Where the old files are; absent when there were none. */
  quarantine?: string;
};

const FILES = ["", "-wal", "-shm"];

/** The caller holds the lock of rebuilding. `fill` adds what other sources have, before anybody else sees the file. */
export async function rebuildFile(
  place: StorePlace,
  reason: string,
  fill: (db: Database) => Promise<Result<string[], Fault>> = async () => ok([]),
): Promise<Result<StoreRebuilt, Fault>> {
  const fresh = `${place.store}.new`;
  let db: Database | undefined;
  try {
    for (const end of FILES) rmSync(fresh + end, { force: true, recursive: true });
    const opened = await openDatabase(fresh);
    if (!opened.ok) return opened;
    db = opened.value;
    const migrated = await migrate(db, storeMigrations);
    if (!migrated.ok) return migrated;
    const segments = segmentsIn(place.journal);
    const before = extentOf(place.journal, segments);
    const isJournalBehind = hasMore(place.store, place.journal, before.journal);
    const applied = await openJournal(db, {
      folder: place.journal,
      quarantine: place.quarantine,
      tables: storeJournal,
    });
    if (!applied.ok) return applied;
    const { rows, skipped, damaged, deleted } = applied.value;
    const isJournalWhole = before.isWhole && damaged.length === 0 && skipped === 0 && !isJournalBehind;
    const filled = await fill(db);
    if (!filled.ok) return filled;
    const wanted = salvagedTables(isJournalWhole);
    // Until the new file is complete the old one stays where it is: a rebuild that ends here is done again in full.
    const salvaged = statSync(place.store, { throwIfNoEntry: false })?.isFile()
      ? await salvageRows(db, place.store, wanted, {
          at: systemClock.now(),
          isDeleted: deleted,
        })
      : ok([]);
    if (!salvaged.ok) return salvaged;
    const emptied = await emptyLog(db);
    if (!emptied.ok) return emptied;
    db.close();
    db = undefined;
    const quarantine = setAside(place);
    for (const end of FILES) if (fileState(fresh + end) !== "missing") renameSync(fresh + end, place.store + end);
    const sources = [
      ...(segments.length > 0 ? ["journal"] : []),
      ...filled.value,
      ...(salvaged.value.length > 0 ? ["quarantine"] : []),
    ];
    return ok({
      reason,
      rows,
      skipped,
      damaged,
      isJournalWhole,
      isJournalBehind,
      salvaged: salvaged.value,
      unread: wanted.filter((table) => !salvaged.value.some((one) => one.table === table)),
      sources,
      ...optional("quarantine", quarantine),
    });
  } catch (error) {
    return fail(faultOf(error, place.store));
  } finally {
    db?.close();
  }
}

/** The old files, for the new one to take their place. Undefined: there was nothing. */
function setAside({ store, quarantine }: StorePlace): string | undefined {
  const there = FILES.filter((end) => fileState(store + end) !== "missing");
  if (there.length === 0) return undefined;
  const folder = join(quarantine, `${systemClock.now().replace(/[:.]/g, "-")}-store`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The log goes first: beside another file it would be applied to that.
  for (const end of there.filter((one) => one !== "")) renameSync(store + end, join(folder, `store.db${end}`));
  if (there.includes("")) keep(store, join(folder, "store.db"));
  return folder;
}

/** A plain file also stays in its place until it is replaced there. */
function keep(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    renameSync(from, to); // a folder, or a disk without hard links
  }
}
