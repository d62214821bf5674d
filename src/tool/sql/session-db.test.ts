import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { sessionTableKinds } from "../../store/kinds.ts";
import { usingSessionDb } from "./session-db.ts";

it("D2 every table of session.db has a kind and a source", async () => {
  const folder = mkdtempSync(join(tmpdir(), "everlong-session-db-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tables = await usingSessionDb(join(folder, "session.db"), (db) =>
    db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .all()
      .map((row) => String(row["name"])),
  );
  expect(tables).toEqual({ ok: true, value: Object.keys(sessionTableKinds).sort() });
  expect(Object.values(sessionTableKinds).every(({ rebuiltFrom }) => rebuiltFrom.length > 1)).toBe(true);
});
