// CE5 CB11 CB25: items far larger than the window are shortened in the request, and recall gives every character back.
import { describe, expect, it } from "vitest";
import { messagesOf, toolResults, userTexts, writeIn } from "../agent/scene.ts";
import { calls, type Reply, text } from "../model-server/reply.ts";
import { logOf, newPlace, only, run, sessionsOf } from "../tool/everlong.ts";
import { converse, outcomes, prose, recalled, stage } from "./stage.ts";

const NEVER = { EVERLONG_BACKGROUND_COMPACTION_THRESHOLD: "2" };
const NEEDLE = "the secret word of the middle is OKAPI-77";

/** About so many characters, the needle in the middle. */
function hay(chars: number, name: string): string {
  const lines = prose(chars / 4, name).split("\n");
  lines.splice(Math.floor(lines.length / 2), 0, NEEDLE);
  return lines.join("\n");
}

const refIn = (body: string): string => /call recall with id \\?"(t\d+\.\d+)\\?"/.exec(body)?.[1] ?? "no ref";

describe("CE5 huge items", () => {
  it("CE5 AB10 C36 C42 C43 C117 a 300 KB prompt: marker with ref, older turns there; recall and the file it names give the middle", async () => {
    const { place, mains } = await stage((request, n): Reply => {
      if (n === 1) return calls([{ name: "recall", args: { id: refIn(request.rawBody) } }]);
      const file = /\/[^\s"\\]+\/outputs\/[^\s"\\\]]+/.exec(toolResults(request)[0]?.text ?? "")?.[0] ?? "no file";
      if (n === 2) return calls([{ name: "grep", args: { pattern: "OKAPI", path: file, output_mode: "content" } }]);
      return text("done");
    });
    await run(place, ["-p", "OLDER-TURN remember me"]);
    const [id = ""] = sessionsOf(place);
    const big = hay(300_000, "hay");
    const done = await run(place, ["--resume", id, "-p", "-"], { stdin: big });
    expect(done.code, done.stderr).toBe(0);
    const [older, shortened = ""] = userTexts(mains()[1]);
    expect(older).toBe("OLDER-TURN remember me");
    const marker =
      /\n\[\.\.\. (\d+) characters left out here\. The full text is t2\.1 in the session log; call recall with id "t2\.1" to read it \.\.\.\]\n/;
    const [head = "", omitted, tail = ""] = shortened.split(marker);
    expect([big.startsWith(head), big.endsWith(tail)]).toEqual([true, true]);
    expect(head.length + tail.length + Number(omitted)).toBe(big.length);
    expect(head.length / (head.length + tail.length)).toBeCloseTo(0.6, 1);
    expect(shortened.includes(NEEDLE)).toBe(false);
    expect(only(logOf(place, id), "user.message").at(-1)?.data.content).toBe(big);
    expect(toolResults(mains().at(-1)).at(-1)?.text).toContain(NEEDLE);
  });

  it("CE5 a 300 KB tool result with the bound raised: marker with ref, older turns there, recall finds the middle", async () => {
    const { place, mains } = await stage(
      (request, n): Reply => {
        if (n === 1) return calls([{ name: "bash", args: { command: "cat hay.txt" } }]);
        if (n === 2) return calls([{ name: "recall", args: { id: refIn(request.rawBody) } }]);
        if (n === 3) return calls([{ name: "recall", args: { query: "secret word of the middle" } }]);
        return text("done");
      },
      { limit: 40_000, env: { ...NEVER, EVERLONG_TOOL_OUTPUT_MAX_BYTES: "400000" } },
    );
    writeIn(place, "hay.txt", hay(300_000, "hay"));
    const { say, events } = await converse(place);
    await say("OLDER-TURN remember me");
    await say("read the hay");
    const [first] = toolResults(mains()[2]);
    expect(first?.text).toContain('call recall with id "t2.3"');
    expect(first?.text.includes(NEEDLE)).toBe(false);
    expect(userTexts(mains()[2])[0]).toBe("OLDER-TURN remember me");
    const results = only(events, "tool.execution_complete").map((e) => e.data.result.content);
    expect(results[1]).toBe(`[t2.3]\n${results[0]}`);
    expect(toolResults(mains().at(-1)).at(-1)?.text).toContain(NEEDLE);
  });

  it("CE5 C115 recall of one ref that fits the bound reaches the model whole; beyond it the named file has it", async () => {
    const { place, mains } = await stage(
      (request, n): Reply => {
        if (n < 12) return calls([{ name: "bash", args: { command: `cat hay.txt; echo ${n}` } }]);
        if (n === 12)
          return calls([
            { name: "recall", args: { id: /of (t1(?:-t\d+)?) are left out/.test(request.rawBody) ? "t1.3" : "none" } },
          ]);
        return text("done");
      },
      { env: NEVER },
    );
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
    expect((await recalled(client, "t1.1")) === big).toBe(true);
    await close();
    const printed = await run(place, ["recall", "t1.1"]);
    expect(printed.stdout.trimEnd() === big.trimEnd()).toBe(true);
  });

  it("C46 a shortened item stays the same bytes in later requests", async () => {
    const { place, mains } = await stage(() => text("ok"), { env: NEVER });
    const { say } = await converse(place);
    await say(hay(200_000, "hay"));
    for (const n of [2, 3, 4]) await say(`small ${n}`);
    const seen = mains().map((r) => userTexts(r)[0]);
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toContain("characters left out here");
  });

  it("C41 C39 the newest prompt and group are never dropped: huge results of one step are shortened in proportion", async () => {
    const { place, mains } = await stage(
      (_r, n) =>
        n === 0
          ? calls([1, 2, 3].map((k) => ({ name: "bash", args: { command: `cat hay.txt; echo result-${k}` } })))
          : text("done"),
      { limit: 12_000, env: { ...NEVER, EVERLONG_TOOL_OUTPUT_MAX_BYTES: "100000" } },
    );
    writeIn(place, "hay.txt", hay(60_000, "hay"));
    const { say, client } = await converse(place);
    await say("three at once");
    const last = mains().at(-1);
    expect(messagesOf(last).map((m) => m.role)).toEqual(["system", "user", "assistant", "tool", "tool", "tool"]);
    const sizes = toolResults(last).map((r) => r.text.length);
    // Refs follow the order in which the calls ended.
    expect(
      toolResults(last)
        .map((r) => refIn(r.text))
        .sort(),
    ).toEqual(["t1.3", "t1.4", "t1.5"]);
    for (const [k, { text: result }] of toolResults(last).entries()) {
      const whole = await recalled(client, refIn(result));
      expect([whole.includes(NEEDLE), whole.includes(`result-${k + 1}`)]).toEqual([true, true]);
    }
    expect(Math.max(...sizes)).toBeLessThan(1.3 * Math.min(...sizes));
  });
});

describe("C77 C85 what a cut shortened", () => {
  it("C85 a shortened item goes to the summariser shortened: the call fits", async () => {
    const { place, summaries } = await stage(
      (_r, n) =>
        n === 0
          ? calls([1, 2, 3].map((k) => ({ name: "bash", args: { command: `cat hay.txt; echo result-${k}` } })))
          : text("done"),
      { limit: 12_000, env: { EVERLONG_TOOL_OUTPUT_MAX_BYTES: "100000" } },
    );
    writeIn(place, "hay.txt", hay(60_000, "hay"));
    const { say, events } = await converse(place);
    await say("three at once");
    expect(outcomes(events)).toEqual(["applied"]);
    expect(summaries()).toHaveLength(1);
    for (const { text: result } of toolResults(summaries()[0])) expect(result.match(/left out here/g)).toHaveLength(1);
  });
});

describe("CB25 refs that name nothing", () => {
  it("CB25 C68 unknown turns and other sessions: a sentence with the valid range, no foreign text", async () => {
    let other = "";
    const { place } = await stage((_r, n): Reply => {
      const refs = ["t99", "t1.77", "nonsense", "ffffffff:t1", `${other}:t1`, `${other.slice(0, 8)}:t1`];
      return n === 2 ? calls(refs.map((id) => ({ name: "recall", args: { id } }))) : text("ok");
    });
    await run(place, ["-p", "FOREIGN-TEXT of another folder"], { cwd: newPlace().folder });
    [other = ""] = sessionsOf(place);
    const { say, client, close, events } = await converse(place);
    await say("first");
    await say("look");
    const results = only(events, "tool.execution_complete").map((e) => e.data);
    expect(results.map((r) => r.success)).toEqual(Array(6).fill(false));
    const told = JSON.stringify(results);
    expect(told.match(/No such turn in that session\. Its turns are t1 to t2/g)?.length).toBeGreaterThanOrEqual(2);
    expect(told.includes("FOREIGN-TEXT")).toBe(false);
    await close();
    const cli = await run(place, ["recall", "t99", "--session", client.sessionId]);
    expect(cli.code).toBe(1);
    expect(cli.stderr).toContain("t1 to t2");
    const mine = await run(place, ["recall", `${other.slice(0, 8)}:t1`]);
    expect(mine.stdout).toContain("FOREIGN-TEXT");
  });
});
