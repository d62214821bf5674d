// XE7: which session a request belongs to, and whose credential goes where.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import { type Answer, call, startRawUpstream, valuesOf } from "./raw.ts";
import { CLIENTS } from "./wire-samples.ts";

const MESSAGES = [{ role: "user", content: "hello" }];
const ask = (
  gateway: TestGateway,
  headers: Record<string, string> = {},
  fields: Record<string, unknown> = {},
): Promise<Answer> =>
  call(gateway.url + CLIENTS.chat.path, {
    headers: { ...CLIENTS.chat.headers, ...headers },
    body: JSON.stringify({ model: "gpt-4o", messages: MESSAGES, ...fields }),
  });
const sessionOf = (answer: Answer): string => answer.header("x-everlong-session") ?? "";
const named = (answer: Answer): [string, string] => [
  sessionOf(answer),
  answer.header("x-everlong-session-signal") ?? "",
];
const sessionsIn = (gateway: TestGateway): string[] => readdirSync(join(gateway.dir, "sessions")).sort();

describe("signals", () => {
  it("XE7 X15 each signal alone names the session; in conflict the earlier one wins", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream);
    type Signal = { name: string; headers?: Record<string, string>; body?: Record<string, unknown> };
    const id = (n: number): string => `id-${n}`;
    const signals: Signal[] = [
      { name: "header x-everlong-session", headers: { "X-Everlong-Session": id(0) } },
      { name: "header x-session-id", headers: { "X-Session-Id": id(1) } },
      { name: "body prompt_cache_key", body: { prompt_cache_key: id(2) } },
      { name: "body metadata.session_id", body: { metadata: { session_id: id(3) } } },
      { name: "body session_id", body: { session_id: id(4) } },
      { name: "header x-claude-code-session-id", headers: { "x-claude-code-session-id": id(5) } },
      { name: "header session-id", headers: { "session-id": id(6) } },
      { name: "header thread-id", headers: { "thread-id": id(7) } },
      { name: "header session_id", headers: { session_id: id(8) } },
      { name: "header x-session-affinity", headers: { "x-session-affinity": id(9) } },
      { name: "header conversation_id", headers: { conversation_id: id(10) } },
      {
        name: "body metadata.user_id",
        body: { metadata: { user_id: JSON.stringify({ device: "d", session_id: id(11) }) } },
      },
    ];
    for (const [n, { name, headers, body }] of signals.entries())
      expect(named(await ask(gateway, headers, body)), name).toEqual([id(n), name]);
    expect(named(await ask(gateway, {}, { metadata: { user_id: "user_ab_account_cd_session_id-12" } }))).toEqual([
      "id-12",
      "body metadata.user_id",
    ]);
    expect(named(await ask(gateway, { "X-CLIProxyAPI-Session": "id-13" }))).toEqual([
      "id-13",
      "header x-cliproxyapi-session",
    ]);
    for (let n = 0; n < signals.length; n++) {
      const rest = signals.slice(n);
      const headers = Object.assign({}, ...rest.map((signal) => signal.headers ?? {}));
      const metadata = Object.assign({}, ...rest.map((signal) => signal.body?.["metadata"] ?? {}));
      const body = Object.assign({}, ...rest.map((signal) => signal.body ?? {}), { metadata });
      expect(named(await ask(gateway, headers, body))).toEqual([id(n), signals[n]?.name]);
    }
    const found = named(await ask(gateway));
    expect(found).toEqual([expect.stringMatching(/^c-[0-9a-f]{16}$/), "content"]);
    expect(sessionsIn(gateway)).toEqual([...Array.from({ length: 14 }, (_, n) => id(n)), found[0]].sort());
  });

  it("XB1 X18 XI11 keys that are paths or devices: safe, distinct, inside sessions/, nothing elsewhere", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream);
    const keys = [
      "../../etc/passwd",
      "..",
      "%2e%2e%2f",
      "C:\\x",
      "CON",
      "con",
      "nul.txt",
      ".",
      "a.",
      "a",
      "A",
      "a/b",
      "a\\b",
      "~root",
    ];
    const composed = ["caf\u00e9", "cafe\u0301"];
    const latin = (key: string): string => Buffer.from(key, "utf8").toString("latin1");
    await ask(gateway, { "X-Everlong-Session": "first" });
    const outside = (): string[] => [
      ...readdirSync(gateway.place.home),
      ...readdirSync(gateway.dir),
      ...readdirSync(gateway.place.folder),
    ];
    const before = outside();
    const names: string[] = [];
    for (const key of [...keys, ...composed]) {
      const answer = await ask(gateway, { "X-Everlong-Session": latin(key) });
      expect(answer.status, key).toBe(200);
      names.push(sessionOf(answer));
    }
    expect(new Set(names.map((name) => name.toLowerCase().normalize("NFC"))).size).toBe(names.length);
    expect(sessionsIn(gateway)).toEqual([...names, "first"].sort());
    for (const name of names) expect(name).toMatch(/^(a|[a-z0-9_.-]+~[0-9a-f]{12})$/);
    expect(outside()).toEqual(before);
  });

  it("XB2 X20 our own header empty, too long, with a control character, or of two minds: 400, no file, nothing sent on", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream);
    const bad = [
      { "X-Everlong-Session": "" },
      { "X-Everlong-Session": "k".repeat(10_240) },
      { "X-Everlong-Session": "a\tb" },
      { "X-Everlong-Session": "\xff\xfe" },
      { "X-Everlong-Session": "one", "X-CLIProxyAPI-Session": "two" },
    ];
    for (const headers of bad) {
      const answer = await ask(gateway, headers);
      expect([answer.status, answer.header("x-everlong-error")]).toEqual([400, "bad_session_key"]);
      expect(answer.json).toMatchObject({ error: { type: "invalid_request_error", code: "bad_session_key" } });
    }
    const claude = await call(gateway.url + CLIENTS.claude.path, {
      headers: { ...CLIENTS.claude.headers, "X-Everlong-Session": "" },
      body: JSON.stringify({ model: "c", max_tokens: 1, messages: MESSAGES }),
    });
    expect(claude.json).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(upstream.seen).toEqual([]);
    expect(() => sessionsIn(gateway)).toThrow("ENOENT");
    // A client's own id is never refused.
    const long = await ask(gateway, {}, { prompt_cache_key: "k".repeat(10_240) });
    const controls = await ask(gateway, {}, { prompt_cache_key: "a\0b" });
    expect([long.status, controls.status]).toEqual([200, 200]);
    for (const answer of [long, controls]) expect(sessionOf(answer)).toMatch(/^h-[0-9a-f]{40}$/);
    expect(sessionOf(await ask(gateway, {}, { prompt_cache_key: "k".repeat(10_240) }))).toBe(sessionOf(long));
  });
});

const bearer = (key: string): Record<string, string> => ({ Authorization: `Bearer ${key}` });
const turn = (n: number) => [
  { role: "user", content: `question ${n}` },
  { role: "assistant", content: `answer ${n} ${"with enough words to be known again ".repeat(14)}` },
];
const history = (turns: number): unknown[] => [
  ...Array.from({ length: turns }, (_, n) => turn(n)).flat(),
  { role: "user", content: `question ${turns}` },
];

describe("credentials", () => {
  it("B7 XE7 XB4 XI9 X17 one key, two credentials: two sessions; neither sees the other's TODO, text or figures", async () => {
    const server = await startModelServer({ script: () => text("fine") });
    const gateway = await startGateway(server);
    const key = { "X-Everlong-Session": "shared" };
    const mine = await ask(gateway, { ...key, ...bearer("sk-alice"), "X-Everlong-Todo": "- [ ] alice's secret plan" });
    const theirs = await ask(
      gateway,
      { ...key, ...bearer("sk-bob") },
      { messages: [{ role: "user", content: "hi from bob" }] },
    );
    expect(sessionOf(mine)).toBe("shared");
    expect(sessionOf(theirs)).toMatch(/^shared~[0-9a-f]{8}$/);
    expect(server.requests[0]?.rawBody).toContain("alice's secret plan");
    expect(server.requests[1]?.rawBody).not.toContain("alice");
    // Bob's first words are alice's very first request: too little to be let in.
    await ask(gateway, { ...key, ...bearer("sk-bob") });
    expect(server.requests[2]?.rawBody).toBe(JSON.stringify({ model: "gpt-4o", messages: MESSAGES }));
    expect(gateway.file(sessionOf(theirs), "todo.md")).toBe("");
    const figures = async (id: string) => (await gateway.api(`/api/proxy/sessions/${id}`)).json();
    await expect.poll(() => figures("shared")).toMatchObject({ totals: { requests: 1 } });
    await expect.poll(() => figures(sessionOf(theirs))).toMatchObject({ totals: { requests: 2 } });
    await server.close();
  });

  it("XB5 X17 a refreshed token with the whole history joins; with a changed one, or per identity, it does not", async () => {
    const server = await startModelServer({ script: () => text("fine") });
    const gateway = await startGateway(server);
    const key = { "X-Everlong-Session": "one" };
    const first = await ask(
      gateway,
      { ...key, ...bearer("sk-old"), "X-Everlong-Todo": "- [ ] carried on" },
      { messages: history(2) },
    );
    const joined = await ask(gateway, { ...key, ...bearer("sk-new") }, { messages: history(3) });
    expect([sessionOf(first), sessionOf(joined)]).toEqual(["one", "one"]);
    expect(server.requests[1]?.rawBody).toContain("carried on");
    const other = [{ role: "user", content: "something else" }, ...history(3)];
    expect(sessionOf(await ask(gateway, { ...key, ...bearer("sk-third") }, { messages: other }))).toMatch(/^one~/);
    expect(server.requests[2]?.rawBody).not.toContain("carried on");
    // Found by content: likewise.
    const unnamed = await ask(gateway, bearer("sk-old"), { messages: history(4) });
    expect(sessionOf(await ask(gateway, bearer("sk-newer"), { messages: history(5) }))).toBe(sessionOf(unnamed));
    const strict = await startGateway(server, { env: { EVERLONG_GATEWAY_TENANCY: "per-identity" } });
    await ask(strict, { ...key, ...bearer("sk-old") }, { messages: history(2) });
    expect(sessionOf(await ask(strict, { ...key, ...bearer("sk-new") }, { messages: history(3) }))).toMatch(/^one~/);
    await server.close();
  });

  it("X7 SEC7 the caller's own key goes to its upstream; a configured one only for the gateway token, only there", async () => {
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const other = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream, {
      env: { EVERLONG_UPSTREAM_OPENAI_KEY: "sk-configured-openai", EVERLONG_UPSTREAM_OTHER: `${other.url}/v1` },
    });
    const { Authorization: _, ...anonymous } = CLIENTS.chat.headers;
    const send = async (headers: Record<string, string>, path: string = CLIENTS.chat.path, to = upstream) => {
      await call(gateway.url + path, {
        headers: { ...anonymous, ...headers },
        body: JSON.stringify({ messages: MESSAGES }),
      });
      const { headers: seen, url } = to.seen.at(-1) ?? { headers: [], url: "" };
      expect(JSON.stringify([...seen, url])).not.toContain(gateway.token);
      return valuesOf(seen, "authorization");
    };
    expect(await send({})).toEqual([]);
    expect(await send(bearer("sk-own"))).toEqual(["Bearer sk-own"]);
    expect(await send({ "X-Everlong-Token": gateway.token })).toEqual(["Bearer sk-configured-openai"]);
    expect(await send(bearer(gateway.token))).toEqual(["Bearer sk-configured-openai"]);
    expect(await send({ ...bearer("sk-own"), "X-Everlong-Token": gateway.token })).toEqual(["Bearer sk-own"]);
    expect(await send({ "X-Everlong-Token": `${gateway.token}x` })).toEqual([]);
    expect(await send({}, `${CLIENTS.chat.path}?key=${gateway.token}`)).toEqual([]);
    expect(await send({ "X-Everlong-Token": gateway.token }, "/up/other/v1/chat/completions", other)).toEqual([]);
    expect(await send({ "X-Everlong-Token": gateway.token }, "/v1/models")).toEqual(["Bearer sk-configured-openai"]);
    expect(await send({}, "/v1/models")).toEqual([]);
  });

  it("XE7 X16 XI14 no credential is in any file, record, event or answer", async () => {
    const secrets = [
      "sk-1f2e3d4c5b6a79880011",
      "key-in-a-query-778899",
      "AIza-goog-5566778899",
      "azure-key-334455667788",
      "sk-configured-998877665544",
    ];
    const [own = "", query = "", goog = "", azure = "", configured = ""] = secrets;
    const upstream = await startRawUpstream((_, res) => res.end("{}"));
    const gateway = await startGateway(upstream, { env: { EVERLONG_UPSTREAM_GEMINI_KEY: configured } });
    const answers = [
      await ask(gateway, { ...bearer(own), "X-Everlong-Token": gateway.token }),
      await ask(gateway, { "api-key": azure, Authorization: "" }),
      await ask(gateway, bearer(own), { messages: history(3) }),
      await call(`${gateway.url}/v1beta/models/g:generateContent?key=${query}`, {
        headers: { "User-Agent": "GeminiCLI/1" },
        body: "{}",
      }),
      await call(`${gateway.url}/v1beta/files?key=${query}`, { method: "GET", headers: { "x-goog-api-key": goog } }),
      await call(`${gateway.url}/up/nowhere/${own}`, { headers: bearer(own) }),
    ];
    const api = await Promise.all(
      ["/api/proxy/sessions", "/api/proxy/stats", "/api/proxy/requests", "/healthz"].map(async (path) =>
        (await gateway.api(path)).text(),
      ),
    );
    const done = await gateway.stop();
    const { home } = gateway.place;
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const texts = [
      ...files
        .filter(({ name }) => name !== "gateway.token")
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")),
      ...answers.map(({ headers, body }) => `${headers.join("\n")}\n${body}`),
      ...api,
      done.stdout,
      done.stderr,
    ];
    expect(files.length).toBeGreaterThan(4);
    for (const secret of [...secrets, gateway.token])
      for (const form of [secret, Buffer.from(secret).toString("base64"), encodeURIComponent(secret)])
        expect(
          texts.findIndex((all) => all.includes(form)),
          form,
        ).toBe(-1);
  });
});
