// For tests: a graph on a store of its own, with a journal, and statements in one line.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Result } from "../../base/result.ts";
import type { GraphFactOrigin } from "../../schema/graph.ts";
import { openJournal } from "../../store/journal/journal.ts";
import { storeJournal } from "../../store/journal/tables.ts";
import { migrate } from "../../store/migrate.ts";
import { storeMigrations } from "../../store/migrations.ts";
import { type Database, openDatabase } from "../../store/sqlite.ts";
import { search } from "../recall/search.ts";
import type { GraphStore } from "./contract.ts";
import type { EntityDraft, Extraction, FactDraft } from "./extract/draft.ts";
import { embeddedGraph } from "./store/embedded.ts";
import { instantOf } from "./time.ts";

export type TestGraph = {
  store: GraphStore;
  /** Ids of facts of the group `g`, as recall finds them. Absent: this database has no index of recall. */
  find?(query: string, state?: "current" | "ended"): Promise<string[]>;
  /** What the database does by itself after a while: it counts its rows, by which it plans. */
  analyse?(): Promise<void>;
  /** Everything that the store has on disk, where that is ours. */
  bytes?(): [file: string, content: Buffer][];
};
/** A store of its own, empty, gone after the test. */
export type OpenTestGraph = () => Promise<TestGraph>;
export type SqliteTestGraph = Required<Omit<TestGraph, "analyse">> & { db: Database; dir: string };

export async function openGraph(dir = mkdtempSync(join(tmpdir(), "everlong-graph-"))): Promise<SqliteTestGraph> {
  const db = must(await openDatabase(join(dir, "store.db")));
  onTestFinished(() => {
    if (db.isOpen) db.close();
    rmSync(dir, { recursive: true, force: true });
  });
  must(await migrate(db, storeMigrations));
  const folders = { folder: join(dir, "journal"), quarantine: join(dir, "quarantine") };
  must(await openJournal(db, { ...folders, tables: storeJournal }));
  return {
    db,
    dir,
    store: embeddedGraph(db),
    find: async (text, state) => {
      const within = { scopes: [{ type: "group", group: "g" }] } as const;
      const request = { text, kinds: ["fact"], within, ...(state ? { roles: [state] } : {}) } as const;
      return search(db, request).results.map(({ id }) => id);
    },
    bytes: () => {
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      return files.map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name))]);
    },
  };
}

export function must<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** `1` is the first of January 2026. */
export const day = (n: number): string => instantOf(new Date(Date.UTC(2026, 0, n)).toISOString()) ?? "";

export const term = (name: string, label: EntityDraft["label"] = "Term"): EntityDraft => ({ name, label });

/** `api HAS_STATUS red`. */
export function fact(line: string, at: string, more: Partial<FactDraft> = {}): FactDraft {
  const [subject = "", relation = "", object = ""] = line.split(" ");
  return { subject: term(subject), relation, object: term(object), text: line, validAt: at, ...more };
}

export type Said = { group?: string; name?: string; text?: string; at?: string; origin?: GraphFactOrigin };

/** An episode that says this, settled at once. */
export async function say(
  store: GraphStore,
  extraction: Partial<Extraction>,
  { group = "g", name = "", text = JSON.stringify(extraction), at, origin = "rule" }: Said = {},
): Promise<string> {
  const value = { entities: [], facts: [], endings: [], ...extraction };
  const episode = {
    name,
    text,
    role: null,
    roleType: "user",
    ...(at === undefined ? {} : { validAt: at }),
    extraction: { value, origin },
  } as const;
  const accepted = must(await store.accept({ group, origin: "api", episodes: [episode], now: day(300) }));
  if (accepted.type !== "accepted") throw new Error("the episode was refused");
  return accepted.episodes[0]?.uuid ?? "";
}

/** The facts of a group as lines: `red 1..2`. */
export async function intervals(store: GraphStore, group = "g"): Promise<string[]> {
  const facts = must(await store.facts({ groups: [group] }));
  const short = (at: string | null) =>
    at === null ? "" : String((Date.parse(at) - Date.UTC(2026, 0, 0)) / 86_400_000);
  return facts.map((f) => `${f.object.name} ${short(f.validAt)}..${short(f.invalidAt)}`).sort();
}
