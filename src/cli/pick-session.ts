// --resume without an id: the sessions of this folder, and in a terminal the choice of one.

import { askTerminal } from "../base/ask-terminal.ts";
import { minute } from "../command/format.ts";
import { home, type SessionChoice, type StoredSession } from "../runtime/client.ts";
import { EXIT, printFailure } from "./exit.ts";

const MOST = 20;

/** `ask` lets the person choose, `list` only prints, `refuse` says that a prompt needs an id. A number is the exit code. */
export async function pickSession(how: "ask" | "list" | "refuse"): Promise<SessionChoice | number> {
  const list = await home.sessions.list({ limit: MOST });
  if (!list.ok) return printFailure(list.error);
  const sessions = list.value;
  if (how === "refuse") {
    return printFailure({
      code: "no_session_id",
      what: "--resume with a prompt needs the id of a session.",
      data: "Nothing was started.",
      next: sessions[0]
        ? `The latest here: everlong --resume ${sessions[0].id} -p "…". All of them: everlong sessions`
        : "This folder has no sessions yet. Those of other folders: everlong sessions --all",
      exit: 2,
    });
  }
  if (sessions.length === 0) {
    process.stdout.write("No sessions in this folder yet. Those of other folders: everlong sessions --all\n");
    return EXIT.done;
  }
  process.stdout.write(`${sessions.map((s, i) => row(s, how === "ask" ? i + 1 : undefined)).join("\n")}\n`);
  if (how === "list") {
    process.stdout.write("Resume with: everlong --resume ID\n");
    return EXIT.done;
  }
  return chosen(sessions);
}

function row({ id, name, updated_at, prompts }: StoredSession, number: number | undefined): string {
  const start = number === undefined ? id : `${String(number).padStart(3)}. ${id.slice(0, 8)}`;
  const count = prompts === 1 ? "1 prompt" : `${prompts} prompts`;
  return `${start}  ${minute(updated_at)}  ${count}  ${name ?? ""}`;
}

async function chosen(sessions: StoredSession[]): Promise<SessionChoice | number> {
  for (;;) {
    const answer = await askTerminal("Resume which? Number, or Enter to leave: ");
    if (!answer?.trim()) return EXIT.done;
    const session = sessions[Number(answer) - 1];
    if (session) return { type: "resume", id: session.id };
  }
}
