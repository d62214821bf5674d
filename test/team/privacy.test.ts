// W12, WB4, B44: every route of the API, asked with everything that belongs to another member, and by another tenant.
import { expect, it, onTestFinished, vi } from "vitest";
import { apiRoutes } from "../../src/server/api/app.ts";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { call } from "../proxy/raw.ts";
import { CLIENTS } from "../proxy/wire-samples.ts";
import { type Answer, addMember, ask, fact, type TestMember } from "./nodes.ts";
import { startProxiedNode } from "./proxied.ts";

/** Stands in everything of Ann's, and in nothing that the others say. */
const SECRET = "ZQX-4711";
const REPOSITORY = "acme/app";

/** What each route that takes a body is asked; whoever adds one says what. */
const BODIES: Readonly<Record<string, unknown>> = {
  "DELETE /api/consents": { root: "/", origin: "https://example.com" },
  "DELETE /api/sessions/:id": { title: "x" },
  "DELETE /api/trust": { folder: "/" },
  "PATCH /api/me/sharing": { shares: false },
  "PATCH /api/memory/records/:id": { reason: "another" },
  "PATCH /api/sessions/:id": { title: "x" },
  "POST /api/graph/promotions/:id/undo": {},
  "POST /api/health/doctor": {},
  "POST /api/links": {},
  "POST /api/login": { code: "x" },
  "POST /api/logout": {},
  "POST /api/memory/board/adopt": { from: "main" },
  "POST /api/memory/board/changes/:id/undo": { force: true },
  "POST /api/memory/changes/:id/undo": { force: true },
  "POST /api/memory/import": {},
  "POST /api/memory/records": fact("Whoever asks may store their own"),
  "POST /api/memory/records/:id/check": {},
  "POST /api/memory/records/:id/resolution": { how: "reject" },
  "POST /api/memory/records/:id/verification": { citations: [{ raw: "src/a.ts:3", state: "missing" }] },
  "POST /api/memory/records/:id/votes": { direction: "downvote", reason: "no", fact: "The code of the harbour crane" },
  "POST /api/memory/votes": { direction: "downvote", reason: "no", fact: "The code of the harbour crane" },
  "POST /api/proxy/search": { query: "code of the harbour crane" },
  "POST /api/proxy/sessions/:id/spec": { mode: "on" },
  "POST /api/recall": { text: "code of the harbour crane", repository: REPOSITORY },
  "POST /api/recall/forget": { session: "s" },
  "POST /api/recall/injected": { query: "code of the harbour crane" },
  "POST /api/sessions/:id/control": { type: "interrupt" },
  "POST /api/tokens": { name: "x", user: "ann", scopes: ["read"] },
  "PUT /api/graph/promotions/:id/pin": {},
  "PUT /api/memory/board/items/:src/:name": { description: "d", content: "c" },
  "PUT /api/proxy/sessions/:id/pinned": { text: "x" },
  "PUT /api/proxy/sessions/:id/summary": { text: "x" },
  "PUT /api/proxy/sessions/:id/todo": { text: "x" },
  "PUT /api/settings/:key": { value: true },
};

/** All that is mounted under /api; nothing of it is called. */
function everyRoute(): string[] {
  const part = {};
  const opened = async () => part;
  const parts = { memoryKey: "k", team: part, graphViews: opened, dashboard: opened, memory: opened, recall: opened };
  const app = apiRoutes({ ...parts, operations: opened, events: part, signIn: part } as never, () => undefined);
  const own = app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`);
  return [...new Set(own)].sort();
}

it("W12 WB4 B44 SEC11 on no route does a member see, change or remove what is another's, nor another tenant anything", async () => {
  const url = await sharedServer().newUrl();
  const model = await startModelServer({ script: () => text(`It is ${SECRET}.`) });
  onTestFinished(() => model.close());
  const ann = await addMember(url, "ann --tenant acme --user ann --scope read,write,approve");
  const bob = await addMember(url, "bob --tenant acme --user bob --scope read,write,approve --repo acme/other");
  const eve = await addMember(url, "eve --tenant globex --user ann --scope read,write,approve,admin");
  const node = await startProxiedNode(url, model);
  const asAnn = (line: string, body?: unknown): Promise<Answer> => ask(node, ann, line, body, { "if-match": "*" });
  const mine = fact(`The code of the harbour crane is ${SECRET}`, { approved: true, author: "user" });
  const user = { ...mine, fact: `Ann's own code is ${SECRET}`, scope: "user", repository: undefined };
  const board = `repository=${REPOSITORY}&branch=main`;
  const made: [string, unknown][] = [
    ["POST /api/memory/records", mine],
    ["POST /api/memory/records", user],
    [`PUT /api/memory/board/items/user/plan?${board}`, { description: SECRET, content: SECRET }],
    ["POST /graphiti/messages", { group_id: "graphiti_user_ann", messages: [message] }],
  ];
  for (const [line, body] of made) expect((await asAnn(line, body)).status, line).toBeLessThan(300);
  const said = JSON.stringify({
    model: "gpt-4o",
    messages: [{ role: "user", content: `The crane's code: ${SECRET}` }],
  });
  const headers = { ...CLIENTS.chat.headers, "X-Everlong-Session": "s", "X-Everlong-Token": ann.token };
  expect((await call(node.url + CLIENTS.chat.path, { headers, body: said })).status).toBe(200);
  expect((await asAnn("PUT /api/proxy/sessions/s/todo", { text: SECRET })).status).toBe(200);
  await vi.waitUntil(async () => (await told(node, ann, "GET /api/graph/entities")).text.includes(SECRET), {
    ...{ timeout: 60_000, interval: 200 },
  });

  const routes = everyRoute();
  const takesBody = routes.filter((route) => /^(POST|PUT|PATCH) /.test(route) || route in BODIES);
  expect(takesBody).toEqual(Object.keys(BODIES).sort());
  const looks = routes.filter((route) => route.startsWith("GET ") && route !== "GET /api/events");
  const state = async (): Promise<string[]> => {
    const shown: string[] = [];
    for (const route of looks.filter((one) => !one.includes(":")))
      shown.push(`${route} ${(await told(node, ann, withQuery(route))).text}`);
    return shown.filter((one) => one.includes(SECRET));
  };
  const before = await state();
  // What Ann herself is shown, and the ids that stand in it.
  expect(before.map((one) => one.split(" ")[1])).toEqual(
    expect.arrayContaining(["/api/memory/records", "/api/memory/export", "/api/memory/board", "/api/graph/entities"]),
  );
  const ids = [
    ...new Set(before.flatMap((one) => [...one.matchAll(/"(?:id|uuid|session)":"?([\w-]+)/g)].map((m) => m[1]))),
  ];
  expect(ids.length).toBeGreaterThan(5);

  const leaks: string[] = [];
  for (const who of [bob, eve])
    for (const route of [...looks, ...routes.filter((one) => !one.startsWith("GET "))])
      for (const line of asked(route, ids.map(String))) {
        const answer = await told(node, who, line, BODIES[route]);
        if (answer.text.includes(SECRET) || answer.status === 500)
          leaks.push(`${who.tenant}/${who.user} ${line}: ${answer.status} ${answer.text}`);
      }
  expect(leaks).toEqual([]);
  expect(await mcpAnswers(node.url, [bob, eve])).not.toContain(SECRET);
  expect(await mcpAnswers(node.url, [ann])).toContain(SECRET);
  const after = await state();
  // Figures and times of use may move; what is there stays there.
  expect(after.map((one) => one.split(" ")[1])).toEqual(before.map((one) => one.split(" ")[1]));
  expect((await asAnn("GET /api/proxy/sessions/s/todo")).body["text"]).toBe(SECRET);
  expect((await asAnn(`GET /api/memory/board/items/user/plan?${board}`)).body["content"]).toBe(SECRET);
  expect((await asAnn("GET /api/me/sharing")).body).toMatchObject({ shares: true });
});

const message = {
  ...{ content: `The crane's code is ${SECRET}.`, role_type: "user", role: "ann", name: "m" },
  ...{ timestamp: "2026-01-01T00:00:00Z", source_description: "x" },
};

const QUESTION = "all=true&text=code&q=code&query=code";
const withQuery = (route: string): string => `${route}?repository=${REPOSITORY}&branch=main&${QUESTION}`;

/** Naming her repository, which the door refuses to whom it is not covered for; another; and none, which leaves it to the query. */
const asked = (route: string, ids: readonly string[]): string[] =>
  [withQuery(route), `${route}?repository=acme/other&branch=main&${QUESTION}`, `${route}?${QUESTION}`].flatMap((line) =>
    withIds(line, ids),
  );

/** Some answers are lines. */
async function told(
  { url }: { url: string },
  { token }: TestMember,
  line: string,
  body?: unknown,
): Promise<{ status: number; text: string }> {
  const [method = "GET", path = "/"] = line.split(" ");
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "if-match": "*", ...json },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** One line for each id where the route names one. */
function withIds(line: string, ids: readonly string[]): string[] {
  const named = line.replace(":src/:name", "user/plan").replace(":key", "memory.enabled").replace(":named", "ann");
  return /\/:\w+/.test(named) ? ["s", "1", "2", ...ids].map((id) => named.replace(/:\w+/, id)) : [named];
}

/** What `recall` and the board's tool say to each of them. */
async function mcpAnswers(url: string, members: readonly TestMember[]): Promise<string> {
  const texts: string[] = [];
  for (const { token } of members)
    for (const params of [
      { name: "recall", arguments: { query: "code of the harbour crane" } },
      { name: "context_board", arguments: { command: "get_board" } },
    ]) {
      const answer = await fetch(`${url}/mcp?repository=${REPOSITORY}&branch=main`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      });
      texts.push(await answer.text());
    }
  return texts.join("\n");
}
