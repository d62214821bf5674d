// Http hooks against real servers: what is sent, what is taken back, and where nothing is sent at all.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { HttpHook } from "./hook.ts";
import { bench, context, inputs, strict } from "./hook-fixture.ts";
import { httpRefusal } from "./http-rule.ts";
import { type HttpParts, runHttp } from "./run-http.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Seen = { method?: string | undefined; headers: IncomingMessage["headers"]; body: string };
async function serve(respond: (response: ServerResponse) => void): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    seen.push({ method: request.method, headers: request.headers, body });
    respond(response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, seen };
}

const hook = (url: string, more: Partial<HttpHook> = {}): HttpHook => ({
  id: "f#postToolUse[0]",
  name: "postToolUse",
  source: "f",
  layer: "user",
  timeoutMs: 5000,
  onError: "deny",
  type: "http",
  url,
  headers: {},
  allowedEnvVars: [],
  ...more,
});
const call = (one: HttpHook, more: Partial<HttpParts> = {}) =>
  runHttp(
    one,
    '{"a":1}',
    { rule: () => strict, hasConsent: async () => false, variable: () => undefined, ...more },
    new AbortController().signal,
  );
const localhost = () => ({ ...strict, allowLocalhost: true });

describe("http hooks", () => {
  it("O86 posts the payload and takes a JSON answer through the whole runner", async () => {
    const { url, seen } = await serve((r) => r.end('{"permissionDecision":"deny","permissionDecisionReason":"no"}'));
    const one = bench("/", { preToolUse: [{ url }] });
    const outcome = await one.runner.run("preToolUse", inputs.preToolUse, context, new AbortController().signal);
    expect(outcome.opinion).toEqual({ decision: "deny", reason: "no" });
    expect(seen).toMatchObject([{ method: "POST", headers: { "content-type": "application/json" } }]);
    expect(JSON.parse(seen[0]!.body)).toMatchObject({ toolName: "bash", hookEventName: "preToolUse" });
  });

  it("O86 headers expand only the names that the hook may use; one that is not set is named and nothing is sent", async () => {
    const { url, seen } = await serve((r) => r.end());
    const headers = { authorization: "Bearer $TOKEN", "x-more": "$" + "{TOKEN}-$OTHER" };
    const one = hook(url, { headers, allowedEnvVars: ["TOKEN"] });
    const answered = await call(one, { rule: localhost, variable: (name) => `value-of-${name}` });
    expect(answered).toEqual({ ok: true, value: { type: "output", text: "" } });
    expect(seen[0]?.headers).toMatchObject({
      authorization: "Bearer value-of-TOKEN",
      "x-more": "value-of-TOKEN-$OTHER",
    });
    expect(await call(one, { rule: localhost })).toEqual({ ok: false, error: expect.stringContaining("TOKEN") });
    expect(seen).toHaveLength(1);
  });

  it("O86 O93 a status, a redirect, a large answer, silence and a closed port are failures", async () => {
    const elsewhere = await serve((r) => r.end("{}"));
    const failed = async (respond: (r: ServerResponse) => void, more?: Partial<HttpHook>) => {
      const answered = await call(hook((await serve(respond)).url, more));
      return answered.ok ? "ok" : answered.error;
    };
    expect(await failed((r) => r.writeHead(500).end())).toContain("answered 500");
    expect(await failed((r) => r.writeHead(307, { location: elsewhere.url }).end())).toContain("answered 307");
    expect(elsewhere.seen, "not followed").toEqual([]);
    expect(await failed((r) => r.end("x".repeat(300_000)))).toContain("over 262144 bytes");
    expect(await failed(() => undefined, { timeoutMs: 100 })).toContain("did not answer within 0.1 s");
    expect(await failed((r) => r.write("{"), { timeoutMs: 100 })).toContain("did not answer within 0.1 s");
    expect(await call(hook("http://127.0.0.1:1/"))).toEqual({ ok: false, error: expect.stringContaining("reached") });
  });

  it("O86 the rule is asked again at each call: what was allowed at load may be off by now", async () => {
    const { url, seen } = await serve((r) => r.end());
    const guard = hook(url, { name: "preToolUse" });
    expect((await call(guard, { rule: localhost })).ok).toBe(true);
    expect(await call(guard)).toEqual({ ok: false, error: expect.stringContaining("must be https") });
    expect(seen).toHaveLength(1);
  });

  it("O86 nothing leaves this machine without consent", async () => {
    const asked: string[] = [];
    const hasConsent = async (url: string) => asked.push(url) === 0;
    const answered = await call(hook("https://hooks.invalid/x"), { hasConsent });
    expect(answered).toEqual({ ok: false, error: expect.stringContaining("not consented") });
    expect(asked).toEqual(["https://hooks.invalid/x"]);
  });

  const remote = "http://hooks.example/x";
  const local = "http://localhost:8080/x";
  it.each([
    ["https://hooks.example/x", "preToolUse", [], {}, true],
    [remote, "postToolUse", [], {}, true],
    [remote, "preToolUse", [], {}, false],
    [remote, "permissionRequest", [], {}, false],
    [remote, "postToolUse", ["T"], {}, false],
    [remote, "postToolUse", ["T"], { allowLocalhost: true }, false],
    [remote, "postToolUse", ["T"], { allowHttpAuth: true }, true],
    [local, "preToolUse", [], {}, false],
    [local, "preToolUse", [], { allowLocalhost: true }, true],
    [local, "preToolUse", [], { offline: true, allowLocalhost: true }, true],
    ["http://localhost.evil.example/x", "preToolUse", [], { allowLocalhost: true }, false],
    ["https://hooks.example/x", "postToolUse", [], { offline: true }, false],
    ["ftp://hooks.example/x", "postToolUse", [], { allowHttpAuth: true }, false],
    ["nonsense", "postToolUse", [], {}, false],
  ] as const)("O86 OB14 %s for %s with %j under %j: %s", (url, name, allowedEnvVars, rule, allowed) => {
    const refusal = httpRefusal({ url, name, allowedEnvVars }, { ...strict, ...rule });
    expect(refusal === undefined).toBe(allowed);
    if (!allowed) expect(refusal).toContain(url);
  });
});
