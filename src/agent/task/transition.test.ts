// The table of a record's life, every cell of it.
import { describe, expect, it } from "vitest";
import type { AgentRecord, AgentStatus } from "./record.ts";
import { type Change, transition } from "./transition.ts";

const common = {
  id: "a",
  type: "agent",
  ownerId: "s1",
  depth: 1,
  name: "a",
  agentType: "task",
  displayName: "A",
  description: "d",
  prompt: "p",
  model: "m",
  executionMode: "sync",
  requestedMode: "sync",
  multiTurn: true,
  quiet: false,
  createdAt: "2026-01-01T00:00:00.000Z",
  turnHistory: [],
  latestResponse: "latest",
  progress: { turns: 0, toolCalls: 0, tokensIn: 0, tokensOut: 0 },
  telemetry: { durationMs: 1000, steps: 0 },
  told: true,
  removed: false,
} as const;
const start = "2026-01-01T00:00:00.000Z";
const at = "2026-01-01T00:00:05.000Z";
const old = { messageId: "m1", from: "main", message: "old" };
const fresh = { messageId: "m2", from: "main", message: "new" };

const records: Record<AgentStatus, AgentRecord> = {
  running: { ...common, status: "running", startedAt: start, lastEventAt: at, messageQueue: [old] },
  idle: { ...common, status: "idle", idleSince: start },
  interrupted: { ...common, status: "interrupted", lastEventAt: start, messageQueue: [old] },
  completed: { ...common, status: "completed", endedAt: start, result: "r" },
  failed: { ...common, status: "failed", endedAt: start, error: { code: "c", message: "m" } },
  cancelled: { ...common, status: "cancelled", endedAt: start, by: "user", reason: "r" },
};
const changes: Record<Change["type"], Change> = {
  message: { type: "message", message: fresh, at },
  taken: { type: "taken", messageId: "m1" },
  idle: { type: "idle", at },
  completed: { type: "completed", result: "done", at },
  failed: { type: "failed", error: { code: "stalled", message: "m" }, at },
  cancelled: { type: "cancelled", by: "user", reason: "r", told: false, at },
  interrupted: { type: "interrupted" },
};
/** The status it leads to; a cell that is not here is ignored. */
const table: Partial<Record<AgentStatus, Partial<Record<Change["type"], AgentStatus>>>> = {
  running: {
    message: "running",
    taken: "running",
    idle: "idle",
    completed: "completed",
    failed: "failed",
    cancelled: "cancelled",
    interrupted: "interrupted",
  },
  idle: { message: "running", completed: "completed", cancelled: "cancelled" },
  interrupted: { message: "running", cancelled: "cancelled" },
};

describe("O47 transitions", () => {
  for (const [status, record] of Object.entries(records))
    for (const [type, change] of Object.entries(changes)) {
      const expected = table[status as AgentStatus]?.[type as Change["type"]] ?? "ignored";
      it(`O47 OI2 ${status} on ${type}: ${expected}`, () => {
        const next = transition(record, change);
        expect(next === "ignored" ? next : next.status).toBe(expected);
      });
    }

  it("O47 a message queues behind those that wait, and leaves the queue when it is entered", () => {
    const queued = transition(records.running, changes.message);
    expect(queued).toMatchObject({ messageQueue: [old, fresh] });
    expect(transition(records.running, changes.taken)).toMatchObject({ messageQueue: [] });
    expect(transition(records.running, { type: "taken", messageId: "other" })).toBe("ignored");
  });

  it("O59 an interrupted agent goes on in the background, undelivered messages first", () => {
    const next = transition(records.interrupted, changes.message);
    expect(next).toMatchObject({ status: "running", executionMode: "background", messageQueue: [old, fresh] });
  });

  it("O45 the time in running is added up by the events' times, and a clock that goes back adds nothing", () => {
    expect(transition(records.running, changes.idle)).toMatchObject({ telemetry: { durationMs: 6000 } });
    const back = transition(records.running, { type: "idle", at: "2025-12-31T00:00:00.000Z" });
    expect(back).toMatchObject({ telemetry: { durationMs: 1000 } });
    expect(transition(records.idle, changes.completed)).toMatchObject({ telemetry: { durationMs: 1000 } });
  });

  it("OI10 news is untold; the completion of an idle agent is none", () => {
    expect(transition(records.running, changes.idle)).toMatchObject({ told: false });
    expect(transition(records.running, changes.failed)).toMatchObject({ told: false });
    expect(transition(records.idle, changes.completed)).toMatchObject({ told: true, result: "done" });
  });

  it("O46 no status keeps the fields of another", () => {
    const idle = transition(records.running, changes.idle);
    expect(idle).not.toHaveProperty("startedAt");
    expect(idle).not.toHaveProperty("messageQueue");
    expect(transition(records.idle, changes.message)).not.toHaveProperty("idleSince");
  });
});
