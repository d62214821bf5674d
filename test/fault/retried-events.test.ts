// P5: an event that is written again after a fault stands once in the log and once in the index.
import { mkdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { homePaths } from "../../src/host/paths.ts";
import { openStore } from "../../src/runtime/store.ts";
import { indexSession } from "../../src/session/index/index-session.ts";
import { readSession } from "../../src/session/read-session.ts";
import { type LogIo, openLog } from "../../src/store/append-log.ts";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { logOf, type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";
import { lacks } from "../tool/fault-tool.ts";
import { newLogPlace, writeConversation } from "../tool/session-log.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

const counts = (db: DatabaseSync) =>
  ["sessions", "turns", "recall_item", "search_index", "model_calls", "session_refs"].map(
    (table) => `${table} ${db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]}`,
  );

describe("P5 PI3 a retry is idempotent", () => {
  it("P5 EIO on the sync, then every record again: one line each", async () => {
    const place = newLogPlace();
    const lines = (await writeConversation(place)).toString().trimEnd().split("\n");
    const records = lines.map((line) => JSON.parse(line) as { id: string });
    let fail = true;
    const io: LogIo = {
      write: (fd, bytes) => writeSync(fd, bytes),
      truncate: () => undefined,
      sync: async () => {
        if (fail) throw Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
      },
    };
    const path = join(place.paths.dir, "again.jsonl");
    const quarantine = { folder: place.quarantine, label: "x" };
    const opened = await openLog(path, { accept: () => true, onRecord: () => undefined, quarantine, io });
    if (!opened.ok) throw new Error(opened.error.what);
    const { log } = opened.value;
    for (const record of records) {
      expect(log.append(record).ok).toBe(true);
      expect(await log.sync()).toMatchObject({ ok: false, error: { code: "store_io" } });
      expect(log.append(record).ok).toBe(true);
    }
    fail = false;
    expect((await log.sync()).ok).toBe(true);
    await log.close();
    expect(readFileSync(path, "utf8").trimEnd().split("\n")).toEqual(lines);
  });

  it("P5 PI3 lines that stand twice, indexed by four at once and again: one row each", async () => {
    const place = newLogPlace();
    const once = await writeConversation(place);
    const paths = homePaths(join(place.paths.dir, "home"));
    mkdirSync(paths.home);
    const opened = await openStore(paths);
    if (!opened.ok) throw new Error(opened.error.what);
    const db = opened.value;
    const clean = { redact: (t: string) => t };
    expect(await indexSession(db, "s", place.paths, clean)).toMatchObject({ ok: true });
    const expected = counts(db);
    expect(expected).toContain("turns 2");
    writeFileSync(place.paths.events, Buffer.concat([once, once, once]));
    const read = await readSession(place.paths);
    expect(read.ok && read.value.events.length).toBe(once.toString().trimEnd().split("\n").length);
    expect(read.ok && read.value.report.doubled).toBe(2 * once.toString().trimEnd().split("\n").length);
    const other = homePaths(join(place.paths.dir, "home-2"));
    mkdirSync(other.home);
    const fresh = await openStore(other);
    if (!fresh.ok) throw new Error(fresh.error.what);
    const done = await Promise.all([1, 2, 3, 4].map(() => indexSession(fresh.value, "s", place.paths, clean)));
    expect(done.every((d) => d.ok)).toBe(true);
    expect(counts(fresh.value)).toEqual(expected);
    db.close();
    fresh.value.close();
  });

  describe.skipIf(lacks("strace"))("with faults planted by strace", () => {
    async function resumedUnder(inject: string[]): Promise<{ place: Place; stderr: string; code: number | null }> {
      server = await startModelServer();
      server.always(() => text("an answer"));
      const place = placeFor(server);
      await run(place, ["-p", "first"]);
      const [id = ""] = sessionsOf(place);
      const log = join(place.home, "sessions", id, "events.jsonl");
      const under = ["strace", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-P", log, ...inject];
      const done = await run(place, ["--resume", id, "-p", "second"], { under });
      return { place, stderr: done.stderr, code: done.code };
    }

    function expectOnce(place: Place): void {
      const ids = logOf(place).map((e) => e.id);
      expect(new Set(ids).size).toBe(ids.length);
      const prompts = logOf(place).filter((e) => e.type === "user.message");
      expect(prompts.length).toBe(2);
      const db = new DatabaseSync(join(place.home, "store.db"), { readOnly: true });
      expect(counts(db).slice(0, 2)).toEqual(["sessions 1", "turns 2"]);
      expect(db.prepare("SELECT event_count AS n FROM sessions").get()?.["n"]).toBe(ids.length);
      db.close();
    }

    it("P5 A8.5 EIO on every sync of the log: the turn is done, the fault is told, one line and one row each", async () => {
      const { place, stderr, code } = await resumedUnder(["-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO"]);
      expect(code, stderr).toBe(0);
      expect(stderr).toContain("sync of the session log failed (store_io)");
      expectOnce(place);
    });

    it("P5 A8.5 EIO on a write of the log: paused, tried again with the same id, one line and one row each", async () => {
      const { place, stderr, code } = await resumedUnder(["-e", "trace=write", "-e", "inject=write:error=EIO:when=4"]);
      expect(code, stderr).toBe(0);
      expect(stderr).toContain("session log failed (store_io)");
      expectOnce(place);
    });
  });

  it("T4 a writer that forgets what it has written doubles the line, and the suite sees it; readers count it once", async () => {
    const place = newLogPlace();
    const lines = (await writeConversation(place)).toString().trimEnd().split("\n");
    const quarantine = { folder: place.quarantine, label: "x" };
    const forgetful = await openLog(place.paths.events, { accept: () => true, onRecord: () => undefined, quarantine });
    if (!forgetful.ok) throw new Error(forgetful.error.what);
    forgetful.value.log.append(JSON.parse(lines.at(-1) ?? "") as { id: string });
    await forgetful.value.log.close();
    expect(readFileSync(place.paths.events, "utf8").trimEnd().split("\n")).not.toEqual(lines);
    const read = await readSession(place.paths);
    expect(read.ok && read.value.events.length).toBe(lines.length);
  });
});
