// Histories that are hard to cut or to keep: repeated requests, fifty calls at once, orphans, a head larger than the window.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished, vi } from "vitest";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { filler } from "./filler.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import { chat, claude, codex, type Dialect, gemini, type Json, OPENCODE, ScriptedClient } from "./scripted-client.ts";

const WINDOW = 16_000;

async function scene(): Promise<{ server: ModelServer; gateway: TestGateway }> {
  const server = await startModelServer({ script: () => text("Fine.", { reasoning: "Hm." }), maxTokens: WINDOW * 1.3 });
  onTestFinished(async () => {
    await server.close();
    expect(server.rejected.map((request) => request.violation)).toEqual([]);
    expect(server.requests.filter((request) => request.overLimit)).toEqual([]);
  });
  return { server, gateway: await startGateway(server, { env: { EVERLONG_PROXY_WINDOWS: `*: ${WINDOW}` } }) };
}

const rows = (gateway: TestGateway, sql: string): Record<string, unknown>[] => {
  const db = new DatabaseSync(join(gateway.place.home, "store.db"), { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
};

it("X52 XI7 three identical requests, one after the other and at once, store each item once and send the same bytes", async () => {
  const { server, gateway } = await scene();
  const dialects: Dialect[] = [codex(), claude(), gemini({ model: "gemini-2.5-x" }), chat({ headers: OPENCODE })];
  for (const dialect of dialects) {
    const client = new ScriptedClient(gateway, dialect);
    for (let n = 0; n < 60; n++)
      client.history.push(dialect.user(`Prompt ${n}: ${filler(900, n)}`), dialect.assistant(`Answer ${n}.`));
    client.history.push(dialect.user("The last prompt."));
    const body = JSON.stringify(dialect.body(client.history));
    const first = await client.post(body);
    const session = first.headers.get("x-everlong-session") ?? "";
    expect([first.status, first.headers.get("x-everlong-action")], first.text).toEqual([200, "trim"]);
    const bytes = server.requests.at(-1)?.rawBody;
    const stored = (): number =>
      rows(gateway, "SELECT count(*) AS n FROM proxy_item WHERE stored = 1")[0]?.["n"] as number;
    const indexed = (): number => rows(gateway, "SELECT count(*) AS n FROM recall_item")[0]?.["n"] as number;
    await vi.waitFor(() => {
      expect(rows(gateway, "SELECT 1 FROM proxy_item WHERE stored = 0")).toEqual([]);
      expect(gateway.events(session).at(-1)?.["kind"]).toBe("state");
    }, 60_000);
    const before = { stored: stored(), indexed: indexed(), events: gateway.events(session) };
    expect(before.events.length).toBeGreaterThan(20);

    await client.post(body);
    const all = await Promise.all([client.post(body), client.post(body), client.post(body)]);
    expect(all.map((answer) => [answer.status, answer.headers.get("x-everlong-session")])).toEqual(
      all.map(() => [200, session]),
    );
    expect(server.requests.slice(-4).map(({ rawBody }) => rawBody)).toEqual([bytes, bytes, bytes, bytes]);
    expect({ stored: stored(), indexed: indexed(), events: gateway.events(session) }).toEqual(before);
  }
  const owns = rows(gateway, "SELECT session, own, count(*) AS n FROM proxy_item GROUP BY session, own HAVING n > 1");
  expect(owns).toEqual([]);
});

it("XB13 X44 X47 fifty parallel calls, a result without call and a call without result: what is sent is valid", async () => {
  const { server, gateway } = await scene();
  const dialect = codex();
  const client = new ScriptedClient(gateway, dialect);
  const call = (id: string): Json => ({
    type: "function_call",
    call_id: id,
    name: "exec_command",
    arguments: '{"cmd":"ls"}',
  });
  const output = (id: string, chars: number): Json => ({
    type: "function_call_output",
    call_id: id,
    output: filler(chars, id.length),
  });
  for (let n = 0; n < 20; n++)
    client.history.push(
      dialect.user(`Prompt ${n}`),
      call(`old${n}`),
      output(`old${n}`, 1500),
      dialect.assistant(`Done ${n}.`),
    );
  const many = Array.from({ length: 50 }, (_, n) => `many${n}`);
  client.history.push(dialect.user("All at once."), ...many.map(call), ...many.map((id) => output(id, 300)));
  client.history.push(output("nobody", 50), dialect.assistant("So."), call("unanswered"), dialect.user("And now?"));
  const answer = await client.send();
  expect([answer.status, answer.headers.get("x-everlong-action")], answer.text).toEqual([200, "trim"]);
  const sent = (JSON.parse(server.requests.at(-1)?.rawBody ?? "") as { input: Json[] }).input;
  const called = sent.filter((item) => item["type"] === "function_call").map((item) => item["call_id"]);
  const answered = sent.filter((item) => item["type"] === "function_call_output").map((item) => item["call_id"]);
  expect(answered.toSorted()).toEqual(called.toSorted());
  // A group is whole or gone.
  expect([0, 50]).toContain(called.filter((id) => String(id).startsWith("many")).length);
});

it("XB14 X41 X46 a head larger than the window is shortened in its middle, with a ref that gives it back whole", async () => {
  const { server, gateway } = await scene();
  for (const dialect of [codex(), claude(), gemini({ model: "gemini-2.5-x" }), chat({ headers: OPENCODE })]) {
    const client = new ScriptedClient(gateway, dialect);
    const task = `FIRST WORDS ${filler(30_000, 1)} hidden marmot ${filler(30_000, 2)} LAST WORDS`;
    const answer = await client.ask(task);
    expect(answer.status, answer.text).toBe(200);
    const raw = server.requests.at(-1)?.rawBody ?? "";
    expect(raw).toContain("FIRST WORDS");
    expect(raw).toContain("LAST WORDS");
    expect(raw).not.toContain("hidden marmot");
    const session = answer.headers.get("x-everlong-session") ?? "";
    const ref = new RegExp(`${session}:t\\d+\\.\\d+`).exec(raw)?.[0] ?? "none";
    const found = await gateway.api("/api/proxy/search", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: ref }),
    });
    expect(JSON.stringify(await found.json())).toContain("hidden marmot");
    // And it stays usable.
    expect((await client.ask("Go on then.")).status).toBe(200);
    expect(server.requests.at(-1)?.rawBody).toContain(ref);
  }
});
