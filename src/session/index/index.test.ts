// The index: made from a log, resumed at its offset, searched within a scope, and forgetting on demand.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { encodeLine } from "../../base/json-line.ts";
import { homePaths } from "../../host/paths.ts";
import { search } from "../../memory/recall/search.ts";
import type { RecallScope } from "../../memory/recall/store/scope.ts";
import { migrate } from "../../store/migrate.ts";
import { storeMigrations } from "../../store/migrations.ts";
import { type Database, openDatabase } from "../../store/sqlite.ts";
import { findRefs } from "./find-refs.ts";
import {
  forgetOldCalls,
  forgetSaid,
  forgetSession,
  indexAppended,
  indexSession,
  reindexSession,
} from "./index-session.ts";

let dir: string;
let db: Database;
const options = { redact: (text: string) => text.replaceAll("hunter2", "[redacted]") };
/** Hits that hold a word of the question, without their neighbours. */
const found = (text: string, scope: RecallScope = { type: "all" }) =>
  search(db, { text, within: { scopes: [scope] } }).results.filter((r) => r.snippets.some((s) => s.hits.length > 0));

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
    const done = await indexSession(db, this.id, this.paths, options);
    if (!done.ok) throw new Error(done.error.what);
    return done.value;
  }
}

it("R44 L9 a long log is indexed in slices: others have their turn in between, and can write", async () => {
  const many = new Log("0199a000-0000-7000-8000-00000000000f", "/w");
  for (let turn = 1; turn <= 350; turn++) many.user(turn, `prompt ${turn}`);
  const large = new Log("0199a000-0000-7000-8000-00000000000e", "/w");
  for (let turn = 1; turn <= 8; turn++) large.user(turn, "x ".repeat(100_000));
  const other = new DatabaseSync(join(dir, "store.db"));
  other.exec("PRAGMA busy_timeout = 0");
  onTestFinished(() => other.close());
  /** How far others see the index while it is made; each look is a write that waits for nobody. */
  const steps = async (log: Log): Promise<unknown[]> => {
    const seen = new Set<unknown>();
    let ended = false;
    const look = (): void => {
      if (ended) return;
      other.exec("BEGIN IMMEDIATE");
      seen.add(other.prepare("SELECT indexed_offset AS at FROM sessions WHERE id = ?").get(log.id)?.["at"]);
      other.exec("COMMIT");
      setImmediate(look);
    };
    setImmediate(look);
    expect((await indexSession(db, log.id, log.paths, options)).ok).toBe(true);
    ended = true;
    return [...seen].filter((at) => at !== undefined);
  };
  expect((await steps(many)).length).toBeGreaterThanOrEqual(3);
  expect((await steps(large)).length).toBeGreaterThanOrEqual(2);
});

it("IM7 many short sessions of one transaction become one piece of the index, each found as its own", async () => {
  const events = (session: string) => [
    {
      ...{ id: `${session}-0`, type: "session.start" as const, timestamp: "2026-01-01T00:00:00Z", parentId: null },
      data: {
        ...{ sessionId: session, version: 1 as const, producer: "import" as const, everlongVersion: "0" },
        ...{ startTime: "2026-01-01", model: "m", modelReason: "", mode: "interactive" as const },
        context: { cwd: `/work/${session}` },
      },
    },
    {
      ...{ id: `${session}-1`, type: "user.message" as const, timestamp: "2026-01-01T00:00:01Z", parentId: null },
      data: {
        ...{ messageId: "m", turnId: "turn1", ref: "t1", content: `a word about ${session}` },
        ...{ source: "user" as const, mode: "interactive" as const },
      },
    },
  ];
  const sessions = Array.from({ length: 30 }, (_, n) => `otter${n}`);
  const appended = sessions.map((session) => ({ session, events: events(session), from: 0, end: 10 }));
  expect(await indexAppended(db, appended, options)).toEqual({ ok: true, value: [] });
  for (const table of ["recall_terms", "search_index"])
    expect(db.prepare(`SELECT count(DISTINCT segid) AS n FROM ${table}_idx`).get()).toEqual({ n: 1 });
  expect(found("otter7").map(({ id }) => id)).toEqual(["otter7:otter7-1"]);
  // A part that does not follow what is indexed is given back.
  const next = { session: "otter7", events: [], from: 10, end: 20 };
  expect(await indexAppended(db, [next, { ...next, session: "otter8", from: 5 }], options)).toEqual({
    ok: true,
    value: ["otter8"],
  });
});

describe("index", () => {
  it("A8.11 a log without its first event has its row all the same", async () => {
    const log = new Log("s1", "/w");
    rmSync(log.paths.events);
    log.user(1, "where are the marmots?");
    expect(await log.index()).toBe(1);
    expect(found("marmots")).toMatchObject([{ source: { session: "s1" }, ref: "t1.1" }]);
    expect(found("marmots", { type: "workspace", workspace: "/w" })).toEqual([]);
  });

  it("R52 an older log that spells its repository in capitals is found by the key of today", async () => {
    const log = new Log("s1", "/w");
    log.put("session.context_changed", { context: { cwd: "/w", repository: "Acme/App", branch: "main" } });
    log.user(1, "where are the marmots?");
    await log.index();
    const sources = [{ source: { session: "s1" } }];
    expect(found("marmots", { type: "repository", repository: "acme/app" })).toMatchObject(sources);
    expect(found("marmots", { type: "branch", repository: "acme/app", branch: "main" })).toMatchObject(sources);
    expect(db.prepare("SELECT repository FROM sessions").all()).toEqual([{ repository: "acme/app" }]);
  });

  it("A8.18 again from the beginning: equal rows; a log that cannot be read keeps those it had", async () => {
    const log = new Log("s1", "/w");
    log.user(1, "where are the marmots?");
    log.answer("asleep");
    await log.index();
    const rows = () => [db.prepare("SELECT * FROM sessions").all(), db.prepare("SELECT * FROM turns").all()];
    const before = rows();
    db.exec("UPDATE turns SET user_message = 'wrong'");
    expect(await reindexSession(db, "s1", log.paths, options)).toEqual({ ok: true, value: 3 });
    expect(rows()).toEqual(before);
    rmSync(log.paths.events);
    mkdirSync(log.paths.events);
    const failed = await reindexSession(db, "s1", log.paths, options);
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
      found("port")
        .map((h) => h.ref)
        .sort(),
    ).toEqual(["t1.1", "t1.2"]);
    expect(found("hunter2")).toEqual([]);
    expect(found("host")).toMatchObject([{ ref: "t2.1" }]);
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
    expect(found("bananas")).toMatchObject([{ ref: "t2.1", rewound: true }]);
    expect(found("apples")).toMatchObject([{ rewound: false }]);
  });

  it("B36 the scope is in the query: another folder's words are not found", async () => {
    for (const [id, cwd] of [
      ["s1", "/a"],
      ["s2", "/b"],
    ] as const) {
      const log = new Log(id, cwd);
      log.user(1, `secret plan of ${cwd}`);
      await log.index();
    }
    const sessions = (scope: RecallScope) => found("plan", scope).map((h) => h.source.session);
    expect(sessions({ type: "workspace", workspace: "/a" })).toEqual(["s1"]);
    expect(sessions({ type: "session", session: "s2" })).toEqual(["s2"]);
  });

  it("A8.18 a forgotten session leaves nothing behind", async () => {
    const log = new Log("s1", "/w");
    log.user(1, "gone soon");
    await log.index();
    await forgetSession(db, "s1");
    expect(found("gone")).toEqual([]);
    expect(db.prepare("SELECT count(*) AS n FROM recall_passage").get()?.["n"]).toBe(0);
    expect(db.prepare("SELECT count(*) AS n FROM turns").get()?.["n"]).toBe(0);
  });

  it("IM6 RI16 a long session is forgotten some items at a time; stopped, the rest is forgotten later, or its log is indexed whole again", async () => {
    const [log, other] = [new Log("s1", "/w"), new Log("s2", "/w")];
    for (let turn = 1; turn <= 250; turn++) log.user(turn, `message ${turn} about a heron`);
    other.user(1, "a bittern");
    await log.index();
    await other.index();
    const count = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"];
    const said = () => db.prepare("SELECT turn, text FROM recall_item i JOIN recall_passage p ON p.item = i.id").all();
    const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    const before = said().sort(byText);
    const stop = new AbortController();
    const after = <T>(work: () => Promise<T>): Promise<T> => {
      stop.abort();
      return work();
    };
    expect((await forgetSaid(db, "s1", { signal: stop.signal, after })).ok).toBe(true);
    expect(count("recall_item")).toBe(151);
    await log.index();
    expect(said().sort(byText)).toEqual(before);
    expect(count("turns")).toBe(251);
    expect((await forgetSaid(db, "s1")).ok).toBe(true);
    expect([count("recall_item"), found("heron"), found("bittern").length]).toEqual([1, [], 1]);
  });

  it("R1 R4 calls, results and checkpoints are found by ref; what was recalled is not said again; refs count on", async () => {
    const log = new Log("s1", "/w");
    log.user(1, "run it");
    const tool = (name: string, args: object, content: string) => {
      log.put("tool.execution_start", { toolCallId: "c", toolName: name, arguments: args, turnId: "turn1" });
      log.put("tool.execution_complete", {
        ...{ toolCallId: "c", toolName: name, success: true, resultType: "success", durationMs: 1 },
        result: { content, bytes: 1, lines: 1 },
      });
    };
    tool("bash", { command: "deploy --to\nostrich" }, "the emu answered");
    tool("recall", { query: "penguin" }, "a heron, as it was said before");
    await log.index();
    tool("bash", { command: "again" }, "a kiwi came");
    tool("Grep", { pattern: "toucan" }, "the hoatzin nests");
    log.put("session.compaction_complete", {
      ...{ success: true, outcome: "applied", compactionAttemptId: "a", trigger: "manual", model: "m" },
      ...{ preCompactionTokens: 1, postCompactionTokens: 1, preCompactionMessagesLength: 1 },
      ...{ postCompactionMessagesLength: 1, messagesRemoved: 1, tokensRemoved: 1, tokenAccountingBasis: "estimated" },
      ...{ systemTokens: 1, toolDefinitionsTokens: 1, conversationTokens: 1, targetTokens: 1, tokenLimit: 9 },
      checkpointNumber: 3,
      summaryContent: "<overview>the cassowary was seen</overview>",
    });
    await log.index();
    expect(found("ostrich")).toMatchObject([{ kind: "tool", ref: "t1" }]);
    expect(found("emu")).toMatchObject([{ kind: "tool", ref: "t1.2" }]);
    expect([...found("penguin"), ...found("heron")]).toEqual([]);
    expect(found("kiwi")).toMatchObject([{ ref: "t1.4" }]);
    expect(found("toucan")).toEqual([]);
    expect(found("hoatzin")).toMatchObject([{ ref: "t1.5" }]);
    expect(found("cassowary")).toMatchObject([{ kind: "checkpoint", ref: "checkpoint:3" }]);
  });

  it("R55 with recall off nothing is made searchable, and the rows of sessions are there", async () => {
    const log = new Log("s1", "/w");
    log.user(1, "unheard words");
    expect((await indexSession(db, "s1", log.paths, { ...options, recall: false })).ok).toBe(true);
    expect(found("unheard")).toEqual([]);
    expect(db.prepare("SELECT count(*) AS n FROM turns").get()?.["n"]).toBe(1);
  });

  it("A6.6 finds commits, pull requests, issues and addresses", () => {
    const found = findRefs(
      "see https://example.com/a/b/pull/7, https://example.com/x/issues/9. \n[main 1a2b3c4] msg https://example.com/page",
    );
    expect(found.map((f) => f.type).sort()).toEqual(["commit", "issue", "pull_request", "url"]);
  });
});
