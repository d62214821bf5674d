// Another process at the store: a connection of its own, with whatever it holds or breaks, closed with the test.
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";

export function holding(path: string, sql: string): DatabaseSync {
  // The store may be busy at this moment: another process waits its turn.
  const db = new DatabaseSync(path, { timeout: 10_000 });
  onTestFinished(() => {
    if (db.isOpen) db.close();
  });
  db.enableDefensive(false);
  db.exec(sql);
  return db;
}
