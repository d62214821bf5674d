import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clientSessionKey, sessionKeyOf } from "./session-key.ts";

type Input = { headers?: Record<string, string>; body?: Record<string, unknown> };
const keyOf = ({ headers = {}, body = {} }: Input) => sessionKeyOf(headers, body);
/** As Node hands over the bytes of a header. */
const bytes = (text: string) => Buffer.from(text).toString("latin1");

/** Every signal alone, in the order in which they win. */
const SIGNALS: [signal: string, input: Input][] = [
  ["header x-everlong-session", { headers: { "x-everlong-session": "k0" } }],
  ["header x-session-id", { headers: { "x-session-id": "k1" } }],
  ["body prompt_cache_key", { body: { prompt_cache_key: "k2" } }],
  ["body metadata.session_id", { body: { metadata: { session_id: "k3" } } }],
  ["body session_id", { body: { session_id: "k4" } }],
  ["header x-claude-code-session-id", { headers: { "x-claude-code-session-id": "k5" } }],
  ["header session-id", { headers: { "session-id": "k6" } }],
  ["header thread-id", { headers: { "thread-id": "k7" } }],
  ["header session_id", { headers: { session_id: "k8" } }],
  ["header x-session-affinity", { headers: { "x-session-affinity": "k9" } }],
  ["header conversation_id", { headers: { conversation_id: "k10" } }],
  ["body metadata.user_id", { body: { metadata: { user_id: '{"device_id":"d","session_id":"k11"}' } } }],
];

describe("session keys", () => {
  it("X15 each signal alone gives its key, and of several the first", () => {
    SIGNALS.forEach(([signal, input], at) => {
      expect(keyOf(input)).toEqual({ ok: true, value: { signal, key: `k${at}` } });
      const later = SIGNALS.slice(at).map(([, i]) => i);
      const metadata = Object.assign({}, ...later.map((i) => i.body?.["metadata"]).reverse());
      const body = { ...Object.assign({}, ...later.map((i) => i.body)), metadata };
      const all = { headers: Object.assign({}, ...later.map((i) => i.headers)), body };
      expect(keyOf(all)).toEqual({ ok: true, value: { signal, key: `k${at}` } });
    });
    expect(keyOf({ headers: { "x-cliproxyapi-session": "s" } })).toMatchObject({ value: { key: "s" } });
    expect(keyOf({ body: { metadata: { user_id: "user_ab12_account__session_0f-1" } } })).toMatchObject({
      value: { key: "0f-1" },
    });
  });

  it("X15 nothing usable is no key", () => {
    for (const body of [
      {},
      { prompt_cache_key: "", session_id: null, metadata: "x" },
      { metadata: { user_id: "user_1" } },
      { metadata: { user_id: '{"session_id":7}' } },
      { metadata: { user_id: "{broken" } },
      { session_id: ["a"] },
    ]) {
      expect(keyOf({ body })).toEqual({ ok: true, value: undefined });
    }
    expect(keyOf({ headers: { "x-session-id": "  " } })).toEqual({ ok: true, value: undefined });
  });

  it.each([
    ["empty", { "x-everlong-session": "" }],
    ["NUL", { "x-cliproxyapi-session": "a\0b" }],
    ["a tab", { "x-everlong-session": "a\tb" }],
    ["10 KB", { "x-everlong-session": "k".repeat(10_240) }],
    ["201 bytes", { "x-everlong-session": bytes(`${"é".repeat(100)}x`) }],
    ["no UTF-8", { "x-everlong-session": "\xff\xfe" }],
    ["two that differ", { "x-everlong-session": "a", "x-cliproxyapi-session": "b" }],
    ["one of two empty", { "x-everlong-session": "a", "x-cliproxyapi-session": "" }],
  ])("XB2 B3 X20 our header with %s is refused", (_what, headers) => {
    expect(keyOf({ headers })).toMatchObject({ ok: false, error: { code: "bad_session_key" } });
  });

  it("X20 B1 our header is opaque text up to 200 bytes of UTF-8, and its two names may agree", () => {
    for (const key of ["../../etc/passwd", "C:\\x", "a b", "é".repeat(100), "界", "%2e%2e%2f"]) {
      const headers = { "x-everlong-session": bytes(key), "x-cliproxyapi-session": bytes(key) };
      expect(keyOf({ headers })).toEqual({ ok: true, value: { signal: "header x-everlong-session", key } });
    }
  });

  it("XB2 X20 a client's own id that breaks the rule is hashed, never refused, and stays distinct", () => {
    const ids = ["k".repeat(10_240), "k".repeat(10_241), "a\0b", "\ud800", "\ud801"];
    const keys = ids.map((id) => {
      const got = keyOf({ body: { prompt_cache_key: id } });
      if (!got.ok || !got.value) throw new Error("refused");
      expect(got.value.key).toMatch(/^h-[0-9a-f]{40}$/);
      return got.value.key;
    });
    expect(new Set(keys).size).toBe(ids.length);
    expect(keyOf({ headers: { "x-session-id": "\xff" } })).toMatchObject({ ok: true, value: { key: "ÿ" } });
  });

  it("X20 any value of any signal gives a key or, for ours alone, a refusal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom(...SIGNALS.slice(1, 5)), (text, [, input]) => {
        const planted = JSON.parse(JSON.stringify(input).replace(/"k\d+"/, () => JSON.stringify(text)));
        const got = keyOf(planted);
        expect(got.ok).toBe(true);
        if (got.ok && got.value) expect(got.value.key).toMatch(/^[^\p{Cc}]{1,200}$/u);
      }),
    );
  });

  it("X15 6 the seed's fallback: one key for each credential and User-Agent", () => {
    const a = clientSessionKey("i1", { "user-agent": "x" });
    expect(a).toEqual(clientSessionKey("i1", { "user-agent": "x" }));
    expect(a.key).not.toBe(clientSessionKey("i2", { "user-agent": "x" }).key);
    expect(a.key).not.toBe(clientSessionKey("i1", { "user-agent": "y" }).key);
  });
});
