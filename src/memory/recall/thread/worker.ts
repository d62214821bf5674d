// The searching thread's own program. The file is loaded twice: by the main thread for its address, by the thread to run.
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { errorText } from "../../../base/failure.ts";
import { isRecord } from "../../../base/json.ts";
import { releaseMemory } from "../../../base/release-memory.ts";
import { type Database, sqlite } from "../../../store/sqlite.ts";
import { listByTime } from "../list.ts";
import { readAhead, search } from "../search.ts";
import { statsOf } from "../stats.ts";
import { isDamage } from "../store/damage.ts";
import type { Within } from "../store/scope.ts";
import type { RelatedWords } from "../text/related.ts";
import type { ThreadData, ThreadReply, ThreadRequest } from "./protocol.ts";

/** The search gets this part of the time; the rest is for the way back. */
const MARGIN = 0.8;

export const threadUrl = import.meta.url;

if (!isMainThread && isRecord(workerData) && "everlongRecall" in workerData)
  serve((workerData as ThreadData).everlongRecall.path);

/** A store that cannot be opened, or breaks, is tried anew at the next question. */
function serve(path: string): void {
  let db: Database | undefined;
  let expected: Within | undefined;
  let readSince = 0;
  /** A little at a time: whoever asks meanwhile is answered first. */
  const readOn = (): void => {
    if (!db || !expected) return;
    try {
      const count = readAhead(db, expected);
      readSince += count;
      if (count === 0) expected = undefined;
    } catch {
      expected = undefined; // the next search meets the same fault and tells
    }
    if (expected) return void setImmediate(readOn);
    if (readSince < MUCH) return;
    readSince = 0;
    releaseMemory(); // a thread that rests collects nothing
  };
  const expect = (within: Within): void => {
    if (!expected) setImmediate(readOn);
    expected = within;
  };
  const related = import("../text/related-words.ts");
  parentPort?.on("message", async (ask: ThreadRequest) => {
    const { relatedWords } = await related;
    if (Date.now() >= ask.until) return reply({ id: ask.id, type: "late" });
    try {
      db ??= open(path);
      reply(answer(db, ask, relatedWords));
      if (ask.type === "search") expect(ask.request.within);
      if (ask.type === "ahead") expect(ask.within);
    } catch (error) {
      db?.close();
      db = undefined;
      reply({ id: ask.id, type: "failed", message: errorText(error), damaged: isDamage(error) });
    }
  });
}

/** To read so many passages leaves tens of megabytes of garbage. */
const MUCH = 500;

/** Nothing is there: the first real search then finds its code and the database ready. */
const NOTHING = { text: "warm", within: { scopes: [{ type: "session", session: "" }] } } as const;

const reply = (message: ThreadReply): void => parentPort?.postMessage(message);

function open(path: string): Database {
  const db = new (sqlite().DatabaseSync)(path, { readOnly: true, timeout: 25 });
  db.exec("PRAGMA query_only = 1; PRAGMA cache_size = -32768; PRAGMA mmap_size = 268435456");
  return db;
}

function answer(db: Database, ask: ThreadRequest, relatedTo: RelatedWords): ThreadReply {
  if (ask.type === "start") {
    search(db, NOTHING, relatedTo);
    return { id: ask.id, type: "started" };
  }
  if (ask.type === "search") {
    const budgetMs = (ask.until - Date.now()) * MARGIN;
    return { id: ask.id, type: "search", answer: search(db, { ...ask.request, budgetMs }, relatedTo) };
  }
  if (ask.type === "ahead") return { id: ask.id, type: "noted" };
  if (ask.type === "stats") return { id: ask.id, type: "stats", answer: statsOf(db) };
  return { id: ask.id, type: "list", answer: listByTime(db, ask.request) };
}
