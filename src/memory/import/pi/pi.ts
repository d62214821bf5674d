// pi: a file of JSON lines a session, its entries a tree by their parents.
import { join } from "node:path";
import { isRecord } from "../../../base/json.ts";
import type { ItemOrigin } from "../blocks.ts";
import type { HistoryClient, HistorySession, LineReader, ParsedPart } from "../contract.ts";
import { inSession, item, recordAt, skipped, textAt, timeOf } from "../read.ts";
import { itemsOf } from "./message.ts";

export const pi: HistoryClient = {
  name: "pi",
  title: "pi",
  version: 1,
  places: (env, userHome) => [join(env["PI_CODING_AGENT_DIR"] || join(userHome, ".pi", "agent"), "sessions")],
  formOf: (path) => (path.endsWith(".jsonl") ? "lines" : undefined),
  lines: (_file, carry) => piLines(carry),
};

function piLines(carry: unknown): LineReader {
  let session: HistorySession | undefined = isRecord(carry) ? (carry as HistorySession) : undefined;
  return {
    carry: () => session,
    take(record, line) {
      const type = textAt(record, "type") ?? "no type";
      if (type === "session") {
        const [id, cwd] = [textAt(record, "id"), textAt(record, "cwd")];
        if (id === undefined) return [skipped(type)];
        session = { id, ...(cwd ? { cwd } : {}) };
        return [inSession(session)];
      }
      if (!session) return [skipped(type)];
      return partsOf(record, type, line);
    },
  };
}

function partsOf(record: Record<string, unknown>, type: string, line: number): ParsedPart[] {
  const id = textAt(record, "id") ?? `line-${line}`;
  const passed: ParsedPart = { type: "passed", id };
  const message = recordAt(record, "message");
  const time = timeOf(record["timestamp"]) ?? timeOf(message["timestamp"]);
  const origin: ItemOrigin = { line, ...(time ? { time } : {}) };
  if (type === "compaction" || type === "branch_summary") {
    const text = textAt(record, "summary");
    return text === undefined ? [passed, skipped(type)] : [item({ ...origin, id, kind: "checkpoint", text }), passed];
  }
  if (type !== "message") return [passed, skipped(type)];
  const items = itemsOf(message, id, origin, textAt(record, "parentId"));
  return items.length === 0 ? [passed, skipped(`${message["role"]} message`)] : [...items.map(item), passed];
}
