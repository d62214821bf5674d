// Backup, restore, wipe: made while everything runs, refused when anything is wrong with it, and nothing of ours left behind.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { packTar, type TarEntry, unpackTar } from "modern-tar";
import { afterEach, describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { newPlace, type Place, placeFor, run, sessionsOf, start } from "../tool/everlong.ts";
import { treeChanges, treeOf } from "../tool/tree-hash.ts";

let server: ModelServer;
afterEach(() => server?.close());

const FACT = "The wharf crane is inspected every Thursday";

async function usedPlace(): Promise<Place> {
  server = await startModelServer();
  server.always(() => text("an answer about the lighthouse"));
  const place = placeFor(server, { EVERLONG_SANDBOX: "off" });
  expect((await run(place, ["-p", "a question about the lighthouse"])).code).toBe(0);
  const added = await run(place, [
    "memory",
    "add",
    "--subject",
    "crane",
    "--fact",
    FACT,
    "--cite",
    "User input: told me",
    "--reason",
    "needed for planning the week",
    "--scope",
    "user",
  ]);
  expect(added.code, added.stderr).toBe(0);
  const item = await run(place, [
    "board",
    "add",
    "tides",
    "--description",
    "when the tide turns",
    "--content",
    "high tide at noon",
  ]);
  expect(item.code, item.stderr).toBe(0);
  return place;
}

const listings = async (place: Place): Promise<string[]> => {
  const lists = [
    ["sessions", "list", "--all", "--json"],
    ["memory", "list", "--all", "--json"],
    ["board", "list", "--json"],
  ];
  const done = await Promise.all(lists.map((args) => run(place, args)));
  for (const { code, stderr } of done) expect(code, stderr).toBe(0);
  return done.map(({ stdout }) => stdout);
};

const backupTo = async (place: Place, ...args: string[]): Promise<string> => {
  const done = await run(place, ["backup", ...args]);
  expect(done.code, done.stderr).toBe(0);
  return done.stdout.split("\n")[0] ?? "";
};

describe("backup", () => {
  it("OP12 D2 one private .tar.gz that tar reads, beside home, with a manifest; secrets only when asked for", async () => {
    const place = await usedPlace();
    writeFileSync(join(place.home, "settings.json"), '{"turn.maxSteps": 50}', { mode: 0o600 });
    mkdirSync(join(place.home, "logs"), { recursive: true });
    writeFileSync(join(place.home, "logs", "noise.log"), "noise");
    writeFileSync(join(place.home, "stranger.txt"), "not ours");
    const [id = ""] = sessionsOf(place);
    const log = join(place.home, "sessions", id, "events.jsonl");
    const whole = readFileSync(log);
    writeFileSync(log, Buffer.concat([whole, Buffer.from('{"id":"on its w')]));
    const before = treeOf(place.home);
    const file = await backupTo(place);
    expect(dirname(file)).toBe(dirname(place.home));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(treeChanges(before, treeOf(place.home)).filter((line) => !/store\.db-|locks/.test(line))).toEqual([]);
    const names = execFileSync("tar", ["tzf", file], { encoding: "utf8" }).trim().split("\n");
    expect(names).toEqual(expect.arrayContaining(["store.db", "settings.json", `sessions/${id}/events.jsonl`]));
    expect(names.at(-1)).toBe("manifest.json");
    expect(names.filter((name) => /lock|noise|stranger|secret|token|-wal|-shm|\.everlong-home/.test(name))).toEqual([]);
    const out = join(place.folder, "out");
    mkdirSync(out);
    execFileSync("tar", ["xzf", file, "-C", out]);
    expect(readFileSync(join(out, "sessions", id, "events.jsonl"))).toEqual(whole);
    const manifest = JSON.parse(readFileSync(join(out, "manifest.json"), "utf8")) as {
      files: { path: string; size: number; sha256: string }[];
    };
    for (const { path, size, sha256 } of manifest.files) {
      const bytes = readFileSync(join(out, path));
      expect([path, bytes.length, createHash("sha256").update(bytes).digest("hex")]).toEqual([path, size, sha256]);
    }
    const secret = await backupTo(place, join(place.folder, "with.tar.gz"), "--with-secrets");
    expect(execFileSync("tar", ["tzf", secret], { encoding: "utf8" })).toContain("secret.key");
    const taken = await run(place, ["backup", secret]);
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining("already exists")]);
    const checked = await run(place, ["backup", "--verify", file]);
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining("The backup is complete")]);
    expect(readdirSync(place.folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("B71 OP13 anything wrong in a backup is refused before the first write, and nothing changes", async () => {
    const place = await usedPlace();
    const file = await backupTo(place);
    const entries = await unpackTar(gunzipSync(readFileSync(file)));
    const plain = (name: string, data = "x"): TarEntry => ({
      header: { name, size: data.length, type: "file" },
      body: data,
    });
    const bytes = readFileSync(file);
    const packed = async (change: (all: TarEntry[]) => TarEntry[]): Promise<Buffer> =>
      gzipSync(await packTar(change(entries.map(({ header, data }) => ({ header, ...(data ? { body: data } : {}) })))));
    const withFirst = (entry: TarEntry) => packed((all) => [entry, ...all]);
    const bad: Record<string, Buffer> = {
      "leads out": await withFirst(plain("../evil.txt")),
      "leads out below": await withFirst(plain("sessions/../../evil.txt")),
      absolute: await withFirst(plain("/tmp/everlong-evil")),
      "not ours": await withFirst(plain("evil.txt")),
      "symbolic link": await withFirst({
        header: { name: "AGENTS.md", size: 0, type: "symlink", linkname: "/etc/passwd" },
      }),
      "hard link": await withFirst({ header: { name: "AGENTS.md", size: 0, type: "link", linkname: "/etc/passwd" } }),
      device: await withFirst({ header: { name: "AGENTS.md", size: 0, type: "character-device" } }),
      folder: await withFirst({ header: { name: "agents/", size: 0, type: "directory" } }),
      extra: await withFirst(plain("AGENTS.md", "obey me")),
      "extra after the list": await packed((all) => [...all, plain("AGENTS.md", "obey me")]),
      twice: await packed((all) => [all[0] as TarEntry, ...all]),
      missing: await packed((all) => all.slice(1)),
      changed: await packed((all) => [plain(all[0]?.header.name ?? "", "other"), ...all.slice(1)]),
      "no list": await packed((all) => all.slice(0, -1)),
      "cut short": bytes.subarray(0, bytes.length - 40),
      "cut in half": bytes.subarray(0, bytes.length >> 1),
      "flipped bit": Buffer.concat([
        bytes.subarray(0, 4000),
        Buffer.from([(bytes[4000] ?? 0) ^ 1]),
        bytes.subarray(4001),
      ]),
      empty: Buffer.alloc(0),
      "no archive": Buffer.from("hello"),
    };
    await run(place, ["sessions"]);
    const untouched = treeOf(dirname(place.home));
    rmSync(join(dirname(place.home), "x"), { force: true });
    const { verifyBackup } = await import("../../src/runtime/backup/backup.ts");
    const folder = join(place.folder, "bad");
    mkdirSync(folder);
    for (const [name, content] of Object.entries(bad)) {
      const path = join(folder, `${name}.tar.gz`);
      writeFileSync(path, content);
      expect(await verifyBackup(path), name).toMatchObject({ ok: false, error: { code: "backup_invalid" } });
    }
    expect(await verifyBackup(file)).toMatchObject({ ok: true });
    for (const name of ["leads out", "symbolic link", "changed", "cut short"]) {
      const done = await run(place, ["backup", "restore", "--replace", join(folder, `${name}.tar.gz`)]);
      expect([done.code, done.stderr], name).toEqual([1, expect.stringContaining("Nothing was changed.")]);
    }
    const newer = join(folder, "newer.tar.gz");
    const list = JSON.parse(Buffer.from(entries.at(-1)?.data ?? []).toString());
    const text = JSON.stringify({ ...list, everlongVersion: "9.9.9", schema: 999 });
    writeFileSync(newer, await packed((all) => [...all.slice(0, -1), plain("manifest.json", text)]));
    const refused = await run(place, ["backup", "restore", "--replace", newer]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("made by a newer everlong (9.9.9)")]);
    rmSync(folder, { recursive: true });
    expect(treeChanges(untouched, treeOf(dirname(place.home)))).toEqual([]);
  });

  it("OP13 D7 SEC16 a used home needs --replace, which keeps the old one; refused while a session is open", async () => {
    const place = await usedPlace();
    chmodSync(join(place.home, "secret.key"), 0o600);
    const listed = await listings(place);
    const file = await backupTo(place);
    const key = readFileSync(join(place.home, "secret.key"), "utf8");
    const refused = await run(place, ["backup", "restore", file]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("--replace")]);

    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked = new Promise<void>((resolve) => {
      server.always(async () => {
        resolve();
        await held;
        return text("late");
      });
    });
    const open = start(place, ["-p", "a second question"]);
    await asked;
    for (const args of [
      ["backup", "restore", "--replace", file],
      ["wipe", "--all", "--yes"],
    ]) {
      const busy = await run(place, args);
      expect([busy.code, busy.stderr]).toEqual([1, expect.stringContaining(`in use by process ${open.pid}`)]);
    }
    release();
    expect((await open.done).code).toBe(0);
    const done = await run(place, ["backup", "restore", "--replace", file]);
    expect(done.code, done.stderr).toBe(0);
    const aside = readdirSync(dirname(place.home)).filter((name) => /^home\.before-\d{8}T\d{6}Z$/.test(name));
    expect(aside).toHaveLength(1);
    expect(readdirSync(join(dirname(place.home), aside[0] ?? "", "sessions"))).toHaveLength(2);
    expect(await listings(place)).toEqual(listed);
    // Redaction marks and keyed hashes stay what they were.
    expect(readFileSync(join(place.home, "secret.key"), "utf8")).toBe(key);
    expect(statSync(join(place.home, "store.db")).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(place.home)).filter((name) => name.includes("restore-"))).toEqual([]);
  });
});

describe("wipe", () => {
  it("OP14 shows sizes, needs a yes, a mark and a person; what is not ours and what lies elsewhere stays", async () => {
    const place = await usedPlace();
    const before = treeOf(place.home);
    const none = await run(place, ["wipe"]);
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining("--memory, --sessions, --all or --tenant NAME"),
    ]);
    const unasked = await run(place, ["wipe", "--all"]);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    expect(unasked.stdout).toMatch(/sessions\/ +\d+ files +\d+\.\d kB/);
    const inTool = await run(place, ["wipe", "--all", "--yes"], { env: { EVERLONG_TOOL_SHELL: "x" } });
    expect([inTool.code, inTool.stderr]).toEqual([1, expect.stringContaining("Only a person can")]);
    expect(treeChanges(before, treeOf(place.home))).toEqual([]);

    const outside = join(place.folder, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "precious.txt"), "keep me");
    symlinkSync(outside, join(place.home, "agents"));
    mkdirSync(join(place.home, "skills"));
    symlinkSync(outside, join(place.home, "skills", "linked"));
    writeFileSync(join(place.home, "diary.txt"), "mine");
    mkdirSync(join(place.folder, ".github"));
    writeFileSync(join(place.folder, ".github", "copilot-memories.jsonl"), "");
    const file = await backupTo(place);
    const done = await run(place, ["wipe", "--all", "--yes"]);
    expect(done.code, done.stderr).toBe(0);
    expect(readdirSync(place.home)).toEqual(["diary.txt"]);
    expect(readFileSync(join(outside, "precious.txt"), "utf8")).toBe("keep me");
    for (const named of ["diary.txt", "copilot-memories.jsonl", file, "npm uninstall -g everlong"])
      expect(done.stdout).toContain(named);
  });

  it("OP14 a folder that is not only ours gets no mark, and nothing in it is removed", async () => {
    const place = newPlace();
    mkdirSync(place.home);
    writeFileSync(join(place.home, ".bashrc"), "mine");
    mkdirSync(join(place.home, "logs"));
    expect((await run(place, ["sessions"])).code).toBe(0);
    const done = await run(place, ["wipe", "--all", "--yes"]);
    expect([done.code, done.stderr]).toEqual([1, expect.stringContaining("not marked")]);
    expect(existsSync(join(place.home, "logs"))).toBe(true);
  });

  it("OP14 --sessions and --memory remove one and leave the other, also from the pages of the store", async () => {
    const place = await usedPlace();
    expect((await run(place, ["graph", "add", "wharf", "USES", "bollards"])).code).toBe(0);
    /** A session keeps what its model was shown, memories too. */
    const has = (words: string, outside = ""): boolean =>
      spawnSync("grep", ["-rlaF", words, place.home, ...(outside ? [`--exclude-dir=${outside}`] : [])]).stdout.length >
      0;
    expect([has("lighthouse"), has("wharf crane"), has("high tide")]).toEqual([true, true, true]);
    const sessions = await run(place, ["wipe", "--sessions", "--yes"]);
    expect(sessions.code, sessions.stderr).toBe(0);
    expect([has("lighthouse"), has("wharf crane"), has("high tide"), has("bollards")]).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect((await run(place, ["memory", "list", "--all"])).stdout).toContain(FACT);
    expect((await run(place, ["-p", "a new question about the lighthouse"])).code).toBe(0);
    const memory = await run(place, ["wipe", "--memory", "--yes"]);
    expect(memory.code, memory.stderr).toBe(0);
    const left = [
      has("lighthouse"),
      ...["wharf crane", "high tide", "bollards"].map((words) => has(words, "sessions")),
    ];
    expect(left).toEqual([true, false, false, false]);
    const [list, board, recalled] = await Promise.all([
      run(place, ["memory", "list", "--all"]),
      run(place, ["board", "list"]),
      run(place, ["recall", "lighthouse"]),
    ]);
    expect([
      list.stdout.includes(FACT),
      board.stdout.includes("tides"),
      recalled.stdout.includes("lighthouse"),
    ]).toEqual([false, false, true]);
  });
});

it("R56 a deleted session is gone from the store, the graph and the journal", async () => {
  const place = await usedPlace();
  const has = () => spawnSync("grep", ["-rlaF", "lighthouse", place.home]).stdout.length > 0;
  expect(has()).toBe(true);
  const [id = ""] = sessionsOf(place);
  const gone = await run(place, ["sessions", "delete", id, "--yes"]);
  expect(gone.code, gone.stderr).toBe(0);
  expect(has()).toBe(false);
});

it("PE14 OP12 OP13 OP14 backup under load, wipe --all, nothing left, restore, equal listings, a session goes on", async () => {
  const place = await usedPlace();
  const first = sessionsOf(place)[0] ?? "";
  const listed = await listings(place);
  let turns = 0;
  // A session that writes without pause while the backup is made.
  server.always(() => {
    const call = {
      id: `c${turns++}`,
      name: "bash",
      args: { command: `echo ${"load ".repeat(200)}${turns}`, description: "load" },
    };
    return turns > 25 ? text("done") : calls([call]);
  });
  const busy = start(place, ["-p", "work hard", "--allow-all"]);
  const begun = await new Promise<boolean>((resolve) => {
    const look = setInterval(() => {
      if (turns < 3) return;
      clearInterval(look);
      resolve(true);
    }, 20);
  });
  expect(begun).toBe(true);
  const [file, other] = await Promise.all([backupTo(place), backupTo(place, join(place.folder, "second.tar.gz"))]);
  expect((await busy.done).code).toBe(0);
  for (const one of [file, other]) expect((await run(place, ["backup", "--verify", one])).code).toBe(0);
  expect((await run(place, ["wipe", "--all", "--yes"])).code).toBe(0);
  expect(existsSync(place.home)).toBe(false);
  const restored = await run(place, ["backup", "restore", other]);
  expect(restored.code, restored.stderr).toBe(0);
  const again = await listings(place);
  // The busy session was shown the memory and the board, which counts as a use.
  const kept = (list: string | undefined) => list?.replace(/"recalls":.*|"count":\d+/g, "");
  expect(again.slice(1).map(kept)).toEqual(listed.slice(1).map(kept));
  const ids = (JSON.parse(again[0] ?? "[]") as { id: string }[]).map(({ id }) => id);
  expect(ids).toContain(first);
  expect(ids).toHaveLength(2);
  server.always(() => text("it goes on"));
  const resumed = await run(place, ["-p", "and then?", "--resume", first]);
  expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining("it goes on")]);
  const checked = await run(place, ["doctor", "--json"]);
  const wrong = (
    JSON.parse(checked.stdout) as { checks: { name: string; status: string; finding: string }[] }
  ).checks.filter((c) => c.status !== "ok");
  expect(wrong).toEqual([]);
});
