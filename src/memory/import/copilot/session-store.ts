// Copilot's store of sessions: prompts and answers of those that have no events any more.
import type { DatabaseSync } from "node:sqlite";
import type { HistoryFile, ParsedPart } from "../contract.ts";
import { answerItems, inSession, item, originOf, promptItems, sessionWith } from "../part.ts";
import { textAt, typed } from "../read.ts";

export function* storedTurns(
  db: DatabaseSync,
  file: HistoryFile,
  unchanged: (session: string, changed: string) => boolean,
): Iterable<ParsedPart> {
  for (const row of db
    .prepare("SELECT id, cwd, repository, branch, updated_at FROM sessions ORDER BY created_at, id")
    .all()) {
    const id = textAt(row, "id");
    if (id === undefined || file.names(`session-state/${id}`).includes("events.jsonl")) continue;
    if (unchanged(id, String(row["updated_at"] ?? ""))) continue;
    const repository = textAt(row, "repository");
    const remote = repository && `https://github.com/${repository}`;
    yield inSession(sessionWith(id, { cwd: textAt(row, "cwd"), branch: textAt(row, "branch"), remote }));
    yield* turnsOf(db, id);
  }
}

function* turnsOf(db: DatabaseSync, session: string): Iterable<ParsedPart> {
  const sql =
    "SELECT id, turn_index, user_message, assistant_response, timestamp FROM turns WHERE session_id = ? ORDER BY turn_index";
  for (const row of db.prepare(sql).iterate(session)) {
    const origin = originOf(String(row["id"]), row["timestamp"]);
    const id = `turn-${row["turn_index"]}`;
    yield* promptItems(typed(row["user_message"]), `${id}:user`, origin).map(item);
    yield* answerItems(textAt(row, "assistant_response")?.trim() ?? "", `${id}:assistant`, origin).map(item);
  }
}
