// CE10 P8 CB19 CB20: killed at any place, a compaction has happened or has not; files, rows and numbers follow the log.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { messagesOf, textOf, withOwnHome } from "../agent/scene.ts";
import { hang, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run, start } from "../tool/everlong.ts";
import { lacks } from "../tool/fault-tool.ts";
import { converse, fileOf, outcomes, prose, type Stage, SUMMARY, stage } from "./stage.ts";

const POINTS: [point: string, committed: boolean][] = [
  ["start event", false],
  ["hook", false],
  ["model reply", false],
  ["checkpoint file", false],
  ["complete event", false],
  ["index.md", true],
  ["workspace.yaml", true],
  ["store row", true],
];

const PROMPTS = ["first prompt", "second prompt", "third prompt"];
const FULL = PROMPTS.flatMap((prompt, n) => [prompt, `answer ${n + 1}`]);

/** A session of three turns. */
async function seeded(options: Parameters<typeof stage>[1] = {}): Promise<Stage & { id: string }> {
  const staged = await stage((_r, n) => text(`answer ${n + 1}`), options);
  const { client, say, close } = await converse(staged.place);
  for (const prompt of PROMPTS) await say(prompt);
  await close();
  return { ...staged, id: client.sessionId };
}

const sent = ({ mains }: Stage): string[] => messagesOf(mains().at(-1)).slice(1).map(textOf);

const checkpointFiles = (place: Place, id: string): string[] => {
  const folder = join(place.home, "sessions", id, "checkpoints");
  return existsSync(folder) ? readdirSync(folder).sort() : [];
};

const rows = (place: Place): unknown[] => {
  const db = new DatabaseSync(join(place.home, "store.db"), { readOnly: true });
  try {
    const all = db.prepare("SELECT checkpoint_number AS n, state FROM checkpoints ORDER BY 1").all();
    return all.map((row) => `${row["n"]} ${row["state"]}`);
  } finally {
    db.close();
  }
};

/** Files, index, count and rows say what the log says. */
function checkDerived(place: Place, id: string, live: number[]): void {
  const names = live.map((n) => `${String(n).padStart(3, "0")}-parser-work.md`);
  expect(checkpointFiles(place, id).filter((f) => f !== "index.md")).toEqual(names);
  expect(fileOf(place, id, "workspace.yaml")).toContain(`summary_count: ${live.length}\n`);
  expect(rows(place)).toEqual(live.map((n) => `${n} live`));
  for (const name of names) expect(fileOf(place, id, "checkpoints", "index.md")).toContain(name);
}

describe("CE10 P8 killed while compacting", () => {
  it("P8 CE10 C106 C110 at every place: old or new state, open start closed, numbers without gap or double", async () => {
    const base = await seeded();
    const { id } = base;
    for (const [point, committed] of POINTS) {
      const place = withOwnHome(base.place);
      const before = logOf(place, id);
      const killed = await run(place, ["--resume", id, "-p", "/compact"], { env: { EVERLONG_CRASH_AT: point } });
      expect([point, killed.signal]).toEqual([point, "SIGKILL"]);
      const left = logOf(place, id);
      expect(left.slice(0, before.length)).toEqual(before);
      expect([point, outcomes(left)]).toEqual([point, committed ? ["applied"] : []]);
      const resumed = await converse(place, { resume: id });
      const ended = committed ? ["applied"] : point === "start event" ? [] : ["interrupted"];
      expect([point, outcomes(logOf(place, id))]).toEqual([point, ended]);
      await resumed.say("after the crash");
      if (committed) expect(sent(base)).toEqual([expect.stringContaining("<conversation_summary>"), "after the crash"]);
      else expect([point, sent(base)]).toEqual([point, [...FULL, "after the crash"]]);
      checkDerived(place, id, committed ? [1] : []);
      expect((await resumed.client.history.compact("")).ok).toBe(true);
      await resumed.close();
      checkDerived(place, id, committed ? [1, 2] : [1]);
      expect(outcomes(logOf(place, id))).toEqual([...ended, "applied"]);
    }
  });

  it("CE10 C110 kill -9 while the summary call is held, by hand and in the background", async () => {
    let held = true;
    const base = await seeded({ summary: () => (held ? hang() : text(SUMMARY)) });
    const { place, id, server } = base;
    const { say, close } = await converse(place, { resume: id });
    await say(prose(6_000, "long"));
    await close();
    const manual = start(place, ["--resume", id, "-p", "/compact"]);
    await server.waitFor(5);
    manual.kill("SIGKILL");
    await manual.done;
    const background = start(place, ["--resume", id, "-p", "more"], {
      env: { EVERLONG_BACKGROUND_COMPACTION_THRESHOLD: "0.3" },
    });
    await server.waitFor(7);
    background.kill("SIGKILL");
    await background.done;
    held = false;
    const done = await run(place, ["--resume", id, "-p", "still there?"]);
    expect(done.code, done.stderr).toBe(0);
    expect(outcomes(logOf(place, id))).toEqual(["interrupted", "interrupted"]);
    expect(sent(base).slice(0, 6)).toEqual(FULL);
    for (const { data } of only(logOf(place, id), "session.compaction_complete"))
      expect(data).toMatchObject({ success: false, outcome: "failed", messagesRemoved: 0, tokensRemoved: 0 });
  });

  it("CB20 an open start and a torn last line: closed as interrupted, the other records kept", async () => {
    const base = await seeded();
    const { place, id } = base;
    await run(place, ["--resume", id, "-p", "/compact"], { env: { EVERLONG_CRASH_AT: "hook" } });
    const path = join(place.home, "sessions", id, "events.jsonl");
    const whole = readFileSync(path, "utf8");
    appendFileSync(path, '{"id":"torn","type":"session.compaction_comp');
    const done = await run(place, ["--resume", id, "-p", "still there?"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stderr).toContain("Recovered after a crash");
    expect(readFileSync(path, "utf8").startsWith(whole)).toBe(true);
    expect(outcomes(logOf(place, id))).toEqual(["interrupted"]);
    expect(sent(base)).toEqual([...FULL, "still there?"]);
  });

  it("CE10 C106 a checkpoint file that no event names is removed, one that is missing is written again", async () => {
    const { place, id } = await seeded();
    await run(place, ["--resume", id, "-p", "/compact"]);
    const folder = join(place.home, "sessions", id, "checkpoints");
    const text1 = fileOf(place, id, "checkpoints", "001-parser-work.md");
    rmSync(join(folder, "001-parser-work.md"));
    writeFileSync(join(folder, "002-left-over.md"), "of a crash");
    const { say, close } = await converse(place, { resume: id });
    await say("go on");
    await close();
    checkDerived(place, id, [1]);
    const part = (file: string): string => file.slice(file.indexOf("# Parser work"));
    expect(part(fileOf(place, id, "checkpoints", "001-parser-work.md"))).toBe(part(text1));
    rmSync(folder, { recursive: true });
    const listed = await run(place, ["checkpoints", id]);
    expect(listed.stdout).toContain("Parser work");
    checkDerived(place, id, [1]);
  });

  it("CB19 the checkpoint's file cannot be written: applied all the same, told, and made good later", async () => {
    const { place, id } = await seeded();
    const inTheWay = join(place.home, "sessions", id, "checkpoints", "001-parser-work.md");
    mkdirSync(inTheWay, { recursive: true });
    const done = await run(place, ["--resume", id, "-p", "/compact"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stderr).toContain("Warning: checkpoint file failed");
    expect(outcomes(logOf(place, id))).toEqual(["applied"]);
    rmSync(inTheWay, { recursive: true });
    await run(place, ["--resume", id, "-p", "go on"]);
    checkDerived(place, id, [1]);
  });

  it.skipIf(lacks("strace")).each([
    ["compaction_start", 2],
    ["compaction_complete", 4],
  ])(
    "CB19 a full disk while %s is written: the same event is tried again, and the attempt succeeds",
    async (_what, at) => {
      const { place, id, summaries } = await seeded();
      const events = join(place.home, "sessions", id, "events.jsonl");
      const inject = `inject=write,writev,pwrite64:error=ENOSPC:when=${at}`;
      const under = [
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-P",
        events,
        "-e",
        "trace=write,writev,pwrite64",
        "-e",
        inject,
      ];
      const done = await run(place, ["--resume", id, "-p", "/compact"], { under });
      expect(done.code, done.stderr).toBe(0);
      expect(done.stderr).toContain("store_full");
      expect(outcomes(logOf(place, id))).toEqual(["applied"]);
      expect(summaries()).toHaveLength(1);
      checkDerived(place, id, [1]);
    },
  );
});

describe("CE10 replay and rewind", () => {
  it("CE10 C128 plan.md edited after the compaction: the resumed request carries the old bytes", async () => {
    const base = await seeded();
    const { place, id } = base;
    const plan = join(place.home, "sessions", id, "plan.md");
    writeFileSync(plan, "PLAN-OF-THEN");
    await run(place, ["--resume", id, "-p", "/compact"]);
    const message = only(logOf(place, id), "session.compaction_complete")[0]?.data.replacementContent;
    expect(message).toContain("PLAN-OF-THEN");
    writeFileSync(plan, "PLAN-OF-NOW");
    await run(place, ["--resume", id, "-p", "go on"]);
    expect(sent(base)).toEqual([message, "go on"]);
  });

  it("CE10 C131 C124 rewound across: full items, checkpoint withdrawn, its number never used again", async () => {
    const base = await seeded();
    const { place, id } = base;
    expect((await run(place, ["--resume", id, "-p", "/compact"])).code).toBe(0);
    const back = await run(place, ["--resume", id, "-p", "/rewind t3"]);
    expect(back.code, back.stderr).toBe(0);
    expect(rows(place)).toEqual(["1 withdrawn"]);
    expect(fileOf(place, id, "workspace.yaml")).toContain("summary_count: 0\n");
    expect(fileOf(place, id, "checkpoints", "index.md")).not.toContain("parser-work");
    expect(checkpointFiles(place, id)).toEqual(["001-parser-work.md", "index.md"]);
    rmSync(join(place.home, "sessions", id, "checkpoints"), { recursive: true });
    expect((await run(place, ["checkpoints", id])).stdout).toContain("No checkpoints yet");
    const { say, client, close } = await converse(place, { resume: id });
    await say("another third");
    expect(sent(base)).toEqual([...FULL.slice(0, 4), "another third"]);
    expect((await client.history.compact("")).ok).toBe(true);
    await close();
    expect(rows(place)).toEqual(["1 withdrawn", "2 live"]);
    expect(checkpointFiles(place, id)).toEqual(["002-parser-work.md", "index.md"]);
    const listed = await run(place, ["checkpoints", "--json", id]);
    expect((listed.json as unknown as { number: number }[]).map((c) => c.number)).toEqual([2]);
  });

  it("C131 C19 a rewind tells the usage of the history that is left", async () => {
    const { place, id } = await seeded();
    const { client, events } = await converse(place, { resume: id });
    expect((await client.history.rewind("t2")).ok).toBe(true);
    const usage = only(events, "session.usage_info").at(-1)?.data;
    expect(usage).toMatchObject({ messagesLength: 2, epoch: { reason: "rewind" } });
  });

  it("C131 a fork has the live checkpoints and their numbers", async () => {
    const { place, id } = await seeded();
    await run(place, ["--resume", id, "-p", "/compact"]);
    const forked = await run(place, ["--resume", id, "-p", "/fork"]);
    const copy = /Forked into ([0-9a-f-]{36})/.exec(forked.stdout)?.[1] ?? "";
    const { say, client, close } = await converse(place, { resume: copy });
    await say("in the fork");
    expect((await client.history.compact("")).ok).toBe(true);
    await close();
    expect(checkpointFiles(place, copy)).toEqual(["001-parser-work.md", "002-parser-work.md", "index.md"]);
    expect(checkpointFiles(place, id)).toEqual(["001-parser-work.md", "index.md"]);
    expect(fileOf(place, copy, "workspace.yaml")).toContain("summary_count: 2\n");
  });
});
