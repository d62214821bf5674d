// CE7 CB8 CB9 CB10 PE5 C24: a fixed part that is too large, and thresholds that are too low, lead to no loop.
import { describe, expect, it } from "vitest";
import { writeIn } from "../agent/scene.ts";
import { type Reply, text } from "../model-server/reply.ts";
import { only, run } from "../tool/everlong.ts";
import { converse, outcomes, prose, SUMMARY, stage } from "./stage.ts";

const RULES = "Always answer in one sentence. Name files with their paths. ".repeat(12);

/** System prompt and tools, in tokens, with the rules that every test here puts in the folder. */
async function fixedPart(): Promise<number> {
  const { place } = await stage(() => text("x"), { limit: 100_000 });
  writeIn(place, "AGENTS.md", RULES);
  const { say, close } = await converse(place);
  const [usage] = only(await say("x"), "session.usage_info");
  await close();
  return (usage?.data.systemTokens ?? 0) + (usage?.data.toolDefinitionsTokens ?? 0);
}

const longer = (): Reply => text(SUMMARY.replace("Files were read.", prose(6_000, "longer")));

describe("CE7 no loop", () => {
  it.each([
    ["good summaries", () => text(SUMMARY)],
    ["PE5 P9 summaries longer than their input", longer],
  ])(
    "CE7 CB9 PE5 C24 C87 a fixed part of 0.75 of the limit, %s: one warning, no call, twenty prompts answered",
    async (_name, summary) => {
      const limit = Math.round((await fixedPart()) / 0.75);
      const { place, mains, summaries } = await stage((_r, n) => text(`answer ${n + 1}`), { limit, summary });
      writeIn(place, "AGENTS.md", RULES);
      const { say, events } = await converse(place);
      for (let n = 1; n <= 20; n++) {
        const told = await say(prose(180, `part-${n}`));
        expect(only(told, "assistant.message").map((e) => e.data.content)).toEqual([`answer ${n}`]);
      }
      expect(summaries()).toEqual([]);
      expect(only(events, "session.compaction_start")).toEqual([]);
      const warnings = only(events, "session.warning").filter((e) => e.data.warningType === "context_unreclaimable");
      expect(warnings).toHaveLength(1);
      expect(warnings[0]?.data.message).toContain("AGENTS.md");
      expect(only(events, "session.truncation").length).toBeGreaterThan(0);
      expect(mains()).toHaveLength(20);
    },
  );

  it("CE7 A4.5 C24 through the program: one warning on stderr, exit 0", async () => {
    const limit = Math.round((await fixedPart()) / 0.75);
    const { place, summaries } = await stage(() => text("answer"), { limit });
    writeIn(place, "AGENTS.md", RULES);
    const { client, say, close } = await converse(place);
    for (let n = 1; n <= 3; n++) await say(prose(180, `part-${n}`));
    await close();
    const done = await run(place, ["--resume", client.sessionId, "-p", prose(180, "part-4")]);
    expect([done.code, done.stdout]).toEqual([0, "answer\n"]);
    expect(done.stderr.match(/compaction cannot make room/g)).toHaveLength(1);
    expect(summaries()).toEqual([]);
  });

  it("CB8 P9 C40 a fixed part above the limit: context_cannot_fit, nothing sent, contributors named, exit 1", async () => {
    const limit = Math.round((await fixedPart()) * 0.9);
    const { place, server } = await stage(() => text("answer"), { limit });
    writeIn(place, "AGENTS.md", RULES);
    const done = await run(place, ["-p", "hello", "--output-format", "json"]);
    expect(done.code).toBe(1);
    expect(done.json).toMatchObject({ success: false, error: { code: "context_cannot_fit" } });
    expect(done.stderr).toContain("AGENTS.md");
    expect(done.stderr).toMatch(/larger window/);
    expect(server.requests).toEqual([]);
  });

  it("CE7 C29 C87 C105 a fixed part of nearly half the limit: compactions only with 0.1 E of new text between them", async () => {
    const limit = 10_000;
    const { place, summaries } = await stage((_r, n) => text(`answer ${n + 1}`), { limit });
    writeIn(place, "AGENTS.md", RULES.repeat(10));
    const { say, events } = await converse(place);
    for (let n = 1; n <= 50; n++) {
      const told = await say(prose(280, `part-${n}`));
      expect(only(told, "assistant.message")).toHaveLength(1);
    }
    const [usage] = only(events, "session.usage_info");
    const fixed = (usage?.data.systemTokens ?? 0) + (usage?.data.toolDefinitionsTokens ?? 0);
    expect(fixed / limit).toBeGreaterThan(0.4);
    expect(outcomes(events).filter((o) => o === "applied").length).toBeGreaterThanOrEqual(2);
    // 15,000 tokens of text at 1,000 each.
    expect(summaries().length).toBeLessThanOrEqual(15);
    checkDistance(events, limit);
  });

  it("CE7 CB10 C29 background 0.05: compacts, but only after 0.1 E of new text each time", async () => {
    const limit = 24_000;
    const { place, summaries } = await stage((_r, n) => text(`answer ${n + 1}`), {
      limit,
      env: { EVERLONG_BACKGROUND_COMPACTION_THRESHOLD: "0.05" },
    });
    const { say, events } = await converse(place);
    for (let n = 1; n <= 60; n++) await say(prose(400, `part-${n}`));
    const applied = outcomes(events).filter((o) => o === "applied").length;
    expect(applied).toBeGreaterThanOrEqual(2);
    // 24,000 tokens of text at 2,400 each.
    expect(summaries().length).toBeLessThanOrEqual(11);
    checkDistance(events, limit);
  });

  it("CB10 5% and 0.05 are the same; a threshold of tool rounds in one turn does not loop either", async () => {
    const { place, summaries, mains } = await stage(
      (_r, n) =>
        n < 30
          ? { kind: "answer", text: "", calls: [{ name: "bash", args: { command: `echo ${n}` } }], options: {} }
          : text("done"),
      { env: { EVERLONG_BACKGROUND_COMPACTION_THRESHOLD: "5%" } },
    );
    const { say, client } = await converse(place);
    await say("thirty small steps");
    expect(client.view().lastTurn).toEqual({ status: "done" });
    expect(mains()).toHaveLength(31);
    expect(summaries().length).toBeLessThanOrEqual(2);
  });
});

/** C29 C105: what is newer than the last applied compaction is at least a tenth of the limit, unless the window was full. */
function checkDistance(events: Parameters<typeof only>[0], limit: number): void {
  let kept: number | undefined;
  for (const { type, data } of events) {
    if (type === "session.compaction_complete" && data.outcome === "applied") kept = data.conversationTokens;
    if (type !== "session.compaction_start" || kept === undefined || data.currentTokens >= 0.95 * limit) continue;
    expect(data.conversationTokens - kept).toBeGreaterThanOrEqual(0.1 * limit * 0.9);
  }
}
