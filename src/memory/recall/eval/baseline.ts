// Plain full-text search as everybody has it, to compare with: one row a document, all words or-ed, bm25.
import { sqlite } from "../../../store/sqlite.ts";

export type Engine = {
  add(documents: readonly { id: string; text: string }[]): Promise<void> | void;
  /** Ids, best first. */
  search(question: string, limit: number): Promise<string[]> | string[];
  close(): void;
};

export function baselineEngine(path = ":memory:"): Engine {
  const db = new (sqlite().DatabaseSync)(path);
  db.exec("CREATE VIRTUAL TABLE plain USING fts5 (content, id UNINDEXED, tokenize = 'unicode61')");
  const insert = db.prepare("INSERT INTO plain (content, id) VALUES (?, ?)");
  const find = db.prepare("SELECT id FROM plain WHERE plain MATCH ? ORDER BY bm25(plain), rowid LIMIT ?");
  return {
    add(documents) {
      db.exec("BEGIN");
      for (const d of documents) insert.run(d.text, d.id);
      db.exec("COMMIT");
    },
    search(question, limit) {
      const match = orOfWords(question);
      return match === undefined ? [] : find.all(match, limit).map((row) => String(row["id"]));
    },
    close: () => db.close(),
  };
}

export function orOfWords(question: string): string | undefined {
  const words = question.toWellFormed().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.length === 0 ? undefined : [...new Set(words)].map((w) => `"${w}"`).join(" OR ");
}
