// Histories as they really are: torn, huge, hostile, growing, shrinking, with clocks that are wrong.
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { expect, it } from "vitest";
import { run, sessionsOf, start } from "../tool/everlong.ts";
import {
  claudeFile,
  claudeSays,
  fixtures,
  type ImportStage,
  importStage,
  placeFixture,
  printOf,
  setBack,
} from "./stage.ts";

type Summary = {
  sessions: { added: number };
  files: { unchanged: number };
  items: Record<"seen" | "added", number>;
  badLines: number;
  bad: { file: string; line: number }[];
  duplicates: number;
};

async function imported({ place }: ImportStage, args: string[] = ["claude"]): Promise<Summary> {
  const outcome = await run(place, ["import", ...args, "--json"]);
  expect(outcome.code, outcome.stderr).toBe(0);
  return outcome.json as Summary;
}

const recalled = async ({ place }: ImportStage, query: string): Promise<string> =>
  (await run(place, ["recall", query])).stdout;

it("RB25 B68 IM7 torn, blank and foreign lines are counted with their numbers; the good ones are taken, an unfinished last one waits", async () => {
  const stage = importStage();
  const line = (text: string) => JSON.stringify(claudeSays(stage, text));
  const deep = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`;
  const path = claudeFile(stage, [
    `\ufeff${line("marmots after a byte order mark")}`,
    `${line("gophers before a carriage return")}\r`,
    line("badgers\u2028around a separator"),
    '{"type":"user","message":{"role":"us',
    "[1,2,3]",
    "",
    `{"type":"user","uuid":"d","sessionId":"one","cwd":"/x","message":{"content":[{"type":"tool_use","id":"c","name":"n","input":${deep}}]}}`,
    `${line("otters before zeros")}\0\0\0`,
    JSON.stringify({ type: "invented-tomorrow", sessionId: "one" }),
    JSON.stringify({ type: 7, message: "?" }),
  ]);
  const last = line("weasels come later");
  appendFileSync(path, last.slice(0, 40));
  setBack(path);
  const before = printOf(stage.home);
  const first = await imported(stage);
  expect(first).toMatchObject({ items: { added: 4 }, badLines: 2 });
  expect(first.bad.map((one) => [one.file, one.line])).toEqual([
    [path, 4],
    [path, 5],
  ]);
  expect(printOf(stage.home)).toEqual(before);
  appendFileSync(path, `${last.slice(40)}\n`);
  expect((await imported(stage)).items.added).toBe(1);
  expect((await imported(stage)).items.added).toBe(0);
  for (const word of ["marmots", "gophers", "badgers", "otters", "weasels"])
    expect(await recalled(stage, word)).toContain(word);
});

it("RB25 a line longer than memory is listed, and what follows it is taken", async () => {
  const stage = importStage();
  const path = claudeFile(stage, [claudeSays(stage, "before the flood")]);
  for (let i = 0; i < 70; i++) appendFileSync(path, "x".repeat(1024 * 1024));
  appendFileSync(path, `\n${JSON.stringify(claudeSays(stage, "after the flood"))}\n`);
  expect(await imported(stage)).toMatchObject({ items: { added: 2 }, bad: [{ line: 2, reason: "a line of 70 MB" }] });
});

it("RB25 IM1 a packed file that was cut short gives what stands before the damage, also with --since, and is taken whole when it is whole", async () => {
  const stage = importStage();
  const said = (i: number) => ({
    timestamp: "2026-03-04T05:06:07.000Z",
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text: `kestrel ${i} ${random(i)}` }] },
  });
  // Words that do not pack well, so that much of the file is left when its end is cut off.
  const random = (i: number): string =>
    Array.from({ length: 40 }, (_, n) => ((i + 7) * (n + 11) * 7919).toString(36)).join(" ");
  const meta = { type: "session_meta", payload: { id: "packed", cwd: stage.place.folder } };
  const lines = [meta, ...Array.from({ length: 2000 }, (_, i) => said(i))].map((line) => `${JSON.stringify(line)}\n`);
  const packed = zstdCompressSync(lines.join(""));
  const path = join(stage.home, ".codex", "sessions", "2026", "03", "04", "rollout-2026-03-04-packed.jsonl.zst");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, packed.subarray(0, Math.floor(packed.length * 0.9)));
  setBack(path);
  const since = await imported(stage, ["codex", "--since", "2026-01-01"]);
  expect(since.bad).toEqual([expect.objectContaining({ file: path })]);
  expect(since.items.added).toBeGreaterThan(1000);
  expect(await imported(stage, ["codex"])).toMatchObject({ items: { added: 0 }, duplicates: since.items.added });
  writeFileSync(path, packed);
  expect(await imported(stage, ["codex"])).toMatchObject({ items: { added: 2000 - since.items.added }, badLines: 0 });
  expect(await imported(stage, ["codex"])).toMatchObject({ items: { seen: 2000, added: 0 }, duplicates: 0 });
});

it("IM4 RI16 only what was appended is taken; a file that shrinks, or is written anew, loses and doubles nothing", async () => {
  const stage = importStage();
  const [one, two, three] = ["first words", "second words", "third words"].map((text) => claudeSays(stage, text));
  const path = claudeFile(stage, [one ?? {}, two ?? {}]);
  setBack(path);
  expect((await imported(stage)).items.added).toBe(2);
  appendFileSync(path, `${JSON.stringify(three)}\n`);
  expect(await imported(stage)).toMatchObject({ items: { seen: 3, added: 1 }, duplicates: 0 });
  truncateSync(path, JSON.stringify(one).length + 1);
  expect(await imported(stage)).toMatchObject({ items: { added: 0 }, duplicates: 1 });
  claudeFile(stage, [three ?? {}, claudeSays(stage, "fourth words"), one ?? {}]);
  expect(await imported(stage)).toMatchObject({ items: { added: 1 }, duplicates: 2 });
  for (const word of ["first", "second", "third", "fourth"])
    expect(await recalled(stage, `${word} words`)).toContain(`${word} words`);
});

it("IM2 RB10 clocks in the future and in the year 1 are no obstacle; a session's name cannot leave its folder", async () => {
  const stage = importStage();
  claudeFile(stage, [
    claudeSays(stage, "said tomorrow", { timestamp: "2999-01-01T00:00:00Z", session: "../../../escape" }),
    claudeSays(stage, "said in the year one", { timestamp: "0001-01-01T00:00:00Z", session: "../../../escape" }),
    claudeSays(stage, "said at no time", { timestamp: "soon", session: "../../../escape" }),
  ]);
  expect((await imported(stage)).items.added).toBe(3);
  const [id = ""] = sessionsOf(stage.place);
  expect(id).toMatch(/^imp_claude_[\w.-]+$/);
  expect(await recalled(stage, "said tomorrow")).toContain("2999-01-01");
});

it("IM1 IM4 hundreds of small files, most of them subagents of one session, are taken once and found", async () => {
  const stage = importStage();
  claudeFile(stage, [claudeSays(stage, "count the puffins", { id: "main" })]);
  for (let n = 0; n < 300; n++) {
    const rest = n % 3 === 0 ? { session: `other${n}` } : { isSidechain: true, agentId: `scout${n}` };
    claudeFile(stage, [claudeSays(stage, `report${n} of the puffins`, { id: `agent${n}`, ...rest })], `agent-${n}`);
  }
  expect(await imported(stage)).toMatchObject({ sessions: { added: 101 }, items: { added: 301 }, duplicates: 0 });
  expect(await imported(stage)).toMatchObject({
    items: { seen: 301, added: 0 },
    duplicates: 0,
    files: { unchanged: 301 },
  });
  for (const n of [1, 150, 299]) expect(await recalled(stage, `report${n}`)).toContain(`report${n} of the puffins`);
});

it("IM5 links out of the folder are not followed", async () => {
  const stage = importStage();
  claudeFile(stage, [claudeSays(stage, "inside the folder")]);
  const outside = join(dirname(stage.home), "outside");
  mkdirSync(outside);
  writeFileSync(
    join(outside, "x.jsonl"),
    `${JSON.stringify(claudeSays(stage, "outside the folder", { session: "two" }))}\n`,
  );
  symlinkSync(outside, join(stage.home, ".claude", "projects", "link"));
  symlinkSync(join(outside, "x.jsonl"), join(stage.home, ".claude", "projects", "-shop", "link.jsonl"));
  expect((await imported(stage)).items.added).toBe(1);
});

/** Nobody, for a test that runs as root, who may read everything. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : undefined;
const canBeNobody = !asNobody || spawnSync("setpriv", ["--version"]).status === 0;

it.runIf(canBeNobody)("IM7 a file and a folder of another user are named, and the rest is taken", async () => {
  const stage = importStage();
  claudeFile(stage, [claudeSays(stage, "readable")]);
  const secret = claudeFile(stage, [claudeSays(stage, "unreadable", { session: "two" })], "two");
  const folder = join(stage.home, ".claude", "projects", "-theirs");
  mkdirSync(folder);
  if (isRoot) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, dirname(stage.home)]);
  for (const path of [secret, folder]) chmodSync(path, 0);
  const under = asNobody ? { under: asNobody } : {};
  const outcome = await run(stage.place, ["import", "claude", "--json"], under);
  chmodSync(folder, 0o700);
  expect(outcome.code, outcome.stderr).toBe(0);
  const reason = "no permission to read it";
  expect(outcome.json).toMatchObject({
    ...{ items: { added: 1 }, files: { unreadable: 2 } },
    bad: [
      { file: folder, reason },
      { file: secret, reason },
    ],
  });
});

it("RB25 IM4 a file that its client writes while it is read is taken once, line by line", async () => {
  const stage = importStage();
  const line = (n: number): string =>
    `${JSON.stringify(claudeSays(stage, `grown ${n} ${"words ".repeat(50)}`, { id: `grown-${n}` }))}\n`;
  const path = claudeFile(stage, []);
  appendFileSync(path, Array.from({ length: 1000 }, (_, n) => line(n)).join(""));
  setBack(path);
  const child = start(stage.place, ["--output-format", "stream-json", "import", "claude"]);
  let count = 1000;
  // Every line comes in two pieces, so that the import may meet half of one.
  child.stdout?.on("data", () => {
    const text = line(count++);
    appendFileSync(path, text.slice(0, 40));
    appendFileSync(path, text.slice(40));
  });
  expect((await child.done).code).toBe(0);
  expect(count).toBeGreaterThan(1000);
  await imported(stage);
  expect(await imported(stage)).toMatchObject({ items: { seen: count, added: 0 }, badLines: 0 });
  const log = readFileSync(join(stage.place.home, "sessions", "imp_claude_one", "events.jsonl"), "utf8");
  for (let n = 0; n < count; n++) expect(log.split(`"grown ${n} `)).toHaveLength(2);
});

it("RB25 IM5 a database that its program has locked and is writing is read, and left as it is", async () => {
  const fixture = fixtures.find(({ client }) => client === "opencode");
  const stage = importStage();
  if (fixture) placeFixture(fixture, stage);
  const path = join(stage.home, ".local", "share", "opencode", "opencode.db");
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL; BEGIN EXCLUSIVE; UPDATE session SET title = 'being written'");
  try {
    expect((await imported(stage, ["opencode"])).items.added).toBeGreaterThan(3);
  } finally {
    db.exec("ROLLBACK");
    db.close();
  }
});

it("IM7 a damaged database does not stop the others; nothing readable at all is exit 1", async () => {
  const stage = importStage();
  const path = join(stage.home, ".local", "share", "opencode", "opencode.db");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "this is no database at all, whatever its name says");
  claudeFile(stage, [claudeSays(stage, "still there")]);
  const all = await run(stage.place, ["import", "--yes"]);
  expect([all.code, all.stdout]).toEqual([0, expect.stringContaining(path)]);
  expect(await recalled(stage, "still there")).toContain("still there");
  expect((await run(stage.place, ["import", "opencode"])).code).toBe(1);
});

it("IM1 IM7 wrong names: exit 2 for a client, 1 for a folder or path that is not there", async () => {
  const { place } = importStage();
  const [client, folder, path] = [
    ["import", "nosuch"],
    ["import", "claude"],
    ["import", "claude", "/no/such/path"],
  ];
  const two = ["import", "codex", "--undo", "claude", "--yes"];
  const outcomes = await Promise.all([client, folder, path, two].map((args) => run(place, args)));
  expect(outcomes.map(({ code }) => code)).toEqual([2, 1, 1, 2]);
  expect(outcomes[0]?.stderr).toContain("claude, codex");
  expect((await run(place, ["import"])).stdout).toContain("No history of other agents");
});

it("IM4 N13 a lost store is no reason to take anything twice; a session that was deleted stays deleted", async () => {
  const stage = importStage();
  claudeFile(stage, [claudeSays(stage, "kept words", { id: "k" })]);
  claudeFile(stage, [claudeSays(stage, "unwanted words", { session: "two" })], "two");
  await imported(stage);
  for (const end of ["", "-wal", "-shm"]) rmSync(join(stage.place.home, `store.db${end}`), { force: true });
  expect(await imported(stage)).toMatchObject({ items: { added: 0 }, duplicates: 2 });
  expect((await run(stage.place, ["sessions", "delete", "imp_claude_two", "--yes"])).code).toBe(0);
  expect((await imported(stage)).items.added).toBe(0);
  expect(await recalled(stage, "unwanted words")).not.toContain("unwanted words");
  const log = join(stage.place.home, "sessions", "imp_claude_one", "events.jsonl");
  expect(readFileSync(log, "utf8").match(/kept words/g)).toHaveLength(1);
});
