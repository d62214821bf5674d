// The line of waiting episodes: one worker a group, in order, and nobody's work is lost with its process.
import type { EndOf } from "../../../host/worker-name.ts";
import type { Episode, Instant } from "../../../schema/graph.ts";
import { allRows, changeCount, execute, oneRow, type Unit } from "../../../store/unit.ts";
import type { ClaimRequest, SettleRequest } from "../contract.ts";
import { holdingGroup } from "./accept.ts";
import type { ChangedRows } from "./changed-row.ts";
import { episodeOf, text } from "./row.ts";
import { addStatements } from "./statement.ts";
import type { Slice } from "./together.ts";

const MOST_TRIES = 3;
/** As the partial index has it: without these words every episode there is would be read. */
const IS_OPEN = "state <> 'done'";
const FREE = "worker = NULL, lease_until = NULL";
const HELD = `FROM graph_episode WHERE ${IS_OPEN} AND state = 'running'`;
const IS_AMONG = "worker IN (SELECT value FROM json_each(?))";
const ENDED = "The thread that read it ended.";

/** Whether a claim would find something; asking costs no transaction. */
export function* hasWaiting(now: Instant, endOf: EndOf): Unit<boolean> {
  const row = yield* oneRow(
    `SELECT 1 FROM graph_episode WHERE ${IS_OPEN} AND state IN ('queued', 'running') AND (state = 'queued' OR lease_until <= ?)
     LIMIT 1`,
    now,
  );
  return row !== undefined || (yield* endedHolders(endOf)).length > 0;
}

export function* claimEpisodes(
  changed: ChangedRows,
  { worker, size, now, leaseUntil }: ClaimRequest,
  endOf: EndOf,
): Unit<Episode[] | undefined> {
  yield* freeLeases(changed, now, yield* endedHolders(endOf));
  const group = yield* freeGroup();
  if (group === undefined) return undefined;
  const rows = yield* allRows(
    `SELECT * FROM graph_episode WHERE ${IS_OPEN} AND state = 'queued' AND group_id = ? ORDER BY seq LIMIT ?`,
    ...[group, size],
  );
  const batch = readTogether(rows.map(episodeOf));
  for (const { uuid } of batch)
    yield* execute(
      "UPDATE graph_episode SET state = 'running', worker = ?, lease_until = ? WHERE uuid = ?",
      ...[worker, leaseUntil, uuid],
    );
  return batch;
}

/** What failed once is read alone: others do not fail with it again. */
function readTogether(episodes: readonly Episode[]): Episode[] {
  const failed = episodes.findIndex(({ tries }) => tries > 0);
  return episodes.slice(0, failed === -1 ? episodes.length : Math.max(1, failed));
}

/** A worker that died left its lease behind. */
function* freeLeases(changed: ChangedRows, now: Instant, ended: readonly EndedHolder[]): Unit<void> {
  const workers = (by: EndedHolder["end"]): string =>
    JSON.stringify(ended.filter(({ end }) => end === by).map(({ worker }) => worker));
  // A thread ends by itself over something that it met: what it had in hand is not tried for ever.
  for (const row of yield* allRows(`SELECT uuid, worker ${HELD} AND ${IS_AMONG}`, workers("thread")))
    yield* giveBackEpisode(changed, { episode: text(row, "uuid"), worker: text(row, "worker"), error: ENDED });
  yield* execute(
    `UPDATE graph_episode SET state = 'queued', ${FREE} WHERE ${IS_OPEN} AND state = 'running' AND (lease_until <= ? OR ${IS_AMONG})`,
    ...[now, workers("process")],
  );
}

/** The group whose episode has waited longest, locked: others who look for one meanwhile pass over it. */
const NEXT = `SELECT g.id FROM graph_episode e INDEXED BY graph_episode_waiting JOIN graph_group g ON g.id = e.group_id WHERE e.state = 'queued'
  AND NOT EXISTS (SELECT 1 FROM graph_episode r WHERE r.state <> 'done' AND r.state = 'running' AND r.group_id = e.group_id)
  ORDER BY e.seq LIMIT 1 FOR UPDATE OF g SKIP LOCKED`;

function* freeGroup(): Unit<string | undefined> {
  for (;;) {
    const next = yield* oneRow(NEXT);
    if (!next) return undefined;
    const group = text(next, "id");
    // Another may have taken it and let go of the lock since this statement began to look.
    const busy = `SELECT 1 ${HELD} AND group_id = ? LIMIT 1`;
    if (!(yield* oneRow(busy, group))) return group;
  }
}

type EndedHolder = { worker: string; end: "process" | "thread" };

function* endedHolders(endOf: EndOf): Unit<EndedHolder[]> {
  const rows = yield* allRows(`SELECT DISTINCT worker ${HELD}`);
  return rows.flatMap((row) => {
    const [worker, end] = [text(row, "worker"), endOf(text(row, "worker"))];
    return end ? [{ worker, end }] : [];
  });
}

const OWN = "uuid = ? AND state = 'running' AND worker = ?";

/** A slice of the episodes, from this one on. `end`: the first that is left. */
export function* settleEpisodes(
  changed: ChangedRows,
  { worker, episodes, origin, now }: SettleRequest,
  { from, slice }: { from: number; slice: Slice },
): Unit<{ count: number; end: number }> {
  const begun = performance.now();
  let [count, end] = [0, from];
  do {
    const { uuid = "", extraction } = episodes[end++] ?? {};
    const row = yield* oneRow(`SELECT group_id FROM graph_episode WHERE ${OWN}`, uuid, worker);
    if (!row || !extraction) continue;
    yield* holdingGroup(text(row, "group_id"));
    // Whoever was paused for too long finds that its work was given to another.
    const own = yield* changeCount(
      `UPDATE graph_episode SET state = 'done', error = NULL, ${FREE} WHERE ${OWN}`,
      uuid,
      worker,
    );
    if (own === 0) continue;
    yield* addStatements(changed, { group: text(row, "group_id"), episode: uuid, extraction, origin, now });
    changed.episode(uuid);
    count++;
  } while (end < episodes.length && (end - from < slice.least || performance.now() - begun < slice.ms));
  return { count, end };
}

export function* giveBackEpisode(
  changed: ChangedRows,
  { episode, worker, error }: { episode: string; worker: string; error: string },
): Unit<void> {
  yield* execute(
    `UPDATE graph_episode SET tries = tries + 1, error = ?, ${FREE},
       state = CASE WHEN tries + 1 >= ${MOST_TRIES} THEN 'parked' ELSE 'queued' END WHERE ${OWN}`,
    ...[error, episode, worker],
  );
  changed.episode(episode);
}

export function* requeueEpisodes({
  episodes,
  to,
}: {
  episodes?: readonly string[];
  to: "queued" | "done";
}): Unit<number> {
  const named = episodes ? " AND uuid IN (SELECT value FROM json_each(?))" : "";
  return yield* changeCount(
    `UPDATE graph_episode SET state = ?, tries = 0 WHERE ${IS_OPEN} AND state = 'parked'${named}`,
    ...[to, ...(episodes ? [JSON.stringify(episodes)] : [])],
  );
}
