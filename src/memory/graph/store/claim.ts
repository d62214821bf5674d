// The line of waiting episodes: one worker a group, in order, and nobody's work is lost with its process.
import type { Episode, Instant } from "../../../schema/graph.ts";
import type { Database } from "../../../store/sqlite.ts";
import type { ClaimRequest, SettleRequest } from "../contract.ts";
import { all, episodeOf, get, run, text } from "./row.ts";
import { addStatements } from "./statement.ts";

const MOST_TRIES = 3;

/** Inside a transaction. */
export function claimEpisodes(db: Database, { worker, size, now, leaseUntil }: ClaimRequest): Episode[] | undefined {
  // A worker that died left its lease behind.
  run(
    db,
    "UPDATE graph_episode SET state = 'queued', worker = NULL, lease_until = NULL WHERE state = 'running' AND lease_until <= ?",
    now,
  );
  const next = get(
    db,
    `SELECT group_id FROM graph_episode e WHERE state = 'queued' AND NOT EXISTS
       (SELECT 1 FROM graph_episode r WHERE r.state = 'running' AND r.group_id = e.group_id) ORDER BY seq LIMIT 1`,
  );
  if (!next) return undefined;
  const rows = all(
    db,
    "SELECT * FROM graph_episode WHERE state = 'queued' AND group_id = ? ORDER BY seq LIMIT ?",
    ...[text(next, "group_id"), size],
  );
  for (const row of rows)
    run(
      db,
      "UPDATE graph_episode SET state = 'running', worker = ?, lease_until = ? WHERE seq = ?",
      ...[worker, leaseUntil, Number(row["seq"])],
    );
  return rows.map(episodeOf);
}

const OWN = "uuid = ? AND state = 'running' AND worker = ?";
const FREE = "worker = NULL, lease_until = NULL";

/** Inside a transaction. */
export function settleEpisode(db: Database, { episode, worker, extraction, origin, now }: SettleRequest): boolean {
  const row = get(db, `SELECT group_id FROM graph_episode WHERE ${OWN}`, episode, worker);
  if (!row) return false;
  addStatements(db, { group: text(row, "group_id"), episode, extraction, origin, now });
  run(db, `UPDATE graph_episode SET state = 'done', error = NULL, ${FREE} WHERE ${OWN}`, episode, worker);
  return true;
}

/** Inside a transaction. */
export function giveBackEpisode(
  db: Database,
  { episode, worker, error }: { episode: string; worker: string; error: string; now: Instant },
): void {
  run(
    db,
    `UPDATE graph_episode SET tries = tries + 1, error = ?, ${FREE},
       state = CASE WHEN tries + 1 >= ${MOST_TRIES} THEN 'parked' ELSE 'queued' END WHERE ${OWN}`,
    ...[error, episode, worker],
  );
}

/** Inside a transaction. */
export function requeueEpisodes(
  db: Database,
  { episodes, to }: { episodes?: readonly string[]; to: "queued" | "done" },
): number {
  const { changes } = run(
    db,
    `UPDATE graph_episode SET state = ?, tries = 0 WHERE state = 'parked'
       AND (? IS NULL OR uuid IN (SELECT value FROM json_each(?)))`,
    ...[to, episodes ? 1 : null, JSON.stringify(episodes ?? [])],
  );
  return Number(changes);
}
