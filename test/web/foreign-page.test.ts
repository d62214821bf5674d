// PE9: a page of somebody else, in the browser that is signed in here, reads nothing of the gateway and changes nothing.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { describePage } from "./browser.ts";
import { emptyGateway } from "./filled-home.ts";

const RECORD = JSON.stringify({
  fact: "PLANTED by a page",
  subject: "x",
  reason: "x",
  citations: ["x"],
  scope: "user",
});
const CHAT = JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "PLANTED by a page" }] });
/** Every area behind the door; what changes something comes with a body that would. */
const ROUTES: [method: string, path: string, body?: string][] = [
  ...["/", "/healthz", "/api/me", "/api/sessions", "/api/requests", "/api/overview", "/api/settings", "/api/health"],
  ...["/api/tasks", "/api/trust", "/api/memory/records?all=true", "/api/memory/boards", "/api/graph/facts"],
  ...["/api/proxy/sessions", "/api/recall/stats", "/api/events", "/graphiti/healthcheck", "/v1/models", "/mcp"],
].map((path): [string, string] => ["GET", path]);
ROUTES.push(
  ["POST", "/api/memory/records", RECORD],
  ["POST", "/api/links", "{}"],
  ["POST", "/api/logout", "{}"],
  ["PUT", "/api/settings/memory.enabled", '{"value":false}'],
  ["DELETE", "/api/proxy/sessions?confirm=true"],
  ["POST", "/v1/chat/completions", CHAT],
  ["POST", "/mcp", '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
  [
    "POST",
    "/graphiti/messages",
    '{"group_id":"g","messages":[{"content":"PLANTED by a page","role_type":"user","role":"u"}]}',
  ],
);

async function foreignSite(): Promise<number> {
  const server = createServer((_, res) => res.setHeader("content-type", "text/html").end("<h1>A prize for you</h1>"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()));
  return (server.address() as AddressInfo).port;
}

describePage("a page of somebody else", (open) => {
  it("PE9 fetch, form, WebSocket, EventSource and a name bound anew read nothing and change nothing; the dashboard goes on", async () => {
    const { gateway, server } = await emptyGateway();
    const port = await foreignSite();
    const page = await open(gateway, { expected: /^/ });
    const state = async () =>
      Promise.all(
        ["/api/memory/records?all=true", "/api/settings", "/api/proxy/sessions", "/api/graph/queue"].map(async (path) =>
          (await gateway.api(path)).text(),
        ),
      );
    const before = await state();
    // Another port is the same site, so the browser may send our cookie along; another name is another site.
    for (const origin of [`http://127.0.0.1:${port}`, `http://evil.example:${port}`]) {
      await page.goto(`${origin}/`);
      const read = await page.evaluate(
        async ({ url, routes }) => {
          const seen: string[] = [];
          for (const [method, path, body] of routes) {
            const asks: RequestInit[] = [
              { method, credentials: "include", headers: body ? { "content-type": "application/json" } : {} },
              { method: method === "GET" ? "GET" : "POST", credentials: "include", mode: "no-cors" },
            ];
            for (const init of asks)
              await fetch(url + path, { ...init, ...(body && init.method !== "GET" ? { body } : {}) }).then(
                async (answer) => {
                  if (answer.type !== "opaque") seen.push(`fetch ${method} ${path}: ${await answer.text()}`);
                },
                () => undefined,
              );
          }
          for (const [method, path, body] of routes.filter(([one]) => one !== "GET")) {
            const frame = document.body.appendChild(Object.assign(document.createElement("iframe"), { name: path }));
            const form = document.body.appendChild(document.createElement("form"));
            Object.assign(form, { method: "post", action: url + path, target: path, enctype: "text/plain" });
            const field = form.appendChild(document.createElement("input"));
            // As plain text a form's only field is `name=value`: JSON with one member more.
            Object.assign(field, {
              name: `${(body ?? "{}").replace(/\}$/, body === "{}" ? "" : ",")}"x":"`,
              value: '"}',
            });
            const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
            form.submit();
            await loaded;
            try {
              seen.push(`form ${method} ${path}: ${frame.contentWindow?.document.body.innerText}`);
            } catch {
              // Another origin's document: not for this page.
            }
          }
          const outcome = (target: EventTarget, name: string): Promise<void> =>
            new Promise((resolve) => {
              for (const type of ["open", "message"])
                target.addEventListener(type, () => {
                  seen.push(`${name}: ${type}`);
                  resolve();
                });
              target.addEventListener("error", () => resolve());
            });
          for (const path of ["/api/events", "/v1/responses", "/mcp"]) {
            await outcome(new WebSocket(url.replace("http", "ws") + path), `WebSocket ${path}`);
            const source = new EventSource(url + path, { withCredentials: true });
            await outcome(source, `EventSource ${path}`);
            source.close();
          }
          return seen;
        },
        { url: gateway.url, routes: ROUTES },
      );
      expect(read, origin).toEqual([]);
    }
    // The owner of a name lets it lead here: the browser takes the gateway for that page's own server.
    const rebound = `http://rebound.example:${new URL(gateway.url).port}`;
    for (const [, path] of ROUTES) {
      const answer = await page.context().request.get(rebound.replace("rebound.example", "127.0.0.1") + path, {
        headers: { host: new URL(rebound).host },
        maxRedirects: 0,
      });
      expect(answer.status(), path).toBe(403);
    }
    expect((await page.goto(`${rebound}/api/me`))?.status()).toBe(403);
    expect(await state()).toEqual(before);
    expect(server.requests).toEqual([]);
    await page.goto(`${gateway.url}/`);
    await page.waitForSelector("[data-view]");
    expect(await page.evaluate(async () => (await fetch("/api/me")).status)).toBe(200);
  });
});
