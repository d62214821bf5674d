// CE17 /compact undo: the full history is back, byte for byte, as if it had never been compacted.
import { describe, expect, it } from "vitest";
import { messagesOf, textOf } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { logOf, only, run } from "../tool/everlong.ts";
import { stage } from "./stage.ts";

describe("CE17 undo", () => {
  it("C112 C113 CI10 two compactions undone one by one; a third time there is nothing; resume sees the same", async () => {
    const { place, mains } = await stage((_r, n) => text(`answer ${n}`));
    const say = (line: string) => run(place, ["--continue", "-p", line]);
    await run(place, ["-p", "one"]);
    await say("two");
    expect((await say("/compact")).code).toBe(0);
    await say("three");
    await say("four");
    expect((await say("/compact")).code).toBe(0);
    const undone = await say("/compact undo");
    expect(undone.code, undone.stderr).toBe(0);
    expect(undone.stdout).toContain("checkpoint 2");
    expect((await say("/compact undo")).stdout).toContain("checkpoint 1");
    const third = await say("/compact undo");
    expect(third.code).toBe(1);
    expect(third.stderr).toContain("No compaction to undo");
    await say("five");
    const last = messagesOf(mains().at(-1)).slice(1);
    const texts = ["one", "answer 0", "two", "answer 1", "three", "answer 2", "four", "answer 3", "five"];
    expect(last.map((m) => textOf(m))).toEqual(texts);
    expect(only(logOf(place), "session.compaction_undone").map((e) => e.data.checkpointNumber)).toEqual([2, 1]);
    const listed = await run(place, ["checkpoints", "--json"]);
    expect(JSON.parse(listed.stdout)).toHaveLength(2);
    expect(only(logOf(place), "session.error")).toEqual([]);
  });

  it("CB23 an undo that does not fit says both figures and changes nothing", async () => {
    const { place, mains } = await stage((_r, n) => text(`${n} ${"word ".repeat(3000)}`));
    const say = (line: string) => run(place, ["--continue", "-p", line]);
    await run(place, ["-p", "one"]);
    for (const line of ["two", "three"]) await say(line);
    expect((await say("/compact")).code).toBe(0);
    for (const line of ["four", "five", "six"]) await say(line);
    const before = logOf(place).filter((e) => e.type === "session.compaction_undone").length;
    const refused = await say("/compact undo");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/\d+ tokens, and \d+ fit/);
    expect(logOf(place).filter((e) => e.type === "session.compaction_undone")).toHaveLength(before);
    expect(mains().length).toBeGreaterThan(5);
  });
});
