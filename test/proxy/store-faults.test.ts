// XE10, XB20, XB21, P21: a store that fails in the middle of an epoch: the cut in force stays, nothing is lost.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { newPlace, type Place } from "../tool/everlong.ts";
import { seededRandom } from "../tool/random.ts";
import { startGateway, type TestGateway } from "./gateway.ts";
import { extendsLast, lastSent, linesWith, marker, messagesOf, SESSION, SMALL_WINDOW, send } from "./growing.ts";
import { holding } from "./hold-store.ts";

const envFor = (upstream: { url: string }): Record<string, string> => ({
  EVERLONG_UPSTREAM_OPENAI: upstream.url,
  EVERLONG_EMBEDDER: "none",
  ...SMALL_WINDOW,
});
const health = async (gateway: TestGateway) => (await gateway.api("/healthz")).json();
const missing = (sent: string, turns: number, gateway: TestGateway): string[] =>
  Array.from({ length: turns + 1 }, (_, n) =>
    (n < turns ? (["user", "assistant"] as const) : (["user"] as const)).map((role) => marker(n, role)),
  )
    .flat()
    .filter((text) => !sent.includes(text) && linesWith(gateway, text) !== 1);

async function found(gateway: TestGateway, query: string): Promise<boolean> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ query, session: SESSION });
  return (await (await gateway.api("/api/proxy/search", { method: "POST", headers, body })).text()).includes(query);
}

/** Fails while `fault` is on; the growing history is cut before, needs a new cut meanwhile, and is whole afterwards. */
async function expectHeld(place: Place | undefined, fault: (gateway: TestGateway) => () => void): Promise<void> {
  const server = await startModelServer({ script: () => text("ok") });
  const gateway = await startGateway(
    server,
    place ? { place: { ...place, env: envFor(server) } } : { env: SMALL_WINDOW },
  );
  for (const turns of [10, 28]) await send(gateway, turns);
  const cut = messagesOf(lastSent(server)).length;
  expect(cut, "there is a cut").toBeLessThan(30);
  await expect.poll(async () => (await gateway.api("/api/proxy/stats")).json()).toMatchObject({ stored: 57 });
  let before = lastSent(server);
  const end = fault(gateway);
  for (let turns = 29; turns < 44; turns++) {
    const answer = await send(gateway, turns);
    expect([answer.status, answer.header("x-everlong-action")], `turn ${turns}`).toEqual([200, "skip:store"]);
    // The cut in force is still applied, and there is no other: everything new stands in the request.
    expect(extendsLast(lastSent(server), before), `turn ${turns}`).toBe(true);
    expect(messagesOf(lastSent(server)), `turn ${turns}`).toHaveLength(cut + 2 * (turns - 28));
    expect(missing(lastSent(server), turns, gateway)).toEqual([]);
    before = lastSent(server);
  }
  expect(await health(gateway)).toMatchObject({ status: "degraded" });
  end();
  await expect.poll(async () => (await send(gateway, 44)).header("x-everlong-action")).toBe("trim");
  expect(messagesOf(lastSent(server)).length, "a new cut").toBeLessThan(cut + 10);
  expect(missing(lastSent(server), 44, gateway)).toEqual([]);
  await expect.poll(async () => (await gateway.api("/api/proxy/stats")).json()).toMatchObject({ stored: 89 });
  // Everything that left is found by its own words.
  for (const turn of [2, 12, 31]) expect(await found(gateway, marker(turn, "user")), `turn ${turn}`).toBe(true);
  expect(server.rejected).toEqual([]);
  const { code, stderr } = await gateway.stop();
  expect([code, stderr]).toEqual([0, ""]);
  await server.close();
}

describe("in the middle of an epoch", () => {
  it("XE10 XB21 P21 X55 locked by another process: the cut in force stays, no new one, stored later", async () => {
    await expectHeld(undefined, (gateway) => {
      const db = holding(join(gateway.place.home, "store.db"), "BEGIN IMMEDIATE");
      return () => db.close();
    });
  });

  it("XE10 XB21 P21 no file can grow: the same", async () => {
    await expectHeld(undefined, ({ pid }) => {
      const limit = (size: string) => execFileSync("prlimit", ["--pid", String(pid), `--fsize=${size}:`]);
      limit("1");
      return () => void limit("unlimited");
    });
  });

  it.runIf(process.getuid?.() === 0)("XE10 XB21 P21 OP1 the disk is full: the same", async (context) => {
    const place = newPlace();
    mkdirSync(place.home);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=6m,mode=700", "tmpfs", place.home], { stdio: "ignore" });
    } catch {
      return context.skip("no mounts here");
    }
    onTestFinished(() => void execFileSync("umount", ["-l", place.home]));
    await expectHeld(place, () => {
      const rest = join(place.home, "rest");
      // The log of the database has no room of its own, and while somebody reads it cannot begin again in what it gets.
      const reader = holding(join(place.home, "store.db"), "SELECT 1");
      expect(reader.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()).toMatchObject({ busy: 0 });
      reader.exec("BEGIN; SELECT count(*) FROM proxy_session");
      try {
        for (let size = 6_000_000; size > 0; size = Math.floor(size / 2))
          execFileSync("sh", ["-c", `head -c ${size} /dev/zero >> "${rest}"`], { stdio: "ignore" });
      } catch {
        // that is the point
      }
      for (let i = 0; i < 12; i++)
        execFileSync("sh", ["-c", `head -c 4096 /dev/zero >> "${rest}" || true`], { stdio: "ignore" });
      return () => {
        reader.close();
        rmSync(rest);
      };
    });
  });

  it("P21 the store fails at random: every marker is in the request or in the log, at every turn", async () => {
    const server = await startModelServer({ script: () => text("ok") });
    const gateway = await startGateway(server, { env: SMALL_WINDOW });
    await send(gateway, 24);
    const { random } = seededRandom("failing store");
    const actions = new Set<string | undefined>();
    for (let turns = 25; turns < 65; turns++) {
      const size = random() < 0.5 ? "1" : "unlimited";
      execFileSync("prlimit", ["--pid", String(gateway.pid), `--fsize=${size}:`]);
      const answer = await send(gateway, turns);
      actions.add(answer.header("x-everlong-action"));
      expect(answer.status).toBe(200);
      expect(missing(lastSent(server), turns, gateway), `turn ${turns}`).toEqual([]);
    }
    expect(actions).toContain("trim");
    expect(actions).toContain("skip:store");
    expect(server.rejected).toEqual([]);
    await server.close();
  });

  it("XB20 X50 a damaged index: every request goes on, nothing leaves one unfound, it is told and comes back by itself", async () => {
    const server = await startModelServer({ script: () => text("ok") });
    const gateway = await startGateway(server, { env: SMALL_WINDOW });
    for (const turns of [10, 28]) await send(gateway, turns);
    const before = lastSent(server);
    await expect.poll(async () => (await gateway.api("/api/proxy/stats")).json()).toMatchObject({ stored: 57 });
    holding(join(gateway.place.home, "store.db"), "UPDATE recall_terms_data SET block = x'00ff00ff00ff'").close();
    for (let turns = 29; turns < 50; turns++) {
      const answer = await send(gateway, turns);
      expect(answer.status).toBe(200);
      if (answer.header("x-everlong-epoch") === "1") expect(extendsLast(lastSent(server), before)).toBe(true);
      expect(missing(lastSent(server), turns, gateway)).toEqual([]);
    }
    expect(await health(gateway)).toMatchObject({ status: "degraded", checks: [{ name: "recall" }] });
    await expect.poll(() => found(gateway, marker(2, "user"))).toBe(true);
    await expect.poll(async () => (await send(gateway, 50)).header("x-everlong-epoch")).not.toBe("1");
    await expect.poll(() => found(gateway, marker(40, "user"))).toBe(true);
    expect(server.rejected).toEqual([]);
    await server.close();
  });
});
