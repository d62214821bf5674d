// An import as it runs: interrupted, killed, twice at once; what is asked for, and what the text of a history becomes.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readEvent } from "../../src/schema/event/envelope.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { only, run, sessionsOf, start } from "../tool/everlong.ts";
import { claudeFile, claudeSays, type ImportStage, importStage, type Line } from "./stage.ts";

const logOf = ({ place }: ImportStage, id: string): string =>
  readFileSync(join(place.home, "sessions", id, "events.jsonl"), "utf8");

/** Two sessions, long enough to be met in the middle. */
function longHistory(stage: ImportStage): void {
  for (const session of ["one", "two"]) {
    const said = (i: number): Line =>
      claudeSays(stage, `message ${i} ${"of many words ".repeat(20)}`, {
        id: `${session}-${i}`,
        session,
        type: i % 2 ? "assistant" : "user",
      });
    claudeFile(
      stage,
      Array.from({ length: 1500 }, (_, i) => said(i)),
      session,
    );
  }
}

/** An import, or its undoing, that tells events. */
const startTelling = (stage: ImportStage, args: readonly string[]): ReturnType<typeof start> =>
  start(stage.place, ["--output-format", "stream-json", "import", ...args]);

/** Resolves with the second event of progress: something is done by then. */
const begun = (child: ReturnType<typeof start>): Promise<void> =>
  new Promise((resolve) => {
    let told = "";
    child.stdout?.on("data", (data: Buffer) => {
      told += data;
      if (told.split('"work.progress"').length > 2) resolve();
    });
  });

it.each(["SIGKILL", "SIGINT"] as const)(
  "RI16 RE15 IM6 F70 after %s in the middle the next run ends as if nothing had been",
  async (signal) => {
    const [stage, whole] = [importStage(), importStage()];
    for (const one of [stage, whole]) longHistory(one);
    // The same folder is named by both.
    whole.place.env["HOME"] = stage.home;
    const child = startTelling(stage, ["claude"]);
    await begun(child);
    child.kill(signal);
    const stopped = await child.done;
    if (signal === "SIGINT")
      expect([stopped.code, stopped.stderr]).toEqual([130, expect.stringContaining("Run the same command again")]);
    const rest = await run(stage.place, ["import", "claude", "--json"]);
    expect(rest.code, rest.stderr).toBe(0);
    expect((await run(whole.place, ["import", "claude"])).code).toBe(0);
    for (const id of ["imp_claude_one", "imp_claude_two"]) expect(logOf(stage, id) === logOf(whole, id)).toBe(true);
    const count = async (at: ImportStage): Promise<number> => {
      const recall = await run(at.place, [
        "recall",
        "--all",
        "--order",
        "time",
        "--limit",
        "1000",
        "message",
        "--json",
      ]);
      expect(recall.code, recall.stderr).toBe(0);
      return (recall.json["results"] as unknown[]).length;
    };
    expect(await count(stage)).toBe(await count(whole));
    expect((await run(stage.place, ["import", "claude", "--json"])).json).toMatchObject({
      items: { seen: 3000, added: 0 },
    });
  },
);

it("IM6 F70 undoing tells how far it is, stops at Ctrl+C, and the next call removes the rest", async () => {
  const stage = importStage();
  const names = Array.from({ length: 12 }, (_, n) => `session${n}`);
  for (const session of names)
    claudeFile(
      stage,
      Array.from({ length: 40 }, (_, i) =>
        claudeSays(stage, `message ${i} of many words`, { id: `${session}-${i}`, session }),
      ),
      session,
    );
  expect((await run(stage.place, ["import", "claude"])).code).toBe(0);
  expect(sessionsOf(stage.place)).toHaveLength(12);
  const child = startTelling(stage, ["--undo", "claude", "--yes"]);
  await begun(child);
  child.kill("SIGINT");
  const stopped = await child.done;
  const left = sessionsOf(stage.place).length;
  expect(stopped.stdout).toContain('"label":"Removing Claude Code"');
  // It may have come to its end before the signal did.
  if (left > 0)
    expect([stopped.code, stopped.stderr]).toEqual([130, expect.stringContaining(`${12 - left} of 12 sessions`)]);
  const rest = await run(stage.place, ["import", "--undo", "claude", "--yes"]);
  expect(rest.code, rest.stderr).toBe(0);
  expect(sessionsOf(stage.place)).toHaveLength(0);
  expect((await run(stage.place, ["import", "claude"])).stdout).toContain("12 new sessions");
});

it("IM6 an undo that was killed between a folder and its rows is ended by the next one; one that waits for an import takes what that adds", async () => {
  const stage = importStage();
  claudeFile(stage, [claudeSays(stage, "about a lynx")]);
  claudeFile(stage, [claudeSays(stage, "about an ibex", { session: "two" })], "two");
  expect((await run(stage.place, ["import", "claude"])).code).toBe(0);
  rmSync(join(stage.place.home, "sessions", "imp_claude_one"), { recursive: true });
  expect((await run(stage.place, ["import", "--undo", "claude", "--yes"])).stdout).toContain("Removed 2 sessions");
  expect((await run(stage.place, ["recall", "lynx"])).stdout).toContain("No matches");
  longHistory(stage);
  const child = startTelling(stage, ["claude"]);
  await begun(child);
  const undone = await run(stage.place, ["import", "--undo", "claude", "--yes"]);
  expect([(await child.done).code, undone.code]).toEqual([0, 0]);
  expect(sessionsOf(stage.place)).toEqual([]);
});

it("IM4 two imports at once take everything once", async () => {
  const stage = importStage();
  longHistory(stage);
  const outcomes = await Promise.all([1, 2].map(() => run(stage.place, ["import", "claude", "--json"])));
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
  // The one that waits says so on stderr: stdout is data alone.
  for (const { stdout } of outcomes) expect(JSON.parse(stdout)).toMatchObject({ items: { seen: 3000 } });
  const ids = logOf(stage, "imp_claude_one")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { id: string }).id);
  expect(new Set(ids).size).toBe(ids.length);
  expect((await run(stage.place, ["import", "claude", "--json"])).json).toMatchObject({
    items: { seen: 3000, added: 0 },
  });
});

it("IM1 IM3 N27 what was typed is taken: no wrappers, meta lines or notices; agents, summaries and what was taken back are told apart", async () => {
  const stage = importStage();
  const path = claudeFile(stage, [
    claudeSays(stage, "<system-reminder>be brief</system-reminder>\nport the walrus module", { id: "a" }),
    claudeSays(stage, "ported the walrus", { id: "b", type: "assistant", parentUuid: "a" }),
    claudeSays(stage, "an aside about narwhals", { id: "c", parentUuid: "b" }),
    claudeSays(stage, "meta of the client", { id: "d", isMeta: true }),
    claudeSays(stage, "<command-name>/clear</command-name>", { id: "e" }),
    claudeSays(stage, "port the seal module instead", { id: "f", parentUuid: "b" }),
    claudeSays(stage, "look through the pinnipeds", { id: "g", isSidechain: true, agentId: "scout" }),
    claudeSays(stage, "The user ported walrus and seal.", { id: "h", isCompactSummary: true }),
  ]);
  expect((await run(stage.place, ["import", "claude", "--json"])).json).toMatchObject({
    turns: { added: 3 },
    items: { added: 6 },
    skipped: { meta: 1, "user without text": 1 },
  });
  const log = logOf(stage, "imp_claude_one");
  for (const absent of ["be brief", "meta of the client", "/clear"]) expect(log).not.toContain(absent);
  const find = async (words: string) =>
    (await run(stage.place, ["recall", words, "--json"])).json["results"] as Record<string, unknown>[];
  expect((await find("narwhals"))[0]).toMatchObject({ rewound: true, ref: "t2.1" });
  expect((await find("seal module"))[0]).toMatchObject({
    rewound: false,
    ref: "t3.1",
    source: { client: "claude", file: path, line: 6 },
  });
  expect((await find("pinnipeds"))[0]).toMatchObject({ role: "user", ref: "t3" });
  expect((await run(stage.place, ["recall", "walrus", "--kind", "checkpoint"])).stdout).toContain(
    "ported walrus and seal",
  );
  expect((await run(stage.place, ["sessions", "show", "imp_claude_one"])).code).toBe(0);
  expect((await run(stage.place, ["recall", "imp_claude_one:t3"])).stdout).toContain("port the seal module instead");
});

it("IM1 --here takes this repository's sessions, --since those that went on, and the rest can be taken later", async () => {
  const stage = importStage();
  claudeFile(stage, [claudeSays(stage, "here and old", { timestamp: "2024-01-01T00:00:00Z" })]);
  claudeFile(stage, [claudeSays(stage, "elsewhere and new", { session: "two", cwd: "/gone/elsewhere" })], "two");
  const added = async (...args: string[]) =>
    ((await run(stage.place, ["import", "claude", "--json", ...args])).json["items"] as { added: number }).added;
  expect(await added("--since", "2025-01-01", "--here")).toBe(0);
  expect(await added("--since", "2025-01-01")).toBe(1);
  expect(sessionsOf(stage.place)).toEqual(["imp_claude_two"]);
  expect(await added("--here")).toBe(1);
  expect(await added()).toBe(0);
  for (const args of [["claude"], [], ["--yes"], ["--dry-run"]]) {
    const refused = await run(stage.place, ["import", ...args, "--since", "someday"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('"someday" is not a date.')]);
  }
});

it("IM6 without a client it lists what it would take, and takes nothing without a yes", async () => {
  const stage = importStage();
  claudeFile(stage, [claudeSays(stage, "a word")]);
  const listed = await run(stage.place, ["import"]);
  expect([listed.code, listed.stdout]).toEqual([
    0,
    expect.stringMatching(/claude\s+Claude Code\s+1 file[\s\S]*everlong import --yes/),
  ]);
  const fitting = await run(stage.place, ["import", "--here", "--since", "2 weeks ago", "--graph"]);
  expect(fitting.stdout).toContain('To import what fits: everlong import --here --since "2 weeks ago" --graph --yes');
  expect(sessionsOf(stage.place)).toEqual([]);
  expect((await run(stage.place, ["import", "--undo", "claude"])).stdout).toContain(
    "Nothing was imported from claude.",
  );
});

it("F70 with stream-json stdout has events only: progress that is not kept, and the summary at the end; a short import in a pipe is quiet", async () => {
  const stage = importStage();
  longHistory(stage);
  const told = await startTelling(stage, ["claude"]).done;
  const events = told.stdout
    .trim()
    .split("\n")
    .map((line) => readEvent(JSON.parse(line)));
  const known = events.flatMap((one) => (one.type === "known" ? [one.event] : []));
  expect([told.code, known.length]).toEqual([0, events.length]);
  expect(known.every(({ ephemeral }) => ephemeral)).toBe(true);
  const steps = only(known, "work.progress");
  expect(steps.length).toBeGreaterThanOrEqual(10);
  expect(steps[0]?.data).toMatchObject({ label: "Claude Code", unit: "item" });
  expect(steps.map(({ data }) => data.part)).toEqual(steps.map(({ data }) => data.part).sort((a, b) => a - b));
  expect(known.at(-1)).toMatchObject({ type: "command.output", data: { value: { items: { added: 3000 } } } });
  expect((await run(stage.place, ["import", "claude"])).stderr).toBe("");
});

it("IM8 RI6 the agent recalls what was imported in its repository; what is forgotten stays so after another import", async () => {
  const server = await startModelServer({ script: () => text("Understood.") });
  const stage = importStage({
    EVERLONG_BASE_URL: server.url,
    EVERLONG_MODEL: "scripted",
    EVERLONG_API_KEY: "test-key-0123456789",
    EVERLONG_RECALL_AUTO: "true",
  });
  claudeFile(stage, [claudeSays(stage, "The staging port of the zebrafish service is 54871.")]);
  expect((await run(stage.place, ["import", "claude"])).code).toBe(0);
  const asked = await run(stage.place, ["-p", "Which staging port does the zebrafish service have?"]);
  expect(asked.code, asked.stderr).toBe(0);
  expect(server.requests.some(({ rawBody }) => /everlong_recall[\s\S]*54871/.test(rawBody))).toBe(true);
  await server.close();
  const { results } = (await run(stage.place, ["recall", "zebrafish 54871", "--json"])).json as {
    results: { id: string; source: { client: string } }[];
  };
  const id = results.find(({ source }) => source.client === "claude")?.id ?? "";
  expect((await run(stage.place, ["recall", "--forget", id, "--yes"])).code).toBe(0);
  await run(stage.place, ["import", "claude"]);
  await run(stage.place, ["recall", "--reindex"]);
  expect((await run(stage.place, ["recall", "--session", "imp_claude_one", "zebrafish 54871"])).stdout).not.toContain(
    "54871",
  );
});
