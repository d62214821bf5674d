// Ids and names of sessions as people may type them: looked up, never a path.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { logOf, only, type Place, placeFor, run, sessionsOf, start } from "../tool/everlong.ts";
import { treeChanges, treeOf } from "../tool/tree-hash.ts";

let server: ModelServer;
afterEach(() => server.close());

async function withSession(): Promise<{ place: Place; id: string }> {
  server = await startModelServer();
  server.always(() => text("an answer"));
  const place = placeFor(server);
  await run(place, ["-p", "first"]);
  return { place, id: sessionsOf(place)[0] ?? "" };
}

/** A second session whose id begins like the first one's. */
function twin(place: Place, id: string): string {
  const other = `${id.slice(0, 8)}-0000-4000-8000-000000000000`;
  cpSync(join(place.home, "sessions", id), join(place.home, "sessions", other), { recursive: true });
  return other;
}

describe("session ids", () => {
  it("AB1 B63 malformed ids: exit 2, nothing sent, no file touched", async () => {
    const { place, id } = await withSession();
    mkdirSync(join(place.home, "..", "outside"));
    writeFileSync(
      join(place.home, "..", "outside", "events.jsonl"),
      readFileSync(join(place.home, "sessions", id, "events.jsonl")),
    );
    const before = treeOf(join(place.home, ".."));
    const asked = server.requests.length;
    const malformed = [
      "../../etc",
      "../outside",
      "../../outside",
      `${id}/../${id}`,
      "a/b",
      "..\\x",
      `${id}\u0001`,
      "x".repeat(10_000),
      "",
    ];
    for (const wanted of malformed) {
      const done = await run(place, ["--resume", wanted, "-p", "x"]);
      expect(done.code, `${wanted.slice(0, 40)}: ${done.stderr}`).toBe(2);
      expect(done.stderr.length).toBeLessThan(500);
    }
    for (const verb of ["show", "export", "verify"])
      expect((await run(place, ["sessions", verb, "../outside"])).code).toBe(2);
    expect(server.requests.length).toBe(asked);
    expect(treeChanges(before, treeOf(join(place.home, "..")))).toEqual([]);
  });

  it("B63 an unknown id: exit 1 with near ids; an ambiguous one: exit 2 with the list; nothing changed", async () => {
    const { place, id } = await withSession();
    const near = id.slice(0, 2) + (id[2] === "0" ? "1" : "0") + id.slice(3);
    const unknown = await run(place, ["--resume", near, "-p", "x"]);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain(`Session not found: ${near}.`);
    expect(unknown.stderr).toContain(id);
    const other = twin(place, id);
    const before = treeOf(join(place.home, "sessions"));
    const ambiguous = await run(place, ["--resume", id.slice(0, 8), "-p", "x"]);
    expect(ambiguous.code).toBe(2);
    for (const one of [id, other]) expect(ambiguous.stderr).toContain(one);
    expect(treeChanges(before, treeOf(join(place.home, "sessions")))).toEqual([]);
    const failed = await run(place, ["--resume", "no such name", "-p", "x", "--output-format", "json"]);
    expect(failed.json).toMatchObject({ success: false, sessionId: null, error: { code: "session_not_found" } });
  });

  it("B63 A8.20 a live id: exit 1 session_in_use naming the pid; after kill -9 it opens at once", async () => {
    const { place, id } = await withSession();
    server.script(calls([{ name: "bash", args: { command: "touch running; sleep 60", description: "x" } }]));
    const child = start(place, ["--resume", id, "-p", "work", "--allow-all", "--output-format", "stream-json"]);
    await new Promise<void>((resolve) =>
      child.stdout?.on("data", (d: Buffer) => d.includes("tool.execution_start") && resolve()),
    );
    const second = await run(place, ["--resume", id, "-p", "x"]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain("is open in another process");
    expect(second.stderr).toContain(`pid ${child.pid}`);
    expect((await run(place, ["sessions", "delete", id, "--yes"])).code).toBe(1);
    child.kill("SIGKILL");
    await child.done;
    expect((await run(place, ["--resume", id, "-p", "x"])).code).toBe(0);
  });

  it("B5 names that differ by case or by NFC and NFD are never merged, never split", async () => {
    server = await startModelServer();
    server.always(() => text("an answer"));
    const place = placeFor(server);
    const names = ["Caf\u00e9", "Cafe\u0301", "caf\u00e9", "CAF\u00c9"];
    const ids: string[] = [];
    for (const name of names) {
      const made = await run(place, ["-p", `this is ${name}`, "--output-format", "json"]);
      const id = String(made.json["sessionId"]);
      ids.push(id);
      expect((await run(place, ["sessions", "rename", id, name])).code).toBe(0);
    }
    for (const [n, name] of names.entries()) {
      const done = await run(place, ["--resume", name, "-p", "which one?", "--output-format", "json"]);
      expect(done.json["sessionId"], name).toBe(ids[n]);
      const said = only(logOf(place, ids[n]), "user.message").map((e) => e.data.content);
      expect(said).toEqual([`this is ${name}`, "which one?"]);
    }
    expect(sessionsOf(place).length).toBe(names.length);
  });
});
