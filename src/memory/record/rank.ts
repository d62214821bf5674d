// Which records matter most here and now: a pure function of records, work tree and clock.
import { remembering } from "../../base/remember.ts";
import type { Citation, MemoryRecord } from "./contract.ts";
import type { WorkTree } from "./write-contract.ts";

const HALF_LIFE_DAYS = 90;
const DAY_MS = 86_400_000;

export type RecordView = { nowMs: number; tree: WorkTree | undefined };
/** All of a record that its rank hangs on. */
export type Standing = Pick<MemoryRecord, "id" | "scope" | "verification" | "createdAt" | "lastVerifiedAt"> & {
  source: { trust: number };
  votes: { up: number; down: number; disputed: boolean };
  citations: Pick<Citation, "kind" | "state" | "path">[];
};
export type RankedRecord = { id: string; score: number };

/** The best of them, best first, ties by id. */
export function rank(records: readonly Standing[], view: RecordView, most: number): RankedRecord[] {
  const scores = new Float64Array(records.length);
  let at = 0;
  for (const record of records) scores[at++] = scoreOf(record, view);
  // Sorting numbers is far cheaper than sorting records.
  const least = scores.length > most ? (scores.toSorted()[scores.length - most] ?? 0) : 0;
  const best: RankedRecord[] = [];
  at = 0;
  for (const record of records) {
    const score = scores[at++] ?? 0;
    if (score >= least) best.push({ id: record.id, score });
  }
  return best.sort(byScore).slice(0, most);
}

export const byScore = (a: RankedRecord, b: RankedRecord): number => b.score - a.score || (a.id < b.id ? -1 : 1);

export function scoreOf(record: Standing, { nowMs, tree }: RecordView): number {
  const { verification, votes, source } = record;
  const sum =
    0.35 * relevance(record, tree) +
    0.25 * VERIFIED[verification] +
    (0.2 * (votes.up + 1)) / (votes.up + votes.down + 2) +
    0.2 * recency(record, nowMs);
  return source.trust * sum * (verification === "stale" ? 0.5 : 1);
}

const VERIFIED: Record<MemoryRecord["verification"], number> = {
  verified: 1,
  partial: 0.6,
  none: 0.5,
  unverified: 0.5,
  stale: 0,
};

/** Without a work tree nothing is known of files. */
function relevance({ citations }: Standing, tree: WorkTree | undefined): number {
  if (!tree) return 0.5;
  let best = 0;
  for (const { kind, state, path } of citations) {
    if (kind !== "file") continue;
    const isThere = state === "verified" || state === "moved" || state === "changed";
    if (isThere && path !== undefined && tree.isNear(path)) return 1;
    best = Math.max(best, isThere ? 0.7 : 0.2);
  }
  return best === 0 ? 0.5 : best; // no file is cited
}

function recency({ createdAt, lastVerifiedAt }: Standing, nowMs: number): number {
  const since = Math.max(hourOf(createdAt), lastVerifiedAt === null ? 0 : hourOf(lastVerifiedAt));
  return 0.5 ** (Math.max(0, nowMs - since) / DAY_MS / HALF_LIFE_DAYS);
}

/** Reading dates would be half of the work, and an hour is nothing to a half-life: each one is read once. */
const hourOf = (time: string): number => timeOf(time.slice(0, "2026-01-01T00".length)) ?? (Date.parse(time) || 0);

const timeOf = remembering(100_000, (hour): number | undefined => Date.parse(`${hour}:00Z`) || undefined);
