// Own answers in each format's shape, what clients survive, and the headers that explain.
import { describe, expect, it } from "vitest";
import type { WireName } from "../../schema/model.ts";
import { FAMILIES, type Family } from "../contract.ts";
import { contextLengthAnswer, errorAnswer } from "./error-shape.ts";
import { explainHeaders } from "./explain.ts";
import { survivable } from "./survivable.ts";

describe("shapes", () => {
  it.each<[WireName | undefined, number, object]>([
    ["openai-chat", 502, { error: { message: "m", type: "server_error", param: null, code: "c" } }],
    ["openai-responses", 400, { error: { message: "m", type: "invalid_request_error", param: null, code: "c" } }],
    [undefined, 401, { error: { message: "m", type: "authentication_error", param: null, code: "c" } }],
    ["anthropic", 413, { type: "error", error: { type: "request_too_large", message: "m" } }],
    ["anthropic", 502, { type: "error", error: { type: "api_error", message: "m" } }],
    ["gemini", 504, { error: { code: 504, message: "m", status: "DEADLINE_EXCEEDED" } }],
    ["gemini", 400, { error: { code: 400, message: "m", status: "INVALID_ARGUMENT" } }],
  ])("X89 D11 %s %i", (wire, status, body) => {
    const made = errorAnswer(wire, { status, code: "c", message: "m" });
    expect([made.status, JSON.parse(made.body)]).toEqual([status, body]);
    expect(made.headers).toEqual(["content-type", "application/json", "x-everlong-error", "c"]);
  });
});

describe("what a client survives (X92)", () => {
  const limit = { unit: "tokens", reportedLimit: 60_000, reportedTokens: 90_000 } as const;
  const expected: Partial<Record<Family, number>> = { codex: 400, gemini: 400, pi: 400, sdk: 400, copilot: 413 };

  it.each(FAMILIES)("%s, whatever the refusal came as", (family) => {
    for (const status of [413, 400, 500, 200]) {
      const told = survivable(family, "openai-chat", { status, body: "<html>" }, limit);
      const wanted = expected[family];
      if (wanted === undefined || (wanted === 413 && status === 413)) expect(told).toBe("as-came");
      else expect(told).toMatchObject({ status: wanted });
    }
  });

  it.each<[WireName, RegExp]>([
    ["openai-chat", /"code":"context_length_exceeded"/],
    ["openai-responses", /"code":"context_length_exceeded"/],
    ["anthropic", /"invalid_request_error","message":"prompt is too long: 90000 tokens > 60000 maximum"/],
    ["gemini", /input token count \(90000\) exceeds the maximum number of tokens allowed \(60000\).*INVALID_ARGUMENT/],
  ])("%s has its own words, and those pass as they came", (wire, words) => {
    const made = contextLengthAnswer(wire, 400, limit);
    expect(made.body).toMatch(words);
    expect(survivable("codex", wire, { status: 400, body: made.body }, limit)).toBe("as-came");
    expect(survivable("codex", wire, { status: 413, body: made.body }, limit)).toMatchObject({ status: 400 });
  });
});

it("X95 explaining headers are ASCII, short, and only those with a value", () => {
  const raw = explainHeaders({ request: "r1", action: "skip:store", session: "aé\r\nSet-Cookie: x", tokensIn: 0 });
  expect(raw).toEqual([
    "X-Everlong-Request",
    "r1",
    "X-Everlong-Session",
    "a___Set-Cookie: x",
    "X-Everlong-Action",
    "skip:store",
    "X-Everlong-Tokens-In",
    "0",
  ]);
  expect(explainHeaders({ request: "x".repeat(999), action: "pass" })[1]).toHaveLength(200);
});
