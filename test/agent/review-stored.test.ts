// Stored sessions when things are not in order: broken folders, sessions in use, other folders, files made from the log.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { acquireLock } from "../../src/store/lock.ts";
import { SUMMARY } from "../context/stage.ts";
import { text } from "../model-server/reply.ts";
import { logOf, newPlace, only, type Place, run, sessionsOf, start } from "../tool/everlong.ts";
import { oneCall, onlySession, scene, toolResults, until } from "./scene.ts";

const sessions = (place: Place, ...args: string[]) => run(place, ["sessions", ...args]);
const folderOf = (place: Place, id: string, ...names: string[]): string => join(place.home, "sessions", id, ...names);
const fileOf = (place: Place, id: string, ...names: string[]): string =>
  readFileSync(folderOf(place, id, ...names), "utf8");
const newest = (place: Place, known: string[]): string => sessionsOf(place).find((id) => !known.includes(id)) ?? "";

/** Its log becomes a folder. */
function breakLog(place: Place, id: string): void {
  rmSync(folderOf(place, id, "events.jsonl"));
  mkdirSync(folderOf(place, id, "events.jsonl"));
}

async function goodAndBad(): Promise<{ place: Place; good: string; bad: string }> {
  const { place } = await scene((_r, i) => text(`answer ${i}`));
  await run(place, ["-p", "how do marmots sleep?"]);
  const good = onlySession(place);
  const bad = "0199a000-0000-7000-8000-000000000000";
  mkdirSync(folderOf(place, bad, "events.jsonl"), { recursive: true });
  return { place, good, bad };
}

describe("A8.18 one bad session does not hide the others", () => {
  it("A8.18 it is named on stderr once, and every command goes on without it", async () => {
    const { place, good, bad } = await goodAndBad();
    for (const args of [
      ["sessions"],
      ["sessions", "search", "marmots"],
      ["recall", "marmots"],
      ["recall", "t1", "--session", "how do marmots sleep?"],
    ]) {
      const done = await run(place, args);
      expect(done.code, done.stderr).toBe(0);
      expect(done.stdout, args.join(" ")).toMatch(/marmots/);
      expect(done.stderr.split("\n")).toEqual([expect.stringContaining(`Session ${bad} was left out: `), ""]);
      expect(done.stderr).toContain("it is not a plain file");
    }
    const went = await run(place, ["--continue", "-p", "and in winter?"]);
    expect(went.code, went.stderr).toBe(0);
    expect(only(logOf(place, good), "user.message")).toHaveLength(2);
    rmSync(folderOf(place, bad), { recursive: true });
  });

  it("A8.18 it can be deleted, also when its folder is none; a log of a newer version too", async () => {
    const { place, good, bad } = await goodAndBad();
    expect((await sessions(place, "delete", bad)).code).toBe(2);
    const gone = await sessions(place, "delete", bad, "--yes");
    expect(gone.code, gone.stderr).toBe(0);
    writeFileSync(folderOf(place, bad), "a file");
    expect((await sessions(place, "delete", bad, "--yes")).code).toBe(0);
    const log = fileOf(place, good, "events.jsonl");
    writeFileSync(folderOf(place, good, "events.jsonl"), log.replace('"version":1', '"version":99'));
    expect((await sessions(place, "delete", good, "--yes")).code).toBe(0);
    expect(sessionsOf(place)).toEqual([]);
  });

  it("A8.18 a log that lost its first event is listed, not a crash", async () => {
    const { place, good, bad } = await goodAndBad();
    rmSync(folderOf(place, bad, "events.jsonl"), { recursive: true });
    const lines = fileOf(place, good, "events.jsonl").split("\n");
    writeFileSync(folderOf(place, bad, "events.jsonl"), lines.slice(1).join("\n"));
    const listed = await sessions(place, "--all");
    expect(listed.code, listed.stderr).toBe(0);
    expect(listed.stdout).toContain(bad);
    expect(listed.stdout).toContain(good);
  });

  it("A8.18 A8.11 reindex keeps what a log gave that cannot be read now", async () => {
    const { place, good } = await goodAndBad();
    await run(place, ["-p", "what do otters eat?"]);
    const other = newest(place, [good, "0199a000-0000-7000-8000-000000000000"]);
    breakLog(place, good);
    const done = await sessions(place, "reindex");
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout).toContain("1 session");
    expect(done.stderr).toContain(good);
    expect((await sessions(place, "search", "marmots")).stdout).toContain(good);
    expect((await sessions(place, "search", "otters")).stdout).toContain(other);
    for (const id of sessionsOf(place)) if (id !== other) rmSync(folderOf(place, id), { recursive: true });
    await sessions(place, "reindex");
    expect((await sessions(place, "search", "marmots")).stdout).toContain("No matches");
  });
});

describe("A8.20 deleting holds the lock", () => {
  it("A8.20 nobody can open a session while its files go", async () => {
    const { place } = await scene([text("hello")]);
    await run(place, ["-p", "go"]);
    const id = onlySession(place);
    const many = folderOf(place, id, "outputs");
    const COUNT = 20_000;
    mkdirSync(many, { recursive: true });
    for (let n = 0; n < COUNT; n++) writeFileSync(join(many, `${n}.txt`), "");
    const child = start(place, ["sessions", "delete", id, "--yes"]);
    await until("the first file to go", () => readdirSync(many).length < COUNT);
    child.kill("SIGSTOP");
    try {
      const lock = await acquireLock(folderOf(place, id, "session.lock"));
      expect(lock).toMatchObject({ ok: false, error: { code: "store_busy", heldBy: { pid: child.pid } } });
    } finally {
      child.kill("SIGCONT");
    }
    expect((await child.done).code).toBe(0);
    expect(sessionsOf(place)).toEqual([]);
  });
});

describe("A6.17 P28 the recall tool stays in its scope", () => {
  const KEY = "test-key-0123456789";

  async function asked(scope: "here" | "elsewhere" | "all"): Promise<{ result: string; unknown: string; id: string }> {
    let id = "";
    const { server, place } = await scene((_r, i) =>
      i === 1
        ? oneCall("recall", { id: `${id.slice(0, 8)}:t1` }, "known")
        : i === 2
          ? oneCall("recall", { id: "ffffffff:t1" }, "unknown")
          : text("ok"),
    );
    const elsewhere = newPlace().folder;
    await run(place, ["-p", `FOREIGN words with ${KEY}`], scope === "here" ? {} : { cwd: elsewhere });
    id = onlySession(place);
    await run(place, ["-p", "look"], { env: scope === "all" ? { EVERLONG_HISTORY_SCOPE: "all" } : {} });
    const results = toolResults(server.requests.at(-1));
    const [result = "", unknown = ""] = ["known", "unknown"].map((c) => results.find((r) => r.id === c)?.text);
    return { result, unknown, id };
  }

  it("P28 CB25 a session of another folder is answered as one that does not exist", async () => {
    const { result, unknown, id } = await asked("elsewhere");
    expect(unknown).toContain("Session not found");
    expect(result.replaceAll(id.slice(0, 8), "ffffffff")).toBe(unknown);
  });

  it("A6.17 history.scope = all, or the same folder: the original, without secrets", async () => {
    for (const scope of ["here", "all"] as const) {
      const { result } = await asked(scope);
      expect(result, scope).toContain("FOREIGN words with [redacted:");
      expect(result).not.toContain(KEY);
    }
  });
});

describe("A8.13 files made from the log follow the commands", () => {
  it("A8.13 C124 C131 rename and rewind bring workspace.yaml, index.md and the row up to the log", async () => {
    const { place } = await scene((r, i) =>
      text(r.headers["x-interaction-type"] === "conversation-compaction" ? SUMMARY : `answer ${i}`),
    );
    await run(place, ["-p", "first"]);
    const id = onlySession(place);
    await run(place, ["--continue", "-p", "second"]);
    expect((await run(place, ["--continue", "-p", "/compact"])).code).toBe(0);
    expect(fileOf(place, id, "workspace.yaml")).toContain("summary_count: 1\n");
    expect(fileOf(place, id, "checkpoints", "index.md")).toContain("parser-work");

    await sessions(place, "rename", id, "my parser");
    expect(fileOf(place, id, "workspace.yaml")).toMatch(/name: "my parser"\nuser_named: true\n/);

    const back = await sessions(place, "rewind", id, "--to", "t2");
    expect(back.code, back.stderr).toBe(0);
    expect(fileOf(place, id, "workspace.yaml")).toContain("summary_count: 0\n");
    expect(fileOf(place, id, "checkpoints", "index.md")).not.toContain("parser-work");
    const db = new DatabaseSync(join(place.home, "store.db"), { readOnly: true });
    expect(db.prepare("SELECT state FROM checkpoints").all()).toMatchObject([{ state: "withdrawn" }]);
    db.close();
  });

  it("A8.13 fork_count counts", async () => {
    const { place } = await scene((_r, i) => text(`answer ${i}`));
    await run(place, ["-p", "first"]);
    const id = onlySession(place);
    for (const n of [1, 2]) {
      expect((await sessions(place, "fork", id)).code).toBe(0);
      expect(fileOf(place, id, "workspace.yaml")).toContain(`fork_count: ${n}\n`);
    }
    await run(place, ["--resume", id, "-p", "second"]);
    expect(fileOf(place, id, "workspace.yaml")).toContain("fork_count: 2\n");
  });
});

describe("A8.18 which session, how many, what name", () => {
  it("A8.16 --continue passes over a session in which nothing was said", async () => {
    const { place } = await scene((_r, i) => text(`answer ${i}`));
    await run(place, ["-p", "how do marmots sleep?"]);
    const first = onlySession(place);
    await run(place, ["-p", "/usage"]);
    expect(sessionsOf(place)).toEqual([first]);
    await run(place, ["--continue", "-p", "and in winter?"]);
    expect(only(logOf(place, first), "user.message")).toHaveLength(2);
    expect((await run(place, ["recall", "t1.1"])).stdout).toContain("marmots");
  });

  it("A8.18 a limit that is no count and a blank name: exit 2 with a sentence, nothing changed", async () => {
    const { place } = await scene([text("hello")]);
    await run(place, ["-p", "how do marmots sleep?"]);
    const id = onlySession(place);
    const before = fileOf(place, id, "events.jsonl");
    for (const limit of ["abc", "-5", "0", "1.5", ""])
      for (const args of [
        ["sessions", "list"],
        ["sessions", "search", "marmots"],
        ["recall", "marmots"],
      ]) {
        const done = await run(place, [...args, `--limit=${limit}`]);
        expect([done.code, done.stdout], `${args.join(" ")} ${limit}`).toEqual([2, ""]);
        expect(done.stderr).toContain("whole number");
      }
    for (const name of ["", "  "]) {
      const done = await sessions(place, "rename", id, name);
      expect([done.code, done.stderr.includes("blank")], `"${name}"`).toEqual([2, true]);
    }
    expect(fileOf(place, id, "events.jsonl")).toBe(before);
  });
});

describe("A8.12 single model calls are kept for 30 days", () => {
  it("A8.12 the first turn of a process forgets older ones", async () => {
    const { place } = await scene((_r, i) => text(`answer ${i}`));
    await run(place, ["-p", "first"]);
    const db = new DatabaseSync(join(place.home, "store.db"), { timeout: 2000 });
    const count = () => db.prepare("SELECT count(*) AS n FROM model_calls").get()?.["n"];
    expect(count()).toBe(1);
    db.exec("UPDATE model_calls SET timestamp = '2020-01-01T00:00:00.000Z'");
    await run(place, ["--continue", "-p", "second"]);
    expect(count()).toBe(1);
    expect(db.prepare("SELECT min(timestamp) AS t FROM model_calls").get()?.["t"]).not.toContain("2020");
    db.close();
  });
});
