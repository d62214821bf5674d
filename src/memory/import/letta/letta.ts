// Letta Code with its local backend: a file of JSON lines a conversation. What a Letta server has is not on this machine.
import { basename, dirname, join } from "node:path";
import { isRecord } from "../../../base/json.ts";
import type { HistoryClient, HistoryFile, HistorySession, LineReader, ParsedPart } from "../contract.ts";
import { itemsOf } from "../pi/message.ts";
import { inSession, item, recordAt, skipped, textAt, textOf, timeOf } from "../read.ts";

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
  let session: HistorySession | undefined = isRecord(carry) ? (carry as HistorySession) : undefined;
  return {
    carry: () => session,
    take(record, line) {
      const about = recordAt(record, "metadata");
      const [agent, conversation] = [textAt(about, "agent_id"), textAt(about, "conversation_id")];
      const id =
        conversation === undefined ? basename(dirname(file.path)) : [agent, conversation].filter(Boolean).join("-");
      const cwd = FOLDER.exec(textOf(record["content"]).slice(0, 20_000))?.[1]?.trim() ?? session?.cwd;
      const isSame = session?.id === id && session.cwd === cwd;
      session = { id, ...(cwd ? { cwd } : {}) };
      return [...(isSame ? [] : [inSession(session)]), ...partsOf(record, about, line)];
    },
  };
}

function partsOf(record: Record<string, unknown>, about: Record<string, unknown>, line: number): ParsedPart[] {
  const time = timeOf(about["created_at"]) ?? timeOf(record["timestamp"]);
  const items = itemsOf(record, textAt(record, "id") ?? `line-${line}`, { line, ...(time ? { time } : {}) });
  return items.length === 0 ? [skipped(`${record["role"]} message`)] : items.map(item);
}
