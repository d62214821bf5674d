// Codex: a rollout file of JSON lines a session, also packed; what went to and came from the model stands in `response_item`.
import { hash } from "node:crypto";
import { basename, join } from "node:path";
import { isRecord } from "../../../base/json.ts";
import type { HistoryClient, HistoryFile, HistorySession, LineReader, ParsedPart } from "../contract.ts";
import { item, itemsOrSkipped, originOf, SessionTrail, sessionWith, skipped } from "../part.ts";
import { recordAt, textAt, textOf } from "../read.ts";
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
  lines: codexLines,
};

function codexLines(file: HistoryFile, carry: unknown): LineReader {
  const named = basename(file.path).replace(/\.jsonl.*$/, "");
  const trail = new SessionTrail(carry);
  return {
    carry: () => trail.session,
    take(record, line) {
      const type = textAt(record, "type");
      const payload = recordAt(record, "payload");
      // Older files have the items themselves for lines, and their first line is the session.
      if (!isRecord(record["payload"])) {
        if (trail.session === undefined && type === undefined && textAt(record, "id"))
          return trail.move(sessionOf(record, record, named));
        if (trail.session === undefined || type === undefined)
          return [skipped(textAt(record, "record_type") ?? type ?? "no type")];
        return partsOf(record, record, line);
      }
      if (type === "session_meta")
        // A fork repeats what its original began with.
        return trail.session === undefined ? trail.move(sessionOf(payload, record, named)) : [skipped("session_meta")];
      if (trail.session === undefined) return [skipped(type ?? "no type")];
      if (type === "turn_context") {
        const { session } = trail;
        const [cwd = session.cwd, model = session.model] = [textAt(payload, "cwd"), textAt(payload, "model")];
        return [...trail.move(sessionWith(session.id, { ...session, cwd, model })), skipped("turn_context")];
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

function sessionOf(meta: Record<string, unknown>, record: Record<string, unknown>, named: string): HistorySession {
  const git = { ...recordAt(record, "git"), ...recordAt(meta, "git") };
  return sessionWith(textAt(meta, "id") ?? textAt(meta, "session_id") ?? named, {
    cwd: textAt(meta, "cwd"),
    branch: textAt(git, "branch"),
    remote: textAt(git, "repository_url"),
  });
}

const idOf = (payload: Record<string, unknown>, line: number): string =>
  textAt(payload, "id") ?? `${line}-${hash("sha1", JSON.stringify(payload)).slice(0, 8)}`;

function checkpoint(payload: Record<string, unknown>, record: Record<string, unknown>, line: number): ParsedPart {
  const text = textOf(payload["message"]);
  if (text === "") return skipped("compacted");
  return item({ ...originOf(line, record["timestamp"]), id: idOf(payload, line), kind: "checkpoint", text });
}

function partsOf(payload: Record<string, unknown>, record: Record<string, unknown>, line: number): ParsedPart[] {
  const type = textAt(payload, "type") ?? "item";
  const what = type === "message" ? `${payload["role"]} message of the client` : type;
  return itemsOrSkipped(itemsOf(payload, idOf(payload, line), originOf(line, record["timestamp"])), what);
}
