// P39: retries are polite: the wait that was asked for, at most five, never for what cannot be cured by trying again.
import { afterEach, describe, expect, it } from "vitest";
import { error, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { logOf, only, placeFor, run } from "../tool/everlong.ts";

let server: ModelServer;
afterEach(() => server.close());

const gaps = (): number[] => server.requests.slice(1).map((r, n) => r.at - (server.requests[n]?.at ?? 0));

describe("P39 A2.13 A2.14 polite retries", () => {
  it("P39 Retry-After in seconds, in milliseconds and as a date is kept, then the answer arrives", async () => {
    server = await startModelServer();
    server.script(
      error(429, "slow down", { headers: { "retry-after": "1" } }),
      error(503, "busy", { headers: { "retry-after-ms": "700" } }),
      error(529, "overloaded", { headers: { "retry-after": "1", date: new Date().toUTCString() } }),
      text("patience pays"),
    );
    const done = await run(placeFor(server), ["-p", "go"]);
    expect(done.stdout.trim()).toBe("patience pays");
    const [first = 0, second = 0, third = 0] = gaps();
    expect(first).toBeGreaterThanOrEqual(1000);
    expect(second).toBeGreaterThanOrEqual(700);
    expect(third).toBeGreaterThanOrEqual(1000);
    expect(new Set(server.requests.map((r) => r.rawBody)).size).toBe(1);
  });

  it.each([429, 503, 529])("P39 %i for ever: six attempts with growing waits, exit 1", async (status) => {
    server = await startModelServer();
    server.always(() => error(status, "no"));
    const place = placeFor(server, { EVERLONG_RETRY_BASE_MS: "20" });
    const done = await run(place, ["-p", "go"]);
    expect(done.code).toBe(1);
    expect(server.requests.length).toBe(6);
    const base = status === 429 ? 100 : 20;
    for (const [n, gap] of gaps().entries()) expect(gap).toBeGreaterThanOrEqual(base * 2 ** n - 2);
    expect(only(logOf(place), "turn.end").map((e) => e.data.status)).toEqual(["failed"]);
  });

  it("P39 other refusals are never repeated: 400, 401, 402, 403, 404, 422, and what the provider says is not worth it", async () => {
    server = await startModelServer();
    const replies = [400, 401, 402, 403, 404, 422].map((status) => error(status, "no"));
    replies.push(error(500, "no", { headers: { "x-should-retry": "false" } }));
    for (const reply of replies) {
      const before = server.requests.length;
      server.script(reply);
      const done = await run(placeFor(server), ["-p", "go"]);
      expect(done.code).toBe(1);
      expect(server.requests.length - before, done.stderr).toBe(1);
    }
  });

  it("T4 a build that does not wait, and one that repeats everything, are seen", async () => {
    server = await startModelServer();
    server.script(error(429, "slow down", { headers: { "retry-after": "60" } }), text("x"));
    await run({ ...placeFor(server), bin: brokenCopy(/await (\w+)\.sleep\(delayMs, [^)]*\)/, "true") }, ["-p", "go"]);
    expect(gaps()[0]).toBeLessThan(60_000);
    server.script(error(400, "no"), text("x"));
    await run({ ...placeFor(server), bin: brokenCopy(/!(\w+)\.retryable \|\| (?=\w+ > most)/, "") }, ["-p", "go"]);
    expect(server.requests.length).toBe(4);
  });
});
