// A new store.db in the place of one that is lost or broken: from the journal, and from what of the old one can be read.
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
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
import { type Database, openDatabase } from "../sqlite.ts";
import { type Salvaged, salvagedTables, salvageRows } from "./salvage-rows.ts";

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
  salvaged: Salvaged[];
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
    const applied = await openJournal(db, {
      folder: place.journal,
      quarantine: place.quarantine,
      tables: storeJournal,
    });
    if (!applied.ok) return applied;
    const { rows, skipped, damaged, deleted } = applied.value;
    const isJournalWhole = before.isWhole && damaged.length === 0 && skipped === 0;
    const filled = await fill(db);
    if (!filled.ok) return filled;
    const quarantine = moveAside(place);
    const salvaged = quarantine
      ? await salvageRows(db, join(quarantine, "store.db"), salvagedTables(isJournalWhole), {
          at: systemClock.now(),
          isDeleted: deleted,
        })
      : ok([]);
    if (!salvaged.ok) return salvaged;
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    db = undefined;
    for (const end of FILES) if (existsSync(fresh + end)) renameSync(fresh + end, place.store + end);
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
      salvaged: salvaged.value,
      sources,
      ...optional("quarantine", quarantine),
    });
  } catch (error) {
    return fail(faultOf(error, place.store));
  } finally {
    db?.close();
  }
}

/** Undefined: there was nothing. */
function moveAside({ store, quarantine }: StorePlace): string | undefined {
  const there = FILES.filter((end) => existsSync(store + end));
  if (there.length === 0) return undefined;
  const folder = join(quarantine, `${systemClock.now().replace(/[:.]/g, "-")}-store`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const end of there) renameSync(store + end, join(folder, `store.db${end}`));
  return folder;
}
