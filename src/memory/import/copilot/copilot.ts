// Copilot CLI: the events of a session as JSON lines; sessions without them stand in its store as turns.
import { basename, dirname, join } from "node:path";
import type { ItemOrigin } from "../blocks.ts";
import type { HistoryClient, HistoryFile, HistorySession, ImportedItem, LineReader, ParsedPart } from "../contract.ts";
import { argsOf, item, recordAt, resultText, SessionTrail, skipped, textAt, timeOf, typed } from "../read.ts";
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
      const begins =
        trail.session === undefined && !textAt(context, "cwd") ? trail.move({ ...besideOf(file), id }) : [];
      const moves = textAt(context, "cwd") ? trail.move({ ...placeOf(context), id }) : [];
      return [...begins, ...moves, ...partsOf(record, type, line)];
    },
  };
}

function placeOf(about: Record<string, unknown>): Omit<HistorySession, "id"> {
  const [cwd, branch, repository] = [textAt(about, "cwd"), textAt(about, "branch"), textAt(about, "repository")];
  const host = textAt(about, "repositoryHost") ?? "github.com";
  return {
    ...(cwd ? { cwd } : {}),
    ...(branch ? { branch } : {}),
    ...(repository ? { remote: `https://${host}/${repository}` } : {}),
  };
}

/** Lines of `key: value`, as the file has them at its top. */
function besideOf(file: HistoryFile): Omit<HistorySession, "id"> {
  const rows = (file.beside("workspace.yaml") ?? "").matchAll(/^([a-z_]+):[ \t]+(.+)$/gm);
  return placeOf(Object.fromEntries([...rows].map(([, key, value]) => [key, value?.replace(/^(["'])(.*)\1$/, "$2")])));
}

function partsOf(record: Record<string, unknown>, type: string, line: number): ParsedPart[] {
  const data = recordAt(record, "data");
  const id = textAt(record, "id") ?? `line-${line}`;
  const time = timeOf(record["timestamp"]);
  const agent = textAt(record, "agentId") ?? textAt(data, "parentToolCallId");
  const origin: ItemOrigin = { line, ...(time ? { time } : {}), ...(agent ? { agent } : {}) };
  const items = itemsOf(type, data, id, origin);
  if (type === "session.snapshot_rewind") {
    const to = textAt(record, "parentId");
    return [item({ id, line, kind: "rewind", ...(to ? { to } : { turns: 0 }) })];
  }
  const passed: ParsedPart = { type: "passed", id };
  return items.length === 0 ? [passed, skipped(type)] : [...items.map(item), passed];
}

function itemsOf(type: string, data: Record<string, unknown>, id: string, origin: ItemOrigin): ImportedItem[] {
  switch (type) {
    case "user.message": {
      const source = textAt(data, "source") ?? "user";
      const text = source === "user" ? typed(data["content"]) : "";
      return text === "" ? [] : [{ ...origin, id, kind: "user", text }];
    }
    case "assistant.message": {
      const [text, model] = [textAt(data, "content")?.trim(), textAt(data, "model")];
      return text ? [{ ...origin, id, kind: "assistant", text, ...(model ? { model } : {}) }] : [];
    }
    case "tool.execution_start": {
      const call = textAt(data, "toolCallId") ?? id;
      return [
        {
          ...origin,
          id,
          kind: "call",
          call,
          name: textAt(data, "toolName") ?? "tool",
          args: argsOf(data["arguments"]),
        },
      ];
    }
    case "tool.execution_complete": {
      const failed = data["success"] === false;
      const content = recordAt(data, "result")["content"] ?? recordAt(data, "error")["message"];
      return [
        { ...origin, id, kind: "result", call: textAt(data, "toolCallId") ?? id, text: resultText(content), failed },
      ];
    }
    case "session.compaction_complete": {
      const text = textAt(data, "summaryContent");
      return text === undefined || data["success"] === false ? [] : [{ ...origin, id, kind: "checkpoint", text }];
    }
    default:
      return [];
  }
}
