// sql and session_store_sql on real databases, in their real child process.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { secretFilter } from "../../memory/secret/filter.ts";
import { type StoreScope, sessionStoreSqlTool } from "../builtin/session-store-sql.ts";
import { sqlTool } from "../builtin/sql.ts";
import { call, testContext, testOwner, textOf } from "../builtin/test-context.ts";
import type { TodosDiff } from "./child.ts";
import { writeTodos } from "./todo-tables.ts";

const owner = testOwner();
afterAll(() => owner.end(500));

const ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";

function session(onTodosChanged?: (diff: TodosDiff) => Promise<void>, signal?: AbortSignal) {
  const context = testContext(signal ? { signal } : {});
  const diffs: TodosDiff[] = [];
  const restored: number[] = [];
  const file = join(context.sessionDir, "session.db");
  const tool = sqlTool({
    owner,
    redact: secretFilter("test"),
    onTodosChanged: onTodosChanged ?? (async (diff) => void diffs.push(diff)),
    restore: async () => {
      restored.push(restored.length);
      writeTodos(file, diffs[0]?.todos ?? [], diffs[0]?.deps ?? []);
    },
  });
  return { context, diffs, restored, file, sql: async (query: string) => textOf(await call(tool, { query }, context)) };
}

describe("sql", () => {
  it("N18 P31 a secret in a query is replaced before it is stored, and found again by the same secret", async () => {
    const { sql, file } = session();
    const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const made = await sql(
      `CREATE TABLE notes(t); INSERT INTO notes VALUES ('db_password: Winter2024x'), ('use ${token} there'); INSERT INTO todos (id, title) VALUES ('a', 'rotate ${token}')`,
    );
    expect(made).toContain("replaced by a mark");
    expect(await sql(`SELECT count(*) FROM notes WHERE t LIKE '%${token}%'`)).toContain("\n1\n");
    const stored = readFileSync(file, "latin1");
    expect(stored).not.toContain(token);
    expect(stored).not.toContain("Winter2024x");
    expect(await sql("SELECT t FROM notes")).toMatch(/db_password: \[redacted:password:[0-9a-f]{8}\]/);
  });

  it("A5.15 A6.16 todos are written, read and reported as differences", async () => {
    const { sql, diffs } = session();
    const made = await sql(
      "INSERT INTO todos (id, title) VALUES ('a', 'Tab\there'), ('b', 'B'); INSERT INTO todo_deps VALUES ('b', 'a'); -- done",
    );
    expect(made).toBe("[3 rows changed]");
    expect(diffs[0]).toMatchObject({
      todos: [{ id: "a", title: "Tab\there", status: "pending" }, { id: "b" }],
      removedTodos: [],
      deps: [{ todo_id: "b", depends_on: "a" }],
      removedDeps: [],
    });
    expect(await sql("SELECT id, title, description FROM todos ORDER BY id")).toBe(
      "id\ttitle\tdescription\na\tTab\\there\tNULL\nb\tB\tNULL\n[2 rows]",
    );
    expect(diffs).toHaveLength(1);
    await sql("UPDATE todos SET status = 'done' WHERE id = 'a'; DELETE FROM todo_deps");
    expect(diffs[1]).toMatchObject({
      todos: [{ id: "a", status: "done" }],
      deps: [],
      removedDeps: [{ todo_id: "b", depends_on: "a" }],
    });
    await sql("DELETE FROM todos WHERE id = 'b'");
    expect(diffs[2]).toEqual({ todos: [], removedTodos: ["b"], deps: [], removedDeps: [] });
  });

  it("A5.15 a cycle, an unknown dependency and a wrong status are refused at commit, nothing kept", async () => {
    const { sql, diffs } = session();
    await sql("INSERT INTO todos (id, title) VALUES ('a', 'A'), ('b', 'B'), ('c', 'C')");
    expect(
      await sql("INSERT INTO todo_deps VALUES ('a','b'), ('b','c'); INSERT INTO todo_deps VALUES ('c','a')"),
    ).toContain("cycle");
    expect(await sql("INSERT INTO todo_deps VALUES ('a','a')")).toContain("cycle");
    expect(await sql("INSERT INTO todo_deps VALUES ('a','nobody')")).toContain(
      "(a, nobody) names a todo that does not exist",
    );
    expect(await sql("UPDATE todos SET status = 'finished'")).toContain("CHECK");
    expect(await sql("SELECT count(*) AS n FROM todo_deps")).toBe("n\n0\n[1 rows]");
    expect(diffs).toHaveLength(1);
  });

  it("A6.16 one transaction: an error in the second statement undoes the first", async () => {
    const { sql } = session();
    expect(await sql("INSERT INTO todos (id, title) VALUES ('x', 'X'); SELECT * FROM nosuch")).toMatch(
      /^failed: no such table: nosuch/,
    );
    expect(await sql("SELECT count(*) AS n FROM todos")).toBe("n\n0\n[1 rows]");
  });

  it("AB16 ATTACH, PRAGMA, BEGIN, triggers, extensions and the inbox are out of reach; data unchanged", async () => {
    const { sql, file, context } = session();
    await sql("INSERT INTO todos (id, title) VALUES ('a', 'A'); CREATE TABLE own (x); INSERT INTO own VALUES (1)");
    const db = new DatabaseSync(file);
    db.exec(
      "INSERT INTO inbox_entries VALUES ('m', 's', 'a', 'a', 'sidekick', 'i', 1, 'x', 'y', 1, 'now', NULL, NULL)",
    );
    db.close();
    const stolen = join(context.cwd, "stolen.db");
    for (const query of [
      `ATTACH '${stolen}' AS s; CREATE TABLE s.t (x)`,
      "PRAGMA writable_schema = 1",
      "COMMIT; DELETE FROM todos",
      "SAVEPOINT x",
      "CREATE TRIGGER t AFTER INSERT ON todos BEGIN DELETE FROM inbox_entries; END",
      "SELECT load_extension('x')",
      "UPDATE inbox_entries SET unread = 0",
      "DELETE FROM INBOX_ENTRIES",
      "DROP TABLE todos",
      "ALTER TABLE inbox_entries RENAME TO x",
      "UPDATE sqlite_master SET sql = ''",
      `VACUUM INTO '${stolen}'`,
    ]) {
      expect(await sql(query), query).toMatch(/^failed: .*Nothing was changed/s);
    }
    expect(existsSync(stolen)).toBe(false);
    expect(
      await sql("SELECT unread, (SELECT count(*) FROM todos) AS todos, (SELECT x FROM own) AS own FROM inbox_entries"),
    ).toBe("unread\ttodos\town\n1\t1\t1\n[1 rows]");
  });

  it("AB16 an endless query is stopped at its limit, and the database is free again", async () => {
    const { sql } = session();
    expect(await sql(`INSERT INTO todos (id, title) VALUES ('a', 'A'); ${ENDLESS}`)).toMatch(/^timeout: .*5 s/);
    expect(await sql("SELECT count(*) AS n FROM todos")).toBe("n\n0\n[1 rows]");
  });

  it("A5.15 a blob is no text: refused before the commit, so that the event always fits its schema", async () => {
    const { sql, diffs } = session();
    for (const query of [
      "INSERT INTO todos (id, title) VALUES ('a', x'0001')",
      "INSERT INTO todos (id, title) VALUES (x'61', 'A')",
      "INSERT INTO todos (id, title, description) VALUES ('a', 'A', x'00')",
      "INSERT INTO todos (id, title, created_at) VALUES ('a', 'A', x'00')",
      "INSERT INTO todos (id, title, updated_at) VALUES ('a', 'A', x'00')",
    ])
      expect(await sql(query), query).toMatch(/^failed: CHECK constraint failed.*Nothing was changed/);
    await sql("INSERT INTO todos (id, title, description) VALUES (1, 2.5, NULL)");
    expect(diffs).toMatchObject([{ todos: [{ id: "1", title: "2.5", description: null }] }]);
  });

  it("A5.15 an event that cannot be written: the tables are the session's state again", async () => {
    const { sql, file, restored } = session(async () => {
      throw new Error("the disk is full");
    });
    await expect(sql("INSERT INTO todos (id, title) VALUES ('a', 'A')")).rejects.toThrow("the disk is full");
    expect(restored).toHaveLength(1);
    const db = new DatabaseSync(file);
    expect(db.prepare("SELECT count(*) AS n FROM todos").get()?.["n"]).toBe(0);
    db.close();
  });

  it("A5.15 a commit whose answer was lost is taken back; a refused query needs nothing", async () => {
    const { sql, restored, diffs } = session();
    await sql("INSERT INTO todos (id, title) VALUES ('kept', 'K')");
    await sql("SELECT * FROM nosuch");
    expect(restored).toHaveLength(0);
    const large = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 20)";
    expect(
      await sql(`INSERT INTO todos (id, title) VALUES ('a', 'A'); ${large} SELECT hex(zeroblob(1000000)) FROM c`),
    ).toMatch(/^too_large/);
    expect(restored).toHaveLength(1);
    expect(await sql("SELECT id FROM todos")).toBe("id\nkept\n[1 rows]");
    expect(diffs).toHaveLength(1);
  });

  it("A5.15 an interrupted query may have committed: the tables are restored", async () => {
    const stop = new AbortController();
    const { sql, restored } = session(undefined, stop.signal);
    const asked = sql(ENDLESS);
    setTimeout(() => stop.abort(), 200);
    expect(await asked).toMatch(/^interrupted: .*todos are as they were/);
    expect(restored).toHaveLength(1);
  });

  it("session.db is its owner's alone, whoever makes it", async () => {
    const made = session();
    await made.sql("SELECT 1");
    expect(statSync(made.file).mode & 0o777).toBe(0o600);
    const written = session();
    writeTodos(written.file, [], []);
    expect(statSync(written.file).mode & 0o777).toBe(0o600);
  });

  it("A6.16 at most 200 rows; huge numbers and blobs are shown", async () => {
    const { sql } = session();
    const rows = await sql(
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 500) SELECT x FROM c",
    );
    expect(rows.split("\n")).toHaveLength(202);
    expect(rows).toContain("first 200 rows");
    expect(await sql("SELECT 9223372036854775807 AS n, x'00ff' AS b")).toContain("9223372036854775807\tx'00ff'");
    expect(await sql("-- nothing")).toContain("no statement");
  });

  it("A5.15 replay writes both tables exactly", async () => {
    const { sql, file, diffs } = session();
    const todos = [
      { id: "a", title: "A", status: "done" as const, description: null, created_at: "2020", updated_at: "2021" },
      { id: "b", title: "B", status: "pending" as const },
    ];
    await sql("INSERT INTO todos (id, title) VALUES ('old', 'Old')");
    writeTodos(file, todos, [{ todo_id: "b", depends_on: "a" }]);
    expect(await sql("SELECT id, updated_at FROM todos ORDER BY id")).toBe(
      "id\tupdated_at\na\t2021\nb\tNULL\n[2 rows]",
    );
    await sql("UPDATE todos SET status = 'in_progress' WHERE id = 'a'");
    expect(diffs[1]?.todos[0]?.updated_at).not.toBe("2021");
  });
});

function store() {
  const context = testContext();
  const path = join(context.sessionDir, "store.db");
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE sessions (id TEXT PRIMARY KEY, cwd TEXT, git_root TEXT, repository TEXT, name TEXT);
    CREATE TABLE turns (session_id TEXT, turn_index INTEGER, user_message TEXT);
    CREATE TABLE memories (id TEXT, text TEXT);
    CREATE VIRTUAL TABLE search_index USING fts5(content, session_id UNINDEXED, source_type UNINDEXED, source_id UNINDEXED);
    INSERT INTO sessions VALUES ('mine', '/w', '/w', 'o/n', 'Mine'), ('theirs', '/x', '/x', 'p/q', 'Theirs'), ('plain', '/o''k', NULL, NULL, 'Plain');
    INSERT INTO turns VALUES ('mine', 1, 'hello one'), ('theirs', 1, 'hello secret'), ('plain', 1, 'hello plain');
    INSERT INTO search_index VALUES ('hello one', 'mine', 'turn', '1'), ('hello secret', 'theirs', 'turn', '1');
    INSERT INTO memories VALUES ('m', 'hello memory');`);
  db.close();
  let scope: StoreScope = { type: "repository", repository: "o/n", root: "/w", sessionId: "s" };
  const tool = sessionStoreSqlTool({ owner, storePath: path, scope: () => scope });
  return {
    path,
    see: (next: StoreScope) => (scope = next),
    ask: async (query: string) => textOf(await call(tool, { query }, context)),
  };
}

describe("session_store_sql", () => {
  it("A6.17 shows the scope's sessions and turns only, full text search included", async () => {
    const { ask, see } = store();
    expect(await ask("SELECT id FROM sessions")).toBe("id\nmine\n[1 rows]");
    expect(await ask("SELECT s.name, t.user_message FROM turns t JOIN sessions s ON s.id = t.session_id;")).toBe(
      "name\tuser_message\nMine\thello one\n[1 rows]",
    );
    expect(await ask("SELECT content FROM search_index WHERE search_index MATCH 'hello' ORDER BY rank")).toBe(
      "content\nhello one\n[1 rows]",
    );
    expect(
      await ask("SELECT snippet(search_index, 0, '<', '>', '', 5) AS s FROM search_index WHERE content MATCH 'one'"),
    ).toContain("hello <one>");
    expect(await ask("WITH c AS (SELECT user_message FROM turns) SELECT count(*) AS n FROM c")).toBe("n\n1\n[1 rows]");
    expect(await ask("SELECT value FROM json_each('[1]')")).toContain("1");
    see({ type: "repository", root: "/o'k", sessionId: "s" });
    expect(await ask("SELECT id FROM sessions")).toBe("id\nplain\n[1 rows]");
    see({ type: "all" });
    expect(await ask("SELECT count(*) AS n FROM turns")).toBe("n\n3\n[1 rows]");
  });

  it("A6.17 no query reaches other tables or rows, whatever it is called", async () => {
    const { ask } = store();
    for (const query of [
      "SELECT * FROM main.sessions",
      "SELECT count(*) FROM main.turns",
      "SELECT count(*) FROM memories",
      "SELECT count(*) FROM Memories",
      "SELECT * FROM memories",
      "WITH sessions AS (SELECT * FROM main.sessions) SELECT * FROM sessions",
      "SELECT (SELECT group_concat(user_message) FROM main.turns) FROM sessions",
      "SELECT * FROM search_index_content",
      "SELECT * FROM main.search_index",
      "SELECT * FROM sqlite_master",
      "SELECT sql FROM sqlite_temp_master",
      "SELECT * FROM pragma_database_list",
      "SELECT * FROM sessions UNION SELECT 1, 2, 3, 4, text FROM memories",
    ]) {
      const text = await ask(query);
      expect(text, query).toMatch(/^failed: /);
      expect(text).not.toContain("secret");
    }
  });

  it("AB16 DELETE, a second statement, ATTACH and an endless query: failure, data unchanged", async () => {
    const { ask, path } = store();
    const before = readFileSync(path);
    for (const query of [
      "DELETE FROM turns",
      "DELETE FROM main.turns",
      "SELECT 1; SELECT 2",
      "SELECT 1; DELETE FROM turns",
      "ATTACH 'x' AS y",
      "PRAGMA user_version = 3",
      "CREATE TABLE x (y)",
      "",
    ]) {
      expect(await ask(query), query).toMatch(/^(failed|invalid_inputs): /);
    }
    expect(await ask("SELECT 1 AS one; -- and a comment")).toBe("one\n1\n[1 rows]");
    expect(await ask(ENDLESS)).toMatch(/^timeout: .*3 s/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("A6.17 at most 100 rows; no store is no failure of the machine", async () => {
    const { ask } = store();
    expect(
      await ask("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 500) SELECT x FROM c"),
    ).toContain("first 100 rows");
    const tool = sessionStoreSqlTool({ owner, storePath: "/no/store.db", scope: () => ({ type: "all" }) });
    expect(textOf(await call(tool, { query: "SELECT 1" }, testContext()))).toMatch(/^not_found/);
  });
});
