import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { usingSessionDb } from "./session-db.ts";

/** What each is made from again; other tables there are the agent's own, which it makes again when it needs them. */
const SOURCES = {
  todos: "events.jsonl",
  todo_deps: "events.jsonl",
  todo_runs: "events.jsonl",
  inbox_entries: "journal/*",
  journal_state: "journal/*",
  journal_erasure: "journal/*",
  journal_mark: "journal/*",
};

it("D2 every table of session.db has a kind and a source", async () => {
  const folder = mkdtempSync(join(tmpdir(), "everlong-session-db-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tables = await usingSessionDb(join(folder, "session.db"), (db) =>
    db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .all()
      .map((row) => String(row["name"])),
  );
  expect(tables).toEqual({ ok: true, value: Object.keys(SOURCES).sort() });
});
