// `everlong doctor`: says what is wrong, changes nothing unasked, mends what was planted, and then has nothing more to say.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { newPlace, only, type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";
import { treeChanges, treeOf } from "../tool/tree-hash.ts";

type Seen = { name: string; status: string; finding: string; fix?: string; mended?: string[] };
type Diagnosed = { checks: Seen[]; counts: { ok: number; warn: number; fail: number } };

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Whether this machine has a sandbox is a finding of its own. */
const NO_SANDBOX = { EVERLONG_SANDBOX: "off" };

async function usedPlace(): Promise<{ place: Place; id: string }> {
  server = await startModelServer();
  server.always(() => text("the wharf is blue"));
  const place = placeFor(server, NO_SANDBOX);
  const done = await run(place, ["-p", "which colour has the wharf?"]);
  expect(done.code, done.stderr).toBe(0);
  const listed = await run(place, ["sessions", "--json"]);
  expect(listed.code, listed.stderr).toBe(0);
  return { place, id: sessionsOf(place)[0] ?? "" };
}

async function diagnose(place: Place, ...args: string[]): Promise<Diagnosed & { code: number | null }> {
  const done = await run(place, ["doctor", "--json", ...args]);
  return { ...(JSON.parse(done.stdout) as Diagnosed), code: done.code };
}

const notOk = ({ checks }: Diagnosed): string[] =>
  checks.filter((c) => c.status !== "ok").map((c) => `${c.status} ${c.name}`);
const long = (path: string): void => utimesSync(path, new Date(), new Date(Date.now() - 2 * 3_600_000));

/** A second session with the events of the first. */
function copySession(place: Place, id: string, as: string): string {
  const [from, to] = [join(place.home, "sessions", id), join(place.home, "sessions", as)];
  cpSync(from, to, { recursive: true });
  chmodSync(to, 0o700);
  const log = join(to, "events.jsonl");
  writeFileSync(log, readFileSync(log, "utf8").replaceAll(id, as));
  return log;
}

describe("doctor", () => {
  it("F84 F85 OP10 N20 one line a check and a summary; no home is made; the names of all checks", async () => {
    const place = newPlace({ TERM: "xterm-kitty", COLORTERM: "truecolor", LANG: "C.UTF-8" });
    const done = await run(place, ["doctor"]);
    expect(done.code, done.stdout).toBe(0);
    expect(existsSync(place.home)).toBe(false);
    const lines = done.stdout.trimEnd().split("\n");
    expect(lines.pop()).toMatch(/^\d+ ok, \d+ warnings?, 0 failures$/);
    for (const line of lines) expect(line).toMatch(/^((ok|warn|fail) +[a-z -]+: .+| {5}fix: .+)$/);
    const names = lines.flatMap((line) => /^(?:ok|warn|fail) +([^:]+):/.exec(line)?.[1] ?? []);
    const wanted = [
      ...[
        "node",
        "package",
        "git",
        "ripgrep",
        "sandbox",
        "terminal",
        "clock",
        "home",
        "layout",
        "disk",
        "secrets",
        "file modes",
        "locks",
      ],
      ...[
        "session logs",
        "store",
        "write-ahead log",
        "search index",
        "indexing",
        "journal",
        "session databases",
        "leftovers",
        "settings",
        "model",
      ],
      ...["embeddings", "mcp servers", "hooks", "trust", "trusted files", "consent", "gateway", "breakers"],
      ...["processes", "queues", "soft failures"],
    ];
    expect(names).toEqual(expect.arrayContaining(wanted));
    expect(done.stdout).toMatch(/terminal: xterm-kitty, colour 16 million, Unicode yes, keyboard protocol yes/);
  });

  it("OP10 writes nothing: neither in a used home, nor with changes that wait in the log of a killed process", async () => {
    const { place } = await usedPlace();
    const script = `const { DatabaseSync } = require("node:sqlite"); const db = new DatabaseSync(process.argv[1]);
      db.exec("PRAGMA wal_autocheckpoint = 0; UPDATE sessions SET name = 'still in the log'"); process.kill(process.pid, "SIGKILL");`;
    const child = spawn(process.execPath, ["--no-warnings", "-e", script, join(place.home, "store.db")]);
    await once(child, "exit");
    expect(statSync(join(place.home, "store.db-wal")).size).toBeGreaterThan(0);
    const before = [treeOf(place.home), treeOf(place.folder)] as const;
    const seen = await diagnose(place);
    expect(notOk(seen)).toEqual([]);
    expect(treeChanges(before[0], treeOf(place.home))).toEqual([]);
    expect(treeChanges(before[1], treeOf(place.folder))).toEqual([]);
    // The test can fail: a command that does write shows.
    await run(place, ["sessions", "rename", sessionsOf(place)[0] ?? "", "other"]);
    expect(treeChanges(before[0], treeOf(place.home))).not.toEqual([]);
  });

  it("OP11 P3 SEC16 D6 N20 finds 16 planted damages, mends them, says so, and finds nothing the second time", async () => {
    const { place, id } = await usedPlace();
    const { home } = place;
    const ids = ["1", "2", "3", "4"].map((n) => `${n.repeat(8)}-0000-4000-8000-000000000000`);
    const [torn = "", middle = "", unended = "", late = ""] = ids.map((one) => copySession(place, id, one));
    expect((await run(place, ["sessions", "list", "--all"])).code).toBe(0);

    copySession(place, id, "55555555-0000-4000-8000-000000000000"); // 5: not indexed yet
    appendFileSync(torn, '{"id":"torn","type":"user.mess'); // 1
    const lines = readFileSync(middle, "utf8").split("\n");
    writeFileSync(middle, [lines[0], "garbage in the middle", ...lines.slice(1)].join("\n")); // 2
    writeFileSync(unended, readFileSync(unended).subarray(0, -1)); // 3
    const proxied = join(home, "proxy", "sessions", "p-one");
    mkdirSync(proxied, { recursive: true, mode: 0o700 });
    writeFileSync(join(proxied, "events.jsonl"), '{"id":"a"}\n{"id":"b', { mode: 0o600 }); // 4
    const db = new DatabaseSync(join(home, "store.db"));
    db.exec("UPDATE recall_passage SET text = 'something else' WHERE id = (SELECT min(id) FROM recall_passage)"); // 6
    db.close();
    const checkpoints = join(home, "sessions", id, "checkpoints");
    mkdirSync(checkpoints, { recursive: true, mode: 0o700 });
    const old = [
      join(home, ".settings.json.0123456789ab.tmp"), // 7
      join(checkpoints, "009-never.md"), // 8
      join(home, "gateway.token.0123456789ab"), // 9
    ];
    for (const path of old) writeFileSync(path, "left behind", { mode: 0o600 });
    const folders = [join(home, "backups", "copy-0123456789ab"), `${home}.restore-0123456789ab`]; // 10, 11
    for (const path of folders) mkdirSync(path, { recursive: true, mode: 0o700 });
    for (const path of [...old, ...folders]) long(path);
    const young = join(home, ".trust.json.ba9876543210.tmp");
    writeFileSync(young, "still being written", { mode: 0o600 });
    writeFileSync(
      join(home, "gateway.json"),
      JSON.stringify({ pid: 4_194_000, address: "http://127.0.0.1:1", version: "0", startedAt: "x" }),
      { mode: 0o600 },
    ); // 12
    chmodSync(home, 0o755); // 13
    chmodSync(join(home, "secret.key"), 0o644); // 14
    chmodSync(late, 0o644); // 15
    chmodSync(join(home, "sessions", id), 0o755); // 16

    const before = treeOf(home);
    const seen = await diagnose(place);
    expect(seen.code).toBe(1);
    expect(treeChanges(before, treeOf(home))).toEqual([]);
    const expected = [
      "fail home",
      "fail secrets",
      "warn file modes",
      "fail session logs",
      "fail search index",
      "warn indexing",
      "warn leftovers",
      "warn gateway",
    ];
    expect(notOk(seen)).toEqual(expected);
    for (const check of seen.checks)
      if (check.status !== "ok") expect(check.fix, check.name).toContain("everlong doctor --fix");
    const finding = (name: string) => seen.checks.find((check) => check.name === name)?.finding ?? "";
    expect(finding("session logs")).toMatch(/session 1{8} \(line \d+, offset \d+, 30 bytes; \d+ events are whole\)/);
    expect(finding("session logs")).toContain("and 1 more");
    expect(finding("file modes")).toContain("events.jsonl");

    const fixed = await diagnose(place, "--fix");
    expect(notOk(fixed), JSON.stringify(fixed.checks, undefined, 1)).toEqual([]);
    expect(fixed.code).toBe(0);
    expect(fixed.checks.filter((check) => check.mended).map((check) => check.name)).toEqual(
      // Making the search index anew indexes what was left out before.
      expected.map((line) => line.slice(5)).filter((name) => name !== "indexing"),
    );
    expect(readdirSync(join(home, "quarantine")).length).toBe(2);
    const kept = readdirSync(join(home, "quarantine")).map((name) =>
      readFileSync(join(home, "quarantine", name), "utf8"),
    );
    expect(kept.sort()).toEqual(['{"id":"b', '{"id":"torn","type":"user.mess']);
    expect([...old, ...folders, join(home, "gateway.json")].filter(existsSync)).toEqual([]);
    expect(existsSync(young)).toBe(true);
    expect(readFileSync(middle, "utf8")).toContain("garbage in the middle");
    expect([home, join(home, "secret.key"), late].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o700, 0o600, 0o600,
    ]);

    const after = treeOf(home);
    const again = await diagnose(place, "--fix");
    expect(notOk(again)).toEqual([]);
    expect(again.checks.filter((check) => check.mended)).toEqual([]);
    expect(treeChanges(after, treeOf(home)).filter((line) => !line.includes("store.db-"))).toEqual([]);
    expect((await run(place, ["-p", "go on", "--resume", ids[0] ?? ""])).code).toBe(0);
  });

  it("OP10 a log without one byte is no intact log: doctor names the session, says what can be done, and resume says it too", async () => {
    const { place, id } = await usedPlace();
    const log = join(place.home, "sessions", id, "events.jsonl");
    const never = join(place.home, "sessions", "99999999-0000-4000-8000-000000000000");
    mkdirSync(never, { mode: 0o700 });
    writeFileSync(join(never, "events.jsonl"), "", { mode: 0o600 }); // it was ended before its first event
    expect(notOk(await diagnose(place))).toEqual([]);

    writeFileSync(log, "");
    for (const args of [[], ["--fix"], []]) {
      const seen = await diagnose(place, ...args);
      expect(notOk(seen)).toEqual(["fail session logs"]);
      const check = seen.checks.find(({ name }) => name === "session logs");
      expect(check?.finding).toBe(`emptied, the conversation is gone: session ${id.slice(0, 8)}`);
      expect(check?.fix).toContain("from a backup");
      expect(check?.fix).not.toContain("--fix");
      expect(check?.mended ?? []).toEqual([]);
    }
    expect(statSync(log).size).toBe(0);
    const resumed = await run(place, ["-p", "go on", "--resume", id]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toContain("the log of this session is empty");
    const again = await run(place, ["-p", "go on", "--resume", id]);
    expect(again.stderr).not.toContain("is empty");
  });

  it("OP10 P3 a log that lost its end at a line: named; a session that goes on is indexed, and the lost part is still found", async () => {
    const { place, id } = await usedPlace();
    const log = join(place.home, "sessions", id, "events.jsonl");
    const lines = readFileSync(log, "utf8").split("\n");
    const isAnswer = (line: string) => line.includes('"type":"assistant.message"');
    writeFileSync(log, `${lines.slice(0, lines.findIndex(isAnswer)).join("\n")}\n`);
    const seen = await diagnose(place);
    expect(notOk(seen)).toEqual(["fail session logs"]);
    const check = seen.checks.find(({ name }) => name === "session logs");
    expect(check?.finding).toMatch(/^shorter than when they were indexed: session \w{8} \(\d+ bytes at its end\)$/);
    expect(check?.fix).toContain("from a backup");

    const resumed = await run(place, ["-p", "marmalade", "--resume", id, "--output-format", "stream-json"]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(only(resumed.events, "soft_failure").map(({ data }) => data.code)).toEqual(["log_shortened"]);
    expect((await run(place, ["recall", "marmalade"])).stdout).toContain("marmalade");
    expect((await run(place, ["recall", "wharf is blue"])).stdout).toContain("the wharf is blue");
    expect(notOk(await diagnose(place))).toEqual([]);
    const again = await run(place, ["-p", "more", "--resume", id, "--output-format", "stream-json"]);
    expect(only(again.events, "soft_failure")).toEqual([]);
  });

  it("OP11 N20 what cannot be repaired because of another fault is told as not repaired", async () => {
    const { place, id } = await usedPlace();
    copySession(place, id, "55555555-0000-4000-8000-000000000000");
    writeFileSync(join(place.home, "settings.json"), "{bad", { mode: 0o600 });
    const { checks } = await diagnose(place, "--fix");
    const indexing = checks.find(({ name }) => name === "indexing");
    expect(indexing?.mended?.join()).toMatch(/^Not repaired: .*settings\.json:1:2 is not JSON/);
    expect(indexing?.status).toBe("warn");
  });

  it("OP11 D8 a write-ahead log that grew too long is moved into the store, sessions left out are indexed", async () => {
    const { place, id } = await usedPlace();
    copySession(place, id, "55555555-0000-4000-8000-000000000000");
    const script = `const { DatabaseSync } = require("node:sqlite"); const db = new DatabaseSync(process.argv[1]);
      db.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = -1");
      for (let i = 0; i < 9; i++) db.prepare("UPDATE sessions SET name = ?").run(String(i).repeat(8 * 1024 * 1024));
      db.exec("UPDATE sessions SET name = 'short'"); process.kill(process.pid, "SIGKILL");`;
    await once(spawn(process.execPath, ["--no-warnings", "-e", script, join(place.home, "store.db")]), "exit");
    expect(statSync(join(place.home, "store.db-wal")).size).toBeGreaterThan(64 * 1024 * 1024);
    expect(notOk(await diagnose(place))).toEqual(["warn write-ahead log", "warn indexing"]);
    expect(notOk(await diagnose(place, "--fix"))).toEqual([]);
    expect(statSync(join(place.home, "store.db-wal"), { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    expect((await run(place, ["sessions"])).stdout).toMatch(/55555555.*\n.*short|short.*\n55555555/);
  });

  it("OP2 OP11 P3 N13 a damaged journal, session database and store are made anew, one after the other, and nothing is lost", async () => {
    const { place, id } = await usedPlace();
    const { home } = place;
    const fact = "the crane is inspected on Thursdays";
    const words = ["--subject", "crane", "--fact", fact, "--cite", "User input: said so", "--reason", "planning"];
    expect((await run(place, ["memory", "add", "--scope", "user", ...words])).code).toBe(0);
    const segment = join(home, "journal", readdirSync(join(home, "journal"))[0] ?? "");
    const lines = readFileSync(segment, "utf8").split("\n");
    writeFileSync(segment, [lines[0], "{no line of ours", ...lines.slice(1), '{"id":"torn'].join("\n"));
    writeFileSync(join(home, "sessions", id, "session.db"), "no database at all ".repeat(100), { mode: 0o600 });
    const before = treeOf(home);
    expect(notOk(await diagnose(place))).toEqual(["fail journal", "fail session databases"]);
    expect(treeChanges(before, treeOf(home))).toEqual([]);
    const fixed = await diagnose(place, "--fix");
    expect(notOk(fixed), JSON.stringify(fixed.checks.filter((c) => c.status !== "ok"))).toEqual([]);
    expect((await run(place, ["memory", "list"])).stdout).toContain(fact);
    const bytes = readFileSync(join(home, "store.db"));
    for (const [name, content] of [
      ["overwritten", Buffer.from("this is no database any more ".repeat(1000))],
      ["pages destroyed", Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(40_960, 0x55), bytes.subarray(49_152)])],
      ["gone", undefined],
    ] as const) {
      for (const end of ["-wal", "-shm"]) rmSync(join(home, `store.db${end}`), { force: true });
      if (content) writeFileSync(join(home, "store.db"), content, { mode: 0o600 });
      else rmSync(join(home, "store.db"));
      expect(notOk(await diagnose(place)), name).toContain("fail store");
      const mended = await diagnose(place, "--fix");
      expect(notOk(mended), name).toEqual([]);
      const store = mended.checks.find((check) => check.name === "store");
      expect(store?.mended?.join(" "), name).toContain("store.db was rebuilt");
      expect(store?.finding, name).toContain("1 session, 1 memory");
    }
    expect((await run(place, ["memory", "list"])).stdout).toContain(fact);
    expect((await run(place, ["recall", "wharf"])).stdout).toContain("wharf");
  });

  it("OP11 N13 N20 names that are not what they should be, an emptied key and an old segment of zeros: found, moved aside, nothing lost", async () => {
    const { place, id } = await usedPlace();
    const { home } = place;
    expect((await run(place, ["memory", "add", "We deploy on Fridays"])).code).toBe(0);
    const kept = `${home}-kept`;
    cpSync(home, kept, { recursive: true });
    const damage: [name: string, spoil: () => void, findings: string[]][] = [
      ["secret.key", () => mkdirSync(join(home, "secret.key")), ["fail layout"]],
      ["journal", () => writeFileSync(join(home, "journal"), "x", { mode: 0o600 }), ["fail layout", "fail journal"]],
      ["quarantine", () => writeFileSync(join(home, "quarantine"), "x", { mode: 0o600 }), ["fail layout"]],
      [`sessions/${id}/workspace.yaml`, () => mkdirSync(join(home, "sessions", id, "workspace.yaml")), ["fail layout"]],
      [
        "journal/000001.jsonl",
        () => writeFileSync(join(home, "journal/000001.jsonl"), Buffer.alloc(3000), { mode: 0o600 }),
        ["fail journal"],
      ],
    ];
    for (const [name, spoil, findings] of damage) {
      rmSync(join(home, name), { recursive: true, force: true });
      spoil();
      expect(notOk(await diagnose(place)), name).toEqual(expect.arrayContaining(findings));
      const fixed = await diagnose(place, "--fix");
      expect(notOk(fixed), JSON.stringify(fixed.checks.filter((c) => c.status !== "ok"))).toEqual([]);
      expect(notOk(await diagnose(place)), name).toEqual([]);
      expect((await run(place, ["memory", "list"])).stdout, name).toContain("We deploy on Fridays");
      expect((await run(place, ["sessions"])).stdout, name).toContain(id.slice(0, 8));
      rmSync(home, { recursive: true });
      cpSync(kept, home, { recursive: true });
    }
    rmSync(join(home, "secret.key"));
    mkdirSync(join(home, "secret.key"));
    const refused = await run(place, ["memory", "list"]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("everlong doctor --fix")]);
    rmSync(join(home, "secret.key"), { recursive: true });
    writeFileSync(join(home, "secret.key"), "", { mode: 0o600 });
    expect((await run(place, ["-p", "go on", "--resume", id])).code).toBe(0);
    expect(readFileSync(join(home, "secret.key"), "utf8").length).toBeGreaterThan(30);
    rmSync(kept, { recursive: true });
  });

  it("F85 settings with file and line, servers, hooks, trust, changed files; findings hold no secret", async () => {
    const place = newPlace(NO_SANDBOX);
    mkdirSync(place.home, { mode: 0o700 });
    const settings =
      '{\n  "nonsense.key": 1,\n  "turn.maxSteps": "many",\n  "provider.apiKey": "sk-verysecretvalue1234567890"\n}\n';
    writeFileSync(join(place.home, "settings.json"), settings, { mode: 0o600 });
    writeFileSync(join(place.home, "mcp.json"), '{"mcpServers": {"broken": {"nothing": true}}}', { mode: 0o600 });
    mkdirSync(join(place.home, "hooks"), { mode: 0o700 });
    writeFileSync(join(place.home, "hooks", "a.json"), '{"hooks": {"preToolUse": "no list"}}', { mode: 0o600 });
    mkdirSync(join(place.folder, ".everlong"), { recursive: true });
    const own = join(place.folder, ".everlong", "settings.json");
    writeFileSync(own, '{"hooks": {}}');
    expect((await run(place, ["trust"])).code).toBe(0);
    writeFileSync(own, '{"hooks": {}, "turn.maxSteps": 3}');
    const seen = await diagnose(place);
    expect(notOk(seen)).toEqual(["warn settings", "warn mcp servers", "warn hooks", "warn trusted files"]);
    const finding = (name: string) => seen.checks.find((check) => check.name === name)?.finding ?? "";
    expect(finding("settings")).toMatch(
      /settings\.json line 2: "nonsense\.key".*settings\.json line 3: "turn\.maxSteps"/,
    );
    expect(finding("mcp servers")).toContain("broken");
    expect(finding("trusted files")).toContain(own);
    expect(JSON.stringify(seen)).not.toContain("verysecretvalue");
    writeFileSync(join(place.home, "settings.json"), '{"permissions": {"deny": ["shell(rm"', { mode: 0o600 });
    const broken = await diagnose(place);
    expect(notOk(broken)).toContain("fail settings");
    expect(broken.code).toBe(1);
  });

  it("F84 OP10 the network is touched only with --online", async () => {
    let asked = 0;
    const provider = createServer((_req, res) => {
      asked++;
      res.setHeader("content-type", "application/json").end('{"data":[{"id":"scripted"}]}');
    }).listen(0, "127.0.0.1");
    await once(provider, "listening");
    onTestFinished(() => void provider.close());
    const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
    const place = newPlace({
      ...NO_SANDBOX,
      EVERLONG_BASE_URL: url,
      EVERLONG_MODEL: "scripted",
      EVERLONG_API_KEY: "test-key-0123456789",
      OLLAMA_HOST: url,
    });
    expect(notOk(await diagnose(place))).toEqual([]);
    expect(asked).toBe(0);
    const online = await diagnose(place, "--online");
    expect(online.checks.find((check) => check.name === "model")?.finding).toContain("the server lists 1 model");
    expect(asked).toBeGreaterThan(0);
    provider.closeAllConnections();
    provider.close();
    expect(notOk(await diagnose(place, "--online"))).toEqual(["fail model"]);
  });

  it("F84 D10 M22 --report writes one private file without secrets; soft failures of 7 days are counted", async () => {
    const { place, id } = await usedPlace();
    const logs = join(place.home, "logs");
    mkdirSync(logs, { recursive: true, mode: 0o700 });
    const line = (days: number, part: string, code: string) =>
      `${JSON.stringify({ at: new Date(Date.now() - days * 86_400_000).toISOString(), event: "soft_failure", part, code })}\n`;
    const failures = [
      line(9, "memory", "too_old"),
      ...Array.from({ length: 25 }, () => line(1, "memory", "memory_timeout")),
      line(0, "recall", "slow"),
    ];
    writeFileSync(join(logs, "everlong.jsonl"), failures.join(""), { mode: 0o600 });
    writeFileSync(join(logs, "crash-2026.txt"), `at x, key ${"ghp_"}${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`, {
      mode: 0o600,
    });
    const file = join(place.folder, "report.json");
    const done = await run(place, ["doctor", "--report", file]);
    expect(done.stdout).toMatch(
      /warn soft failures: 26 in 7 days: memory memory_timeout 25, recall slow 1; memory last: /,
    );
    expect(done.stdout.match(/memory_timeout/g)?.length).toBe(21);
    const text = readFileSync(file, "utf8");
    const report = JSON.parse(text) as { checks: Seen[]; crashes: string[]; settings: { key: string }[] };
    expect(report.checks.length).toBeGreaterThan(25);
    expect(report.settings.map(({ key }) => key)).toContain("provider.baseUrl");
    expect(report.crashes[0]).toContain("[redacted:");
    expect(text).not.toContain("test-key-0123456789");
    expect(text).not.toContain("wharf");
    expect(text).not.toContain(`${dirname(place.home)}/`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run(place, ["doctor", "--report", file])).code).toBe(2);
    expect(id).not.toBe("");
  });

  it("OP11 P14 a process that outlived its session is named, and not ended without a yes", async () => {
    const place = newPlace();
    const mark = "11111111-dead-4000-8000-000000000000.1.";
    const env = { EVERLONG_RUN: mark, EVERLONG_HOME: place.home, PATH: process.env["PATH"] ?? "" };
    const left = spawn("sleep", ["300"], { env });
    onTestFinished(() => void left.kill("SIGKILL"));
    await once(left, "spawn");
    const seen = await diagnose(place, "--fix");
    const check = seen.checks.find(({ name }) => name === "processes");
    expect(check?.status).toBe("warn");
    expect(check?.finding).toContain(`${left.pid} (sleep 300)`);
    expect(left.exitCode ?? left.signalCode).toBeNull();
  });

  it("a model's shell cannot have things mended", async () => {
    const done = await run(newPlace(), ["doctor", "--fix"], { env: { EVERLONG_TOOL_SHELL: "x" } });
    expect([done.code, done.stderr.split("\n")[0]]).toEqual([1, expect.stringContaining("Only a person can")]);
  });
});
