// When a call is tried again and when not, with a clock that does not wait.
import { describe, expect, it } from "vitest";
import type { Clock } from "../base/clock.ts";
import { catalogEntry } from "../schema/model.ts";
import type { CallModel, CallOutcome, ModelRequest, ModelTarget } from "./contract.ts";
import { callWithRetry, type FailedAttempt } from "./retry.ts";

type Failure = Extract<CallOutcome, { type: "failure" }>;

const entry = catalogEntry.parse({ id: "custom/m", provider: "custom" });
const target: ModelTarget = {
  id: "custom/m",
  provider: "custom",
  name: "m",
  wire: "openai-chat",
  headers: {},
  entry,
  promptLimit: 1000,
};
const request: ModelRequest = {
  system: "",
  items: [],
  tools: [],
  toolChoice: "auto",
  initiator: "user",
  interaction: "conversation-user",
  sessionId: "s",
};

const failure = (statusCode: number, more: Partial<Failure> = {}): Failure => ({
  type: "failure",
  code: "server_error",
  message: "no",
  statusCode,
  retryable: true,
  ...more,
});
const answer = (content: string): CallOutcome => ({
  type: "answer",
  answer: { content, toolRequests: [], finishReason: "stop", ttftMs: 1 },
});

async function run(
  outcomes: CallOutcome[],
  more: { max?: number; maxWaitSeconds?: number; signal?: AbortSignal; clock?: Partial<Clock> } = {},
) {
  const waits: number[] = [];
  const events: FailedAttempt[] = [];
  let calls = 0;
  const callModel: CallModel = async (_target, given) => {
    expect(given).toBe(request);
    return outcomes[Math.min(calls++, outcomes.length - 1)]!;
  };
  const clock: Clock = {
    now: () => "2025-06-01T10:00:00.000Z",
    monotonic: () => 0,
    sleep: async (ms) => {
      waits.push(ms);
      return true;
    },
    ...more.clock,
  };
  const outcome = await callWithRetry(callModel, target, request, {
    signal: more.signal ?? new AbortController().signal,
    onPart: () => {},
    idleMs: 1000,
    policy: { max: more.max ?? 5, baseMs: 1000, maxWaitSeconds: more.maxWaitSeconds ?? 180 },
    clock,
    random: () => 0,
    onFailure: (event) => events.push(event),
  });
  return { outcome, waits, events, calls };
}

describe("A2.13 A2.14 retry", () => {
  it("P39 A2.14 grows the wait, five times as long after a 429, and stops after max retries", async () => {
    const limited = await run([failure(429, { code: "rate_limited" })]);
    expect(limited.waits).toEqual([5000, 10_000, 20_000, 40_000, 80_000]);
    expect(limited.calls).toBe(6);
    expect(limited.outcome).toMatchObject({ type: "failure", code: "rate_limited" });
    expect(limited.events.map((event) => event.willRetry)).toEqual([true, true, true, true, true, false]);
    expect(limited.events[0]).toMatchObject({ attempt: 1, statusCode: 429, code: "rate_limited", delayMs: 5000 });
    const failing = await run([failure(529), failure(503), answer("ok")]);
    expect(failing.waits).toEqual([1000, 2000]);
    expect(failing.outcome).toMatchObject({ type: "answer" });
  });

  it("N49 a name that does not resolve is tried twice", async () => {
    const { calls, events } = await run([failure(0, { code: "unknown_host" })]);
    expect([calls, events.map((event) => event.willRetry)]).toEqual([2, [true, false]]);
    expect((await run([failure(0, { code: "unknown_host" })], { max: 0 })).calls).toBe(1);
  });

  it("P39 waits as long as it was told", async () => {
    expect((await run([failure(429, { retryAfterMs: 1234 }), answer("ok")])).waits).toEqual([1234]);
  });

  it("AB7 A2.14 a longer wait than allowed fails at once and says when to come back", async () => {
    const { outcome, waits, events } = await run([failure(429, { retryAfterMs: 86_400_000 })]);
    expect(waits).toEqual([]);
    expect(outcome).toMatchObject({ type: "failure", code: "wait_too_long", retryable: false });
    expect((outcome as Failure).message).toContain("2025-06-02T10:00:00.000Z");
    expect(events).toMatchObject([{ code: "wait_too_long", willRetry: false }]);
  });

  it("AB8 A2.13 what is not worth it is not tried again", async () => {
    const { calls, events } = await run([failure(401, { code: "unauthorized", retryable: false })]);
    expect(calls).toBe(1);
    expect(events).toMatchObject([{ willRetry: false, code: "unauthorized" }]);
  });

  it("AI13 a context limit is returned at once", async () => {
    const { calls, outcome, events } = await run([{ type: "context_limit", message: "too long", unit: "tokens" }]);
    expect([calls, outcome.type, events.length]).toEqual([1, "context_limit", 0]);
  });

  it("A2.14 an abort ends the wait at once", async () => {
    const clock = { sleep: async () => false };
    expect((await run([failure(500)], { clock })).outcome).toEqual({ type: "aborted" });
  });

  it("A2.9 an empty answer is tried once more, then fails as empty_response", async () => {
    const twice = await run([answer(" \n")]);
    expect(twice.calls).toBe(2);
    expect(twice.outcome).toMatchObject({ type: "failure", code: "empty_response" });
    const once = await run([answer(""), answer("ok")]);
    expect(once.outcome).toMatchObject({ type: "answer", answer: { content: "ok" } });
    expect(once.events).toMatchObject([{ code: "empty_response", willRetry: true }]);
  });

  it("A2.8 the last failure keeps its partial text", async () => {
    const { outcome } = await run([failure(200, { code: "incomplete", partial: "half" })], { max: 1 });
    expect(outcome).toMatchObject({ code: "incomplete", partial: "half" });
  });
});
