// Codex: a rollout file of JSON lines a session, also packed; what went to and came from the model stands in `response_item`.
import { hash } from "node:crypto";
import { join } from "node:path";
import { isRecord } from "../../../base/json.ts";
import type { HistoryClient, HistorySession, LineReader, ParsedPart } from "../contract.ts";
import { item, recordAt, SessionTrail, skipped, textAt, textOf, timeOf } from "../read.ts";
import { itemsOf } from "./response-item.ts";

export const codex: HistoryClient = {
  name: "codex",
  title: "Codex",
  version: 1,
  places: (env, userHome) =>
    ["sessions", "archived_sessions"].map((name) => join(env["CODEX_HOME"] || join(userHome, ".codex"), name)),
  formOf: (path) => {
    if (!/(?:^|\/)rollout-[^/]*\.jsonl(?:\.zst)?$/.test(path)) return undefined;
    return path.endsWith(".zst") ? "packed lines" : "lines";
  },
  lines: (_file, carry) => codexLines(carry),
};

function codexLines(carry: unknown): LineReader {
  const trail = new SessionTrail(carry);
  return {
    carry: () => trail.session,
    take(record, line) {
      const type = textAt(record, "type");
      const payload = recordAt(record, "payload");
      // Older files have the items themselves for lines, and their first line is the session.
      if (!isRecord(record["payload"])) {
        if (trail.session === undefined && type === undefined && textAt(record, "id"))
          return trail.move(sessionOf(record, record));
        if (trail.session === undefined || type === undefined)
          return [skipped(textAt(record, "record_type") ?? type ?? "no type")];
        return partsOf(record, record, line);
      }
      if (type === "session_meta")
        // A fork repeats what its original began with.
        return trail.session === undefined ? trail.move(sessionOf(payload, record)) : [skipped("session_meta")];
      if (trail.session === undefined) return [skipped(type ?? "no type")];
      if (type === "turn_context") {
        const [cwd, model] = [textAt(payload, "cwd"), textAt(payload, "model")];
        return [
          ...trail.move({ ...trail.session, ...(cwd ? { cwd } : {}), ...(model ? { model } : {}) }),
          skipped("turn_context"),
        ];
      }
      if (type === "compacted") return [checkpoint(payload, record, line)];
      if (type === "event_msg" && payload["type"] === "thread_rolled_back") {
        const turns = Number(payload["num_turns"]);
        return [item({ id: `back-${line}`, line, kind: "rewind", turns: Number.isFinite(turns) ? turns : 0 })];
      }
      return type === "response_item" ? partsOf(payload, record, line) : [skipped(type ?? "no type")];
    },
  };
}

function sessionOf(meta: Record<string, unknown>, record: Record<string, unknown>): HistorySession {
  const git = { ...recordAt(record, "git"), ...recordAt(meta, "git") };
  const [cwd, branch, remote] = [textAt(meta, "cwd"), textAt(git, "branch"), textAt(git, "repository_url")];
  return {
    id: textAt(meta, "id") ?? textAt(meta, "session_id") ?? "unknown",
    ...(cwd ? { cwd } : {}),
    ...(branch ? { branch } : {}),
    ...(remote ? { remote } : {}),
  };
}

const idOf = (payload: Record<string, unknown>, line: number): string =>
  textAt(payload, "id") ?? `${line}-${hash("sha1", JSON.stringify(payload)).slice(0, 8)}`;

function checkpoint(payload: Record<string, unknown>, record: Record<string, unknown>, line: number): ParsedPart {
  const time = timeOf(record["timestamp"]);
  const text = textOf(payload["message"]);
  if (text === "") return skipped("compacted");
  return item({ id: idOf(payload, line), line, kind: "checkpoint", text, ...(time ? { time } : {}) });
}

function partsOf(payload: Record<string, unknown>, record: Record<string, unknown>, line: number): ParsedPart[] {
  const time = timeOf(record["timestamp"]);
  const items = itemsOf(payload, idOf(payload, line), { line, ...(time ? { time } : {}) });
  if (items.length > 0) return items.map(item);
  return [
    skipped(
      textAt(payload, "type") === "message"
        ? `${payload["role"]} message of the client`
        : (textAt(payload, "type") ?? "item"),
    ),
  ];
}
