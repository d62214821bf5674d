// Observations: figures of model calls, requests and searches that no log keeps, for 30 days.
import type { Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { type Database, write } from "../../store/sqlite.ts";
import { prepared } from "../recall/store/statement.ts";

/** `request`: of the gateway. `window`: of a session's request. `sidekick` has runs and what kept one from running. */
type ObservationType = "request" | "window" | "truncation" | "recall" | "sidekick";

export type ChartFigure = {
  type: ObservationType;
  /** Milliseconds since 1970. */
  at: number;
  session?: string;
  /** Tokens that were asked for, and that were sent. */
  asked?: number;
  sent?: number;
  /** What the upstream counted, and the part of it that was cached. */
  input?: number;
  cached?: number;
  ms?: number;
  /** Counts, names and codes. */
  data?: Readonly<Record<string, string | number>>;
};

const KEPT_MS = 30 * 86_400_000;
/** So many rows older than that go with each write: none takes long. */
const PRUNED = 500;

/** One transaction. What is too old goes with it. */
export function addObservations(db: Database, rows: readonly ChartFigure[], now: number): Promise<Result<void, Fault>> {
  return write(db, () => {
    const insert = prepared(
      db,
      "INSERT INTO observation (type, at, session, asked, sent, input, cached, ms, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    for (const { type, at, session, asked, sent, input, cached, ms, data } of rows) {
      const figures = [asked, sent, input, cached, ms].map((figure) => figure ?? null);
      insert.run(type, at, session ?? null, ...figures, JSON.stringify(data ?? {}));
    }
    prepared(
      db,
      "DELETE FROM observation WHERE no IN (SELECT no FROM observation WHERE at < ? ORDER BY no LIMIT ?)",
    ).run(now - KEPT_MS, PRUNED);
  });
}

/** The observations of one session, oldest first; the newest of them when there are more. */
export function observationsOf(
  db: Database,
  session: string,
  { types, most }: { types: readonly ObservationType[]; most: number },
): ChartFigure[] {
  const marks = types.map(() => "?").join(", ");
  return prepared(db, `SELECT * FROM observation WHERE session = ? AND type IN (${marks}) ORDER BY no DESC LIMIT ?`)
    .all(session, ...types, most)
    .map(observationOf)
    .reverse();
}

/** The latest observations of all sessions, newest first. */
export function latestObservations(db: Database, type: ObservationType, most: number): ChartFigure[] {
  return prepared(db, "SELECT * FROM observation WHERE type = ? ORDER BY at DESC, no DESC LIMIT ?")
    .all(type, most)
    .map(observationOf);
}

export function forgetObservations(db: Database, session: string): void {
  prepared(db, "DELETE FROM observation WHERE session = ?").run(session);
}

function observationOf(row: Record<string, unknown>): ChartFigure {
  const figures = ["asked", "sent", "input", "cached", "ms"].flatMap((name) =>
    row[name] === null ? [] : [[name, Number(row[name])] as const],
  );
  return {
    type: row["type"] as ObservationType,
    at: Number(row["at"]),
    ...(row["session"] === null ? {} : { session: String(row["session"]) }),
    ...Object.fromEntries(figures),
    data: JSON.parse(String(row["data"])) as Record<string, string | number>,
  };
}
