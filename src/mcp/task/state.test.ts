// The states of a task: an ended one never changes, what is kept of a server's words is bounded.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pollPause } from "./follow.ts";
import { type McpTaskEvent, type McpTaskState, nextTaskState } from "./state.ts";

const start: McpTaskState = {
  phase: "running",
  progress: {
    server: "s",
    tool: "t",
    taskId: "1",
    status: "working",
    streamWarnings: [],
    createdAt: "a",
    lastUpdatedAt: "a",
  },
};

const event: fc.Arbitrary<McpTaskEvent> = fc.oneof(
  fc.record({
    type: fc.constant("reported" as const),
    report: fc.record(
      {
        taskId: fc.constant("1"),
        status: fc.constantFrom("working", "input_required", "completed", "failed", "cancelled"),
        statusMessage: fc.string({ maxLength: 2000 }),
      },
      { requiredKeys: ["taskId", "status"] },
    ),
  }),
  fc.record({ type: fc.constant("progressed" as const), progress: fc.record({ progress: fc.double() }) }),
  fc.record({ type: fc.constant("warned" as const), warning: fc.string({ maxLength: 2000 }) }),
  fc.constantFrom<McpTaskEvent>(
    { type: "ended", end: { type: "cancelled", by: "client" } },
    { type: "ended", end: { type: "failed", code: "task_lost", message: "m" } },
  ),
) as fc.Arbitrary<McpTaskEvent>;

describe("nextTaskState", () => {
  it("OI2 an ended task never changes, and it is terminal exactly when it has ended", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let state: McpTaskState = start as McpTaskState;
        for (const one of events) {
          const next = nextTaskState(state, one, "b");
          if (state.phase === "ended") expect(next).toBe(state);
          state = next;
          const { status, streamWarnings, message } = state.progress;
          expect(["completed", "failed", "cancelled"].includes(status)).toBe(state.phase === "ended");
          expect(streamWarnings.length).toBeLessThanOrEqual(20);
          expect(message?.length ?? 0).toBeLessThanOrEqual(500);
        }
      }),
    );
  });

  it("O144 the poll interval is the server's within 250 ms and 30 s, 1 s without", () => {
    expect([undefined, 0, -1, 5000, 1e12, Number.NaN].map(pollPause)).toEqual([1000, 250, 250, 5000, 30_000, 1000]);
  });
});
