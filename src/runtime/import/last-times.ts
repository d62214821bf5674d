// Until when the sessions of a file went on: only then is it known whether they are recent.
import type { HistoryClient, ParsedPart } from "../../memory/import/contract.ts";
import { withCopy } from "./copy-database.ts";
import { chunksOf, MOST_DOCUMENT, openSource, readRecords, unpackedChunks } from "./read-lines.ts";
import type { SourceFile } from "./sources.ts";

type Look = (part: ParsedPart) => void;

/** The last time of each session, by the client's own id; what cannot be read has none, and is named when it is imported. */
export async function lastTimes(client: HistoryClient, file: SourceFile): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  let session = "";
  const look: Look = (part) => {
    if (part.type === "session") session = part.session.id;
    if (part.type !== "item" || part.item.time === undefined) return;
    times.set(session, Math.max(times.get(session) ?? 0, Date.parse(part.item.time)));
  };
  if (file.form === "database")
    await withCopy(file.path, async (db) => {
      for (const part of client.database?.(db, file, () => false) ?? []) look(part);
    });
  else await lookThrough(client, file, look).catch(() => undefined);
  return times;
}

async function lookThrough(client: HistoryClient, file: SourceFile, look: Look): Promise<void> {
  const handle = await openSource(file.path);
  if (!handle.ok) return;
  try {
    if (file.form === "document") {
      const text = file.size > MOST_DOCUMENT ? "" : (await handle.value.readFile()).toString("utf8");
      for (const part of client.document?.(text, file) ?? []) look(part);
      return;
    }
    const reader = client.lines?.(file, undefined);
    const chunks = file.form === "packed lines" ? unpackedChunks(handle.value) : chunksOf(handle.value, 0);
    for await (const records of readRecords(chunks, { offset: 0, line: 0 }))
      for (const { value, line } of records)
        if (value && reader) for (const part of reader.take(value, line)) look(part);
  } finally {
    await handle.value.close();
  }
}
