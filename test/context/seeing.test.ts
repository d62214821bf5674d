// CE15 CB1 CB17 C22 C23 C126: what a person sees of the window: /context, usage for each request, checkpoints, warnings.
import { describe, expect, it } from "vitest";
import { messagesOf } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { converse, isSummary, LIMIT, outcomes, prose, stage } from "./stage.ts";

const number = (words: string, pattern: RegExp): number =>
  Number((pattern.exec(words)?.[1] ?? "NaN").replaceAll(",", ""));

describe("CE15 seeing it", () => {
  it("CE15 A4.5 C21 C22 C23 /context without a model call: a hundred cells, buckets that are those of the last usage", async () => {
    const { place, server } = await stage((_r, n) =>
      n === 2 ? calls([{ name: "bash", args: { command: "seq 400" } }]) : text(prose(300, `answer-${n}`)),
    );
    const { client, say, close, events } = await converse(place);
    await say(prose(2_000, "part-1"));
    await say(prose(900, "part-2"));
    await client.history.compact("");
    await say(prose(1_500, "part-3"));
    await close();
    const before = server.requests.length;
    const shown = await run(place, ["--resume", client.sessionId, "-p", "/context"]);
    expect(shown.code, shown.stderr).toBe(0);
    expect(server.requests).toHaveLength(before);
    const cells = shown.stdout.split("\n").filter((line) => /^([STMHC.] ){9}[STMHC.]$/.test(line));
    expect(cells).toHaveLength(10);
    const drawn = cells.join(" ").split(" ");
    expect(drawn).toHaveLength(100);
    // The next request would be the last one with its answer.
    const usage = only(events, "session.usage_info").at(-1)?.data;
    const { stdout } = shown;
    const bucket = (label: string): number => number(stdout, new RegExp(`^[STMHC.] ${label} +([\\d,]+)`, "m"));
    const buckets = ["system prompt", "tool definitions", "memory", "history", "compaction message"].map(bucket);
    const current = number(stdout, /^Context: ([\d,]+) of 24,000 tokens/m);
    expect(buckets.reduce((a, b) => a + b, 0)).toBe(current);
    expect(current + bucket("free")).toBe(LIMIT);
    expect(Math.abs(bucket("system prompt") - (usage?.systemTokens ?? 0))).toBeLessThanOrEqual(40);
    expect(current).toBeGreaterThan(usage?.currentTokens ?? 0);
    expect(current - (usage?.currentTokens ?? 0)).toBeLessThan(600);
    for (const [letter, share] of [
      ["S", bucket("system prompt")],
      ["T", bucket("tool definitions")],
      ["C", bucket("compaction message")],
    ] as const)
      expect(Math.abs(drawn.filter((c) => c === letter).length - (share * 100) / LIMIT)).toBeLessThan(1);
    // The bar is the share of the whole limit, and the mark stands at 80 % of it.
    const bar = /^\[([#|-]{50})\] compaction at 80 %$/m.exec(stdout)?.[1] ?? "";
    expect(bar.indexOf("|")).toBe(40);
    expect(bar.match(/^#*/)?.[0].length).toBe(Math.round((current / LIMIT) * 50));
    const largest = stdout.split("Largest items:\n")[1]?.split("\n\n")[0]?.split("\n") ?? [];
    expect(largest.length).toBeLessThanOrEqual(5);
    expect(largest.join("\n")).toMatch(/t3\.\d prompt/);
    expect(stdout).toMatch(/Last compaction: .* → .* tokens \(manual, t1-t2, checkpoint 1\)/);
    expect(stdout).toMatch(/Next compaction: at 19,200 tokens/);
    expect(stdout).toMatch(/Calibration: factor \d\.\d\d from \d+ answers/);
    expect(stdout).toContain("Cut in force: none");
  });

  it("CE15 C19 C136 stream-json carries one usage_info for each request, the log none; text mode neither", async () => {
    const { place, mains, summaries } = await stage((_r, n) =>
      n < 12
        ? calls([
            {
              name: "bash",
              args: { command: `for i in $(seq 150); do echo "row $i of block ${n}, the quick brown fox"; done` },
            },
          ])
        : text("done"),
    );
    const done = await run(place, ["-p", "rows", "--output-format", "stream-json"]);
    expect(done.code, done.stderr).toBe(0);
    const told = only(done.events, "session.usage_info").map((e) => e.data);
    expect(told.length).toBeGreaterThanOrEqual(mains().length);
    // One before each request, in order: what it says is what was sent.
    const sizes = mains().map((r) => messagesOf(r).length - 1);
    const said = told.map((u) => u.messagesLength);
    let at = 0;
    for (const size of sizes) {
      at = said.indexOf(size, at);
      expect(at).toBeGreaterThanOrEqual(0);
      at++;
    }
    expect(told[0]?.isInitial).toBe(true);
    expect(told.slice(1).some((u) => u.isInitial)).toBe(false);
    expect(summaries().length).toBeGreaterThan(0);
    const types = logOf(place).map((e) => e.type);
    expect(types).not.toContain("session.usage_info");
    expect(types).toContain("session.compaction_start");
    expect(done.events.filter((e) => e.type === "session.compaction_complete")).toHaveLength(
      outcomes(logOf(place)).length,
    );
    expect(mains().some(isSummary)).toBe(false);
  });

  it("CE15 C126 /session checkpoints, /checkpoints and everlong checkpoints agree, as text and as JSON", async () => {
    const { place } = await stage(() => text("answer"));
    const { client, say, close } = await converse(place);
    const id = client.sessionId;
    const none = await run(place, ["checkpoints"]);
    expect(none.stdout).toContain("compaction writes them");
    for (const n of [1, 2]) {
      await say(`prompt ${n} a`);
      await say(`prompt ${n} b`);
      await client.history.compact("");
    }
    await close();
    const slash = await run(place, ["--resume", id, "-p", "/session checkpoints"]);
    const listed = await run(place, ["checkpoints", id]);
    const latest = await run(place, ["checkpoints"]);
    expect(slash.stdout).toBe(listed.stdout);
    expect(latest.stdout).toBe(listed.stdout);
    expect(listed.stdout.trim().split("\n")).toHaveLength(2);
    const json = await run(place, ["checkpoints", "--json"]);
    const rows = json.json as unknown as {
      number: number;
      title: string;
      turns: { from: number; to: number };
      file: string;
    }[];
    expect(rows.map((r) => [r.number, r.title, r.file])).toEqual([
      [1, "Parser work", "001-parser-work.md"],
      [2, "Parser work", "002-parser-work.md"],
    ]);
    for (const row of rows) expect(listed.stdout).toContain(`t${row.turns.from}-t${row.turns.to}`);
    const one = await run(place, ["--resume", id, "-p", "/session checkpoints 2"]);
    expect(one.stdout.trim()).toBe((await run(place, ["checkpoints", id, "2"])).stdout.trim());
    expect(one.stdout).toContain("## Next steps");
    expect((await run(place, ["checkpoints", id, "9"])).code).toBe(1);
  });

  it("C139 C140 prompt mode tells of compaction on stderr, --silent does not; stdout has the answer alone", async () => {
    const { place } = await stage(() => text("the answer"));
    const { client, say, close } = await converse(place);
    for (let n = 1; n <= 3; n++) await say(prose(4_000, `part-${n}`));
    await close();
    const resume = ["--resume", client.sessionId, "-p"];
    const loud = await run(place, [...resume, prose(4_000, "part-4")]);
    expect(loud.stdout).toBe("the answer\n");
    expect(loud.stderr).toMatch(/Conversation compacted: \d+ → \d+ tokens, checkpoint 1/);
    const silent = await run(place, [...resume, "/compact", "--silent"]);
    expect([silent.code, silent.stderr]).toEqual([0, ""]);
  });
});

describe("CB1 CB17 settings and reports that make no sense", () => {
  it("CB1 C63 B58 thresholds abc and -1: the defaults, and one warning for each that names it and its value", async () => {
    const { place } = await stage(() => text("answer"), {
      env: { COPILOT_BACKGROUND_COMPACTION_THRESHOLD: "abc", EVERLONG_BUFFER_EXHAUSTION_THRESHOLD: "-1" },
    });
    const done = await run(place, ["-p", "hello", "--output-format", "stream-json"]);
    expect(done.code).toBe(0);
    expect(only(done.events, "session.usage_info")[0]?.data.compactionAt).toBe(0.8 * LIMIT);
    const warnings = done.stderr.split("\n").filter((line) => line.includes("is not a threshold"));
    expect(warnings).toEqual([
      expect.stringMatching(/compaction\.background .*COPILOT_BACKGROUND_COMPACTION_THRESHOLD.*"abc"/),
      expect.stringMatching(/compaction\.exhaustion .*EVERLONG_BUFFER_EXHAUSTION_THRESHOLD.*"-1"/),
    ]);
  });

  it("C63 80% and 0.8 are the same, above 1 and off mean never", async () => {
    const at = async (value: string): Promise<number | undefined> => {
      const { place } = await stage(() => text("answer"), { env: { EVERLONG_BACKGROUND_COMPACTION_THRESHOLD: value } });
      const { say, close } = await converse(place);
      const [usage] = only(await say("hello"), "session.usage_info");
      await close();
      return usage?.data.compactionAt;
    };
    expect([await at("50%"), await at("0.5"), await at("2"), await at("off")]).toEqual([
      12_000,
      12_000,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ["zero", { usage: { input: 0, output: 0 } }],
    ["absurd", { usage: { input: 50_000_000, output: 1 } }],
    ["missing", { usage: null }],
  ])("CB17 C14 usage that is %s: the sample is thrown away and the estimate holds", async (_name, options) => {
    const { place, summaries } = await stage(() => text("answer", options));
    const { say, events } = await converse(place);
    for (let n = 1; n <= 8; n++) await say(prose(900, `part-${n}`));
    const told = only(events, "session.usage_info").map((e) => e.data);
    expect(told.every((u) => u.tokenAccountingBasis === "estimated")).toBe(true);
    expect(told.at(-1)?.currentTokens).toBeGreaterThan(9_000);
    expect(told.at(-1)?.currentTokens).toBeLessThan(14_000);
    expect(summaries()).toEqual([]);
  });
});
