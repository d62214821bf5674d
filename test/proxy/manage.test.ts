// XE12, managing: list, edit with ETag, search by ref, erase; over the API and the command line, with a gateway and without.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { blocksOf, newClient } from "./client.ts";
import { startGateway, type TestGateway } from "./gateway.ts";

type Json = Record<string, unknown>;
type Page = { items: Json[]; next?: string };

const LONG = `the port of zebra is 7001\n${"alpha beta gamma delta ".repeat(300)}\nthe very end 9876543`;

async function stage(env: Record<string, string> = {}): Promise<[TestGateway, ModelServer]> {
  const server = await startModelServer({ script: () => text("Understood.") });
  onTestFinished(() => server.close());
  return [await startGateway(server, { env }), server];
}

/** A session with a tool result, stored by the time this returns. */
async function session(gateway: TestGateway, server: ModelServer, name: string, headers: Record<string, string> = {}) {
  const client = newClient(gateway, server, "openai-responses", { "x-everlong-session": name, ...headers });
  server.script(calls([{ name: "read", args: { path: "zebra.md" } }]));
  await client.say("Read the notes.");
  await client.results(LONG);
  await expect.poll(async () => (await search(gateway, { query: `${name}:t1.3` })).status).toBe(200);
  return client;
}

const json = { "content-type": "application/json" };
const send = (
  gateway: TestGateway,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) => gateway.api(`/api/proxy${path}`, { method, headers: { ...json, ...headers }, body: JSON.stringify(body) });
const search = (gateway: TestGateway, body: Json) => send(gateway, "POST", "/search", body);
const read = async (response: Response): Promise<[number, Json]> => [response.status, (await response.json()) as Json];
const code = async (response: Response): Promise<[number, unknown]> => {
  const body = (await response.json()) as { error?: Json };
  expect(response.headers.get("x-everlong-error")).toBe(body.error?.["code"]);
  return [response.status, body.error?.["code"]];
};

describe("XE12 X100 the API", () => {
  it("M141 lists in pages, newest use first, by part of the name and by family; one shows lanes, figures and files", async () => {
    const [gateway, server] = await stage();
    for (const name of ["a-one", "a-two", "b-one"]) {
      await newClient(gateway, server, "openai-chat", { "x-everlong-session": name }).say("Hi.");
    }
    await newClient(gateway, server, "gemini", { "x-everlong-session": "g" }).say("Hi.", { "x-everlong-todo": "abc" });
    const page = async (query: string) => (await (await gateway.api(`/api/proxy/sessions${query}`)).json()) as Page;
    const ids = ({ items }: Page): unknown[] => items.map(({ id }) => id);
    expect(ids(await page(""))).toEqual(["g", "b-one", "a-two", "a-one"]);
    expect(ids(await page("?q=one"))).toEqual(["b-one", "a-one"]);
    expect(ids(await page("?family=gemini"))).toEqual(["g"]);
    const walked: unknown[] = [];
    for (let after: string | undefined = ""; after !== undefined; ) {
      const next: Page = await page(`?limit=1${after === "" ? "" : `&after=${encodeURIComponent(after)}`}`);
      walked.push(...ids(next));
      after = next.next;
    }
    expect(walked).toEqual(["g", "b-one", "a-two", "a-one"]);
    const [, one] = await read(await gateway.api("/api/proxy/sessions/g"));
    expect(one).toMatchObject({
      id: "g",
      family: "gemini",
      prompts: 1,
      directory: join(gateway.dir, "sessions", "g"),
      lanes: [{ kind: "main", items: 1, epoch: 0, insertions: 1, model: "scripted-1" }],
      totals: { requests: 1 },
      files: { todo: 3, pinned: 0, summary: 0 },
      spec: { mode: "off", approved: false },
    });
    for (const bad of ["?limit=0", "?limit=501", "?limit=x"])
      expect(await code(await gateway.api(`/api/proxy/sessions${bad}`))).toEqual([400, "invalid_inputs"]);
  });

  it("X65 M143 XB27 a text is written with its ETag, 428 without, 412 with an old one and what stands there; the next request has it", async () => {
    const [gateway, server] = await stage();
    const client = newClient(gateway, server, "anthropic", { "x-everlong-session": "edit" });
    await client.say("Hi.");
    const at = "/sessions/edit/todo";
    const first = await send(gateway, "PUT", at, { text: "one" });
    expect([first.status, gateway.file("edit", "todo.md")]).toEqual([200, "one"]);
    const etag = first.headers.get("etag") ?? "";
    expect((await gateway.api(`/api/proxy${at}`)).headers.get("etag")).toBe(etag);
    expect(await code(await send(gateway, "PUT", at, { text: "two" }))).toEqual([428, "precondition_required"]);
    expect((await send(gateway, "PUT", at, { text: "two" }, { "if-match": etag })).status).toBe(200);
    const [status, stale] = await read(await send(gateway, "PUT", at, { text: "three" }, { "if-match": etag }));
    expect([status, stale]).toMatchObject([412, { error: { code: "stale", details: { text: "two" } } }]);
    expect(gateway.file("edit", "todo.md")).toBe("two");
    writeFileSync(join(gateway.dir, "sessions", "edit", "todo.md"), "by hand");
    const seen = await gateway.api(`/api/proxy${at}`);
    expect(await seen.json()).toMatchObject({ text: "by hand" });
    const now = { "if-match": seen.headers.get("etag") ?? "" };
    expect((await send(gateway, "PUT", at, { text: "x".repeat(64 * 1024 + 1) }, now)).status).toBe(413);
    expect((await send(gateway, "PUT", "/sessions/edit/pinned", { text: "pinned through the API" })).status).toBe(200);
    const { sent } = await client.say("Go on.");
    expect(blocksOf(sent).at(-1)).toContain("<pinned>\npinned through the API\n</pinned>\n<todo>\nby hand\n</todo>");
  });

  it("X46 X100 a ref as query gives the whole text, words a snippet with score parts, another session's words nothing", async () => {
    const [gateway, server] = await stage();
    await session(gateway, server, "find");
    await newClient(gateway, server, "openai-chat", { "x-everlong-session": "empty" }).say("Hi.");
    const [, whole] = await read(await search(gateway, { query: "find:t1.3" }));
    expect((whole["items"] as Json[])[0]).toMatchObject({ ref: "find:t1.3", role: "tool", text: LONG });
    const short = await search(gateway, { query: "t1.3", session: "find" });
    expect(((await short.json()) as Page).items[0]?.["text"]).toBe(LONG);
    const [, found] = await read(await search(gateway, { query: "which port has zebra?", session: "find" }));
    const [best] = found["items"] as (Json & { parts: Record<string, number> })[];
    expect(best?.["text"]).toContain("the port of zebra is 7001");
    expect(Object.values(best?.parts ?? {}).reduce((a, b) => a + b, 0)).toBeCloseTo(Number(best?.["score"]), 3);
    expect((await read(await search(gateway, { query: "zebra port", session: "empty" })))[1]).toMatchObject({
      items: [],
    });
    expect(await code(await search(gateway, { query: "find:t99.1" }))).toEqual([404, "no_such_item"]);
  });

  it("XB26 XB27 M144 M145 wrong token, media type, size, depth, id, confirm: refused in one shape, and nothing changes", async () => {
    const [gateway, server] = await stage();
    await newClient(gateway, server, "openai-chat", { "x-everlong-session": "safe" }).say("Hi.", {
      "x-everlong-todo": "keep",
    });
    const put = (body: string, headers: Record<string, string> = json) =>
      gateway.api("/api/proxy/sessions/safe/todo", { method: "PUT", headers: { "if-match": "*", ...headers }, body });
    const bare = { authorization: "" };
    const answers: [Response | Promise<Response>, number, string][] = [
      [gateway.api("/api/proxy/sessions", { headers: bare }), 401, "unauthorized"],
      [gateway.api(`/api/proxy/sessions?token=${gateway.token}`, { headers: bare }), 401, "unauthorized"],
      [gateway.api("/api/proxy/sessions", { headers: { origin: "https://evil.example" } }), 403, "forbidden_origin"],
      [put('{"text":"a"}', { "content-type": "text/plain" }), 415, "unsupported_media_type"],
      [put(`{"text":"${"a".repeat(300_000)}"}`), 413, "too_large"],
      [put(`{"text":${"[".repeat(40)}${"]".repeat(40)}}`), 400, "json_too_deep"],
      [put('{"text":'), 400, "invalid_inputs"],
      [put('{"text":1}'), 400, "invalid_inputs"],
      [put('{"text":"a","more":1}'), 400, "invalid_inputs"],
      [gateway.api("/api/proxy/sessions/nobody"), 404, "session_not_found"],
      [gateway.api("/api/proxy/sessions/..%2Fsafe"), 400, "bad_path"],
      [gateway.api("/api/proxy/sessions/a%2Fsafe"), 404, "session_not_found"],
      [gateway.api("/api/proxy/requests/nothing"), 404, "request_not_found"],
      [gateway.api("/api/proxy/sessions/nobody", { method: "DELETE" }), 404, "session_not_found"],
      [gateway.api("/api/proxy/sessions", { method: "DELETE" }), 400, "confirm_needed"],
      [gateway.api("/api/proxy/nowhere"), 404, "not_found"],
    ];
    for (const [answer, status, name] of answers) {
      const response = await answer;
      const body = await response.clone().text();
      expect([await code(response), name]).toEqual([[status, name], name]);
      expect(body).not.toMatch(/\bat \S+\.(ts|js):|SELECT|sqlite/i);
    }
    expect(gateway.file("safe", "todo.md")).toBe("keep");
  });

  it("X102 erased: directory, items, index, records, figures of one and of all; its next request starts empty", async () => {
    const [gateway, server] = await stage();
    const client = await session(gateway, server, "gone");
    await client.say("More.", { "x-everlong-todo": "forget me" });
    await session(gateway, server, "stays");
    expect(rowsWith(join(gateway.place.home, "store.db"), /zebra is 7001/)).toContain("proxy_item");
    const erased = await gateway.api("/api/proxy/sessions/gone", { method: "DELETE" });
    expect(await read(erased)).toEqual([200, { deleted: 1 }]);
    expect(existsSync(join(gateway.dir, "sessions", "gone"))).toBe(false);
    expect((await search(gateway, { query: "gone:t1.3" })).status).toBe(404);
    const [, left] = await read(await search(gateway, { query: "which port has zebra?" }));
    expect((left["items"] as Json[]).every(({ ref }) => String(ref).startsWith("stays:"))).toBe(true);
    expect(left["items"]).not.toEqual([]);
    const { items } = (await (await gateway.api("/api/proxy/requests?limit=500")).json()) as Page;
    expect(items.map((r) => r["session"])).not.toContain("gone");
    const fresh = await client.say("Again.");
    expect(fresh.sent.rawBody).toBe(JSON.stringify(fresh.body));
    expect(await read(await gateway.api("/api/proxy/sessions?confirm=true", { method: "DELETE" }))).toEqual([
      200,
      { deleted: 2 },
    ]);
    expect(readdirSync(join(gateway.dir, "sessions"))).toEqual([]);
    await gateway.stop();
    expect(rowsWith(join(gateway.place.home, "store.db"), /zebra is 7001|forget me/)).toEqual([]);
  });
});

/** Tables that still hold such a text. */
function rowsWith(path: string, wanted: RegExp): string[] {
  const db = new DatabaseSync(path, { readOnly: true });
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .all();
  const found = tables
    .map(({ name }) => String(name))
    .filter((name) => {
      const rows = db.prepare(`SELECT * FROM "${name}"`).all();
      return rows.some((row) => Object.values(row).some((value) => typeof value === "string" && wanted.test(value)));
    });
  db.close();
  return found;
}
