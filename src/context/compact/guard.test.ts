// The guards of a manual compaction, their order and their sentences.
import { describe, expect, it } from "vitest";
import { compaction, conversation, prompt, said } from "./compact-fixture.ts";
import { guardManual } from "./guard.ts";

const good = { mode: "on", manualRunning: false, hasContext: true, hasModel: true, items: conversation(1) } as const;

describe("guardManual", () => {
  it("C68 lets a normal one through, also in mode manual", () => {
    expect(guardManual(good)).toBeUndefined();
    expect(guardManual({ ...good, mode: "manual" })).toBeUndefined();
  });
  it("C68 CB4 checks in this order, each with its own code and sentence", () => {
    const wrong = { mode: "off", manualRunning: true, hasContext: false, hasModel: false, items: [] } as const;
    const steps = [
      [wrong, "compaction_off"],
      [{ ...wrong, mode: "on" }, "already_running"],
      [{ ...wrong, mode: "on", manualRunning: false }, "no_active_context"],
      [{ ...wrong, mode: "on", manualRunning: false, hasContext: true }, "no_model"],
      [{ ...good, items: [] }, "nothing_to_compact"],
    ] as const;
    const failures = steps.map(([input]) => guardManual(input));
    expect(failures.map((failure) => failure?.code)).toEqual(steps.map(([, code]) => code));
    expect(new Set(failures.map((failure) => failure?.what)).size).toBe(5);
    expect(failures.every((failure) => failure?.exit === 1)).toBe(true);
    expect(failures[0]?.next).toContain("compaction.mode");
  });
  it("C68 CB3 a new session, and twice in a row: nothing to compact", () => {
    expect(guardManual({ ...good, items: [prompt("a", 1)] })?.code).toBe("nothing_to_compact");
    const after = [compaction("k", 1, "x"), prompt("a", 2)];
    expect(guardManual({ ...good, items: after })?.code).toBe("nothing_to_compact");
    expect(guardManual({ ...good, items: [...after, said("b", 2)] })).toBeUndefined();
  });
});
