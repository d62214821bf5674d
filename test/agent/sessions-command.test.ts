// `everlong sessions`: every subcommand on real sessions, and what each refuses.
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { logOf, newPlace, only, type Place, run, sessionsOf, start } from "../tool/everlong.ts";
import { bash, onlySession, scene, sharedScene, until, withOwnHome } from "./scene.ts";

const sessions = (place: Place, ...args: string[]) => run(place, ["sessions", ...args]);

let shared: Awaited<ReturnType<typeof sharedScene>> & { first: string; second: string };

beforeAll(async () => {
  const made = await sharedScene((_r, i) => text(`answer ${i} about aubergines`));
  await run(made.place, ["-p", "how do marmots sleep?"]);
  const first = onlySession(made.place);
  await run(made.place, ["-p", "what do otters eat?"]);
  const second = sessionsOf(made.place).find((id) => id !== first) ?? "";
  shared = { ...made, first, second };
});
afterAll(() => shared.end());

const twoSessions = () => ({ ...shared, place: withOwnHome(shared.place) });

describe("A8.18 everlong sessions", () => {
  it("A8.18 list: this folder's, newest first; --limit, --all, --json", async () => {
    const { place, first, second } = twoSessions();
    const listed = await sessions(place);
    expect(listed.stdout.indexOf(second)).toBeLessThan(listed.stdout.indexOf(first));
    expect(listed.stdout).toContain("how do marmots sleep?");
    expect((await sessions(place, "list", "--limit", "1")).stdout).not.toContain(first);
    const elsewhere = newPlace().folder;
    expect((await run(place, ["sessions"], { cwd: elsewhere })).stdout).not.toContain(first);
    const all = await run(place, ["sessions", "--all", "--json"], { cwd: elsewhere });
    expect((JSON.parse(all.stdout) as { id: string }[]).map((s) => s.id)).toEqual([second, first]);
  });

  it("A8.18 show: facts of one session, by prefix; --json", async () => {
    const { place, first } = twoSessions();
    const shown = await sessions(place, "show", first.slice(0, 8));
    expect(shown.stdout).toContain("how do marmots sleep?");
    expect((await sessions(place, "show", first, "--json")).json).toMatchObject({
      sessionId: first,
      prompts: 1,
      model: "custom/scripted",
      cwd: place.folder,
    });
  });

  it("A8.18 search: finds by words in this folder, with session and turn", async () => {
    const { place, first } = twoSessions();
    const found = await sessions(place, "search", "marmots");
    expect(found.stdout).toContain(`session ${first} t1`);
    expect(found.stdout).not.toContain("otters");
    expect((await sessions(place, "search", "zebrafish")).stdout).toContain("No matches");
    const hits = JSON.parse((await sessions(place, "search", "aubergines", "--json")).stdout) as { ref: string }[];
    expect(hits).toHaveLength(2);
  });

  it("A8.18 rename: found by name afterwards", async () => {
    const { place, first } = twoSessions();
    expect((await sessions(place, "rename", first, "marmot", "study")).code).toBe(0);
    expect((await sessions(place)).stdout).toContain("marmot study");
    expect((await sessions(place, "show", "marmot study")).stdout).toContain(first);
  });

  it("A8.18 OP15 delete: asks, then removes log and index; memories are mentioned; prune keeps named ones", async () => {
    const { place, first, second } = twoSessions();
    const asked = await sessions(place, "delete", first);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain("--yes");
    expect(sessionsOf(place)).toContain(first);
    const gone = await sessions(place, "delete", first, "--yes");
    expect([gone.code, gone.stdout.includes("Memories made from it are kept")]).toEqual([0, true]);
    expect(sessionsOf(place)).toEqual([second]);
    expect((await sessions(place, "search", "marmots")).stdout).toContain("No matches");

    expect((await sessions(place, "prune", "--older-than", "30d", "--yes")).stdout).toContain("No sessions that old");
    expect((await sessions(place, "prune", "--older-than", "soon")).code).toBe(2);
    const preview = await sessions(place, "prune", "--older-than", "0d", "--dry-run");
    expect(preview.stdout).toContain(second);
    expect(sessionsOf(place)).toEqual([second]);
    await sessions(place, "rename", second, "keep me");
    await sessions(place, "prune", "--older-than", "0d", "--yes");
    expect(sessionsOf(place)).toEqual([second]);
  });

  it("A8.18 A8.11 reindex: store.db is rebuilt from the logs", async () => {
    const { place, first } = twoSessions();
    for (const name of ["store.db", "store.db-wal", "store.db-shm"]) rmSync(join(place.home, name), { force: true });
    expect((await sessions(place, "reindex")).stdout).toContain("2 sessions");
    expect((await sessions(place, "search", "marmots")).stdout).toContain(first);
  });

  it("A8.18 verify: whole, or the damaged line with its offset, exit 1", async () => {
    const { place, first } = twoSessions();
    expect((await sessions(place, "verify", first)).stdout).toContain("The log is intact");
    const path = join(place.home, "sessions", first, "events.jsonl");
    const lines = readFileSync(path, "utf8").split("\n");
    lines[3] = '{"id": broken';
    writeFileSync(path, lines.join("\n"));
    const damaged = await sessions(place, "verify", first);
    expect(damaged.code).toBe(1);
    expect(damaged.stderr).toMatch(/line 4, offset \d+, 13 bytes/);
    expect((await run(place, ["--resume", first, "-p", "go on"])).code).toBe(0);
  });

  it("A8.17 fork: a new session with the history, the original's log unchanged", async () => {
    const { server, place, first } = twoSessions();
    const path = join(place.home, "sessions", first, "events.jsonl");
    const before = readFileSync(path);
    const forked = await sessions(place, "fork", first);
    const id = /Forked into (\S+):/.exec(forked.stdout)?.[1] ?? "";
    expect((await run(place, ["--resume", id, "-p", "and in winter?"])).code).toBe(0);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(only(logOf(place, id), "session.start")[0]?.data.forkedFrom).toMatchObject({ sessionId: first });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("how do marmots sleep?");
  });

  it("A8.20 delete and rename refuse a session that is open; looking at it works", async () => {
    const { place } = await scene([calls([bash("touch begun; sleep 30")])]);
    const child = start(place, ["-p", "go", "--allow-all"]);
    await until("the command", () => existsSync(join(place.folder, "begun")));
    const id = onlySession(place);
    for (const args of [
      ["delete", id, "--yes"],
      ["rename", id, "x"],
      ["rewind", id, "--to", "t1"],
    ]) {
      const refused = await sessions(place, ...args);
      expect([refused.code, refused.stderr.includes(String(child.pid))], args[0]).toEqual([1, true]);
    }
    for (const args of [["show", id], ["list"], ["verify", id], ["export", id]])
      expect((await sessions(place, ...args)).code, args[0]).toBe(0);
    expect(statSync(join(place.home, "sessions", id, "events.jsonl")).size).toBeGreaterThan(0);
    child.kill("SIGKILL");
    await child.done;
  });
});
