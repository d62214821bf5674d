// FE10, the server's side: what the Requests view is told about proxied requests.
import { describe, expect, it, onTestFinished } from "vitest";
import { overview } from "../../src/schema/api/overview.ts";
import { recallItemView } from "../../src/schema/api/recall.ts";
import { requestList, requestView } from "../../src/schema/api/request.ts";
import { sessionEventList, sessionList, sessionView } from "../../src/schema/api/session.ts";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { newClient } from "../proxy/client.ts";
import { startGateway, type TestGateway } from "../proxy/gateway.ts";
import { ask, refused } from "./ask.ts";

const SMALL = {
  EVERLONG_PROXY_WINDOWS: "*: 20000",
  CLIPROXY_RESERVE_TOKENS: "2000",
  EVERLONG_PROXY_RECALL_TIMEOUT_MS: "20000",
};
const SECRET = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

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
    await client.say(`Read part ${n}. The key is ${SECRET}.`);
    await client.results(`the port of zebra${n} is ${7000 + n}\n${"alpha beta gamma delta ".repeat(260)}`);
  }
  const last = await client.say("Which port has zebra1?", { "x-everlong-todo": "find the port" });
  return { client, last, id: last.headers.get("x-everlong-request") ?? "" };
}

describe("requests", () => {
  it("F124 X97 every item has its mark, trimmed ones lead to where they are stored, our blocks have source and bytes", async () => {
    const [gateway, server] = await stage(SMALL);
    const { last, id, client } = await longSession(gateway, server, "zebra");
    const view = await ask(gateway, requestView, `/api/requests/${id}`);
    expect(view).toMatchObject({
      family: "claude",
      session: "zebra",
      sessionSignal: "header x-everlong-session",
      wire: "anthropic",
      outcome: "complete",
      status: 200,
    });
    expect(view.whyNothing).toBeUndefined();
    const marks = (mark: string) => view.items.filter((item) => item.mark === mark);
    expect(marks("kept").length + marks("shortened").length + marks("trimmed").length).toBe(client.history.length - 1);
    expect(marks("trimmed").length).toBe(view.trimmed);
    expect(view.trimmed).toBeGreaterThan(0);
    expect(view.tokensSent).toBeLessThan(view.tokensIn ?? 0);
    for (const item of marks("trimmed")) expect(item.stored?.session).toBe("zebra");

    const stored = marks("trimmed").find((item) => item.text?.includes("zebra1 "))?.stored;
    const whole = await ask(gateway, recallItemView, `/api/recall/items/${stored?.session}:${stored?.ref}`);
    expect(whole.item.text).toContain("the port of zebra1 is 7001");

    const body = JSON.stringify(last.sent.body);
    const recall = view.injections.find(({ block, again }) => block === "recall" && !again);
    expect(recall).toMatchObject({ source: expect.stringContaining("memory"), text: expect.stringContaining("7001") });
    expect(recall?.bytes).toBe(Buffer.byteLength(recall?.text ?? ""));
    expect(body).toContain(JSON.stringify(recall?.text).slice(1, -1));
    expect(view.injections.find(({ block }) => block === "state")?.text).toContain("find the port");
    const [snippet] = view.snippets;
    expect(snippet).toMatchObject({ session: "zebra", why: expect.any(String), text: expect.any(String) });
    const sum = Object.values(snippet?.parts ?? {}).reduce((a, b) => a + b, 0);
    expect(sum).toBeCloseTo(snippet?.score ?? 0, 6);
    expect(Object.keys(view.timings)).toEqual(expect.arrayContaining(["read", "plan", "upstream", "answer"]));
    expect(JSON.stringify(view)).not.toContain(SECRET);

    // The blocks stay at their place in the next request, which says so and still shows their text.
    server.script(text("It is 7001."));
    const next = await client.say("Thanks.");
    const later = await ask(gateway, requestView, `/api/requests/${next.headers.get("x-everlong-request")}`);
    const again = later.injections.filter(({ block, again: repeated }) => block === "recall" && repeated);
    expect(again.map((one) => one.text)).toContain(recall?.text);
  });

  it("F90 F124 the list has unmanaged requests with their reason, and finds by client, action and text", async () => {
    const [gateway, server] = await stage();
    const client = newClient(gateway, server, "openai-responses", { "x-everlong-session": "small" });
    await client.say("Hello.");
    await fetch(`${gateway.url}/v1/models`);
    const list = (query: string) => ask(gateway, requestList, `/api/requests${query}`);
    await expect.poll(async () => (await list("")).items.length).toBe(2);
    const [models, hello] = (await list("")).items;
    expect(models).toMatchObject({
      path: "/v1/models",
      action: "skip:route",
      whyNothing: expect.stringContaining("unchanged"),
    });
    expect(hello).toMatchObject({ session: "small", whyNothing: expect.stringContaining("it fits") });
    expect((await list("?family=codex")).items.map(({ id }) => id)).toEqual([hello?.id]);
    expect((await list("?action=skip")).items.map(({ id }) => id)).toEqual([models?.id]);
    expect((await list("?q=V1/MODELS")).items.map(({ id }) => id)).toEqual([models?.id]);
    expect((await list("?session=small")).items).toHaveLength(1);
    const first = await list("?limit=1");
    expect((await list(`?limit=1&after=${first.next}`)).items.map(({ id }) => id)).toEqual([hello?.id]);
    // What `everlong proxy why` shows by default is the latest that was managed.
    const why = await gateway.cli(["proxy", "why", "--json"]);
    expect(why.json["id"]).toBe(hello?.id);
  });

  it("F92 switched off, none is kept and the answer says so", async () => {
    const [gateway, server] = await stage({ EVERLONG_PROXY_RECORDS: "off" });
    await newClient(gateway, server, "anthropic").say("Hello.");
    await fetch(`${gateway.url}/v1/models`);
    await expect.poll(async () => (await gateway.api("/api/proxy/stats")).json()).toMatchObject({ requests: 1 });
    expect(await ask(gateway, requestList, "/api/requests")).toEqual({ items: [], recording: false });
  });

  it("F90 bad input is refused by name: limits, cursors, ids", async () => {
    const [gateway] = await stage();
    for (const query of ["limit=0", "limit=501", "limit=x", "after=forged"])
      expect(await refused(gateway, `/api/requests?${query}`), query).toEqual([400, "invalid_inputs"]);
    expect(await refused(gateway, "/api/requests/none")).toEqual([404, "request_not_found"]);
    expect(await refused(gateway, "/api/requests?session=none")).toEqual([404, "session_not_found"]);
    expect(await refused(gateway, `/api/requests/${"x".repeat(3000)}`)).toEqual([404, "request_not_found"]);
  });
});

describe("what requests leave behind", () => {
  it("F91 F94 F122 F123 charts, the session and its items tell of them", async () => {
    const [gateway, server] = await stage(SMALL);
    await longSession(gateway, server, "zebra");
    const seen = () => ask(gateway, overview, "/api/overview?range=24h");
    await expect.poll(async () => (await seen()).totals.requests).toBe(29);
    const { totals, points, counts, sessions } = await seen();
    expect(points).toHaveLength(24);
    expect(totals.tokensAsked).toBeGreaterThan(totals.tokensSent);
    expect(totals.netSaved).toBe(totals.tokensAsked - totals.tokensSent);
    expect(totals.addedMs?.p95).toBeGreaterThanOrEqual(totals.addedMs?.p50 ?? 0);
    expect(totals.recallMs).not.toBeNull();
    expect(points.reduce((sum, point) => sum + point.requests, 0)).toBe(29);
    expect(counts).toMatchObject({ sessions: 1, turns: 15 });
    expect(sessions[0]).toMatchObject({ id: "zebra", source: "gateway", client: "claude" });

    const view = await ask(gateway, sessionView, "/api/sessions/zebra");
    expect(view.proxied).toMatchObject({ family: "claude", requests: 29, files: { todo: "find the port".length } });
    expect(view.timeline.some(({ kind }) => kind === "truncation")).toBe(true);
    expect(view.title).toContain("Read part 0.");
    expect(JSON.stringify(view)).not.toContain(SECRET);
    const list = await ask(gateway, sessionList, "/api/sessions?source=gateway&client=claude&q=ZEB");
    expect(list.items.map(({ id }) => id)).toEqual(["zebra"]);
    const texts: unknown[] = [];
    for (let after = ""; ; ) {
      const page = await ask(gateway, sessionEventList, `/api/sessions/zebra/events?limit=7${after}`);
      texts.push(...page.items.map(({ event }) => event.data["ref"]));
      if (!page.next) break;
      after = `&after=${page.next}`;
    }
    expect(texts.length).toBe(new Set(texts).size);
    expect(texts.length).toBeGreaterThan(40);
  });
});
