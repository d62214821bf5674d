// Passages get their vectors here, off everybody's path. The line stands in the store, so nothing is lost when nobody answers.
import { type Clock, systemClock } from "../../../base/clock.ts";
import { shortId } from "../../../base/id.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { Fault } from "../../../store/fault.ts";
import { removals } from "../../../store/terms.ts";
import { allRows, changeCount, execute, oneRow, type RowStore, type Unit } from "../../../store/unit.ts";
import { readNote, writeNote } from "../store/note.ts";
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
/** Others leave alone what somebody has taken; what a dead one held is free after it. */
const LEASE_MS = 120_000;
type Waiting = { passage: number; hash: Uint8Array; text: string };
/** Whoever takes passages: one process's run through the line. */
type Taker = { store: RowStore; name: string } & QueueOptions;

const SLICE = 5_000;

/**
 * Puts every passage without a vector of this embedder in line, in short transactions. BatchOutcome once for an embedder, and
 * again after something was removed: equal texts share a vector, and it went with the first of them.
 */
export async function lineUp(store: RowStore, embedder: string, signal: AbortSignal): Promise<Result<void, Fault>> {
  const before = await store.read(function* () {
    return { state: `${embedder} ${yield* removals()}`, lined: yield* readNote("linedUp") };
  });
  if (!before.ok) return before;
  const { state, lined } = before.value;
  if (lined === state) return ok(undefined);
  for (let from: number | undefined = 0; from !== undefined && !signal.aborted; ) {
    const after: number = from;
    const outcome: Result<number | undefined, Fault> = await store.write(() => lineUpSome(embedder, after), {
      holds: true,
    });
    if (!outcome.ok) return outcome;
    from = outcome.value;
  }
  return signal.aborted ? ok(undefined) : store.write(() => writeNote("linedUp", state), { holds: true });
}

/** Gives the last passage that it looked at; undefined when there is none left. */
function* lineUpSome(embedder: string, after: number): Unit<number | undefined> {
  const slice = `SELECT id FROM recall_passage WHERE id > ? ORDER BY id LIMIT ${SLICE}`;
  const last = (yield* oneRow(`SELECT max(id) AS id FROM (${slice}) AS slice`, after))?.["id"];
  if (last === null || last === undefined) return undefined;
  yield* execute(
    `INSERT INTO recall_waiting (passage) SELECT p.id FROM recall_passage p WHERE p.id > ? AND p.id <= ? AND p.words > 0
     AND NOT EXISTS (SELECT 1 FROM recall_vector v WHERE v.embedder = ? AND v.hash = p.hash)
     ON CONFLICT (passage) DO NOTHING`,
    ...[after, Number(last), embedder],
  );
  return Number(last);
}

/**
 * Works until nobody waits or the signal aborts; returns how many vectors were stored. A server that does not answer,
 * or answers nonsense to everybody, is asked again after a growing pause; a passage that is refused three times while
 * others are not is parked.
 */
export async function embedWaiting(store: RowStore, options: QueueOptions, signal: AbortSignal): Promise<number> {
  const taker = { ...options, store, name: shortId("embed") };
  try {
    return await embedAll(taker, signal);
  } finally {
    // What it did not get to is free for the next.
    await store.write(() => execute("UPDATE recall_waiting SET taken_until = 0 WHERE taker = ?", taker.name), {
      holds: true,
    });
  }
}

async function embedAll(taker: Taker, signal: AbortSignal): Promise<number> {
  const { store, clock = systemClock, onTrouble } = taker;
  let stored = 0;
  let pause = 0;
  while (!signal.aborted) {
    const taken = await store.write(() => take(taker.name, Date.now()), { holds: true });
    if (!taken.ok) {
      onTrouble?.({ code: "unavailable", message: taken.error.what });
      return stored;
    }
    const batch = taken.value;
    if (batch.length === 0) return stored;
    const outcome = await embedBatch(taker, batch, signal);
    stored += outcome.stored;
    if (outcome.stored > 0 || batch.length === 1) await strike(taker, outcome.refused);
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

/** Those that nobody works on, or that this one has already. */
function* take(taker: string, now: number): Unit<Waiting[]> {
  const rows = yield* allRows(
    `SELECT passage FROM recall_waiting WHERE tries < ${TRIES} AND (taken_until < ? OR taker = ?)
     ORDER BY tries, passage LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
    ...[now, taker],
  );
  if (rows.length === 0) return [];
  const passages = JSON.stringify(rows.map((row) => row["passage"]));
  const among = "IN (SELECT 0 + value FROM json_each(?))";
  yield* execute(
    `UPDATE recall_waiting SET taker = ?, taken_until = ? WHERE passage ${among}`,
    ...[taker, now + LEASE_MS, passages],
  );
  const sql = `SELECT w.passage, p.hash, p.text FROM recall_waiting w JOIN recall_passage p ON p.id = w.passage
    WHERE w.passage ${among} ORDER BY w.tries, w.passage`;
  return (yield* allRows(sql, passages)) as Waiting[];
}

type Refused = { passage: number; why: string };
type BatchOutcome = { stored: number; refused: Refused[]; fault?: string };

async function embedBatch(taker: Taker, batch: readonly Waiting[], signal: AbortSignal): Promise<BatchOutcome> {
  const { store, embedder, format, name } = taker;
  const answer = await embedder.embed(
    batch.map((w) => w.text.toWellFormed()),
    signal,
  );
  if (answer.ok) {
    const saved = await store.write(
      function* () {
        for (const [i, waiting] of batch.entries()) {
          const vector = answer.value[i];
          // Whoever was too slow has lost it to another; what was erased meanwhile gets no vector.
          const mine = "DELETE FROM recall_waiting WHERE passage = ? AND taker = ?";
          const isMine = (yield* changeCount(mine, waiting.passage, name)) === 1;
          if (vector && isMine) yield* saveVector(embedder.id, waiting, vector, format);
        }
      },
      { holds: true },
    );
    return saved.ok ? { stored: batch.length, refused: [] } : { stored: 0, refused: [], fault: saved.error.what };
  }
  const { type, message } = answer.error;
  const [only] = batch;
  if (type === "unavailable" || signal.aborted || !only) return { stored: 0, refused: [], fault: message };
  if (batch.length === 1) return { stored: 0, refused: [{ passage: only.passage, why: message }], fault: message };
  // One bad text spoils a batch: each is asked for alone.
  const all: BatchOutcome = { stored: 0, refused: [], fault: message };
  for (const one of batch) {
    const outcome = await embedBatch(taker, [one], signal);
    all.stored += outcome.stored;
    all.refused.push(...outcome.refused);
    if (outcome.fault !== undefined && outcome.refused.length === 0) return { ...all, fault: outcome.fault };
  }
  return all;
}

async function strike({ store, onTrouble }: Taker, refused: readonly Refused[]): Promise<void> {
  const sql = "UPDATE recall_waiting SET tries = tries + 1, error = ? WHERE passage = ? RETURNING tries";
  for (const { passage, why } of refused) {
    const struck = await store.write(() => oneRow(sql, why.slice(0, 200), passage), { holds: true });
    if (struck.ok && Number(struck.value?.["tries"]) >= TRIES)
      onTrouble?.({ code: "parked", message: `passage ${passage} has no vector: ${why.slice(0, 200)}` });
  }
}
