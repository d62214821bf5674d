// Qwen Code: a file of JSON lines a session, with messages in Gemini's form.
import { join } from "node:path";
import { isRecord } from "../../../base/json.ts";
import type { ItemOrigin } from "../blocks.ts";
import type { HistoryClient, HistorySession, ImportedItem, LineReader, ParsedPart } from "../contract.ts";
import { callsIn, resultsIn } from "../gemini/function-part.ts";
import { inSession, item, recordAt, recordsOf, skipped, textAt, textOf, timeOf, typed } from "../read.ts";

export const qwen: HistoryClient = {
  name: "qwen",
  title: "Qwen Code",
  version: 1,
  places: (_env, userHome) => [join(userHome, ".qwen", "projects")],
  formOf: (path) => (/(?:^|\/)chats\/[^/]+\.jsonl$|^[^/]+\.jsonl$/.test(path) ? "lines" : undefined),
  lines: (_file, carry) => qwenLines(carry),
};

function qwenLines(carry: unknown): LineReader {
  let session: HistorySession | undefined = isRecord(carry) ? (carry as HistorySession) : undefined;
  return {
    carry: () => session,
    take(record, line) {
      const [id, cwd, branch] = [textAt(record, "sessionId"), textAt(record, "cwd"), textAt(record, "gitBranch")];
      const type = textAt(record, "type") ?? "no type";
      if (id === undefined) return [skipped(type)];
      const next = { id, ...(cwd ? { cwd } : {}), ...(branch ? { branch } : {}) };
      const isSame = session !== undefined && JSON.stringify(session) === JSON.stringify(next);
      session = next;
      return [...(isSame ? [] : [inSession(next)]), ...partsOf(record, type, line)];
    },
  };
}

function partsOf(record: Record<string, unknown>, type: string, line: number): ParsedPart[] {
  const id = textAt(record, "uuid") ?? `line-${line}`;
  const passed: ParsedPart = { type: "passed", id };
  const time = timeOf(record["timestamp"]);
  const origin: ItemOrigin = { line, ...(time ? { time } : {}) };
  const subtype = textAt(record, "subtype");
  if (type === "system") {
    const summary = subtype === "chat_compression" ? summaryIn(recordAt(record, "systemPayload")) : "";
    if (summary === "") return [passed, skipped(subtype ?? type)];
    return [item({ ...origin, id, kind: "checkpoint", text: summary }), passed];
  }
  const items = itemsOf(record, type, id, origin);
  return items.length === 0 ? [passed, skipped(subtype ?? type)] : [...items.map(item), passed];
}

function itemsOf(record: Record<string, unknown>, type: string, id: string, origin: ItemOrigin): ImportedItem[] {
  const { parts } = recordAt(record, "message");
  if (type === "tool_result") return resultsIn(parts, id, origin);
  if (type === "assistant") {
    const model = textAt(record, "model");
    const text = textOf(recordsOf(parts).filter(({ thought }) => thought !== true)).trim();
    const words: ImportedItem[] =
      text === "" ? [] : [{ ...origin, id, kind: "assistant", text, ...(model ? { model } : {}) }];
    return [...words, ...callsIn(parts, id, origin)];
  }
  // Others speak in the person's name too: schedules, hooks, finished tasks.
  const isPersons = (textAt(record, "provenance") ?? "real_user") === "real_user";
  const text = type === "user" && isPersons ? typed(parts) : "";
  const parent = textAt(record, "parentUuid");
  return text === "" ? [] : [{ ...origin, id, kind: "user", text, ...(parent ? { parent } : {}) }];
}

/** What the history was replaced by begins with its summary. */
const summaryIn = (payload: Record<string, unknown>): string =>
  textOf(recordsOf(payload["compressedHistory"])[0]?.["parts"]);
