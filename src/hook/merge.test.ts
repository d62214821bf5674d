// One outcome of several answers, and the answers of hooks written for other agents.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeOutput, noOutcome } from "./merge.ts";
import type { HookName } from "./name.ts";
import { type HookOutput, parseOutput } from "./output.ts";
import { afterStop } from "./stop.ts";

const merge = (name: HookName, ...outputs: HookOutput[]) =>
  outputs.reduce((all, output, i) => mergeOutput(all, { id: `h${i}`, name }, output), noOutcome);

describe("merging answers", () => {
  it("O90 deny beats ask beats allow, in any order", () => {
    const decision = fc.constantFrom("allow", "ask", "deny");
    fc.assert(
      fc.property(fc.array(decision), (all) => {
        const merged = merge("preToolUse", ...all.map((permissionDecision) => ({ permissionDecision })));
        const strongest = ["deny", "ask", "allow"].find((d) => all.includes(d as "deny"));
        expect(merged.opinion?.decision).toBe(strongest);
      }),
    );
  });

  it("O90 the reason is that of the hook that decided", () => {
    const merged = merge(
      "preToolUse",
      { permissionDecision: "allow", permissionDecisionReason: "fine" },
      { permissionDecision: "deny", permissionDecisionReason: "no" },
      { permissionDecision: "deny", permissionDecisionReason: "never" },
    );
    expect(merged.opinion).toEqual({ decision: "deny", reason: "no" });
    expect(merge("preToolUse", { permissionDecision: "deny" }).opinion?.reason).toContain("h0");
  });

  it("O90 contexts join with a blank line, each at most 2,000 tokens; the first handled wins; the last change stands", () => {
    const merged = merge(
      "preToolUse",
      { additionalContext: " one " },
      { additionalContext: "", handled: true, responseContent: "first", modifiedArguments: { a: 1 } },
      { additionalContext: "two", handled: true, responseContent: "second", modifiedArguments: { b: 2 } },
    );
    expect(merged).toMatchObject({ additionalContext: "one\n\ntwo", handled: { content: "first" } });
    expect(merged.modifiedArguments).toEqual({ b: 2 });
    for (const long of ["x".repeat(50_000), "é".repeat(50_000), "😀".repeat(50_000)]) {
      const { additionalContext } = merge("sessionStart", { additionalContext: long });
      expect(Buffer.byteLength(additionalContext)).toBeLessThanOrEqual(6000);
      expect(additionalContext).toMatch(/cut here/);
      expect(additionalContext.isWellFormed()).toBe(true);
    }
  });

  it("O89 a permission request is answered deny before allow; reasons of several blocks are all told", () => {
    const answers = merge("permissionRequest", { decision: "allow" }, { decision: "deny", reason: "no" });
    expect(answers.answer).toEqual({ decision: "deny", reason: "no" });
    expect(merge("permissionRequest", { decision: "deny" }, { decision: "allow" }).answer?.decision).toBe("deny");
    expect(merge("agentStop", { decision: "allow" }).block).toBeUndefined();
    const blocks = merge("agentStop", { decision: "block", reason: "a" }, { decision: "block", reason: "b" });
    expect(blocks.block).toEqual({ reason: "a\n\nb" });
  });
});

describe("answers", () => {
  it("O85 an empty answer is no opinion; what is not an object is a failure", () => {
    expect(parseOutput("preToolUse", " \n")).toEqual({ ok: true, value: {} });
    for (const text of ["nope", "[]", "7", '"deny"', '{"permissionDecision":'])
      expect(parseOutput("preToolUse", text).ok, text).toBe(false);
  });

  it("O93 a wrong value is a failure that names its field, never no opinion", () => {
    const wrong = parseOutput("preToolUse", '{"permissionDecision":"Deny!"}');
    expect(!wrong.ok && wrong.error).toContain("permissionDecision");
  });

  it("O89 a hook's answer has only what that hook may say", () => {
    const all = JSON.stringify({ additionalContext: "c", modifiedPrompt: "p", decision: "block", handled: true });
    expect(parseOutput("postToolUse", all)).toEqual({ ok: true, value: { additionalContext: "c" } });
    expect(parseOutput("sessionEnd", all)).toEqual({ ok: true, value: {} });
    expect(parseOutput("agentStop", all)).toEqual({ ok: true, value: { decision: "block" } });
  });

  it.each([
    [
      "preToolUse",
      { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "r" } },
      { permissionDecision: "deny", permissionDecisionReason: "r" },
    ],
    ["preToolUse", { hookSpecificOutput: { updatedInput: { a: 1 } } }, { modifiedArguments: { a: 1 } }],
    ["preToolUse", { decision: "block", reason: "r" }, { permissionDecision: "deny", permissionDecisionReason: "r" }],
    ["preToolUse", { decision: "approve" }, { permissionDecision: "allow" }],
    [
      "permissionRequest",
      { hookSpecificOutput: { decision: { behavior: "deny", message: "m" } } },
      { decision: "deny", reason: "m" },
    ],
    ["userPromptSubmitted", { hookSpecificOutput: { additionalContext: "c" } }, { additionalContext: "c" }],
  ] as const)("O81 %s: %j in the words of other agents", (name, said, meant) => {
    const parsed = parseOutput(name, JSON.stringify(said));
    expect(parsed.ok && JSON.parse(JSON.stringify(parsed.value))).toEqual(meant);
  });
});

describe("stop hooks", () => {
  it("whatever stop hooks say, they send an agent back at most so often", () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.boolean()), fc.integer({ min: 0, max: 20 }), (blocks, max) => {
        let turns = 0;
        let count = 0;
        for (const blocked of blocks) {
          const after = afterStop(blocked ? { block: { reason: "go on" } } : {}, count, max);
          if (after.type === "end") break;
          if (after.type === "limit") {
            expect(after.blocks).toBe(max);
            break;
          }
          expect(after.prompt).toBe("go on");
          count = after.blocks;
          turns++;
        }
        expect(turns).toBeLessThanOrEqual(max);
      }),
    );
  });

  it("a hook that always blocks gives five more turns, then the limit", () => {
    const always = { block: { reason: "r" } };
    let count = 0;
    for (let after = afterStop(always, 0, 5); after.type === "again"; after = afterStop(always, count, 5))
      count = after.blocks;
    expect(count).toBe(5);
    expect(afterStop(always, count, 5)).toEqual({ type: "limit", blocks: 5 });
    expect(afterStop({}, count, 5)).toEqual({ type: "end" });
  });
});
