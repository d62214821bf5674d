// Bringing the index up to a log: from the offset it reached, in small transactions, by whichever process comes first.
import { statSync } from "node:fs";
import { ok, type Result } from "../../base/result.ts";
import type { SessionPaths } from "../../host/paths.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { Fault } from "../../store/fault.ts";
import { readLog } from "../../store/read-log.ts";
import { type Database, write } from "../../store/sqlite.ts";
import { eventReader } from "../read-session.ts";
import { IndexWriter, type Redact } from "./write-index.ts";

const BATCH = 100;

export async function indexSession(
  db: Database,
  id: string,
  paths: SessionPaths,
  redact: Redact,
): Promise<Result<number, Fault>> {
  const from = offsetOf(db, id);
  const size = statSync(paths.events, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= from) return ok(0);
  const events: { event: DurableEnvelope; offset: number }[] = [];
  const reader = eventReader(paths, (event, record) => events.push({ event, offset: record.offset }));
  const report = await readLog(paths.events, { ...reader, from });
  if (!report.ok) return report;
  let at = from;
  for (let i = 0; i < events.length; i += BATCH) {
    const batch = events.slice(i, i + BATCH);
    const end = events[i + BATCH]?.offset ?? report.value.end;
    const done = await write(db, () => {
      // Another process may have indexed this part meanwhile.
      if (offsetOf(db, id) !== at) return false;
      const writer = new IndexWriter(db, id, redact);
      for (const { event } of batch) writer.add(event);
      db.prepare("UPDATE sessions SET indexed_offset = ? WHERE id = ?").run(end, id);
      return true;
    });
    if (!done.ok) return done;
    if (!done.value) return ok(i);
    at = end;
  }
  return ok(events.length);
}

function offsetOf(db: Database, id: string): number {
  return Number(db.prepare("SELECT indexed_offset FROM sessions WHERE id = ?").get(id)?.["indexed_offset"] ?? 0);
}

/** Everything of a session leaves the index; its folder is not touched. */
export function forgetSession(db: Database, id: string): Promise<Result<void, Fault>> {
  return write(db, () => {
    db.prepare("DELETE FROM search_index WHERE rowid IN (SELECT id FROM search_source WHERE session_id = ?)").run(id);
    for (const table of ["search_source", "turns", "checkpoints", "session_files", "session_refs", "model_calls"]) {
      db.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(id);
    }
    db.prepare("DELETE FROM sessions WHERE id = ?").run(id);
  });
}
