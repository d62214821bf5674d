// opencode: sessions, messages and their parts in a database; in older versions the same as one JSON file each.
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { isRecord, parseJson } from "../../../base/json.ts";
import type { HistoryClient, HistoryFile, ParsedPart } from "../contract.ts";
import { inSession, sessionWith, skipped } from "../part.ts";
import { recordAt, textAt } from "../read.ts";
import { messageParts, type StoredMessage } from "./message.ts";

export const opencode: HistoryClient = {
  name: "opencode",
  title: "opencode",
  version: 1,
  places: (env, userHome) => {
    const named = env["OPENCODE_DB"];
    if (named) return [named];
    return [join(env["XDG_DATA_HOME"] || join(userHome, ".local", "share"), "opencode")];
  },
  formOf: (path) => {
    if (/(?:^|\/)opencode[^/]*\.db$/.test(path) || /^[^/]+\.db$/.test(path)) return "database";
    return /(?:^|\/)session\/[^/]+\/ses_[^/]+\.json$/.test(path) ? "document" : undefined;
  },
  database: storedSessions,
  document: sessionFile,
};

type Row = Record<string, unknown>;

/** The tables of accounts and credentials are never read. */
function* storedSessions(
  db: DatabaseSync,
  _file: HistoryFile,
  unchanged: (session: string, changed: string) => boolean,
): Iterable<ParsedPart> {
  const rows = db.prepare("SELECT id, parent_id, directory, time_updated FROM session ORDER BY time_created, id").all();
  const parents = new Map(rows.map((row) => [String(row["id"]), textAt(row, "parent_id")]));
  for (const row of rows) {
    const id = String(row["id"]);
    if (unchanged(id, String(row["time_updated"]))) continue;
    const root = rootOf(id, parents);
    yield inSession(sessionWith(root, { cwd: textAt(row, "directory") }));
    yield* messageParts(messagesIn(db, id), root === id ? undefined : id);
  }
}

/** A subagent's session belongs to the one that started it. */
function rootOf(id: string, parents: ReadonlyMap<string, string | undefined>): string {
  let root = id;
  for (let steps = 0; steps < 100; steps++) {
    const parent = parents.get(root);
    if (parent === undefined) return root;
    root = parent;
  }
  return id;
}

function* messagesIn(db: DatabaseSync, session: string): Iterable<StoredMessage> {
  const messages = db.prepare(
    "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id",
  );
  const parts = db.prepare("SELECT id, data FROM part WHERE message_id = ? ORDER BY id");
  for (const row of messages.all(session)) {
    const id = String(row["id"]);
    const own = parts.all(id).map((part) => ({ id: String(part["id"]), data: dataOf(part) }));
    yield { id, time: row["time_created"], data: dataOf(row), parts: own };
  }
}

function dataOf(row: Row): Row {
  const parsed = parseJson(String(row["data"]));
  return parsed.ok && isRecord(parsed.value) ? parsed.value : {};
}

/** `storage/session/PROJECT/ID.json`, with `storage/message/ID/` and `storage/part/MESSAGE/`. */
function sessionFile(text: string, file: HistoryFile): ParsedPart[] {
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value)) return [{ type: "bad", line: 1, reason: "not a JSON object" }];
  const id = textAt(parsed.value, "id");
  if (id === undefined) return [skipped("session without an id")];
  const parent = textAt(parsed.value, "parentID");
  const session = sessionWith(parent ?? id, { cwd: textAt(parsed.value, "directory") });
  const messages = jsonFiles(file, `../../message/${id}`).map((message): StoredMessage => {
    const name = String(message["id"]);
    const parts = jsonFiles(file, `../../part/${name}`).map((part) => ({ id: String(part["id"]), data: part }));
    return { id: name, time: recordAt(message, "time")["created"], data: message, parts };
  });
  return [inSession(session), ...messageParts(messages, parent === undefined ? undefined : id)];
}

function jsonFiles(file: HistoryFile, folder: string): Row[] {
  return file.names(folder).flatMap((name) => {
    const parsed = parseJson(file.beside(join(folder, name)) ?? "");
    return parsed.ok && isRecord(parsed.value) && dirname(name) === "." ? [parsed.value] : [];
  });
}
