// The event stream and signing in, seen by a client.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStage, type Stage } from "../server-fixture.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.end());

/** Reads the stream until the text is there. */
async function until(answer: Response, text: string): Promise<string> {
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  let got = "";
  while (!got.includes(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    got += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return got;
}
const emit = (id: string) =>
  stage.emit({
    type: "proxy.request",
    data: { id, family: "codex", path: "/v1/responses", action: "pass", status: 200, outcome: "complete", totalMs: 1 },
  });

describe("GET /api/events (X99, F90)", () => {
  it("gives events as they come, and after a break those that were missed, none twice", async () => {
    const first = await stage.api("/api/events");
    expect(first.headers.get("content-type")).toBe("text/event-stream");
    emit("one");
    const seen = await until(first, "one");
    const [, id] = /^id: (\S+)\nevent: proxy.request\ndata: \{"id":"one"/m.exec(seen)!;
    emit("two");
    emit("three");
    const again = await until(await stage.api("/api/events", { headers: { "last-event-id": id! } }), "three");
    expect(again.match(/"id":"(\w+)"/g)).toEqual(['"id":"two"', '"id":"three"']);
  });
  it("tells of a gap when the events after the named one are not known", async () => {
    const answer = await stage.api("/api/events", { headers: { "last-event-id": "otherrun-3" } });
    expect(await until(answer, "gap")).toContain("event: gateway.gap");
  });
  it("OP9 does not hold up the end", async () => {
    const answer = await stage.api("/api/events");
    await stage.gateway.close();
    await answer.text();
  });
});

describe("signing in (SEC6, F88, F89)", () => {
  const login = (code: string, headers: Record<string, string> = {}) =>
    fetch(`${stage.gateway.address}/api/login`, {
      method: "POST",
      body: JSON.stringify({ code }),
      headers: { "content-type": "application/json", ...headers },
    });
  const codeOf = (link: string): string => link.split("#login=")[1]!;

  it("F88 FB12 a code works once and becomes a cookie that stands for the token", async () => {
    const code = codeOf(stage.gateway.link());
    const answer = await login(code);
    expect(answer.status).toBe(200);
    const header = answer.headers.get("set-cookie")!;
    expect(header).toMatch(/^everlong_session=[\w.-]{70,80}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    expect((await login(code)).status).toBe(401);
    const cookie = header.split(";")[0]!;
    const get = (path: string, init: RequestInit = {}) =>
      fetch(`${stage.gateway.address}${path}`, { ...init, headers: { cookie, ...init.headers } });
    expect((await get("/api/none")).status).toBe(404);
    expect(await (await get("/healthz")).json()).toHaveProperty("version");
    const logout = (headers: Record<string, string>) => get("/api/logout", { method: "POST", headers });
    const json = { "content-type": "application/json" };
    expect((await logout(json)).status).toBe(403);
    expect((await logout({ origin: stage.gateway.address })).status).toBe(415);
    expect((await logout({ origin: stage.gateway.address, ...json })).status).toBe(200);
    expect((await get("/api/none")).status).toBe(401);
  });
  it("a cookie is no credential for the proxy", async () => {
    const header = (await login(codeOf(stage.gateway.link()))).headers.get("set-cookie")!;
    await fetch(`${stage.gateway.address}/v1/models`, { headers: { cookie: header.split(";")[0]! } });
    expect(stage.callers.at(-1)?.token).toBe(false);
  });
  it("F82 FB12 a fresh link is given to who has the token; ten wrong codes a minute", async () => {
    expect((await fetch(`${stage.gateway.address}/api/links`, { method: "POST" })).status).toBe(401);
    const { link } = (await (await stage.api("/api/links", { method: "POST" })).json()) as { link: string };
    expect((await login(codeOf(link))).status).toBe(200);
    const tries = [];
    for (let i = 0; i < 12; i++) tries.push((await login("wrong")).status);
    expect(tries).toEqual([...Array(10).fill(401), 429, 429]);
    expect((await login(codeOf(stage.gateway.link()))).status).toBe(429);
  });
});
