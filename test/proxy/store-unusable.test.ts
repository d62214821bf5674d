// P22, XB21, X55: a store that cannot be used from the start, or is taken away, costs memory and never a request.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { newPlace, type Place } from "../tool/everlong.ts";
import { startGateway } from "./gateway.ts";
import { bodyOf, lastSent, SESSION, SMALL_WINDOW, send } from "./growing.ts";
import { holding } from "./hold-store.ts";

function homeFor(upstream: { url: string }): Place {
  const place = newPlace({ EVERLONG_UPSTREAM_OPENAI: upstream.url, EVERLONG_EMBEDDER: "none", ...SMALL_WINDOW });
  mkdirSync(place.home, { mode: 0o700 });
  return place;
}

describe("from the beginning", () => {
  const UNUSABLE: Record<string, (path: string) => void> = {
    "from a newer program": (path) => holding(path, "PRAGMA user_version = 9999").close(),
    "held by another process": (path) =>
      void holding(path, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE t (x)"),
  };
  for (const [what, make] of Object.entries(UNUSABLE))
    it(`P22 XB21 X55 store.db is ${what}: requests pass as they came, skip:store, a soft failure`, async () => {
      const server = await startModelServer({ script: () => text("ok"), strict: false });
      const place = homeFor(server);
      make(join(place.home, "store.db"));
      const gateway = await startGateway(server, { place });
      for (const turns of [3, 40]) {
        const answer = await send(gateway, turns, { "X-Everlong-Todo": "- [ ] not lost on anybody" });
        expect([answer.status, answer.header("x-everlong-action")]).toEqual([200, "skip:store"]);
        expect(lastSent(server)).toBe(bodyOf(turns));
      }
      expect(await (await gateway.api("/healthz")).json()).toMatchObject({
        status: "degraded",
        checks: [{ name: "store" }],
      });
      expect((await gateway.api("/api/proxy/stats")).status).toBe(503);
      const { code, stderr } = await gateway.stop();
      expect([code, stderr]).toEqual([0, ""]);
      await server.close();
    });

  const BROKEN: Record<string, (path: string) => void> = {
    "no database": (path) => writeFileSync(path, "this is no database at all ".repeat(500)),
    "a folder": (path) => mkdirSync(path),
    "of something else": (path) => holding(path, "CREATE TABLE sessions (x); CREATE TABLE proxy_session (x)").close(),
  };
  for (const [what, make] of Object.entries(BROKEN))
    it(`N13 OP2 XB21 store.db is ${what}: it is moved away and made anew, and requests are managed`, async () => {
      const server = await startModelServer({ script: () => text("ok"), strict: false });
      const place = homeFor(server);
      make(join(place.home, "store.db"));
      const gateway = await startGateway(server, { place });
      const actions = await Promise.all([send(gateway, 3), send(gateway, 3)]);
      expect(actions.map(({ status }) => status)).toEqual([200, 200]);
      expect((await gateway.api("/api/proxy/stats")).status).toBe(200);
      const { code, stderr } = await gateway.stop();
      expect([code, stderr]).toEqual([0, expect.stringContaining("store.db was rebuilt")]);
      expect(readdirSync(join(place.home, "quarantine"))).toHaveLength(1);
      await server.close();
    });

  it("P22 X55 X10 no request waits for a store that is known to fail, and one that works again is used", async () => {
    const server = await startModelServer({ script: () => text("ok") });
    const place = homeFor(server);
    const lock = holding(
      join(place.home, "store.db"),
      "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE t (x)",
    );
    const gateway = await startGateway(server, { place });
    await send(gateway, 1);
    const start = performance.now();
    for (let i = 0; i < 10; i++) expect((await send(gateway, 1)).header("x-everlong-action")).toBe("skip:store");
    expect((performance.now() - start) / 10).toBeLessThan(250);
    lock.close();
    await expect
      .poll(async () => (await send(gateway, 2)).header("x-everlong-action"), { timeout: 15_000 })
      .toBe("pass");
    await server.close();
  });
});

it("P22 X19 the folders are removed under a running gateway: the next request passes and they are made again", async () => {
  const server = await startModelServer({ script: () => text("ok") });
  const gateway = await startGateway(server, { env: SMALL_WINDOW });
  await send(gateway, 2);
  rmSync(gateway.dir, { recursive: true });
  expect((await send(gateway, 3)).status).toBe(200);
  expect(lastSent(server)).toBe(bodyOf(3));
  expect(JSON.parse(gateway.file(SESSION, "session.json"))).toMatchObject({ family: "opencode" });
  // A file where the folder should be: nothing of ours is written there, the request goes on.
  rmSync(gateway.dir, { recursive: true });
  writeFileSync(gateway.dir, "in the way");
  chmodSync(gateway.dir, 0o600);
  const answer = await send(gateway, 4);
  expect([answer.status, answer.header("x-everlong-action")]).toEqual([200, "skip:store"]);
  expect(lastSent(server)).toBe(bodyOf(4));
  expect(readFileSync(gateway.dir, "utf8")).toBe("in the way");
  await server.close();
});
