// The same questions to the same turns, in store.db and on PostgreSQL: how long recall takes beside each other.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Item } from "../../src/memory/recall/item.ts";
import { RowRecall } from "../../src/memory/recall/row-recall.ts";
import { search } from "../../src/memory/recall/search.ts";
import { addItems } from "../../src/memory/recall/store/change.ts";
import { RecallWriter } from "../../src/memory/recall/store/write.ts";
import { relatedWords } from "../../src/memory/recall/text/related-words.ts";
import type { TeamDatabase } from "../../src/store/postgres/team-database.ts";
import { recallSchema } from "../../src/store/schema/recall.ts";
import { items, question } from "../recall/turns.ts";

const QUESTIONS = 60;
const BATCH = 2000;
/** Writers at once on PostgreSQL, as nodes have them. */
const WRITERS = 4;
const PATIENT_MS = 60_000;
const IDENTITY = "recall/ann";

export type RecallTimes = { rows: number; sqlite: number[]; postgres: number[] };

export async function recallBeside(team: TeamDatabase, rows: number): Promise<RecallTimes> {
  const folder = mkdtempSync(join(tmpdir(), "everlong-bench-"));
  const db = new DatabaseSync(join(folder, "store.db"));
  try {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768");
    db.exec(recallSchema);
    const store = team.store("recall");
    const writer = new RecallWriter(db);
    for (let n = 0; n < rows; n += BATCH) {
      const batch = items(n, Math.min(BATCH, rows - n)).map(ofAnn);
      db.exec("BEGIN");
      writer.add(batch);
      db.exec("COMMIT");
      const size = Math.ceil(batch.length / WRITERS);
      const parts = Array.from({ length: WRITERS }, (_, i) => batch.slice(i * size, (i + 1) * size));
      for (const part of await Promise.all(parts.map((some) => store.write(() => addItems(some), { holds: true }))))
        if (!part.ok) throw new Error(part.error.what);
    }
    await team.count(["recall_item", "recall_passage", "recall_term", "recall_mark", "recall_mark_token"]);
    const recall = new RowRecall({ store, timeoutMs: PATIENT_MS });
    const within = { identity: IDENTITY, scopes: [{ type: "all" as const }] };
    const times: RecallTimes = { rows, sqlite: [], postgres: [] };
    for (let i = 0; i < QUESTIONS; i++) {
      const request = { text: question(i), within, now: 1_700_000_000_000 + rows * 60_000 };
      const start = performance.now();
      const here = search(db, request, relatedWords);
      const middle = performance.now();
      const there = await recall.search(request);
      const end = performance.now();
      if (!there.ok) throw new Error(there.error.message);
      // Above it, counts of terms are those of some moment on each side.
      const isSame = there.value.results[0]?.id === here.results[0]?.id;
      if (!isSame && rows <= 100_000) throw new Error(`another first answer to ${request.text}`);
      times.sqlite.push(middle - start);
      times.postgres.push(end - middle);
    }
    return times;
  } finally {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const ofAnn = (item: Item): Item => ({ ...item, place: { ...item.place, identity: IDENTITY } });
