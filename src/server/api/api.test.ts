// The management API on a real store behind a real server; the command line's two ways to it give the same.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listedCodes } from "../../../test/errors/listed.ts";
import { systemClock } from "../../base/clock.ts";
import { ok } from "../../base/result.ts";
import { Recall } from "../../memory/recall/recall.ts";
import { secretRedactor } from "../../memory/secret/filter.ts";
import { finishRequest } from "../../proxy/store/records.ts";
import {
  caller,
  history,
  indexOn,
  openPlace,
  type Place,
  recordOf,
  rememberIn,
  request,
  seeable,
  value,
} from "../../proxy/store/store-fixture.ts";
import { learnWindow } from "../../proxy/store/windows.ts";
import { apiError } from "../../schema/api/list.ts";
import type { ProxyOperations } from "../manage/contract.ts";
import { localOperations } from "../manage/local.ts";
import { remoteOperations } from "../manage/remote.ts";
import { openStage, type Stage } from "../server-fixture.ts";

let place: Place;
let stage: Stage;
let local: ProxyOperations;
let remote: ProxyOperations;
let recall: Recall;

const said = history("u:rename the parser module", "a:done, see zebra-marker", "u:now the tests");

beforeEach(async () => {
  place = await openPlace();
  const { store } = place;
  const remember = rememberIn(place);
  for (const [key, identity] of [
    ["alpha", "alice"],
    ["beta", "alice"],
    ["gamma", "bob"],
  ] as const) {
    const went = await request(
      store,
      caller(key, { identity, ...(key === "beta" ? { family: "claude" as const } : {}) }),
      said,
    );
    value(await remember.ensure(went.session, went.lane.id, said.flatMap(seeable)));
    const items = said.map((item) => ({
      ...{ at: item.at, role: item.role, kind: "message", tokens: 5, action: "keep" as const },
      ...(item.own === undefined ? {} : { own: item.own }),
    }));
    const record = recordOf(`req-${key}`, { session: key, lane: went.lane.id, tokensIn: 100, tokensSent: 40, items });
    value(await finishRequest(store, record, { keep: true }));
  }
  await remember.close();
  recall = new Recall({ db: place.db, path: join(place.home, "store.db"), timeoutMs: 60_000 });
  local = localOperations({
    ...{ store, recall, redactor: secretRedactor("key"), clock: systemClock },
    index: indexOn(recall.writer),
    settings: {
      specMode: false,
      semantic: { enabled: true, maxSnips: 4, maxChars: 3000 },
      upstreamUrls: { openai: "https://box.example/v1" },
      upstreamKeys: { openai: "sk-very-secret" },
    },
  });
  stage = await openStage({ operations: async () => ok(local) });
  remote = remoteOperations({ address: stage.gateway.address, token: stage.token });
});
afterEach(async () => {
  await stage.end();
  await recall.close();
  place.remove();
});

const errorOf = async (answer: Response): Promise<[number, string | null, unknown]> => {
  const body = (await answer.json()) as { error?: { code?: string; message?: string; hint?: string } };
  expect(body.error?.code).toBe(answer.headers.get("x-everlong-error"));
  expect(body.error?.message).toBeTypeOf("string");
  return [answer.status, answer.headers.get("x-everlong-error"), body];
};
const put = (path: string, text: string, headers: Record<string, string> = {}) =>
  stage.api(`/api/proxy${path}`, { method: "PUT", body: JSON.stringify({ text }), headers });

describe("X100, X101: the same operations over HTTP and on the files", () => {
  const reads: [string, (o: ProxyOperations) => Promise<unknown>][] = [
    ["sessions", (o) => o.sessions({})],
    ["sessions of a family", (o) => o.sessions({ family: "claude", limit: 1 })],
    ["one session", (o) => o.session("alpha")],
    ["no session", (o) => o.session("nope")],
    ["text", (o) => o.text("alpha", "todo")],
    ["spec", (o) => o.spec("alpha")],
    ["events", (o) => o.events("alpha", {})],
    ["requests", (o) => o.requests({})],
    ["requests of one", (o) => o.requests({ session: "beta" })],
    ["a request", (o) => o.request("req-alpha")],
    ["no request", (o) => o.request("nope")],
    ["search by ref", (o) => o.search({ query: "alpha:t1.2" })],
    ["search for nothing known", (o) => o.search({ query: "alpha:t9.9" })],
    ["stats", (o) => o.stats()],
    ["stats of one", (o) => o.stats("alpha")],
    ["windows", (o) => o.windows()],
    ["upstreams", (o) => o.upstreams()],
    ["semantic", (o) => o.semantic()],
  ];
  it.each(reads)("%s", async (_, ask) => {
    const here = (await ask(local)) as { ok: boolean; value?: unknown; error?: { code: string } };
    const there = (await ask(remote)) as typeof here;
    expect(there.ok).toBe(here.ok);
    if (here.ok) expect(there.value).toEqual(JSON.parse(JSON.stringify(here.value)));
    else expect(there.error?.code).toBe(here.error?.code);
  });

  it("list, page, show", async () => {
    const first = value(await remote.sessions({ limit: 2 }));
    const second = value(await remote.sessions({ limit: 2, after: first.next! }));
    expect([...first.items, ...second.items].map((s) => s.id)).toEqual(["gamma", "beta", "alpha"]);
    const one = value(await remote.session("alpha"));
    expect(one).toMatchObject({ id: "alpha", family: "codex", prompts: 2, lanes: [{ kind: "main", items: 3 }] });
    expect(one.totals).toMatchObject({ requests: 1, tokensIn: 100, tokensSent: 40, netSaved: 60 });
    expect(JSON.stringify(one)).not.toContain("alice");
  });
  it("X97 a request's rows say how their items begin", async () => {
    const { items } = value(await remote.request("req-alpha"));
    expect(items.map((row) => row.text)).toEqual([
      "rename the parser module",
      "done, see zebra-marker",
      "now the tests",
    ]);
  });
  it("a ref as query gives the item whole, words search every identity, a session only its own", async () => {
    const whole = value(await remote.search({ query: "t1.2", session: "alpha" }));
    expect(whole.items).toMatchObject([{ ref: "alpha:t1.2", role: "assistant", text: "done, see zebra-marker" }]);
    const all = value(await remote.search({ query: "zebra-marker" }));
    // alice said the same twice: told once
    expect(all.items.slice(0, 2).map((i) => i.ref)).toEqual([
      "gamma:t1.2",
      expect.stringMatching(/^(alpha|beta):t1.2$/),
    ]);
    expect(all.items[0]).toMatchObject({ score: expect.any(Number), parts: expect.any(Object) });
    const one = value(await remote.search({ query: "zebra-marker", session: "gamma" }));
    expect(one.items[0]?.ref).toBe("gamma:t1.2");
    expect(one.items.every((i) => i.ref.startsWith("gamma:"))).toBe(true);
  });
  it("X108 upstreams say where and whether there is a key, never the key", async () => {
    const rows = value(await remote.upstreams());
    expect(rows).toContainEqual({ name: "openai", url: "https://box.example/v1", key: true });
    expect(JSON.stringify(rows)).not.toContain("sk-very-secret");
  });
  it("X94 learned windows are listed and removed", async () => {
    value(await learnWindow(place.store, "openai", "gpt-5", { tokens: 60_000, named: true }));
    expect(value(await remote.windows())).toMatchObject([{ upstream: "openai", model: "gpt-5", tokens: 60_000 }]);
    expect(value(await remote.forgetWindow("gpt-5"))).toEqual({ deleted: 1 });
    expect(value(await remote.windows())).toEqual([]);
    expect((await errorOf(await stage.api("/api/proxy/windows", { method: "DELETE" }))).slice(0, 2)).toEqual([
      400,
      "invalid_inputs",
    ]);
  });
});

describe("texts (X65, X100, XB27, M143)", () => {
  it("the first needs no If-Match, the next does: 428, 412 with what is there, then 200", async () => {
    const first = await put("/sessions/alpha/todo", "- one");
    expect(first.status).toBe(200);
    const tag = first.headers.get("etag")!;
    expect(readFileSync(join(place.home, "proxy/sessions/alpha/todo.md"), "utf8")).toBe("- one");
    expect((await errorOf(await put("/sessions/alpha/todo", "- two"))).slice(0, 2)).toEqual([
      428,
      "precondition_required",
    ]);
    const [status, code, body] = await errorOf(await put("/sessions/alpha/todo", "- two", { "if-match": '"old"' }));
    expect([status, code]).toEqual([412, "stale"]);
    expect(body).toMatchObject({ error: { details: { text: "- one" } } });
    expect((await put("/sessions/alpha/todo", "- two", { "if-match": tag })).status).toBe(200);
    expect((await put("/sessions/alpha/todo", "- three", { "if-match": tag })).status).toBe(412);
    expect((await put("/sessions/alpha/todo", "- three", { "if-match": "*" })).status).toBe(200);
    expect(await (await stage.api("/api/proxy/sessions/alpha/todo")).json()).toMatchObject({ text: "- three" });
  });
  it("a hand edit is seen, and makes an earlier version stale", async () => {
    const tag = (await put("/sessions/alpha/pinned", "a")).headers.get("etag")!;
    writeFileSync(join(place.home, "proxy/sessions/alpha/pinned.md"), "by hand");
    expect((await put("/sessions/alpha/pinned", "b", { "if-match": tag })).status).toBe(412);
    expect(value(await remote.text("alpha", "pinned")).text).toBe("by hand");
  });
  it("of ten who read the same version one writes", async () => {
    const tag = (await put("/sessions/alpha/summary", "base")).headers.get("etag")!;
    const tries = await Promise.all(
      Array.from({ length: 10 }, (_, i) => put("/sessions/alpha/summary", `by ${i}`, { "if-match": tag })),
    );
    expect(tries.map((t) => t.status).sort()).toEqual([200, ...Array(9).fill(412)]);
  });
  it("X53 what is written passes the filter; too long is 413", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    await put("/sessions/alpha/todo", `use ${secret}`);
    expect(readFileSync(join(place.home, "proxy/sessions/alpha/todo.md"), "utf8")).not.toContain(secret);
    expect((await put("/sessions/beta/todo", "x".repeat(70_000))).status).toBe(413);
  });
  it("X76 a spec is approved through the API, the CLI says so too, and it is in the log", async () => {
    expect(value(await remote.spec("alpha"))).toEqual({ mode: "off", approved: false });
    const post = await stage.api("/api/proxy/sessions/alpha/spec", { method: "POST", body: '{"mode":"on"}' });
    expect(await post.json()).toMatchObject({ mode: "on", approved: false, way: "api" });
    expect(value(await remote.setSpec("alpha", { approved: true }, "cli"))).toMatchObject({
      approved: true,
      way: "cli",
    });
    expect(value(await remote.setSpec("alpha", { approved: false }, "cli"))).toMatchObject({ approved: false });
    const events = value(await remote.events("alpha", { kind: "spec" }));
    expect(events.items.map((e) => e["about"])).toMatchObject([{ way: "api" }, { way: "cli", approved: "true" }, {}]);
  });
});

describe("erasing (X102, XB27)", () => {
  it("one is gone with its items and directory, all only with confirm", async () => {
    expect(value(await remote.deleteSession("alpha"))).toEqual({ deleted: 1 });
    expect((await errorOf(await stage.api("/api/proxy/sessions/alpha"))).slice(0, 2)).toEqual([
      404,
      "session_not_found",
    ]);
    expect((await stage.api("/api/proxy/sessions/alpha", { method: "DELETE" })).status).toBe(404);
    expect(value(await remote.search({ query: "zebra-marker" })).items.some((i) => i.ref.startsWith("alpha"))).toBe(
      false,
    );
    const all = await stage.api("/api/proxy/sessions", { method: "DELETE" });
    expect((await errorOf(all)).slice(0, 2)).toEqual([400, "confirm_needed"]);
    expect(value(await remote.sessions({})).items).toHaveLength(2);
    expect(value(await remote.deleteAllSessions())).toEqual({ deleted: 2 });
    expect(value(await remote.sessions({})).items).toEqual([]);
  });
});

describe("bad input", () => {
  const deep = `${"[".repeat(100)}${"]".repeat(100)}`;
  const rows: [string, string, RequestInit, number, string][] = [
    [
      "XB26 text/plain",
      "/search",
      { body: "{}", headers: { "content-type": "text/plain" } },
      415,
      "unsupported_media_type",
    ],
    [
      "B15 a form",
      "/search",
      { body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } },
      415,
      "unsupported_media_type",
    ],
    ["not JSON", "/search", { body: "{" }, 400, "invalid_inputs"],
    ["empty", "/search", { body: "" }, 400, "invalid_inputs"],
    ["not UTF-8", "/search", { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, "invalid_inputs"],
    ["wrong shape", "/search", { body: "[]" }, 400, "invalid_inputs"],
    ["an unknown field", "/search", { body: '{"query":"a","isAdmin":true}' }, 400, "invalid_inputs"],
    ["B24 a prototype", "/search", { body: '{"query":"a","__proto__":{"polluted":1}}' }, 400, "invalid_inputs"],
    ["M145 too deep", "/search", { body: deep }, 400, "json_too_deep"],
    ["M145 too large", "/search", { body: JSON.stringify({ query: "x".repeat(300_000) }) }, 413, "too_large"],
    ["an unknown encoding", "/search", { body: "{}", headers: { "content-encoding": "rot13" } }, 400, "invalid_inputs"],
    ["a traversal id", "/search", { body: '{"query":"a","session":"../../etc"}' }, 404, "session_not_found"],
    ["a limit out of range", "/search", { body: '{"query":"a","limit":0}' }, 400, "invalid_inputs"],
    ["an unknown route", "/nothing", { body: "{}" }, 404, "not_found"],
  ];
  it.each(rows)("%s", async (_, path, init, status, code) => {
    const answer = await stage.api(`/api/proxy${path}`, { method: "POST", ...init });
    const [got, why, body] = await errorOf(answer);
    expect([got, why]).toEqual([status, code]);
    expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:|SQLITE|SELECT/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
  it("PI14 M144 whatever is asked, an error has a listed code, one shape, and no path, credential or stack in it", async () => {
    const word = fc.constantFrom(
      ...[
        "api",
        "proxy",
        "sessions",
        "alpha",
        "requests",
        "search",
        "todo",
        "windows",
        "memory",
        "graph",
        "me",
        "links",
      ],
      ...["..", "%00", "%2e%2e%2f", "a?limit=-1", "x".repeat(3000), "%ff", "{}", "é"],
    );
    const question = fc.record({
      path: fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => `/api/proxy/${words.join("/")}`),
      method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
      body: fc.oneof(fc.json(), fc.string(), fc.constant('{"query":"a","session":"../../etc"}')),
      type: fc.constantFrom("application/json", "text/plain", "a/b;c"),
    });
    let refusals = 0;
    const property = fc.asyncProperty(question, async ({ path, method, body, type }) => {
      const headers = { "content-type": type };
      const answer = await stage.api(path, { method, ...(method === "GET" ? {} : { body, headers }) });
      const text = await answer.text();
      if (answer.status < 400) return;
      refusals += 1;
      const { error } = apiError.parse(JSON.parse(text));
      expect([...listedCodes]).toContain(error.code);
      for (const secret of [place.home, stage.token, "sk-very-secret", "node_modules", "\\n    at ", "SQLITE"])
        expect(text).not.toContain(secret);
    });
    await fc.assert(property, { numRuns: 100 });
    expect(refusals).toBeGreaterThan(50);
  });
  it("B22 a gzip bomb stops at the limit", async () => {
    const { gzipSync } = await import("node:zlib");
    const body = gzipSync(Buffer.alloc(50_000_000, 0x20));
    const answer = await stage.api("/api/proxy/search", {
      method: "POST",
      body,
      headers: { "content-encoding": "gzip" },
    });
    expect((await errorOf(answer)).slice(0, 2)).toEqual([413, "too_large"]);
  });
  it.each(["0", "501", "abc", "-1", "1e2", ""])("M141 limit=%s is 400", async (limit) => {
    expect((await stage.api(`/api/proxy/sessions?limit=${limit}`)).status).toBe(400);
  });
  it.each(["zzz", "1 2 3", "%00", "9".repeat(400)])("an `after` of %s gives a page, not an error", async (after) => {
    for (const path of ["/sessions", "/requests", "/sessions/alpha/events"]) {
      expect((await stage.api(`/api/proxy${path}?after=${after}`)).status, path).toBe(200);
    }
  });
  it("an id is only ever looked up", async () => {
    for (const id of ["..%2F..%2Fx%2F.", "%2e%2e%2fetc", "a".repeat(5000), "'%3BDROP TABLE proxy_session"]) {
      expect([400, 404], id).toContain((await stage.api(`/api/proxy/sessions/${id}`)).status);
    }
  });
  it("B74 a store that cannot be opened is 503 store_unavailable", async () => {
    const { faultAt } = await import("../../store/fault.ts");
    const broken = await openStage({
      operations: async () => ({
        ok: false,
        error: faultAt("store_corrupt", "/secret/home/store.db", "it is damaged"),
      }),
    });
    try {
      const answer = await broken.api("/api/proxy/sessions");
      expect(answer.headers.get("retry-after")).toBe("1");
      const [status, code, body] = await errorOf(answer);
      expect([status, code]).toEqual([503, "store_unavailable"]);
      expect(JSON.stringify(body)).not.toContain("/secret/home");
      // What opens no store needs none.
      expect((await errorOf(await broken.api("/api/proxy/nothing"))).slice(0, 2)).toEqual([404, "not_found"]);
    } finally {
      await broken.end();
    }
  });
});
