// What a refusal is taken for, in HTTP and inside a stream, and what the user is told.
import { describe, expect, it } from "vitest";
import { refusedOutcome } from "./call-error.ts";
import { KINDS, targetFor } from "./conformance-fixture.ts";

const target = targetFor(KINDS["anthropic"]!, "http://127.0.0.1");
const refused = (status: number | undefined, body: string, headers: Record<string, string> = {}) =>
  refusedOutcome(target, { ...(status === undefined ? {} : { status }), headers, body }, 0);
const event = (error: object) => refused(undefined, JSON.stringify({ error }));

describe("A2.13 which statuses are worth another try", () => {
  it("A2.13 408, 409, 425, 429, 499 and 500 up are; other 4xx and what says x-should-retry: false are not", () => {
    for (const status of [408, 409, 425, 429, 499, 500, 502, 503, 504, 529])
      expect(refused(status, "{}")).toMatchObject({ retryable: true });
    for (const status of [301, 400, 401, 402, 403, 404, 405, 410, 418, 422, 451])
      expect(refused(status, "{}")).toMatchObject({ retryable: false });
    expect(refused(429, "{}", { "x-should-retry": "false" })).toMatchObject({ retryable: false });
  });
});

describe("A2.15 messages", () => {
  it("A2.15 hold at most 500 characters of the provider's, whatever shape its error has", () => {
    const long = refused(400, JSON.stringify({ error: { message: "m".repeat(2000) } }));
    expect(long.type === "failure" && long.message.length).toBeLessThan(600);
    for (const body of [
      '{"error":{"message":"why"}}',
      '{"error":"why"}',
      '{"message":"why"}',
      '{"detail":"why"}',
      "why",
    ]) {
      expect(refused(400, body)).toMatchObject({ message: `${target.id} answered 400: why` });
    }
  });

  it("A2.15 AI12 a key at the edge of the cut is masked before it is cut", () => {
    const body = `${"x".repeat(490)} ${target.apiKey}`;
    expect(JSON.stringify(refused(500, body))).not.toContain("test-key");
  });

  it("A2.15 403 names the variable, also when no key is set; an HTML 404 still names model and address", () => {
    expect(refused(403, "{}")).toMatchObject({
      code: "unauthorized",
      message: "The provider at 127.0.0.1 refused the key in THE_KEY (403).",
    });
    const { apiKey: _key, ...keyless } = target;
    expect(refusedOutcome(keyless, { status: 401, headers: {}, body: "" }, 0)).toMatchObject({
      message: expect.stringContaining("set THE_KEY"),
    });
    expect(refused(404, "<html>")).toMatchObject({
      code: "not_found",
      message: expect.stringContaining(target.baseUrl!),
    });
  });
});

describe("A2.16 error events are read by the same table", () => {
  it("A2.13 by number or by word", () => {
    expect(event({ type: "overloaded_error", message: "x" })).toMatchObject({ code: "overloaded", retryable: true });
    expect(event({ type: "rate_limit_error", message: "x" })).toMatchObject({ code: "rate_limited", retryable: true });
    expect(event({ code: 503, status: "UNAVAILABLE", message: "x" })).toMatchObject({
      code: "overloaded",
      statusCode: 503,
    });
    expect(event({ code: "invalid_api_key", message: "x" })).toMatchObject({ code: "unauthorized", retryable: false });
    expect(event({ type: "invalid_request_error", message: "x" })).toMatchObject({
      code: "invalid_request",
      retryable: false,
    });
    expect(event({ message: "x" })).toMatchObject({ code: "server_error", retryable: true });
    expect(event({ type: "request_too_large", message: "x" })).toMatchObject({ type: "context_limit", unit: "bytes" });
    const failed = JSON.stringify({
      type: "response.failed",
      response: { error: { code: "context_length_exceeded", message: "Too long." } },
    });
    expect(refused(undefined, failed)).toMatchObject({ type: "context_limit", message: "Too long." });
  });
});
