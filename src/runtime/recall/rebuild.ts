// The index anew from what it was made of: the logs of our sessions, the stored items of others, memories and boards. Others may search meanwhile.
import { setImmediate as nextRound } from "node:timers/promises";
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { forgetLearned } from "../../memory/forget-learned.ts";
import { clearIndex } from "../../memory/recall/store/damage.ts";
import { setNote } from "../../memory/recall/store/note.ts";
import { sessionIds } from "../../session/find-session.ts";
import { forgetSession, reindexSession } from "../../session/index/index-session.ts";
import { type Database, write } from "../../store/sqlite.ts";
import { type OnSkipped, sessionsIn } from "../store.ts";
import type { Workspace } from "../workspace.ts";
import { fillRows, rebuildProxied } from "./fill.ts";

/** `items` are of proxied sessions, `rows` of memories and boards. */
export type RebuildCounts = { sessions: number; items: number; rows: number };

/** One session after the other: what a log that cannot be read gave before stays. Ends early when the signal does. */
export async function rebuildIndex(
  db: Database,
  { paths, indexing }: Pick<Workspace, "paths" | "indexing">,
  onSkipped: OnSkipped,
  signal?: AbortSignal,
): Promise<Result<RebuildCounts, Failure>> {
  const items = await rebuildProxied(db, indexing.recall ?? true, signal);
  if (!items.ok) return items;
  const rows = await fillRows(db, indexing, signal);
  if (!rows.ok) return rows;
  const ids = sessionIds(paths.sessions);
  let sessions = 0;
  for (const id of ids) {
    if (signal?.aborted) break;
    const outcome = await reindexSession(db, id, paths.session(id), indexing);
    if (outcome.ok) sessions += 1;
    else if (outcome.error.unreadable) onSkipped(id, outcome.error);
    else return outcome;
    await nextRound();
  }
  for (const { id } of sessionsIn(db)) {
    const gone =
      signal?.aborted || ids.includes(id) ? ok(undefined) : await forgetSession(db, id, () => forgetLearned(db, id));
    if (!gone.ok) return gone;
  }
  const whole = signal?.aborted ? ok(undefined) : await write(db, () => setNote(db, "rebuild", undefined));
  return whole.ok ? ok({ sessions, items: items.value, rows: rows.value }) : whole;
}

/** An index that is beyond use makes room for an empty one; a note in it says that it is not filled yet. */
export const emptyIndex = (db: Database): Promise<Result<void, Failure>> => write(db, () => clearIndex(db));
