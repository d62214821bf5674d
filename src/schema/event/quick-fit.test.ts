// The quick check of events: it never takes what zod refuses, and it takes what logs are made of.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventData, readEvent } from "./envelope.ts";
import { quickFit } from "./quick-fit.ts";

const types = Object.keys(eventData) as (keyof typeof eventData)[];

const samples: Partial<Record<keyof typeof eventData, Record<string, unknown>>> = {
  "turn.start": { turnId: "t", cause: "user" },
  "turn.end": { turnId: "t", status: "done", steps: 2, durationMs: 1.5 },
  "user.message": { messageId: "m", turnId: "t", content: "hi", source: "user", mode: "interactive" },
  "assistant.message": {
    messageId: "m",
    turnId: "t",
    step: 1,
    model: "m",
    content: "",
    toolRequests: [{ toolCallId: "c", name: "view", arguments: { path: "a" } }],
    finishReason: "tool_calls",
  },
  "tool.execution_start": { toolCallId: "c", toolName: "view", arguments: {}, turnId: "t" },
  "tool.execution_complete": {
    toolCallId: "c",
    success: true,
    resultType: "success",
    result: { content: "x", bytes: 1, lines: 1 },
    durationMs: 3,
  },
};

/** A value that is not there, or that is another one. */
const other = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom(null, "", "user", "done", 0, -1, Number.NaN, Number.POSITIVE_INFINITY, true, [], {}, [{}], [""]),
  fc.jsonValue(),
);

describe("quickFit", () => {
  it("N17 takes the events that logs are made of, without zod", () => {
    for (const [type, data] of Object.entries(samples))
      expect(quickFit(eventData[type as keyof typeof eventData]())(data), type).toBe(true);
  });

  it("N17 takes nothing that zod refuses", () => {
    const field = fc.tuple(fc.constantFrom(...types), fc.array(other, { maxLength: 30 }), fc.nat());
    fc.assert(
      fc.property(field, ([type, values, seed]) => {
        const keys = Object.keys(eventData[type]().shape);
        const data: Record<string, unknown> = { ...samples[type] };
        values.forEach((value, at) => {
          const key = keys[(seed + at) % keys.length] ?? "";
          if (value === undefined) delete data[key];
          else data[key] = value;
        });
        if (quickFit(eventData[type]())(data)) expect(eventData[type]().safeParse(data).success).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it("N17 an event that does not fit is still refused, with the reason", () => {
    const event = {
      id: "1",
      type: "turn.end",
      timestamp: "2026",
      parentId: null,
      data: { turnId: "t", status: "odd" },
    };
    expect(readEvent(event)).toMatchObject({ type: "invalid", reason: expect.stringContaining("status") });
  });
});
