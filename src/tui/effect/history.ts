// What was sent, by folder, for Up, Down and Ctrl+R: a private file of at most 1,000 entries, without secrets.
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../base/json.ts";
import type { FaceStart } from "../../runtime/client.ts";

const MOST = 1000;
/** The file may grow by this much before it is cut. */
const SLACK = 200;

type HistoryEntry = { folder: string; text: string; at: string };

const fileOf = (face: FaceStart): string => join(face.home, "history.jsonl");

/** What was typed in this folder, newest last. A file that cannot be read is no history. */
export function loadHistory(face: FaceStart): string[] {
  return entriesOf(face).flatMap(({ folder, text }) => (folder === face.root ? [text] : []));
}

export function remember(face: FaceStart, text: string): void {
  const entry: HistoryEntry = { folder: face.root, text: face.redact(text), at: new Date().toISOString() };
  const file = fileOf(face);
  appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  const entries = entriesOf(face);
  if (entries.length <= MOST + SLACK) return;
  const lines = entries.slice(-MOST).map((one) => JSON.stringify(one));
  writeFileSync(`${file}.new`, `${lines.join("\n")}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function entriesOf(face: FaceStart): HistoryEntry[] {
  let text: string;
  try {
    text = readFileSync(fileOf(face), "utf8");
  } catch {
    return []; // nothing was sent yet
  }
  return text.split("\n").flatMap((line) => {
    const entry = parsed(line);
    return entry ? [entry] : [];
  });
}

function parsed(line: string): HistoryEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value) || typeof value["text"] !== "string" || typeof value["folder"] !== "string") return undefined;
    return { folder: value["folder"], text: value["text"], at: String(value["at"] ?? "") };
  } catch {
    return undefined; // a line that was cut
  }
}
