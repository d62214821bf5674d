// Letta Code with its local backend: a file of JSON lines a conversation. What a Letta server has is not on this machine.
import { basename, dirname, join } from "node:path";
import type { HistoryClient, HistoryFile, LineReader } from "../contract.ts";
import { itemsOrSkipped, originOf, SessionTrail, sessionWith } from "../part.ts";
import { itemsOf } from "../pi/message.ts";
import { recordAt, textAt, textOf, timeOf } from "../read.ts";

export const letta: HistoryClient = {
  name: "letta",
  title: "Letta Code",
  version: 1,
  places: (_env, userHome) => [join(userHome, ".letta", "lc-local-backend", "conversations")],
  formOf: (path) => (/(?:^|\/)messages\.jsonl$/.test(path) ? "lines" : undefined),
  lines: lettaLines,
};

/** The client tells the model where it runs, in every prompt. */
const FOLDER = /working directory\**:?\**:?\s*`?(\/[^\n`]+)/i;

function lettaLines(file: HistoryFile, carry: unknown): LineReader {
  const trail = new SessionTrail(carry);
  return {
    carry: () => trail.session,
    take(record, line) {
      const about = recordAt(record, "metadata");
      const [agent, conversation] = [textAt(about, "agent_id"), textAt(about, "conversation_id")];
      const session =
        conversation === undefined ? basename(dirname(file.path)) : [agent, conversation].filter(Boolean).join("-");
      const cwd = FOLDER.exec(textOf(record["content"]).slice(0, 20_000))?.[1]?.trim() ?? trail.session?.cwd;
      const origin = originOf(line, timeOf(about["created_at"]) ?? record["timestamp"]);
      const items = itemsOf(record, textAt(record, "id") ?? `line-${line}`, origin);
      return [...trail.move(sessionWith(session, { cwd })), ...itemsOrSkipped(items, `${record["role"]} message`)];
    },
  };
}
