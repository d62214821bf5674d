// --resume without an id: the sessions of this folder, and in a terminal the choice of one.
import type { SessionChoice } from "../runtime/client.ts";
import { askTerminal } from "./command/ask-terminal.ts";
import { EXIT, printFailure } from "./exit.ts";

const MOST = 20;

type Listed = { id: string; name: string | null; updated_at: string; prompts: number };

/** `ask` lets the person choose, `list` only prints, `refuse` says that a prompt needs an id. A number is the exit code. */
export async function pickSession(how: "ask" | "list" | "refuse"): Promise<SessionChoice | number> {
  const { listSessions } = await import("../runtime/session/stored-sessions.ts");
  const list = await listSessions({ limit: MOST, json: true });
  if (!list.ok) return printFailure(list.error);
  const sessions = typeof list.value === "string" ? [] : (list.value.json as Listed[]);
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

function row({ id, name, updated_at, prompts }: Listed, number: number | undefined): string {
  const start = number === undefined ? id : `${String(number).padStart(3)}. ${id.slice(0, 8)}`;
  const count = prompts === 1 ? "1 prompt" : `${prompts} prompts`;
  return `${start}  ${updated_at.slice(0, 16).replace("T", " ")}  ${count}  ${name ?? ""}`;
}

async function chosen(sessions: Listed[]): Promise<SessionChoice | number> {
  for (;;) {
    const answer = await askTerminal("Resume which? Number, or Enter to leave: ");
    if (!answer?.trim()) return EXIT.done;
    const session = sessions[Number(answer) - 1];
    if (session) return { type: "resume", id: session.id };
  }
}
