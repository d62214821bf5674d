// The session that a consolidation learns from, as the session store has it: its turns and its latest checkpoint.
import type { Database } from "../../store/sqlite.ts";
import type { Evidence, EvidenceTurn } from "./evidence.ts";

/** More than any bound lets through. */
const MOST_TURNS = 200;

export function sessionHistory(db: Database, session: string): Pick<Evidence, "turns" | "checkpoint"> {
  const turns = db
    .prepare(
      `SELECT turn_index, user_message, assistant_response FROM turns
       WHERE session_id = ? AND rewound = 0 ORDER BY turn_index DESC LIMIT ?`,
    )
    .all(session, MOST_TURNS)
    .map(
      (row): EvidenceTurn => ({
        id: `t${row["turn_index"]}`,
        user: String(row["user_message"] ?? ""),
        assistant: String(row["assistant_response"] ?? ""),
      }),
    )
    .reverse();
  const row = db
    .prepare(
      `SELECT title, overview, history, work_done, technical_details, important_files, next_steps FROM checkpoints
       WHERE session_id = ? AND state = 'live' ORDER BY checkpoint_number DESC LIMIT 1`,
    )
    .get(session);
  const checkpoint = Object.values(row ?? {})
    .map((part) => String(part ?? "").trim())
    .filter(Boolean)
    .join("\n\n");
  return { turns, ...(checkpoint === "" ? {} : { checkpoint }) };
}

type SessionPlace = { repository?: string | undefined; root: string; branch?: string | undefined };

/** The newest of this repository, else of this folder, and branch that a person led and that has a turn. */
export function newestSession(db: Database, here: SessionPlace, except: string): string | undefined {
  const row = db
    .prepare(
      `SELECT id FROM sessions WHERE COALESCE(repository = ?1, COALESCE(git_root, cwd) = ?2) AND branch IS ?3
         AND id <> ?4 AND parent_session_id IS NULL AND source = 'everlong'
         AND EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id)
       ORDER BY updated_at DESC LIMIT 1`,
    )
    .get(here.repository ?? null, here.root, here.branch ?? null, except);
  return row && String(row["id"]);
}
