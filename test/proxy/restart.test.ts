// XE10: a killed gateway goes on where it was: same bytes, nothing twice, nothing lost.
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startChaosProxy } from "../tool/chaos-proxy.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import { bodyOf, extendsLast, lastSent, linesWith, marker, SESSION, SMALL_WINDOW, send } from "./growing.ts";

/** Every text is in the latest request or in the log, and no line is there twice. */
function expectNothingLost(gateway: TestGateway, sent: string, turns: number): void {
  for (let n = 0; n <= turns; n++)
    for (const role of n < turns ? (["user", "assistant"] as const) : (["user"] as const)) {
      const lines = linesWith(gateway, marker(n, role));
      expect(lines, `${marker(n, role)} twice`).toBeLessThanOrEqual(1);
      expect(sent.includes(marker(n, role)) || lines === 1, `${marker(n, role)} lost`).toBe(true);
    }
  const hashes = gateway.events(SESSION).flatMap((event) => event["hash"] ?? []);
  expect(new Set(hashes).size).toBe(hashes.length);
}

describe("kill -9", { timeout: 240_000 }, () => {
  it("XE10 X25 XI4 XB22 P25 P41 between any two turns: no byte of the next request changes, through two cuts", async () => {
    const server = await startModelServer({ script: () => text("ok") });
    let gateway = await startGateway(server, { env: SMALL_WINDOW });
    let before = { sent: "", epoch: "0" };
    let epochs = 0;
    for (let turns = 21; turns < 45; turns++) {
      const answer = await send(gateway, turns, turns === 21 ? { "X-Everlong-Todo": "- [ ] keep me" } : {});
      const sent = lastSent(server);
      expect([answer.status, server.rejected.length]).toEqual([200, 0]);
      const epoch = answer.header("x-everlong-epoch") ?? "";
      if (epoch !== before.epoch) epochs++;
      else expect(extendsLast(sent, before.sent), `turn ${turns}`).toBe(true);
      if (turns % 6 === 3) {
        await gateway.stop("SIGKILL");
        gateway = await gateway.restart();
        const again = await send(gateway, turns);
        expect(lastSent(server), `turn ${turns} after the kill`).toBe(sent);
        expect(again.header("x-everlong-epoch")).toBe(epoch);
      }
      before = { sent, epoch };
    }
    expect(epochs).toBe(3);
    expect(before.sent).toContain("keep me");
    expectNothingLost(gateway, before.sent, 44);
    await server.close();
  });

  it("XE10 XB22 X50 between store and send, and after the send: the same request again is valid and adds no line", async () => {
    const server = await startModelServer({ script: () => text("ok") });
    let onConnect: (() => void) | undefined;
    const between = await startChaosProxy(server.url, () => {
      if (!onConnect) return { mode: "pass" };
      onConnect();
      onConnect = undefined;
      return { mode: "blackhole" };
    });
    let gateway = await startGateway(between, { env: SMALL_WINDOW });
    for (const turns of [10, 20]) await send(gateway, turns);
    for (const turns of [30, 40]) {
      // The connection is new after a restart: when it is made, the plan is stored and nothing has been sent.
      await gateway.stop("SIGKILL");
      gateway = await gateway.restart();
      const { pid } = gateway;
      onConnect = () => void process.kill(pid, "SIGKILL");
      const arrived = server.requests.length;
      expect((await send(gateway, turns)).status).toBe(0);
      expect(server.requests.length).toBe(arrived);
      await gateway.stop("SIGKILL"); // dead already: its end is waited for
      gateway = await gateway.restart();
      const answer = await send(gateway, turns);
      expect([answer.status, answer.header("x-everlong-session")]).toEqual([200, SESSION]);
      const sent = lastSent(server);
      expectNothingLost(gateway, sent, turns);
      // And killed with the answer on its way: once more the same.
      await gateway.stop("SIGKILL");
      gateway = await gateway.restart();
      await send(gateway, turns);
      expect(lastSent(server)).toBe(sent);
      const states = await (await gateway.api(`/api/proxy/sessions/${SESSION}/requests`)).json();
      expect((states as { items: { outcome: string }[] }).items.map(({ outcome }) => outcome)).toContain("incomplete");
    }
    expect(server.rejected).toEqual([]);
    await between.close();
    await server.close();
  });

  it("XB22 at any moment: whatever it was doing, the next request is valid and nothing is lost or doubled", async () => {
    const server = await startModelServer({ script: () => text("ok") });
    let gateway = await startGateway(server, { env: SMALL_WINDOW });
    await send(gateway, 20);
    for (const [round, delay] of [0, 6, 15, 40].entries()) {
      const turns = 26 + round * 5;
      const going = send(gateway, turns);
      await wait(delay);
      await gateway.stop("SIGKILL");
      await going;
      gateway = await gateway.restart();
      const answer = await send(gateway, turns);
      expect([answer.status, answer.header("x-everlong-session")], `after ${delay} ms`).toEqual([200, SESSION]);
      expectNothingLost(gateway, lastSent(server), turns);
    }
    expect(server.rejected).toEqual([]);
    await server.close();
  });
});

it("XE10 X54 a torn tail of events.jsonl goes to quarantine, is reported, and blocks nothing", async () => {
  const server = await startModelServer({ script: () => text("ok") });
  let gateway = await startGateway(server, { env: SMALL_WINDOW });
  await send(gateway, 30);
  const log = join(gateway.dir, "sessions", SESSION, "events.jsonl");
  const whole = readFileSync(log, "utf8");
  expect(whole.includes(marker(2, "user"))).toBe(true);
  await gateway.stop("SIGKILL");
  appendFileSync(log, '{"id":"torn","ts":"2026-01-01T00:00:00Z","ki');
  gateway = await gateway.restart();
  expect((await (await gateway.api(`/api/proxy/sessions/${SESSION}/events`)).json()) as object).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ role: "user" })]),
  });
  await send(gateway, 46);
  const after = readFileSync(log, "utf8");
  expect(after.startsWith(whole)).toBe(true);
  expect(after.includes('"torn"')).toBe(false);
  expectNothingLost(gateway, lastSent(server), 46);
  const quarantine = join(gateway.place.home, "quarantine");
  expect(existsSync(quarantine)).toBe(true);
  const [file = ""] = readdirSync(quarantine).filter((name) => name.startsWith(`proxy-${SESSION}`));
  expect(readFileSync(join(quarantine, file), "utf8")).toContain('"torn"');
  const health = await (await gateway.api("/healthz")).json();
  expect(health).toMatchObject({
    status: "degraded",
    checks: [{ name: "log", finding: expect.stringContaining("log_damaged") }],
  });
  await server.close();
});

it("X52 P26 resent, retried, restarted: each item is stored once, each line is there once", async () => {
  const server = await startModelServer({ script: () => text("ok") });
  let gateway = await startGateway(server, { env: SMALL_WINDOW });
  for (let i = 0; i < 3; i++) await send(gateway, 30);
  expect(new Set(server.requests.map(({ rawBody }) => rawBody)).size, "three times the same bytes").toBe(1);
  expect(lastSent(server).length).toBeLessThan(bodyOf(30).length);
  const stats = async () => (await gateway.api("/api/proxy/stats")).json();
  await expect.poll(stats).toMatchObject({ stored: 61 });
  const lines = gateway.events(SESSION).length;
  await gateway.stop("SIGKILL");
  gateway = await gateway.restart();
  await send(gateway, 30);
  await gateway.stop();
  gateway = await gateway.restart();
  expect(await stats()).toMatchObject({ stored: 61 });
  expect(gateway.events(SESSION)).toHaveLength(lines);
  await server.close();
});
