// Moves what the demo's clients did just now to where it belongs in the week.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import { type Database, write } from "../../store/sqlite.ts";
import { CLIENTS } from "./story.ts";

const HOUR_MS = 3_600_000;
/** A client thinks and types between its requests. */
const SLOWER = 400;

export function ageTraffic(db: Database, now: number): Promise<Result<void, Failure>> {
  return write(db, () => {
    for (const { session, hoursAgo } of CLIENTS) {
      const no = Number(db.prepare("SELECT no FROM proxy_session WHERE id = ?").get(session)?.["no"] ?? 0);
      const first = db.prepare("SELECT min(time) AS at FROM proxy_request WHERE session = ?").get(no)?.["at"];
      const began = first === null || first === undefined ? now : Date.parse(String(first));
      const moved = (at: number): number => Math.min(now, now - hoursAgo * HOUR_MS + (at - began) * SLOWER);
      const text = (at: unknown): string => new Date(moved(Date.parse(String(at)))).toISOString();
      db.prepare("UPDATE proxy_session SET created_at = ?, used_at = ? WHERE no = ?").run(
        text(first),
        text(lastOf(db, no)),
        no,
      );
      for (const row of db.prepare("SELECT id, time FROM proxy_item WHERE session = ?").all(no))
        db.prepare("UPDATE proxy_item SET time = ? WHERE id = ?").run(text(row["time"]), Number(row["id"]));
      for (const row of db.prepare("SELECT no, time, record, summary FROM proxy_request WHERE session = ?").all(no)) {
        const time = text(row["time"]);
        const again = (json: unknown): string => JSON.stringify({ ...(JSON.parse(String(json)) as object), time });
        db.prepare("UPDATE proxy_request SET time = ?, record = ?, summary = ? WHERE no = ?").run(
          ...[time, again(row["record"]), again(row["summary"] ?? row["record"]), Number(row["no"])],
        );
      }
      for (const row of db.prepare("SELECT no, at FROM observation WHERE session = ?").all(session))
        db.prepare("UPDATE observation SET at = ? WHERE no = ?").run(moved(Number(row["at"])), Number(row["no"]));
    }
  });
}

const lastOf = (db: Database, no: number): unknown =>
  db.prepare("SELECT max(time) AS at FROM proxy_request WHERE session = ?").get(no)?.["at"] ?? new Date().toISOString();
