// The line of waiting episodes: one worker a group, in order, and nobody's work is lost with its process.
import { isAlive } from "../../../host/survivors.ts";
import type { Episode, Instant } from "../../../schema/graph.ts";
import type { Database } from "../../../store/sqlite.ts";
import type { ClaimRequest, SettleRequest } from "../contract.ts";
import { indexLater } from "./index-later.ts";
import { episodeSource } from "./recall-source.ts";
import { all, episodeOf, get, run, text } from "./row.ts";
import { addStatements } from "./statement.ts";

const MOST_TRIES = 3;
/** As the partial index has it: without these words SQLite reads every episode there is. */
const IS_OPEN = "state <> 'done'";
const FREE = "worker = NULL, lease_until = NULL";

/** Whether a claim would find something; asking costs no transaction. */
export const hasWaiting = (db: Database, now: Instant): boolean =>
  get(
    db,
    `SELECT 1 FROM graph_episode WHERE ${IS_OPEN} AND state IN ('queued', 'running') AND (state = 'queued' OR lease_until <= ?)
     LIMIT 1`,
    now,
  ) !== undefined || deadHolders(db).length > 0;

/** Inside a transaction. */
export function claimEpisodes(db: Database, { worker, size, now, leaseUntil }: ClaimRequest): Episode[] | undefined {
  // A worker that died left its lease behind.
  run(
    db,
    `UPDATE graph_episode SET state = 'queued', ${FREE} WHERE ${IS_OPEN} AND state = 'running'
     AND (lease_until <= ? OR worker IN (SELECT value FROM json_each(?)))`,
    ...[now, JSON.stringify(deadHolders(db))],
  );
  const next = get(
    db,
    `SELECT group_id FROM graph_episode e INDEXED BY graph_episode_waiting WHERE state = 'queued' AND group_id NOT IN
       (SELECT group_id FROM graph_episode WHERE ${IS_OPEN} AND state = 'running') ORDER BY seq LIMIT 1`,
  );
  if (!next) return undefined;
  const rows = all(
    db,
    `SELECT * FROM graph_episode WHERE ${IS_OPEN} AND state = 'queued' AND group_id = ? ORDER BY seq LIMIT ?`,
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

const deadHolders = (db: Database): string[] =>
  all(db, `SELECT DISTINCT worker FROM graph_episode WHERE ${IS_OPEN} AND state = 'running'`)
    .map((row) => text(row, "worker"))
    .filter(hasDied);

/** A name that ends in no process of this machine tells nothing: its lease counts. */
function hasDied(worker: string): boolean {
  const pid = Number(/\.(\d+)$/.exec(worker)?.[1] ?? 0);
  return pid > 0 && !isAlive(pid);
}

const OWN = "uuid = ? AND state = 'running' AND worker = ?";

/** How long requests may wait for one transaction; its index and its commit take as long again. */
const SLICE_MS = 2;

/** Inside a transaction: so many episodes from this one on as take a short time. `end`: the first that is left. */
export function settleEpisodes(
  db: Database,
  { worker, episodes, origin, now }: SettleRequest,
  from: number,
): { count: number; end: number } {
  const begun = performance.now();
  let [count, end] = [0, from];
  do {
    const { uuid = "", extraction } = episodes[end++] ?? {};
    const row = get(db, `SELECT group_id FROM graph_episode WHERE ${OWN}`, uuid, worker);
    if (!row || !extraction) continue;
    addStatements(db, { group: text(row, "group_id"), episode: uuid, extraction, origin, now });
    run(db, `UPDATE graph_episode SET state = 'done', error = NULL, ${FREE} WHERE ${OWN}`, uuid, worker);
    indexLater(db, episodeSource, uuid);
    count++;
  } while (end < episodes.length && performance.now() - begun < SLICE_MS);
  return { count, end };
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
  indexLater(db, episodeSource, episode);
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
