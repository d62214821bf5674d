// XE12, looking: response headers, records, `proxy why`, stats and events tell what really went over the wire.
import { describe, expect, it, onTestFinished } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { blocksOf, newClient, textsOf } from "./client.ts";
import { startGateway, type TestGateway } from "./gateway.ts";

type Json = Record<string, unknown>;
type Messages = { messages: { content: unknown[] }[] };
type Row = { action: string; role: string; kind: string; tokens: number; ref?: string; text?: string };
type Why = Json & {
  id: string;
  items: Row[];
  recalled: { ref: string; score: number; parts: Record<string, number> }[];
};

const SMALL = {
  EVERLONG_PROXY_WINDOWS: "*: 20000",
  CLIPROXY_RESERVE_TOKENS: "2000",
  EVERLONG_PROXY_RECALL_TIMEOUT_MS: "20000",
};

async function stage(env: Record<string, string> = {}): Promise<[TestGateway, ModelServer]> {
  const server = await startModelServer({ script: () => text("Understood.") });
  onTestFinished(() => server.close());
  return [await startGateway(server, { env }), server];
}

/** A session that was cut, and whose last prompt asks for something left out. */
async function longSession(gateway: TestGateway, server: ModelServer, session: string) {
  const client = newClient(gateway, server, "anthropic", { "x-everlong-session": session });
  for (let n = 0; n < 14; n++) {
    server.script(calls([{ name: "read", args: { path: `src/part-${n}.ts` } }]));
    await client.say(`Read part ${n}.`);
    await client.results(`the port of zebra${n} is ${7000 + n}\n${"alpha beta gamma delta ".repeat(260)}`);
  }
  return { client, last: await client.say("Which port has zebra1?", { "x-everlong-todo": "find the port" }) };
}

const why = async (gateway: TestGateway, ...args: string[]): Promise<Why> => {
  const done = await gateway.cli(["proxy", "why", ...args, "--json"]);
  expect([done.code, done.stderr]).toEqual([0, ""]);
  return done.json as Why;
};

describe("XE12 what was done to a request", () => {
  it("X95 X96 X97 headers, record and why agree with the bodies", async () => {
    const [gateway, server] = await stage(SMALL);
    const { last } = await longSession(gateway, server, "look");
    const head = (name: string): string | null => last.headers.get(`x-everlong-${name}`);
    const record = await why(gateway);
    expect(record.id).toBe(head("request"));
    expect(await why(gateway, record.id.slice(0, -2))).toEqual(record);
    expect(await why(gateway, "--session", "loo")).toEqual(record);
    const api = await gateway.api(`/api/proxy/requests/${record.id}`);
    expect(await api.json()).toEqual(record);

    expect(record).toMatchObject({
      family: "claude",
      session: head("session"),
      sessionSignal: head("session-signal"),
      kind: head("kind"),
      action: "trim",
      model: "scripted-1",
      upstream: "anthropic",
      path: "/v1/messages",
      status: 200,
      outcome: "complete",
      window: 20_000,
      usable: 15_904,
      lane: Number(head("lane")),
      epoch: Number(head("epoch")),
      tokensIn: Number(head("tokens-in")),
      tokensSent: Number(head("tokens-sent")),
      dropped: Number(head("dropped")),
      bytesIn: Buffer.byteLength(JSON.stringify(last.body)),
      bytesSent: Buffer.byteLength(last.sent.rawBody),
      attempts: [{ status: 200 }],
    });
    expect([head("session"), head("kind"), head("action")]).toEqual(["look", "main", "trim"]);
    const usage = JSON.parse(last.text) as { usage: Json };
    expect(record["usage"]).toMatchObject({ input: usage.usage["input_tokens"], output: usage.usage["output_tokens"] });

    const rows = (action: string): Row[] => record.items.filter((row) => row.action === action);
    const parts = (body: unknown): number => (body as Messages).messages.flatMap(({ content }) => content).length;
    expect(rows("drop").length).toBe(record["dropped"]);
    // Messages of a user that the cut brought together are sent as one: their parts are what stays countable.
    expect(parts(last.sent.body)).toBe(parts(last.body) - rows("drop").length + rows("insert").length);
    for (const [kind, tag] of [
      ["recall", "everlong_recall"],
      ["state", "everlong_state"],
      ["notice", "system_notification"],
    ])
      expect(rows("insert").filter((row) => row.kind === kind)).toHaveLength(
        last.sent.rawBody.split(`<${tag}>`).length - 1,
      );
    const total = record.items.filter((r) => r.action !== "drop").reduce((sum, r) => sum + r.tokens, 0);
    expect(Number(record["tokensSent"])).toBeGreaterThanOrEqual(total);
    for (const { ref } of rows("drop")) expect(ref).toMatch(/^look:t\d+\.\d+$/);
    expect(rows("drop").some((row) => row.text?.includes("the port of zebra1 is 7001"))).toBe(true);

    const [recall = ""] = blocksOf(last.sent, "everlong_recall").slice(-1);
    expect(Number(head("recalled"))).toBe(record.recalled.length);
    expect(recall).toContain("zebra1 is 7001");
    for (const { ref, score, parts } of record.recalled) {
      expect(recall).toContain(`[${ref} `);
      expect(Object.values(parts).reduce((a, b) => a + b, 0)).toBeCloseTo(score, 3);
    }
    const words = (await gateway.cli(["proxy", "why"])).stdout;
    for (const part of [
      record.id,
      "client: claude",
      "session look",
      "action: trim",
      "recalled look:t",
      " | - left out look:t",
    ])
      expect(words).toContain(part);
    expect(words).toContain("+ user state");
  });

  it("X96 a record keeps how many bytes were shared with the request before: all of an epoch's", async () => {
    const [gateway, server] = await stage();
    const client = newClient(gateway, server, "openai-responses", { "x-everlong-session": "shared" });
    const sent = [await client.say("One."), await client.say("Two."), await client.say("Three.")].map(
      (a) => a.sent.rawBody,
    );
    const { items } = (await (await gateway.api("/api/proxy/requests?session=shared")).json()) as { items: Json[] };
    const [third, second, first] = items;
    expect(first?.["bytesShared"]).toBeUndefined();
    for (const [record, n] of [
      [second, 1],
      [third, 2],
    ] as const) {
      let same = 0;
      while (sent[n]?.[same] === sent[n - 1]?.[same]) same++;
      expect(record?.["bytesShared"]).toBe(same);
    }
  });

  it("X95 proxy.explain=off sends no header; an unmanaged request says why it is", async () => {
    const [quiet, silent] = await stage({ EVERLONG_PROXY_EXPLAIN: "off" });
    const { headers } = await newClient(quiet, silent, "openai-chat").say("Hi.");
    expect([...headers.keys()].filter((name) => name.startsWith("x-everlong"))).toEqual([]);
    const [gateway, server] = await stage();
    const browser = await newClient(gateway, server, "openai-chat", { "user-agent": "Mozilla/5.0 (Android)" }).say(
      "Hi.",
    );
    expect(browser.headers.get("x-everlong-action")).toBe("skip:unknown_client");
    const bypassed = await newClient(gateway, server, "openai-chat", { "x-everlong-bypass": "1" }).say("Hi.");
    expect(bypassed.headers.get("x-everlong-action")).toMatch(/^skip:/);
    expect(bypassed.sent.rawBody).toBe(JSON.stringify(bypassed.body));
    for (const [, value] of browser.headers) expect(value).toMatch(/^[\x20-\x7e]*$/);
  });

  it("X96 proxy.records=off keeps none, and figures go on", async () => {
    const [gateway, server] = await stage({ EVERLONG_PROXY_RECORDS: "off" });
    await newClient(gateway, server, "openai-chat", { "x-everlong-session": "s" }).say("Hi.");
    expect(await (await gateway.api("/api/proxy/requests")).json()).toEqual({ items: [] });
    const none = await gateway.cli(["proxy", "why"]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("proxy.records=off")]);
    expect(await (await gateway.api("/api/proxy/stats")).json()).toMatchObject({ requests: 1 });
  });
});

describe("XE12 X98 figures", () => {
  it("X14 by session and in all they are the sums of records and of what upstream counted; unmanaged ones by reason", async () => {
    const [gateway, server] = await stage(SMALL);
    const { last } = await longSession(gateway, server, "sums");
    server.script(text("Again.", { usage: { input: 1000, output: 7, cacheRead: 600 } }));
    const other = await newClient(gateway, server, "openai-responses", { "x-everlong-session": "other" }).say("Hi.");
    await newClient(gateway, server, "openai-chat", { "user-agent": "curl/8.5.0" }).say("Hi.");
    const { items } = (await (await gateway.api("/api/proxy/sessions/sums/requests?limit=500")).json()) as {
      items: Json[];
    };
    const of = async (query: string) => (await (await gateway.api(`/api/proxy/stats${query}`)).json()) as Json;
    const sum = (name: string) => items.reduce((total, r) => total + Number(r[name] ?? 0), 0);
    expect(sum("stored")).toBe(44); // 15 prompts, 14 calls, 14 results, and one answer that came 14 times
    // Records tell at once what was new; the figures count it when it is stored.
    await expect.poll(() => of("?session=sums")).toMatchObject({ stored: 44 });
    const sums = await of("?session=sums");
    expect(items).toHaveLength(29);
    expect(sums).toMatchObject({ requests: 29, tokensIn: sum("tokensIn"), tokensSent: sum("tokensSent") });
    expect(sums["netSaved"]).toBe(sum("tokensIn") - sum("tokensSent"));
    expect(sums["cuts"]).toBe(items.filter((r) => r["epochReason"] !== undefined).length);
    expect(sums["recalled"]).toBe(items.reduce((n, r) => n + (r["recalled"] as unknown[]).length, 0));
    expect(Number(last.headers.get("x-everlong-recalled"))).toBeGreaterThan(0);
    await expect.poll(() => of("")).toMatchObject({ requests: 30, unmanaged: { unknown_client: 1 }, cachedInput: 600 });
    const claude = server.requests.filter((r) => r.wire === "anthropic").length;
    expect(claude).toBe(29);
    expect(await of("?session=other")).toMatchObject({
      upstreamInput: 1000,
      cachedInput: 600,
      cachedShare: 0.6,
      output: 7,
    });
    expect(other.status).toBe(200);
    const cli = await gateway.cli(["proxy", "stats", "sums", "--json"]);
    expect(cli.json).toEqual(sums);
    expect((await gateway.cli(["proxy", "stats"])).stdout).toMatch(/unmanaged: unknown_client\s+1/);
  });

  it("X99 events carry ids and counts, in the order of what happened, and no text", async () => {
    const [gateway, server] = await stage(SMALL);
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const stream = await gateway.api("/api/events", { signal: stop.signal });
    const { last } = await longSession(gateway, server, "live");
    const id = last.headers.get("x-everlong-request") ?? "";
    let seen = "";
    for await (const chunk of stream.body as ReadableStream<Uint8Array>) {
      seen += Buffer.from(chunk).toString();
      if (new RegExp(`event: proxy.request\\ndata: [^\\n]*${id}`).test(seen)) break;
    }
    const types = [...seen.matchAll(/^event: (.+)$/gm)].map(([, type]) => type);
    expect(types[0]).toBe("proxy.session_created");
    expect(types.filter((type) => type === "proxy.request")).toHaveLength(29);
    expect(types).toContain("proxy.cut");
    expect(types).toContain("proxy.recall");
    expect(seen).not.toMatch(/zebra|alpha beta|sk-client|find the port/);
    expect(textsOf(last.sent.body).join()).toContain("zebra");
  });
});
