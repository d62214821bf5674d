// How far the index has read the logs of sessions, beside how long they are.
import { DatabaseView } from "../../store/database-view.ts";
import type { DoctorView } from "./view.ts";

/** Looks at the store if it can be opened; undefined when there is none, or its own check says what is wrong with it. */
export async function inStore<T>({ paths }: DoctorView, look: (view: DatabaseView) => T): Promise<T | undefined> {
  const opened = await DatabaseView.open(paths.store);
  if (!opened.ok) return undefined;
  try {
    return look(opened.value);
  } finally {
    opened.value.close();
  }
}

/** `bytes`: of the log that the index has not read; below zero, what it has read and the log has lost. */
type UnevenLog = { id: string; bytes: number };

export async function unevenLogs(view: DoctorView): Promise<UnevenLog[]> {
  const logs = (await view.logs()).filter(({ proxied, inUse, report }) => !proxied && !inUse && report);
  const uneven = await inStore(view, (store) => {
    const rows = store.rows("SELECT id, indexed_offset FROM sessions");
    const offsets = new Map(rows.map((row) => [row["id"], Number(row["indexed_offset"])]));
    return logs
      .map(({ id, report }) => ({ id, bytes: (report?.end ?? 0) - (offsets.get(id) ?? 0) }))
      .filter(({ bytes }) => bytes !== 0);
  });
  return uneven ?? [];
}
