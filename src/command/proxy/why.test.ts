// What `why` and `serve` say, and how sessions are found by what is typed.
import { describe, expect, it } from "vitest";
import { ok } from "../../base/result.ts";
import type { ProxyOperations } from "../../runtime/gateway/operations.ts";
import { bannerText, requestLine } from "../serve-gateway.ts";
import { findSession } from "./find-session.ts";
import { type Why, whyText } from "./why.ts";

const record: Why = {
  id: "r1",
  time: "2025-01-01T00:00:00.000Z",
  family: "codex",
  familySignal: "user-agent openai codex",
  upstream: "openai",
  model: "gpt-5",
  path: "/v1/responses",
  session: "work",
  sessionSignal: "x-session-id",
  lane: 1,
  kind: "main",
  action: "trim",
  epoch: 2,
  epochReason: "high-water",
  window: 100_000,
  usable: 90_000,
  tokensIn: 80_000,
  tokensSent: 40_000,
  bytesIn: 1,
  bytesSent: 2,
  dropped: 8,
  shortened: 1,
  stored: 9,
  recalled: [{ ref: "work:t1.2", score: 1.5, parts: { plain: 1, recency: 0.5, gram: 0 } }],
  attempts: [
    { tokens: 60_000, bytes: 1, status: 400, error: "context" },
    { tokens: 40_000, bytes: 1, status: 200 },
  ],
  status: 200,
  outcome: "complete",
  usage: { input: 39_000, cached: 30_000, output: 5 },
  timings: { plan: 12.4 },
  items: [
    { at: 0, role: "user", kind: "message", tokens: 5, action: "keep", text: "first\ntask" },
    ...Array.from({ length: 8 }, (_, i) => ({
      at: i + 1,
      role: "tool",
      kind: "message",
      tokens: 10,
      action: "drop" as const,
      ref: `work:t1.${i}`,
    })),
    { at: 9, role: "tool", kind: "message", tokens: 900, action: "shorten", ref: "work:t2.1" },
    { role: "user", kind: "recall", tokens: 50, action: "insert" },
  ],
};

describe("proxy why (X97)", () => {
  it("says client, reason, attempts, recall with its parts, and both columns", () => {
    const text = whyText(record, { all: false, width: undefined });
    expect(text).toContain("client: codex, known by user-agent openai codex; to openai, model gpt-5");
    expect(text).toContain("action: trim: a new epoch began (high-water)");
    expect(text).toContain("tokens: 80,000 received, 40,000 sent");
    expect(text).toContain("recalled work:t1.2  1.50 = plain 1.00 + recency 0.50");
    expect(text).toContain("attempt 1: 60,000 tokens, 400 context");
    expect(
      text
        .slice(text.indexOf("came "))
        .split("\n")
        .map((l) => l.replace(/ +/g, " ")),
    ).toEqual([
      "came | sent",
      "user message 5 first task | =",
      "tool message 10 | - left out work:t1.0",
      "tool message 10 | - left out work:t1.1",
      "… 4 more, 40 tokens | - left out",
      "tool message 10 | - left out work:t1.6",
      "tool message 10 | - left out work:t1.7",
      "tool message 900 | ~ shortened work:t2.1",
      " | + user recall 50",
    ]);
  });
  it("says why nothing was done", () => {
    const passed = { ...record, epochReason: undefined, items: [], recalled: [], attempts: [] } as unknown as Why;
    const text = whyText({ ...passed, action: "pass", whyNothing: "it fits" }, { all: false, width: 80 });
    expect(text).toContain("action: pass: it fits");
  });
  it("F78 a terminal gets cut columns, a pipe and --all everything", () => {
    expect(
      Math.max(
        ...whyText(record, { all: false, width: 60 })
          .split("\n")
          .slice(-9)
          .map((l) => l.length),
      ),
    ).toBeLessThanOrEqual(60);
    expect(whyText(record, { all: true, width: undefined })).not.toContain("more, 40 tokens");
  });
});

describe("serve's lines", () => {
  const noon = new Date(2025, 0, 1, 12, 3, 4);
  it("F81 one line a request, failures with their reason, nothing that moves the cursor", () => {
    const request = { id: "r", action: "trim" };
    const data = {
      ...request,
      family: "codex",
      session: "work",
      path: "/v1/responses",
      status: 200,
      tokensIn: 96_000,
      tokensSent: 41_000,
    };
    const more = { recalled: 3, stored: 5, addedMs: 11.6, totalMs: 2301, outcome: "complete" } as const;
    expect(requestLine({ type: "proxy.request", data: { ...data, ...more } }, noon)).toBe(
      "12:03:04  codex  work  /v1/responses  200  96,000 > 41,000 tokens  recalled 3  stored 5  +12 ms  2,301 ms",
    );
    const failed = {
      ...request,
      family: "other",
      path: "/v1/\u001b[2J",
      outcome: "incomplete" as const,
      failure: "client_gone",
      totalMs: 5,
    };
    const line = requestLine({ type: "proxy.request", data: failed }, noon);
    expect(line).toMatch(/client_gone$/);
    expect(line).not.toContain("\u001b");
    expect(requestLine({ type: "session.adopted", data: { session: "s" } }, noon)).toBeUndefined();
  });
  it("F80 in this order: address, link, store, on and off, upstreams, how to connect, how to stop", () => {
    const facts = {
      version: "1.0.0",
      address: "http://127.0.0.1:4747",
      store: { kind: "sqlite" as const, path: "/h/store.db", bytes: 2048 },
      on: ["recall"],
      off: ["graph"],
      upstreams: [{ name: "openai", host: "api.openai.com", key: true }],
      loopback: true,
    };
    const link = "http://127.0.0.1:4747/#login=x";
    const text = bannerText(facts, link);
    const order = [
      "1.0.0",
      "#login=",
      "/h/store.db (2 KB)",
      "on: recall; off: graph",
      "api.openai.com (key set)",
      "codex",
      "claude",
      "copilot",
      "gemini",
      "opencode",
      "everlong with AGENT",
      "Ctrl+C to stop",
    ];
    const places = order.map((part) => text.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    // W11: without a member's token none of these ways leads anywhere.
    const team = bannerText({ ...facts, team: "PostgreSQL at db:5432/everlong" }, link);
    expect(team).toContain("everlong token add NAME");
    expect(team).not.toMatch(/connect:|ANTHROPIC_BASE_URL/);
  });
});

describe("which session is meant (X101, B63)", () => {
  const ids = ["work", "work-two", "play-one", "c-0011"];
  const operations = {
    sessions: async ({ q = "", limit }: { q?: string; limit?: number }) =>
      ok({
        items: ids
          .filter((id) => id.includes(q))
          .slice(0, limit)
          .map((id) => ({ id })),
      }),
  } as unknown as ProxyOperations;
  const find = (id: string | undefined, last = false) => findSession(operations, id, { last });

  it("an id, a unique beginning, the last", async () => {
    expect(await find("work")).toEqual(ok("work"));
    expect(await find("pl")).toEqual(ok("play-one"));
    expect(await find(undefined, true)).toEqual(ok("work"));
  });
  it("nothing, several, none", async () => {
    expect(await find(undefined)).toMatchObject({ ok: false, error: { exit: 2 } });
    expect(await find("wor")).toMatchObject({
      ok: false,
      error: { exit: 2, what: expect.stringContaining("work-two") },
    });
    expect(await find("one")).toMatchObject({
      ok: false,
      error: { exit: 1, next: expect.stringContaining("play-one") },
    });
    expect(await find("zzz")).toMatchObject({ ok: false, error: { code: "session_not_found", exit: 1 } });
  });
});
