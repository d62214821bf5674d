// Copilot's store of sessions: prompts and answers of those that have no events any more.
import type { DatabaseSync } from "node:sqlite";
import type { HistoryFile, ParsedPart } from "../contract.ts";
import { inSession, item, timeOf, typed } from "../read.ts";

type Row = Record<string, unknown>;
const text = (row: Row, key: string): string => (typeof row[key] === "string" ? row[key] : "");

export function* storedTurns(
  db: DatabaseSync,
  file: HistoryFile,
  unchanged: (session: string, changed: string) => boolean,
): Iterable<ParsedPart> {
  for (const row of db
    .prepare("SELECT id, cwd, repository, branch, updated_at FROM sessions ORDER BY created_at, id")
    .all()) {
    const id = text(row, "id");
    const hasEvents = file.names(`session-state/${id}`).includes("events.jsonl");
    if (id === "" || hasEvents || unchanged(id, text(row, "updated_at"))) continue;
    const [cwd, branch, repository] = [text(row, "cwd"), text(row, "branch"), text(row, "repository")];
    yield inSession({
      id,
      ...(cwd ? { cwd } : {}),
      ...(branch ? { branch } : {}),
      ...(repository ? { remote: `https://github.com/${repository}` } : {}),
    });
    yield* turnsOf(db, id);
  }
}

function* turnsOf(db: DatabaseSync, session: string): Iterable<ParsedPart> {
  const sql =
    "SELECT id, turn_index, user_message, assistant_response, timestamp FROM turns WHERE session_id = ? ORDER BY turn_index";
  for (const row of db.prepare(sql).iterate(session)) {
    const time = timeOf(row["timestamp"]);
    const origin = { line: String(row["id"]), ...(time ? { time } : {}) };
    const [asked, answer] = [typed(row["user_message"]), text(row, "assistant_response").trim()];
    if (asked !== "") yield item({ ...origin, id: `turn-${row["turn_index"]}:user`, kind: "user", text: asked });
    if (answer !== "")
      yield item({ ...origin, id: `turn-${row["turn_index"]}:assistant`, kind: "assistant", text: answer });
  }
}
