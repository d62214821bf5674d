import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openLog } from "./append-log.ts";
import { fileKinds, kindOf, tableKinds } from "./kinds.ts";
import { acquireLock } from "./lock.ts";
import { migrate } from "./migrate.ts";
import { storeMigrations } from "./migrations.ts";
import { openDatabase, write } from "./sqlite.ts";

const unknownFiles = (paths: string[]) => paths.filter((path) => !kindOf(path)?.rebuiltFrom);
const unknownTables = (names: string[]) => names.filter((name) => !tableKinds[name]?.rebuiltFrom);

it("D2 every file that the store makes, and every one that the specs name, has a kind", async () => {
  const home = mkdtempSync(join(tmpdir(), "everlong-kinds-"));
  const db = await openDatabase(join(home, "store.db"));
  if (!db.ok) throw new Error(db.error.what);
  await migrate(db.value, storeMigrations);
  const session = join(home, "sessions", "s1");
  const quarantine = { folder: join(home, "quarantine"), label: "s1" };
  const open = () =>
    openLog(join(session, "events.jsonl"), { accept: () => true, onRecord: () => undefined, quarantine });
  const first = await open();
  if (!first.ok) throw new Error(first.error.what);
  await first.value.log.close();
  writeFileSync(join(session, "events.jsonl"), "torn", { flag: "a" });
  const second = await open();
  if (!second.ok) throw new Error(second.error.what);
  await second.value.log.close();
  await acquireLock(join(session, "session.lock"), { note: { pid: 1, host: "h" } });
  await acquireLock(join(home, "locks", "home.lock"), { mode: "shared" });
  const made = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1));
  expect(made.length).toBeGreaterThanOrEqual(8);
  expect(unknownFiles(made)).toEqual([]);
  const named = [
    "settings.json",
    "trust.json",
    "permissions.json",
    "models.json",
    "AGENTS.md",
    "agents/a.md",
    "skills/x/SKILL.md",
  ];
  const inSession = [
    "workspace.yaml",
    "plan.md",
    "checkpoints/001-x.md",
    "session.db",
    "outputs/a",
    "snapshots/a/b",
    "files/a",
  ];
  expect(
    unknownFiles([...named, ...inSession.map((name) => `sessions/s1/${name}`), "logs/a.log", "gateway.token"]),
  ).toEqual([]);
  db.value.close();
});

it("D2 A8.12 every table of store.db has a kind, and the tables have their columns", async () => {
  const db = await openDatabase(join(mkdtempSync(join(tmpdir(), "everlong-kinds-")), "store.db"));
  if (!db.ok) throw new Error(db.error.what);
  await migrate(db.value, storeMigrations);
  const query = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')";
  const tables = db.value
    .prepare(query)
    .all()
    .map((row) => String(row["name"]))
    .filter((name) => !name.startsWith("sqlite_"));
  expect(tables.sort()).toEqual(Object.keys(tableKinds).sort());
  expect(unknownTables(tables)).toEqual([]);
  const columns = (table: string) =>
    db.value
      .prepare("SELECT name FROM pragma_table_info(?)")
      .all(table)
      .map((row) => row["name"]);
  expect(columns("turns").join(" ")).toBe(
    "session_id turn_index turn_id event_id user_message assistant_response status rewound timestamp",
  );
  expect(columns("search_index").join(" ")).toBe("content session_id source_type source_id");
  expect(columns("sessions")).toHaveLength(17);
  const found = await write(db.value, (d) => {
    d.exec(`INSERT INTO recall_place VALUES (1, '{}', 's1', 1, 1, '1');
      INSERT INTO recall_item (id, key, kind, role, time, seq, turn, item, place, home, words, passage, passages, hash)
        VALUES (1, 'k', 'turn', 'user', 0, 1, 1, 1, 1, 1, 3, 1, 1, x'00');
      INSERT INTO recall_passage VALUES (1, 1, 0, 3, x'00', 'the quick fox')`);
    d.prepare("INSERT INTO search_index (rowid, content) VALUES (1, ?)").run("the quick fox");
    return d.prepare("SELECT session_id FROM search_index WHERE search_index MATCH ?").all('"quick"');
  });
  expect(found).toEqual({ ok: true, value: [{ session_id: "s1" }] });
  await expect(
    write(db.value, (d) => d.prepare("INSERT INTO session_refs VALUES ('none', 'commit', 'x', 1, '')").run()),
  ).rejects.toThrow(/FOREIGN KEY/);
  db.value.close();
});

it("D2 T4 the check can fail: a new file or table without a kind is named", () => {
  expect(
    unknownFiles(["sessions/s1/new.bin", "new.json", "sessions/events.jsonl", "sessions/s1/x/events.jsonl"]),
  ).toHaveLength(4);
  expect(unknownTables(["memories_new"])).toEqual(["memories_new"]);
  expect(fileKinds.every((row) => row.kind === "truth" || row.kind === "copy" || row.rebuiltFrom !== "-")).toBe(true);
});
