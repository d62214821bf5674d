// How far a file of a history was read, and whether it can be left alone or continued.
import { hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { isRecord, parseJson } from "../../base/json.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { Database } from "../../store/sqlite.ts";
import { nothingSeen, type SeenCounts } from "./summary.ts";

export type ImportCursor = {
  size: number;
  mtime: number;
  offset: number;
  line: number;
  head: string;
  version: number;
  carry: unknown;
  /** The length of each session's log when it had all of the file. */
  sessions: Record<string, number>;
  seen: SeenCounts;
};

/** How far each file of a client has been read, by its path. */
export function cursorsOf(db: Database, client: string): Map<string, ImportCursor> {
  const rows = prepared(db, "SELECT * FROM import_file WHERE client = ?").all(client);
  return new Map(rows.map((row) => [String(row["path"]), cursorIn(row)]));
}

function cursorIn(row: Record<string, unknown>): ImportCursor {
  const json = (name: string): unknown => {
    const parsed = parseJson(String(row[name]));
    return parsed.ok ? parsed.value : undefined;
  };
  const [sessions, seen] = [json("sessions"), json("seen")];
  return {
    ...{
      size: Number(row["size"]),
      mtime: Number(row["mtime"]),
      offset: Number(row["offset"]),
      line: Number(row["line"]),
    },
    ...{ head: String(row["head"]), version: Number(row["version"]), carry: json("carry") },
    sessions: isRecord(sessions) ? (sessions as ImportCursor["sessions"]) : {},
    seen: isRecord(seen) ? (seen as SeenCounts) : nothingSeen(),
  };
}

/** Inside the caller's transaction. */
export function saveCursor(db: Database, client: string, path: string, cursor: ImportCursor): void {
  const { size, mtime, offset, line, head, version, carry, sessions, seen } = cursor;
  prepared(
    db,
    `INSERT OR REPLACE INTO import_file (client, path, size, mtime, offset, line, head, version, carry, sessions, seen)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    ...[client, path, size, mtime, offset, line, head, version],
    ...[JSON.stringify(carry ?? null), JSON.stringify(sessions), JSON.stringify(seen)],
  );
}

const HEAD = 4096;

/** Length and hash of the file's first bytes, of `most` at most. */
export async function headOf(handle: FileHandle, most = HEAD): Promise<string> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(most), 0, most, 0);
  return `${bytesRead}:${hash("sha1", buffer.subarray(0, bytesRead))}`;
}

/** Whether the file still begins as it did. */
export async function beginsAlike(handle: FileHandle, head: string): Promise<boolean> {
  return (await headOf(handle, Number(head.split(":")[0]) || 1)) === head;
}
