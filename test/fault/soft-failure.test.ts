// P34: soft never means silent: a part that fails beside the conversation is told, and the conversation goes on.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { only, type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";

let server: ModelServer;
afterEach(() => server.close());

/** Of a program that knows more than this one: it is left alone. */
function plantNewer(store: string): void {
  mkdirSync(dirname(store), { recursive: true });
  const db = new DatabaseSync(store);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA user_version = 9999");
  db.close();
}

/** Each way in which the store can be broken. */
const ways: Record<string, (store: string) => void> = {
  "garbage in store.db": (store) => writeFileSync(store, "this is no database, not by far\n".repeat(400)),
  "a damaged page in store.db": (store) => {
    const bytes = readFileSync(store);
    bytes.fill(0xff, 100, bytes.length);
    writeFileSync(store, bytes);
  },
  "store.db is a folder": (store) => mkdirSync(store),
};

function breakStore(place: Place, plant: (store: string) => void): void {
  const store = join(place.home, "store.db");
  if (plant !== ways["a damaged page in store.db"])
    for (const end of ["", "-wal", "-shm"]) rmSync(store + end, { force: true });
  plant(store);
}

describe("P34 D10 soft never means silent", () => {
  it.each(Object.entries(ways))(
    "N13 P34 %s: the turn succeeds, one event and one line say that it was made anew",
    async (_name, plant) => {
      server = await startModelServer();
      server.always(() => text("an answer"));
      const place = placeFor(server, { EVERLONG_MEMORY: "off" });
      await run(place, ["-p", "first"]);
      const [id = ""] = sessionsOf(place);
      breakStore(place, plant);
      const done = await run(place, ["--resume", id, "-p", "second", "--output-format", "stream-json"]);
      expect(done.code, done.stderr).toBe(0);
      expect(only(done.events, "soft_failure")).toEqual([]);
      expect(only(done.events, "store.rebuilt").map((e) => e.data)).toMatchObject([
        { quarantine: expect.stringContaining("quarantine") as string },
      ]);
      expect(done.stderr.match(/store\.db was rebuilt/g)).toHaveLength(1);
      const found = await run(place, ["sessions", "search", "second"]);
      expect(found.stdout).toContain("second");
    },
  );

  it("P34 a store of a newer program: the turn succeeds, one event and one warning name the part, the file is untouched", async () => {
    server = await startModelServer();
    server.always(() => text("an answer"));
    const place = placeFor(server, { EVERLONG_MEMORY: "off" });
    plantNewer(join(place.home, "store.db"));
    const before = readFileSync(join(place.home, "store.db"));
    const done = await run(place, ["-p", "first", "--output-format", "stream-json"]);
    expect(done.code, done.stderr).toBe(0);
    expect(only(done.events, "soft_failure").map((e) => e.data)).toMatchObject([
      { part: "index", code: expect.stringMatching(/^store_/) as string },
    ]);
    expect(done.stderr).toMatch(/Warning: index failed \(\w+\)/);
    expect(readFileSync(join(place.home, "store.db"))).toEqual(before);
  });

  it("P34 A8.11 a tool that needs the index says so as its result, and the turn goes on", async () => {
    server = await startModelServer();
    server.script(
      calls([
        { id: "r", name: "recall", args: { query: "anything" } },
        { id: "s", name: "session_store_sql", args: { query: "SELECT * FROM sessions" } },
      ]),
      text("went on"),
    );
    const place = placeFor(server, { EVERLONG_MEMORY: "off" });
    plantNewer(join(place.home, "store.db"));
    const done = await run(place, ["-p", "go", "--allow-all", "--output-format", "stream-json"]);
    expect(done.code, done.stderr).toBe(0);
    expect(only(done.events, "tool.execution_complete").map((e) => e.data.success)).toEqual([false, false]);
    expect(only(done.events, "soft_failure").length).toBe(1);
    expect(existsSync(join(place.home, "store.db"))).toBe(true);
  });

  it("P34 a broken index never hides a session: --resume by id and --continue work", async () => {
    server = await startModelServer();
    server.always(() => text("an answer"));
    const place = placeFor(server, { EVERLONG_MEMORY: "off" });
    await run(place, ["-p", "first"]);
    breakStore(place, ways["garbage in store.db"] as (store: string) => void);
    const [id = ""] = sessionsOf(place);
    expect((await run(place, ["--resume", id.slice(0, 8), "-p", "x"])).code).toBe(0);
    const done = await run(place, ["--continue", "-p", "x"]);
    expect(done.code, done.stderr).toBe(0);
  });

  it("T4 a build that swallows the failure is seen", async () => {
    server = await startModelServer();
    server.always(() => text("an answer"));
    const bin = brokenCopy(/publish\("soft_failure", \{\s+\.\.\.soft/, 'publish("session.idle", { ...soft');
    const place = { ...placeFor(server, { EVERLONG_MEMORY: "off" }), bin };
    plantNewer(join(place.home, "store.db"));
    const done = await run(place, ["-p", "go", "--output-format", "stream-json"]);
    expect(only(done.events, "soft_failure")).toEqual([]);
  });
});
