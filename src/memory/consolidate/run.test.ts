import { describe, expect, it } from "vitest";
import { openBoard, place } from "../board/board-fixture.ts";
import { gate } from "./gate.ts";
import { lastRun, recordRun, startRun } from "./run.ts";

const start = (elapsed = () => 0) => startRun({ id: "run_1", maxTokens: 1000, elapsedMs: elapsed });
const within = { requests: 1, tokens: 10 };

describe("the limits of a run", () => {
  it("M100 the eleventh add and the thirteenth prune fail, and the run is then at its end", () => {
    const run = start();
    for (let i = 0; i < 10; i++) {
      expect(run.refuse("add")).toBeUndefined();
      run.done("add", "success");
    }
    expect(run.cap(within)).toBeUndefined();
    for (let i = 0; i < 12; i++) run.done("prune", "success");
    expect(run.refuse("prune")).toMatchObject({ code: "limit_reached" });
    for (const command of ["add", "get", "prune"] as const)
      expect(run.refuse(command)).toMatchObject({ code: "limit_reached" });
    expect(run.cap(within)).toMatchObject({ code: "limit_reached" });
    expect(run.counts).toEqual({ added: 10, pruned: 12, refused: 0 });
  });

  it("M100 a refused call takes nothing of the limit", () => {
    const run = start();
    for (let i = 0; i < 20; i++) run.done("add", "changed_since");
    expect(run.refuse("add")).toBeUndefined();
    expect(run.counts).toEqual({ added: 0, pruned: 0, refused: 20 });
  });

  it.each([
    ["12 model requests", { requests: 12, tokens: 0 }, 0],
    ["1000 tokens", { requests: 1, tokens: 1000 }, 0],
    ["120 seconds", { requests: 1, tokens: 0 }, 120_000],
  ])("M100 %s end it", (what, spent, elapsed) => {
    expect(start(() => elapsed).cap(spent)).toMatchObject({
      code: "limit_reached",
      message: expect.stringContaining(what),
    });
    expect(start(() => elapsed - 1).cap({ requests: spent.requests - 1, tokens: spent.tokens - 1 })).toBeUndefined();
  });

  it("M97 the last run of a board is known", async () => {
    const db = await openBoard();
    const report = { outcome: "completed", added: 1, pruned: 2, refused: 3, tokens: 4, durationMs: 5.5 } as const;
    for (const day of [1, 3, 2])
      await recordRun(db, place, {
        ...report,
        id: `run_${day}`,
        session: "s",
        endedAt: `2026-01-0${day}T00:00:00.000Z`,
      });
    expect(lastRun(db, place)).toMatchObject({ id: "run_3", outcome: "completed", added: 1, pruned: 2 });
    expect(lastRun(db, { ...place, branch: "other" })).toBeUndefined();
  });
});

describe("the gate at the exit", () => {
  const leaving = { on: true, detached: false, interactive: true, userMessages: 3 };
  it.each([
    [{}, "spawn"],
    [{ userMessages: 2 }, "below_min_turns"],
    [{ detached: true }, "detached_child"],
    [{ detached: true, interactive: false, userMessages: 0 }, "detached_child"],
    [{ interactive: false }, "nothing"],
    [{ on: false, detached: true }, "nothing"],
  ] as const)("M98 %j gives %s", (more, outcome) => {
    expect(gate({ ...leaving, ...more })).toBe(outcome);
  });
});
