// Copilot CLI: the events of a session as JSON lines; sessions without them stand in its store as turns.
import { basename, dirname, join } from "node:path";
import type {
  HistoryClient,
  HistoryFile,
  HistorySession,
  ImportedItem,
  ItemOrigin,
  LineReader,
  ParsedPart,
} from "../contract.ts";
import {
  answerItems,
  callItem,
  item,
  itemsOrSkipped,
  originOf,
  promptItems,
  SessionTrail,
  sessionWith,
} from "../part.ts";
import { recordAt, resultText, textAt, typed } from "../read.ts";
import { storedTurns } from "./session-store.ts";

export const copilot: HistoryClient = {
  name: "copilot",
  title: "Copilot CLI",
  version: 1,
  places: (env, userHome) => [env["COPILOT_HOME"] || join(userHome, ".copilot")],
  formOf: (path) => {
    if (/(?:^|\/)events\.jsonl$/.test(path)) return "lines";
    return /(?:^|\/)session-store\.db$/.test(path) ? "database" : undefined;
  },
  lines: copilotLines,
  database: storedTurns,
};

function copilotLines(file: HistoryFile, carry: unknown): LineReader {
  const trail = new SessionTrail(carry);
  return {
    carry: () => trail.session,
    take(record, line) {
      const type = textAt(record, "type") ?? "no type";
      const data = recordAt(record, "data");
      const id = trail.session?.id ?? textAt(data, "sessionId") ?? basename(dirname(file.path));
      const context = recordAt(data, "context");
      const about = textAt(context, "cwd") ? context : trail.session ? undefined : besideOf(file);
      return [...(about ? trail.move(sessionOf(id, about)) : []), ...partsOf(record, type, line)];
    },
  };
}

function sessionOf(id: string, about: Record<string, unknown>): HistorySession {
  const repository = textAt(about, "repository");
  const host = textAt(about, "repositoryHost") ?? "github.com";
  const remote = repository && `https://${host}/${repository}`;
  return sessionWith(id, { cwd: textAt(about, "cwd"), branch: textAt(about, "branch"), remote });
}

/** Lines of `key: value`, as the file has them at its top. */
function besideOf(file: HistoryFile): Record<string, unknown> {
  const rows = (file.beside("workspace.yaml") ?? "").matchAll(/^([a-z_]+):[ \t]+(.+)$/gm);
  return Object.fromEntries([...rows].map(([, key, value]) => [key, value?.replace(/^(["'])(.*)\1$/, "$2")]));
}

function partsOf(record: Record<string, unknown>, type: string, line: number): ParsedPart[] {
  const data = recordAt(record, "data");
  const id = textAt(record, "id") ?? `line-${line}`;
  if (type === "session.snapshot_rewind") {
    const to = textAt(record, "parentId");
    return [item({ id, line, kind: "rewind", ...(to ? { to } : { turns: 0 }) })];
  }
  const agent = textAt(record, "agentId") ?? textAt(data, "parentToolCallId");
  return itemsOrSkipped(itemsOf(type, data, id, originOf(line, record["timestamp"], agent)), type, id);
}

function itemsOf(type: string, data: Record<string, unknown>, id: string, origin: ItemOrigin): ImportedItem[] {
  const call = textAt(data, "toolCallId");
  switch (type) {
    case "user.message":
      return (textAt(data, "source") ?? "user") === "user" ? promptItems(typed(data["content"]), id, origin) : [];
    case "assistant.message":
      return answerItems(textAt(data, "content")?.trim() ?? "", id, origin, textAt(data, "model"));
    case "tool.execution_start":
      return [callItem(id, origin, { call, name: textAt(data, "toolName"), args: data["arguments"] })];
    case "tool.execution_complete": {
      const content = recordAt(data, "result")["content"] ?? recordAt(data, "error")["message"];
      const failed = data["success"] === false;
      return [{ ...origin, id, kind: "result", call: call ?? id, text: resultText(content), failed }];
    }
    case "session.compaction_complete": {
      const text = textAt(data, "summaryContent");
      return text === undefined || data["success"] === false ? [] : [{ ...origin, id, kind: "checkpoint", text }];
    }
    default:
      return [];
  }
}
