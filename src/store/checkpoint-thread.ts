// The checkpointing thread's own program. The file is loaded twice: by the main thread for its address, by the thread to run.
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { isRecord } from "../base/json.ts";
import { type Database, sqlite } from "./sqlite.ts";

type CheckpointData = { everlongCheckpoint: { path: string } };

export const threadUrl = import.meta.url;

if (!isMainThread && isRecord(workerData) && "everlongCheckpoint" in workerData)
  serve((workerData as CheckpointData).everlongCheckpoint.path);

function serve(path: string): void {
  let db: Database | undefined;
  parentPort?.on("message", () => {
    try {
      db ??= new (sqlite().DatabaseSync)(path);
      // Passive: it waits for nobody, and nobody for it.
      db.exec("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      db?.close(); // tried anew when there is more to move; until then the log only grows
      db = undefined;
    }
  });
}
