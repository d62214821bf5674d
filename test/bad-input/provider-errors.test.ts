// Providers that answer with something else, with waits, with refusals, or not at all.
import { type AddressInfo, createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { error, failure, type Reply, raw, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { logOf, only, type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";

let server: ModelServer;
afterEach(() => server.close());

const json = { "content-type": "application/json" };

/** The prompt is in the log, and the session goes on once the provider does. */
async function expectResumable(place: Place): Promise<void> {
  const [id = ""] = sessionsOf(place);
  expect(only(logOf(place, id), "user.message").at(-1)?.data.content).toBe("my prompt");
  expect(only(logOf(place, id), "turn.end").at(-1)?.data.status).toBe("failed");
  server.always(() => text("back again"));
  const done = await run(place, ["--resume", id, "-p", "try again"], { env: { EVERLONG_BASE_URL: server.url } });
  expect(done.stdout.trim()).toBe("back again");
  expect(server.requests.at(-1)?.rawBody).toContain("my prompt");
  expect(server.rejected).toEqual([]);
}

describe("providers", () => {
  it("AB6 an error page, a 200 with an error body, a wrong content type: bad_response, retried, exit 1 with its beginning", async () => {
    server = await startModelServer();
    const page = `<html><body>Gateway broke ${"x".repeat(3000)}</body></html>`;
    const bodies: [string, Reply][] = [
      ["Gateway broke", failure(502, page)],
      ["quite wrong", raw(200, json, JSON.stringify({ error: { message: "quite wrong" } }))],
      ["plain words", raw(200, { "content-type": "text/plain" }, "plain words, no stream")],
      ["<html>", raw(200, { "content-type": "text/html" }, page)],
      ["nonsense", raw(200, { "content-type": "text/event-stream" }, "data: nonsense{\n\n")],
    ];
    for (const [beginning, reply] of bodies) {
      const before = server.requests.length;
      server.always(() => reply);
      const place = placeFor(server, { EVERLONG_RETRY_MAX: "2" });
      const done = await run(place, ["-p", "my prompt", "--output-format", "json"]);
      expect(done.code, beginning).toBe(1);
      expect(server.requests.length - before, beginning).toBe(3);
      const { code, message } = done.json["error"] as { code: string; message: string };
      expect([code, message.includes(beginning), message.length < 700], message).toEqual(["bad_response", true, true]);
    }
  });

  it("AB7 Retry-After: 86400 fails at once with the time; a wait in words that make no sense counts as absent", async () => {
    server = await startModelServer();
    server.script(error(429, "slow down", { headers: { "retry-after": "86400" } }));
    const place = placeFor(server);
    const done = await run(place, ["-p", "my prompt"]);
    expect(done.code).toBe(1);
    expect(server.requests.length).toBe(1);
    expect(done.stderr).toMatch(/86400 s.*come back at 20\d\d-/s);
    await expectResumable(place);
    const before = server.requests.length;
    server.script(error(429, "slow down", { headers: { "retry-after": "soon" } }), text("fine"));
    const soon = await run(placeFor(server), ["-p", "x"]);
    expect(soon.stdout.trim()).toBe("fine");
    expect(server.requests.length - before).toBe(2);
  });

  it("AB8 B67 a wrong key: no retry, exit 1 naming the variable, the session resumable", async () => {
    server = await startModelServer();
    server.script(error(401, "Incorrect API key provided"));
    const place = placeFor(server);
    const done = await run(place, ["-p", "my prompt"]);
    expect(done.code).toBe(1);
    expect(server.requests.length).toBe(1);
    expect(done.stderr).toContain("EVERLONG_API_KEY");
    await expectResumable(place);
  });

  it("B67 402 and 429 for ever: exit 1 within the retry limits, the session resumable", async () => {
    for (const [status, attempts] of [
      [402, 1],
      [429, 3],
    ] as const) {
      server = await startModelServer();
      server.always(() => error(status, "no money"));
      const place = placeFor(server, { EVERLONG_RETRY_MAX: "2" });
      const done = await run(place, ["-p", "my prompt"]);
      expect(done.code).toBe(1);
      expect(server.requests.length).toBe(attempts);
      await expectResumable(place);
      if (status === 402) await server.close();
    }
  });

  it("B67 AB9 nobody listens, and a provider that goes away in mid-session: retries, turn failed, history intact", async () => {
    server = await startModelServer();
    const port = await freePort();
    const gone = { EVERLONG_BASE_URL: `http://127.0.0.1:${port}`, EVERLONG_RETRY_MAX: "2" };
    const fresh = placeFor(server);
    const never = await run(fresh, ["-p", "my prompt"], { env: gone });
    expect(never.code).toBe(1);
    expect(never.stderr).toContain(`127.0.0.1:${port}`);
    await expectResumable(fresh);
    const place = placeFor(server);
    server.always(() => text("first answer"));
    await run(place, ["-p", "first prompt"]);
    const lost = await run(place, ["--continue", "-p", "my prompt", "--output-format", "stream-json"], { env: gone });
    expect(lost.code).toBe(1);
    expect(only(lost.events, "model.call_failure").map((e) => [e.data.code, e.data.willRetry])).toEqual([
      ["network", true],
      ["network", true],
      ["network", false],
    ]);
    await expectResumable(place);
    expect(server.requests.at(-1)?.rawBody).toContain("first answer");
  });
});

async function freePort(): Promise<number> {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  const { port } = holder.address() as AddressInfo;
  await new Promise((resolve) => holder.close(resolve));
  return port;
}
