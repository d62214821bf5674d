// Qwen Code: a file of JSON lines a session, with messages in Gemini's form.
import { join } from "node:path";
import type { HistoryClient, ImportedItem, ItemOrigin, LineReader, ParsedPart } from "../contract.ts";
import { callsIn, resultsIn } from "../gemini/function-part.ts";
import { answerItems, itemsOrSkipped, originOf, promptItems, SessionTrail, sessionWith, skipped } from "../part.ts";
import { recordAt, recordsOf, textAt, textOf, typed } from "../read.ts";

export const qwen: HistoryClient = {
  name: "qwen",
  title: "Qwen Code",
  version: 1,
  places: (_env, userHome) => [join(userHome, ".qwen", "projects")],
  formOf: (path) => (/(?:^|\/)chats\/[^/]+\.jsonl$|^[^/]+\.jsonl$/.test(path) ? "lines" : undefined),
  lines: (_file, carry) => qwenLines(carry),
};

function qwenLines(carry: unknown): LineReader {
  const trail = new SessionTrail(carry);
  return {
    carry: () => trail.session,
    take(record, line) {
      const type = textAt(record, "type") ?? "no type";
      const id = textAt(record, "sessionId");
      if (id === undefined) return [skipped(type)];
      const session = sessionWith(id, { cwd: textAt(record, "cwd"), branch: textAt(record, "gitBranch") });
      return [...trail.move(session), ...partsOf(record, type, line)];
    },
  };
}

function partsOf(record: Record<string, unknown>, type: string, line: number): ParsedPart[] {
  const id = textAt(record, "uuid") ?? `line-${line}`;
  const subtype = textAt(record, "subtype");
  return itemsOrSkipped(itemsOf(record, type, id, originOf(line, record["timestamp"])), subtype ?? type, id);
}

function itemsOf(record: Record<string, unknown>, type: string, id: string, origin: ItemOrigin): ImportedItem[] {
  const { parts } = recordAt(record, "message");
  switch (type) {
    case "system": {
      const text = record["subtype"] === "chat_compression" ? summaryIn(recordAt(record, "systemPayload")) : "";
      return text === "" ? [] : [{ ...origin, id, kind: "checkpoint", text }];
    }
    case "tool_result":
      return resultsIn(parts, id, origin);
    case "assistant": {
      const text = textOf(recordsOf(parts).filter(({ thought }) => thought !== true)).trim();
      return [...answerItems(text, id, origin, textAt(record, "model")), ...callsIn(parts, id, origin)];
    }
    case "user": {
      // Others speak in the person's name too: schedules, hooks, finished tasks.
      const isPersons = (textAt(record, "provenance") ?? "real_user") === "real_user";
      return isPersons ? promptItems(typed(parts), id, origin, textAt(record, "parentUuid")) : [];
    }
    default:
      return [];
  }
}

/** What the history was replaced by begins with its summary. */
const summaryIn = (payload: Record<string, unknown>): string =>
  textOf(recordsOf(payload["compressedHistory"])[0]?.["parts"]);
