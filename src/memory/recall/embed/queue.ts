// Passages get their vectors here, off everybody's path. The line stands in the store, so nothing is lost when nobody answers.
import { type Clock, systemClock } from "../../../base/clock.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { Fault } from "../../../store/fault.ts";
import { type Database, write } from "../../../store/sqlite.ts";
import { noteOf, setNote } from "../store/note.ts";
import type { Embedder } from "./contract.ts";
import { saveVector, type VectorFormat } from "./vectors.ts";

type QueueOptions = {
  embedder: Embedder;
  format?: VectorFormat;
  clock?: Clock;
  /** Told once for each row of failures, and when a passage is given up. */
  onTrouble?: (trouble: { code: "unavailable" | "parked"; message: string }) => void;
};

const BATCH = 32;
const TRIES = 3;
const PAUSES_MS = { least: 500, most: 30_000 };
type Waiting = { passage: number; hash: Uint8Array; text: string };

const SLICE = 5_000;

/**
 * Puts every passage without a vector of this embedder in line, in short transactions. Done once for an embedder, and
 * again after something was removed: equal texts share a vector, and it went with the first of them.
 */
export async function lineUp(db: Database, embedder: string, signal: AbortSignal): Promise<Result<void, Fault>> {
  const state = `${embedder} ${noteOf(db, "removed") ?? ""}`;
  if (noteOf(db, "linedUp") === state) return ok(undefined);
  const sql = `INSERT OR IGNORE INTO recall_waiting (passage) SELECT p.id FROM recall_passage p WHERE p.id > ? AND p.id <= ?
    AND p.words > 0 AND NOT EXISTS (SELECT 1 FROM recall_vector v WHERE v.embedder = ? AND v.hash = p.hash)`;
  const last = Number(db.prepare("SELECT max(id) AS id FROM recall_passage").get()?.["id"] ?? 0);
  for (let from = 0; from < last; from += SLICE) {
    if (signal.aborted) return ok(undefined);
    const outcome = await write(db, () => void db.prepare(sql).run(from, from + SLICE, embedder));
    if (!outcome.ok) return outcome;
  }
  return write(db, () => setNote(db, "linedUp", state));
}

/**
 * Works until nobody waits or the signal aborts; returns how many vectors were stored. A server that does not answer,
 * or answers nonsense to everybody, is asked again after a growing pause; a passage that is refused three times while
 * others are not is parked.
 */
export async function embedWaiting(db: Database, options: QueueOptions, signal: AbortSignal): Promise<number> {
  const { clock = systemClock, onTrouble } = options;
  let stored = 0;
  let pause = 0;
  while (!signal.aborted) {
    const batch = next(db);
    if (batch.length === 0) return stored;
    const outcome = await embedBatch(db, batch, options, signal);
    stored += outcome.stored;
    if (outcome.stored > 0 || batch.length === 1) await strike(db, outcome.refused, options);
    if (outcome.stored > 0 || !outcome.fault || signal.aborted) {
      pause = 0;
      continue;
    }
    const isText = batch.length === 1 && outcome.refused.length === 1;
    if (pause === 0 && !isText) onTrouble?.({ code: "unavailable", message: outcome.fault });
    pause = Math.min(PAUSES_MS.most, pause === 0 ? PAUSES_MS.least : pause * 2);
    await clock.sleep(pause, signal);
  }
  return stored;
}

function next(db: Database): Waiting[] {
  const sql = `SELECT w.passage, p.hash, p.text FROM recall_waiting w JOIN recall_passage p ON p.id = w.passage
    WHERE w.tries < ${TRIES} ORDER BY w.tries, w.passage LIMIT ${BATCH}`;
  return db.prepare(sql).all() as Waiting[];
}

type Refused = { passage: number; why: string };
type Done = { stored: number; refused: Refused[]; fault?: string };

async function embedBatch(db: Database, batch: Waiting[], options: QueueOptions, signal: AbortSignal): Promise<Done> {
  const { embedder, format } = options;
  const answer = await embedder.embed(
    batch.map((w) => w.text.toWellFormed()),
    signal,
  );
  if (answer.ok) {
    const saved = await write(db, () => {
      for (const [i, waiting] of batch.entries()) {
        const vector = answer.value[i];
        if (vector) saveVector(db, embedder.id, waiting, vector, format);
        db.prepare("DELETE FROM recall_waiting WHERE passage = ?").run(waiting.passage);
      }
    });
    return saved.ok ? { stored: batch.length, refused: [] } : { stored: 0, refused: [], fault: saved.error.what };
  }
  const { type, message } = answer.error;
  const [only] = batch;
  if (type === "unavailable" || signal.aborted || !only) return { stored: 0, refused: [], fault: message };
  if (batch.length === 1) return { stored: 0, refused: [{ passage: only.passage, why: message }], fault: message };
  // One bad text spoils a batch: each is asked for alone.
  const all: Done = { stored: 0, refused: [], fault: message };
  for (const one of batch) {
    const outcome = await embedBatch(db, [one], options, signal);
    all.stored += outcome.stored;
    all.refused.push(...outcome.refused);
    if (outcome.fault !== undefined && outcome.refused.length === 0) return { ...all, fault: outcome.fault };
  }
  return all;
}

async function strike(db: Database, refused: readonly Refused[], { onTrouble }: QueueOptions): Promise<void> {
  const sql = "UPDATE recall_waiting SET tries = tries + 1, error = ? WHERE passage = ? RETURNING tries";
  for (const { passage, why } of refused) {
    const struck = await write(db, () => db.prepare(sql).get(why.slice(0, 200), passage));
    if (struck.ok && Number(struck.value?.["tries"]) >= TRIES)
      onTrouble?.({ code: "parked", message: `passage ${passage} has no vector: ${why.slice(0, 200)}` });
  }
}
