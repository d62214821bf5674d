// The life of a turn as a union: every signal in every phase.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextPhase, type TurnPhase, type TurnSignal } from "./turn-phase.ts";

const signal: fc.Arbitrary<TurnSignal> = fc.oneof(
  fc.record({ type: fc.constant("call" as const), step: fc.nat() }),
  fc.record({ type: fc.constant("retry" as const), attempt: fc.nat(), delayMs: fc.nat() }),
  fc.constantFrom<TurnSignal>(
    { type: "tool_started" },
    { type: "tool_ended" },
    { type: "asked", for: "permission" },
    { type: "answered" },
    { type: "stop" },
    { type: "ended" },
  ),
);

describe("turn phase", () => {
  it("A5.1 goes idle, calling, retrying, tools, waiting, stopping, idle", () => {
    const way: TurnSignal[] = [
      { type: "call", step: 1 },
      { type: "retry", attempt: 1, delayMs: 5 },
      { type: "call", step: 1 },
      { type: "tool_started" },
      { type: "asked", for: "permission" },
      { type: "answered" },
      { type: "stop" },
      { type: "ended" },
    ];
    const seen: string[] = [];
    let phase: TurnPhase = { type: "idle" };
    for (const s of way) {
      phase = nextPhase(phase, s);
      seen.push(phase.type);
    }
    expect(seen).toEqual(["calling", "retrying", "calling", "tools", "waiting", "tools", "stopping", "idle"]);
  });

  it("A5.1 never counts tools below zero, stays stopping until it ended, and ended is idle from anywhere", () => {
    fc.assert(
      fc.property(fc.array(signal), (signals) => {
        let phase: TurnPhase = { type: "idle" };
        for (const s of signals) {
          const next = nextPhase(phase, s);
          if (phase.type === "stopping" && s.type !== "ended") expect(next).toEqual(phase);
          if (next.type === "tools" || next.type === "waiting") expect(next.running).toBeGreaterThanOrEqual(0);
          phase = next;
        }
        expect(nextPhase(phase, { type: "ended" })).toEqual({ type: "idle" });
      }),
    );
  });
});
