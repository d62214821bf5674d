// CE5 CB11 CB25: items far larger than the window are shortened in the request, and recall gives every character back.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { messagesOf, textOf, toolResults, userTexts, writeIn } from "../agent/scene.ts";
import { calls, type Reply, text } from "../model-server/reply.ts";
import { logOf, only, run, sessionsOf } from "../tool/everlong.ts";
import { converse, outcomes, prose, stage } from "./stage.ts";

const NEEDLE = "the secret word of the middle is OKAPI-77";

/** About so many characters, the needle in the middle. */
function hay(chars: number, name: string): string {
  const lines = prose(chars / 4, name).split("\n");
  lines.splice(Math.floor(lines.length / 2), 0, NEEDLE);
  return lines.join("\n");
}

const refIn = (body: string): string => /call recall with id \\?"(t\d+\.\d+)\\?"/.exec(body)?.[1] ?? "no ref";

describe("CE5 huge items", () => {
  it("CE5 C36 C42 C43 C117 a 300 KB prompt: marker with ref, older turns still there, recall gives the middle back", async () => {
    const asked: string[] = [];
    const { place, mains } = await stage((request, n): Reply => {
      if (n === 0) return text("hello");
      if (n > 1) return text("found it");
      asked.push(refIn(request.rawBody));
      return calls([{ name: "recall", args: { id: refIn(request.rawBody) } }]);
    }, { limit: 120_000, env: { EVERLONG_TOOL_OUTPUT_MAX_BYTES: "600000", EVERLONG_BACKGROUND_COMPACTION_THRESHOLD: "2" } });
    await run(place, ["-p", "OLDER-TURN remember me"]);
    const [id = ""] = sessionsOf(place);
    const big = hay(600_000, "hay");
    const done = await run(place, ["--resume", id, "-p", "-"], { stdin: big });
    expect(done.code, done.stderr).toBe(0);
    expect(asked).toEqual(["t2.1"]);
    const [older, shortened] = userTexts(mains()[1]);
    expect(older).toBe("OLDER-TURN remember me");
    expect(shortened).toMatch(/\n\[\.\.\. \d+ characters left out here\. The full text is t2\.1 in the session log; call recall with id "t2\.1" to read it \.\.\.\]\n/);
    expect(shortened?.startsWith(big.slice(0, 10_000))).toBe(true);
    expect(big.endsWith(shortened?.split("...]\n").at(-1) ?? "no tail")).toBe(true);
    const omitted = Number(/(\d+) characters left out/.exec(shortened ?? "")?.[1]);
    expect(big.length - omitted).toBe((shortened ?? "").replace(/\n\[\.\.\..*\.\.\.\]\n/, "").length);
    expect(shortened?.includes(NEEDLE)).toBe(false);
    expect(only(logOf(place, id), "user.message").at(-1)?.data.content).toBe(big);
    // What recall returned is itself larger than the window: it was shortened too, but its event holds all of it.
    const result = only(logOf(place, id), "tool.execution_complete")[0]?.data.result.content ?? "";
    expect(result).toBe(`[t2.1]\n${big}`);
  });

  it("CE5 the scripted model receives a sentence of the omitted middle through recall", async () => {
    const { place, mains } = await stage((request, n): Reply => {
      if (n === 0) return calls([{ name: "bash", args: { command: "cat hay.txt" } }]);
      if (n === 1) return calls([{ name: "recall", args: { id: refIn(request.rawBody) } }]);
      return text("done");
    }, { limit: 40_000, env: { EVERLONG_TOOL_OUTPUT_MAX_BYTES: "400000", EVERLONG_BACKGROUND_COMPACTION_THRESHOLD: "2" } });
    writeIn(place, "hay.txt", hay(300_000, "hay"));
    // recall's own result is bounded like any tool's: its middle is in the file that it names.
    const done = await run(place, ["-p", "read the hay"], { env: { EVERLONG_TOOL_OUTPUT_MAX_BYTES: "400000" } });
    expect(done.code, done.stderr).toBe(0);
    const [first] = toolResults(mains()[1]);
    expect(first?.text).toMatch(/characters left out here\. The full text is t1\.3/);
    expect(first?.text.includes(NEEDLE)).toBe(false);
    const results = only(logOf(place), "tool.execution_complete").map((e) => e.data.result);
    expect(results[1]?.content.includes(NEEDLE)).toBe(true);
    expect(results[1]?.content).toContain(results[0]?.content ?? "nothing");
  });

  it("CE5 C115 recall of one ref that fits the bound reaches the model whole; beyond it the named file has it", async () => {
    const { place, mains } = await stage((request, n): Reply => {
      if (n < 12) return calls([{ name: "bash", args: { command: `cat hay.txt; echo ${n}` } }]);
      if (n === 12) return calls([{ name: "recall", args: { id: /of (t1(?:-t\d+)?) are left out/.test(request.rawBody) ? "t1.3" : "none" } }]);
      return text("done");
    }, { env: { EVERLONG_BACKGROUND_COMPACTION_THRESHOLD: "2" } });
    writeIn(place, "hay.txt", hay(16_000, "hay"));
    const done = await run(place, ["-p", "read the hay again and again"]);
    expect(done.code, done.stderr).toBe(0);
    const last = toolResults(mains().at(-1)).at(-1)?.text ?? "";
    expect(last.startsWith("[t1.3]\n")).toBe(true);
    expect(last.includes(NEEDLE)).toBe(true);
  });

  it("CB11 a 5 MB prompt is answered, stands whole in the log, and comes back character for character", async () => {
    const { place, mains } = await stage(() => text("that was long"));
    const big = hay(5_000_000, "hay");
    const { say, client, close } = await converse(place);
    await say(big);
    expect(client.view().lastTurn).toEqual({ status: "done" });
    expect(mains()[0]?.rawBody.length).toBeLessThan(24_000 * 4 * 1.3);
    const back = await client.recall("t1.1");
    expect(back.ok && back.value === big).toBe(true);
    await close();
    const recalled = await run(place, ["recall", "t1.1"]);
    expect(recalled.stdout.trimEnd() === big.trimEnd()).toBe(true);
  });

  it("C46 a shortened item stays the same bytes in later requests", async () => {
    const { place, mains } = await stage(() => text("ok"), { env: { EVERLONG_BACKGROUND_COMPACTION_THRESHOLD: "2" } });
    const { say } = await converse(place);
    await say(hay(200_000, "hay"));
    for (const n of [2, 3, 4]) await say(`small ${n}`);
    const seen = mains().map((r) => userTexts(r)[0]);
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toContain("characters left out here");
  });

  it("C41 C39 the newest prompt and group are never dropped: huge results of one step are shortened in proportion", async () => {
    const staged = await stage((_r, n) =>
      n === 0
        ? calls([1, 2, 3].map((k) => ({ name: "bash", args: { command: `cat hay.txt; echo result-${k}` } })))
        : text("done"),
      { limit: 12_000, env: { EVERLONG_TOOL_OUTPUT_MAX_BYTES: "100000" } },
    );
    const { place, mains } = staged;
    writeIn(place, "hay.txt", hay(60_000, "hay"));
    const done = await run(place, ["-p", "three at once"]);
    expect(done.code, done.stderr).toBe(0);
    const last = mains().at(-1);
    const { server } = staged;
    console.log(done.stderr, server.requests.map((r) => [r.headers["x-interaction-type"], r.rawBody.length / 4, r.overLimit, messagesOf(r).map((m) => `${m.role} ${textOf(m).length}`).join()]));
    expect(messagesOf(last).map((m) => m.role)).toEqual(["system", "user", "assistant", "tool", "tool", "tool"]);
    const sizes = toolResults(last).map((r) => r.text.length);
    for (const [k, { text: result }] of toolResults(last).entries()) {
      expect(result).toContain(`result-${k + 1}`);
      expect(result).toContain(`call recall with id "t1.${k + 3}"`);
    }
    expect(Math.max(...sizes)).toBeLessThan(1.3 * Math.min(...sizes));
  });
});

describe("CB25 refs that name nothing", () => {
  it("CB25 C68 unknown turns and other sessions: a sentence with the valid range, no foreign text", async () => {
    const { place } = await stage((_r, n): Reply => {
      if (n === 2) return calls(["t99", "t1.77", "nonsense", "ffffffff:t1"].map((id) => ({ name: "recall", args: { id } })));
      return text("ok");
    });
    await run(place, ["-p", "FOREIGN-TEXT of another session"]);
    const [other = ""] = sessionsOf(place);
    const { say, client, close, events } = await converse(place);
    await say("first");
    await say("look");
    const results = only(events, "tool.execution_complete").map((e) => e.data);
    expect(results.map((r) => r.success)).toEqual([false, false, false, false]);
    expect(results[0]?.error?.message ?? results[0]?.result.content).toMatch(/no such turn.*t1 to t2/i);
    expect(JSON.stringify(results).includes("FOREIGN-TEXT")).toBe(false);
    await close();
    const cli = await run(place, ["recall", "t99", "--session", client.sessionId]);
    expect(cli.code).toBe(1);
    expect(cli.stderr).toContain("t1 to t2");
    const mine = await run(place, ["recall", `${other.slice(0, 8)}:t1`]);
    expect(mine.stdout).toContain("FOREIGN-TEXT");
    void readFileSync;
    void outcomes;
    void textOf;
  });
});
