// The index: made from a log, resumed at its offset, searched within a scope, and forgetting on demand.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { encodeLine } from "../../base/json-line.ts";
import { homePaths } from "../../host/paths.ts";
import { migrate } from "../../store/migrate.ts";
import { storeMigrations } from "../../store/migrations.ts";
import { type Database, openDatabase } from "../../store/sqlite.ts";
import { findRefs } from "./find-refs.ts";
import { forgetOldCalls, forgetSession, indexSession, reindexSession } from "./index-session.ts";
import { matchExpression, searchIndex } from "./search.ts";

let dir: string;
let db: Database;
const redact = (text: string) => text.replaceAll("hunter2", "[redacted]");

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "everlong-index-"));
  const opened = await openDatabase(join(dir, "store.db"));
  if (!opened.ok) throw new Error(opened.error.what);
  db = opened.value;
  await migrate(db, storeMigrations);
});
afterEach(() => {
  db.close();
  rmSync(dir, { recursive: true });
});

class Log {
  readonly id: string;
  readonly paths;
  #n = 0;
  constructor(id: string, cwd: string) {
    this.id = id;
    this.paths = homePaths(dir).session(id);
    mkdirSync(this.paths.dir, { recursive: true });
    this.put("session.start", {
      sessionId: id,
      version: 1,
      producer: "everlong",
      everlongVersion: "0",
      startTime: "2026-01-01",
      model: "m",
      modelReason: "",
      mode: "interactive",
      context: { cwd },
    });
  }
  put(type: string, data: object): void {
    this.#n++;
    appendFileSync(
      this.paths.events,
      encodeLine({
        id: `${this.id}-${this.#n}`,
        type,
        timestamp: `2026-01-01T00:00:0${this.#n % 10}Z`,
        parentId: null,
        data,
      }),
    );
  }
  user(turn: number, content: string): void {
    this.put("user.message", {
      messageId: "m",
      turnId: `turn${turn}`,
      ref: `t${turn}`,
      content,
      source: "user",
      mode: "interactive",
    });
  }
  answer(content: string): void {
    this.put("assistant.message", {
      messageId: "a",
      turnId: "t",
      step: 1,
      model: "m",
      content,
      toolRequests: [],
      finishReason: "stop",
    });
  }
  async index(): Promise<number> {
    const done = await indexSession(db, this.id, this.paths, redact);
    if (!done.ok) throw new Error(done.error.what);
    return done.value;
  }
}

describe("index", () => {
  it("A8.11 a log without its first event has its row all the same", async () => {
    const log = new Log("s1", "/w");
    rmSync(log.paths.events);
    log.user(1, "where are the marmots?");
    expect(await log.index()).toBe(1);
    expect(searchIndex(db, "marmots", {}, 8)).toMatchObject([{ sessionId: "s1", ref: "t1.1" }]);
    expect(searchIndex(db, "marmots", { gitRoot: "/w" }, 8)).toEqual([]);
  });

  it("A8.18 again from the beginning: equal rows; a log that cannot be read keeps those it had", async () => {
    const log = new Log("s1", "/w");
    log.user(1, "where are the marmots?");
    log.answer("asleep");
    await log.index();
    const rows = () => [db.prepare("SELECT * FROM sessions").all(), db.prepare("SELECT * FROM turns").all()];
    const before = rows();
    db.exec("UPDATE turns SET user_message = 'wrong'");
    expect(await reindexSession(db, "s1", log.paths, redact)).toEqual({ ok: true, value: 3 });
    expect(rows()).toEqual(before);
    rmSync(log.paths.events);
    mkdirSync(log.paths.events);
    const failed = await reindexSession(db, "s1", log.paths, redact);
    expect(failed).toMatchObject({ ok: false, error: { code: "unsafe_path", unreadable: true } });
    expect(rows()).toEqual(before);
  });

  it("A8.12 calls of models older than 30 days go", async () => {
    const now = Date.parse("2026-03-01T00:00:00Z");
    for (const day of ["2026-01-29", "2026-01-31"])
      db.exec(`INSERT INTO model_calls (session_id, model, timestamp) VALUES ('s1', 'm', '${day}T00:00:00.000Z')`);
    expect((await forgetOldCalls(db, now)).ok).toBe(true);
    expect(db.prepare("SELECT timestamp FROM model_calls").all()).toMatchObject([
      { timestamp: "2026-01-31T00:00:00.000Z" },
    ]);
  });

  it("A8.11 A8.12 makes rows from the log, once, resuming at its offset; secrets stay out", async () => {
    const log = new Log("s1", "/w");
    log.user(1, "the port is 4747, the password hunter2");
    log.answer("noted the port");
    expect(await log.index()).toBe(3);
    expect(await log.index()).toBe(0);
    log.user(2, "and the host?");
    expect(await log.index()).toBe(1);
    const turns = db
      .prepare("SELECT turn_index, user_message, assistant_response FROM turns ORDER BY turn_index")
      .all();
    expect(turns.map((t) => ({ ...t }))).toEqual([
      {
        turn_index: 1,
        user_message: "the port is 4747, the password [redacted]",
        assistant_response: "noted the port",
      },
      { turn_index: 2, user_message: "and the host?", assistant_response: "" },
    ]);
    expect(
      searchIndex(db, "port", {}, 9)
        .map((h) => h.ref)
        .sort(),
    ).toEqual(["t1.1", "t1.2"]);
    expect(searchIndex(db, "hunter2", {}, 9)).toEqual([]);
    expect(db.prepare("SELECT name FROM sessions").get()?.["name"]).toBe("the port is 4747, the password [redacted]");
  });

  it("A8.15 rewound turns stay searchable, marked", async () => {
    const log = new Log("s1", "/w");
    log.user(1, "keep apples");
    log.user(2, "drop bananas");
    log.put("session.snapshot_rewind", {
      upToEventId: "x",
      eventsRemoved: 1,
      filesRestored: [],
      filesSkipped: [],
      fromTurn: 2,
    });
    await log.index();
    expect(searchIndex(db, "bananas", {}, 9)).toMatchObject([{ ref: "t2.1", rewound: true }]);
    expect(searchIndex(db, "apples", {}, 9)).toMatchObject([{ rewound: false }]);
  });

  it("B36 the scope is in the query: another folder's words are not found", async () => {
    for (const [id, cwd] of [
      ["s1", "/a"],
      ["s2", "/b"],
    ] as const) {
      const log = new Log(id, cwd);
      log.user(1, `secret plan of ${cwd}`);
      await log.index();
      db.prepare("UPDATE sessions SET git_root = ? WHERE id = ?").run(cwd, id);
    }
    expect(searchIndex(db, "plan", { gitRoot: "/a" }, 9).map((h) => h.sessionId)).toEqual(["s1"]);
    expect(searchIndex(db, "plan", { sessionId: "s2" }, 9).map((h) => h.sessionId)).toEqual(["s2"]);
  });

  it("A8.18 a forgotten session leaves nothing behind", async () => {
    const log = new Log("s1", "/w");
    log.user(1, "gone soon");
    await log.index();
    await forgetSession(db, "s1");
    expect(searchIndex(db, "gone", {}, 9)).toEqual([]);
    expect(db.prepare("SELECT count(*) AS n FROM turns").get()?.["n"]).toBe(0);
  });

  it("B43 no text of a query is ever syntax", () => {
    for (const query of ['"', "NEAR(", "a* OR", "col:", "x ".repeat(10_000), "'; DROP TABLE turns"]) {
      expect(() => searchIndex(db, query, {}, 5)).not.toThrow();
    }
    expect(matchExpression("...")).toBeUndefined();
    expect(matchExpression(`${"w ".repeat(3)}v`)).toBe('"w" OR "v"');
  });

  it("A6.6 finds commits, pull requests, issues and addresses", () => {
    const found = findRefs(
      "see https://example.com/a/b/pull/7, https://example.com/x/issues/9. \n[main 1a2b3c4] msg https://example.com/page",
    );
    expect(found.map((f) => f.type).sort()).toEqual(["commit", "issue", "pull_request", "url"]);
  });
});
