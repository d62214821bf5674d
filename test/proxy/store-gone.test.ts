// N15: a gateway whose store is removed, replaced or overwritten says so, and goes on relaying.
import { openSync, renameSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import type { Place } from "../tool/everlong.ts";
import { startGateway } from "./gateway.ts";
import { SMALL_WINDOW, send } from "./growing.ts";

const store = (place: Place): string => join(place.home, "store.db");

it.each<[string, (place: Place) => void, RegExp]>([
  ["its home is removed", ({ home }) => rmSync(home, { recursive: true }), /store_gone.*removed/],
  ["store.db is removed", (place) => rmSync(store(place)), /store_gone.*removed/],
  [
    "store.db is replaced",
    (place) => {
      renameSync(store(place), `${store(place)}.old`);
      writeFileSync(store(place), "");
    },
    /store_gone.*replaced/,
  ],
  [
    "store.db is overwritten",
    (place) => void writeSync(openSync(store(place), "r+"), Buffer.alloc(4096, "x"), 0, 4096, 0),
    /store_corrupt.*overwritten/,
  ],
  ["store.db is emptied", (place) => truncateSync(store(place)), /store_corrupt.*emptied/],
])("N15 %s: /healthz is not ok, requests pass", async (_, harm, finding) => {
  const server = await startModelServer({ script: () => text("ok") });
  const gateway = await startGateway(server, { env: SMALL_WINDOW });
  const health = async () => (await gateway.api("/healthz")).json();
  expect((await send(gateway, 2)).status).toBe(200);
  expect(await health()).toMatchObject({ status: "ok" });
  harm(gateway.place);
  expect(await health()).toMatchObject({
    status: "degraded",
    checks: expect.arrayContaining([expect.objectContaining({ finding: expect.stringMatching(finding) })]),
  });
  expect((await send(gateway, 3)).status).toBe(200);
  await gateway.stop();
  await server.close();
});
