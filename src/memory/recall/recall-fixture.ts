// For tests: a store in memory, and conversations written into it in one line.

import { recallSchema } from "../../store/schema/recall.ts";
import { type Database, sqlite } from "../../store/sqlite.ts";
import type { Item, ItemPlace } from "./item.ts";
import { type SearchAnswer, type SearchRequest, search } from "./search.ts";
import { RecallWriter } from "./store/write.ts";

export function openStore(path = ":memory:"): Database {
  const db = new (sqlite().DatabaseSync)(path);
  if (path !== ":memory:") db.exec("PRAGMA journal_mode = WAL");
  db.exec(recallSchema);
  return db;
}

export const HOME: ItemPlace = { session: "s1", repository: "acme/app", level: "session" };
export const EVERYTHING = { scopes: [{ type: "all" }] } as const;

/** Texts as the messages of one session, `user` and `assistant` in turn, a minute apart. */
export function conversation(texts: readonly string[], place: ItemPlace = HOME, start = Date.UTC(2025, 0, 1)): Item[] {
  return texts.map((text, i) => ({
    id: `${place.session}-${i}`,
    kind: "turn",
    text,
    role: i % 2 === 0 ? "user" : "assistant",
    time: start + i * 60_000,
    seq: i,
    turn: Math.floor(i / 2) + 1,
    index: (i % 2) + 1,
    place,
  }));
}

export function storeOf(items: readonly Item[]): Database {
  const db = openStore();
  new RecallWriter(db).add(items);
  return db;
}

export const find = (db: Database, text: string, request: Partial<SearchRequest> = {}): SearchAnswer =>
  search(db, { text, within: EVERYTHING, ...request });

export const idsOf = (answer: SearchAnswer): string[] => answer.results.map((r) => r.id);
