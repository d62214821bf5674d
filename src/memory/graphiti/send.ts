// One batch to a Graphiti server: what may have arrived is looked up first, what is refused is found by sending one at a time.
import { hash } from "node:crypto";
import { fail, ok, type Result } from "../../base/result.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { GraphitiClient, GraphitiFault } from "./client.ts";
import type { OutboxRow, OutboxStep } from "./outbox-row.ts";
import { moveRows, type OutboxPlace, readRows } from "./queue.ts";

export type SendLimits = { maxBatchSize: number; maxAttempts: number };
type SendParts = { db: Database; client: GraphitiClient; now: () => string };
export type SendFailure = Pick<GraphitiFault, "type" | "message" | "retryAfterMs">;

const LOOK_BACK = 100;
const MAX_BODY_CHARS = 1024 * 1024;

/** The oldest messages that wait, of one group and in order. */
export function nextBatch(db: Database, place: OutboxPlace, maxBatchSize: number): OutboxRow[] {
  const [oldest] = readRows(db, { ...place, states: ["queued", "sending"] }, 1);
  if (!oldest) return [];
  const rows = readRows(db, { ...place, group: oldest.group, states: ["queued", "sending"] }, maxBatchSize);
  let chars = 0;
  return rows.filter(({ message }, i) => {
    chars += message.content.length;
    return i === 0 || chars <= MAX_BODY_CHARS;
  });
}

/** A value: every row went on. */
export async function sendBatch(
  parts: SendParts,
  rows: readonly OutboxRow[],
  limits: SendLimits,
  signal: AbortSignal,
): Promise<Result<void, SendFailure>> {
  const { client, now } = parts;
  const [first] = rows;
  if (!first) return ok(undefined);
  const unseen = await withoutArrived(parts, first.group, rows, signal);
  if (!unseen.ok) return unseen;
  if (unseen.value.length === 0) return ok(undefined);
  const sending = await move(parts, "send", unseen.value);
  if (!sending.ok) return sending;
  // What somebody took back or forgot in the meantime does not go.
  const batch = readRows(parts.db, { seqs: unseen.value.map(({ seq }) => seq), states: ["sending"] });
  if (batch.length === 0) return ok(undefined);
  const names = batch.map(({ message }) => message.name);
  const key = hash("sha256", JSON.stringify([client.endpoint, first.group, names]));
  const answer = await client.add(
    first.group,
    batch.map(({ message }) => message),
    key,
    signal,
  );
  if (answer.ok) return move(parts, "accept", batch, { sentAt: now() });
  const { type, message, mayBeStored } = answer.error;
  if (type === "refused") {
    if (batch.length === 1) return move(parts, "give_up", batch, { error: message });
    return oneAtATime(parts, batch, limits, signal);
  }
  if (!mayBeStored) {
    const returned = await move(parts, "return", batch);
    if (!returned.ok) return returned;
  }
  if (type === "unavailable") {
    const spent = batch.filter(({ tries }) => tries >= limits.maxAttempts);
    const parked = await move(parts, "give_up", spent, { error: message });
    if (!parked.ok) return parked;
  }
  return answer;
}

/** One of them is not acceptable, and a server says it of all. */
async function oneAtATime(
  parts: SendParts,
  batch: readonly OutboxRow[],
  limits: SendLimits,
  signal: AbortSignal,
): Promise<Result<void, SendFailure>> {
  const returned = await move(parts, "return", batch);
  if (!returned.ok) return returned;
  for (const row of batch) {
    const outcome = await sendBatch(parts, [{ ...row, state: "queued" }], limits, signal);
    if (!outcome.ok) return outcome;
  }
  return ok(undefined);
}

/** A server that cannot be asked for its episodes is sent them again. */
async function withoutArrived(
  parts: SendParts,
  group: string,
  rows: readonly OutboxRow[],
  signal: AbortSignal,
): Promise<Result<readonly OutboxRow[], SendFailure>> {
  if (rows.every(({ state }) => state === "queued")) return ok(rows);
  const episodes = await parts.client.episodes(group, LOOK_BACK, signal);
  if (!episodes.ok) return episodes.error.status === undefined ? episodes : ok(rows);
  const names = new Set(episodes.value.map(({ name }) => name));
  const arrived = rows.filter(({ message }) => names.has(message.name));
  const seen = await move(parts, "see", arrived);
  return seen.ok ? ok(rows.filter((row) => !arrived.includes(row))) : seen;
}

/** Fails only when the store does. */
async function move(
  { db }: SendParts,
  step: OutboxStep,
  rows: readonly OutboxRow[],
  more: { error?: string; sentAt?: string } = {},
): Promise<Result<void, SendFailure>> {
  if (rows.length === 0) return ok(undefined);
  const outcome = await write(db, () => void moveRows(db, step, { seqs: rows.map(({ seq }) => seq) }, more));
  return outcome.ok ? ok(undefined) : fail({ type: "unavailable", message: outcome.error.what });
}
