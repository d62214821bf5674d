// A home with many facts in many groups, written by the store itself, and a plain text search over the same sentences.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { embeddedGraph } from "../../src/memory/graph/store/embedded.ts";
import { instantAt } from "../../src/memory/graph/time.ts";
import { fillFrom } from "../../src/memory/recall/store/source.ts";
import { embeddedStore } from "../../src/store/embedded-store.ts";
import { openStoreAt } from "../../src/store/open-store.ts";
import { type Database, sqlite } from "../../src/store/sqlite.ts";

export const GROUPS = 20;
const PER_EPISODE = 50;
/** How many episodes of a group go into one transaction. */
const AT_ONCE = 20;
const PARTS = "al,bor,cen,dun,er,fil,gor,hal,in,jar,kel,lum,mor,nar,ol,pin,quen,ras,sol,tir".split(",");
const part = (n: number): string => PARTS[n % PARTS.length] ?? "";
/** 8,000 different ones. */
const word = (n: number): string => part(n) + part(Math.floor(n / 20)) + part(Math.floor(n / 400));
const VERBS = ["USES", "DEPENDS_ON", "HAS_STATUS", "OWNS"] as const;

/** Fact `n` has words that few others have, and some that thousands have; no two facts are equal. */
const parts = (n: number) => ({
  subject: `${word(n * 7)} ${word(n * 13 + 5 + 37 * Math.floor(n / 8_000))} service`,
  relation: VERBS[n % VERBS.length] ?? "USES",
  object: `${word(n * 11 + 3)} ${part(n)}box`,
});
const sentence = (n: number): string => {
  const { subject, relation, object } = parts(n);
  return `The ${subject} ${relation.toLowerCase().replaceAll("_", " ")} the ${object} in production.`;
};

const term = (name: string) => ({ name, label: "Term" }) as const;

function episode(number: number) {
  const facts = Array.from({ length: PER_EPISODE }, (_, i) => {
    const n = number * PER_EPISODE + i;
    const { subject, relation, object } = parts(n);
    const validAt = instantAt(Date.UTC(2025, 0, 1) + n * 60_000);
    return { subject: term(subject), relation, object: term(object), text: sentence(n), validAt };
  });
  const said = { name: `e${number * PER_EPISODE}`, text: `Report ${number * PER_EPISODE}.`, role: null } as const;
  const value = { entities: [], facts, endings: [] };
  return { ...said, roleType: "user", extraction: { value, origin: "rule" } } as const;
}

export type Questions = Record<"two" | "common" | "sentence", (n: number) => string>;

export async function openHome(home: string): Promise<Database> {
  mkdirSync(home, { recursive: true });
  const place = {
    store: join(home, "store.db"),
    journal: join(home, "journal"),
    quarantine: join(home, "quarantine"),
    locks: join(home, "locks"),
  };
  const db = await openStoreAt(place, { onRebuilt: () => undefined });
  if (!db.ok) throw new Error(JSON.stringify(db.error));
  return db.value;
}

export async function fill(home: string, count: number): Promise<void> {
  const db = await openHome(home);
  const store = embeddedGraph(db);
  // As in every home that was opened before: else the gateway would index all of it anew while it is measured.
  await fillFrom(embeddedStore(db), []);
  // Only the filling is hurried: a page cache that holds the whole store, nothing waits for the disk, and large transactions.
  db.exec("PRAGMA cache_size = -1000000; PRAGMA synchronous = OFF");
  const now = instantAt(Date.UTC(2026, 0, 1));
  const episodes = Math.ceil(count / PER_EPISODE);
  for (let first = 0; first < episodes; first += GROUPS * AT_ONCE)
    for (let group = 0; group < GROUPS; group++) {
      const numbers = Array.from({ length: AT_ONCE }, (_, i) => first + group + i * GROUPS).filter((n) => n < episodes);
      const request = { group: `g${group}`, origin: "api", episodes: numbers.map(episode), now } as const;
      const accepted = await store.accept(request);
      if (!accepted.ok) throw new Error(JSON.stringify(accepted.error));
    }
  db.close();
}

/** Questions about facts of a store that so many were put into. */
export function questionsAmong(count: number): Questions {
  const some = (n: number): number => (n * 7919) % count;
  return {
    two: (n) => `${word(some(n) * 7)} ${word(some(n) * 11 + 3)}`,
    common: (n) => `service ${parts(some(n)).subject.split(" ")[1]}`,
    sentence: (n) => `What does the ${parts(some(n)).subject} use in production now, and since when is that so?`,
  };
}

/** The same sentences, one row each, words OR-ed. */
export function plainSearch(home: string): { search(text: string): void; close(): void } {
  const { DatabaseSync } = sqlite();
  const source = new DatabaseSync(join(home, "store.db"), { readOnly: true });
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE VIRTUAL TABLE fact USING fts5(text)");
  const put = db.prepare("INSERT INTO fact (text) VALUES (?)");
  db.exec("BEGIN");
  for (const row of source.prepare("SELECT text FROM graph_fact").iterate()) put.run(String(row["text"]));
  db.exec("COMMIT");
  source.close();
  const find = db.prepare("SELECT rowid FROM fact WHERE fact MATCH ? ORDER BY bm25(fact) LIMIT 10");
  return {
    search: (text) => void find.all((text.match(/\w+/g) ?? []).map((one) => `"${one}"`).join(" OR ")),
    close: () => db.close(),
  };
}
