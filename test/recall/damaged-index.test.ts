// R3 XB20: an index that lost something or is broken comes back, by command and by itself, and no request waits for it.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { until } from "../agent/scene.ts";
import { calls } from "../model-server/reply.ts";
import { blocksOf } from "../proxy/client.ts";
import type { TestGateway } from "../proxy/gateway.ts";
import { run } from "../tool/everlong.ts";
import { converse, found, type Hit, type Json, LONG, stage, stored } from "./gateway-stage.ts";

const damage = (gateway: TestGateway, sql: string): void => {
  const db = new DatabaseSync(join(gateway.place.home, "store.db"));
  db.enableDefensive(false);
  db.exec("PRAGMA busy_timeout = 5000");
  db.exec(sql);
  db.close();
};

it("R3 --reindex brings proxied items back that the index lost, whatever it lost", async () => {
  const [gateway, server] = await stage();
  await converse(gateway, server, "lost", 3);
  const before = await stored(gateway, "zebra1");
  await gateway.stop();
  const search = async (): Promise<Json[]> => {
    const done = await gateway.cli(["recall", "zebra1", "--all", "--json"]);
    expect(done.code, done.stderr).toBe(0);
    return (done.json["results"] as Json[]).map(({ id, ref }) => ({ id, ref }));
  };
  const whole = await search();
  expect(whole).toContainEqual({ id: before.id, ref: before.ref });
  for (const sql of ["DELETE FROM recall_item", "UPDATE recall_passage SET text = ''"]) {
    damage(gateway, sql);
    expect(await search(), sql).not.toEqual(whole);
    const done = await gateway.cli(["recall", "--reindex"]);
    expect([done.code, done.stdout], done.stderr).toEqual([0, expect.stringMatching(/gateway's store: \d+ items?/)]);
    expect(await search(), sql).toEqual(whole);
  }
  for (const sql of ["DROP TABLE recall_item", "DELETE FROM recall_terms_data", "DROP TABLE recall_scope"]) {
    damage(gateway, sql);
    const broken = await gateway.cli(["recall", "zebra1", "--all"]);
    expect([broken.code, broken.stderr], sql).toEqual([1, expect.stringContaining("everlong recall --reindex")]);
    const done = await gateway.cli(["sessions", "reindex"]);
    expect([done.code, done.stdout], sql).toEqual([0, expect.stringContaining("was damaged")]);
    expect(await search(), sql).toEqual(whole);
  }
});

describe("XB20 a damaged index", () => {
  it.each([
    "DROP TABLE recall_item",
    "DROP TABLE recall_terms",
    "DROP TABLE recall_scope",
    "UPDATE recall_terms_data SET block = x'ffffffffffffffffffffffffffffffff'",
  ])("XB20 %s: requests go on, it is told, and the index comes back by itself", async (sql) => {
    const [gateway, server] = await stage();
    const agent = await run(gateway.place, ["-p", "the lighthouse keeper is called Oswin"]);
    expect(agent.code, agent.stderr).toBe(0);
    const client = await converse(gateway, server, "broken", 13);
    await stored(gateway, "zebra1");
    await stored(gateway, "lighthouse");
    damage(gateway, sql);
    server.script(calls([{ name: "read", args: { path: "src/last.ts" } }]));
    expect((await client.say("Which port has zebra1?")).status).toBe(200);
    expect((await client.results(`the port of zebra99 is 7099\n${LONG}`)).status).toBe(200);
    const health = await until("the check", async () => {
      const told = (await (await gateway.api("/healthz")).json()) as { checks: Json[] };
      return told.checks.find((check) => check["name"] === "recall");
    });
    expect(health["status"]).toBe("degraded");
    const back = async (query: string): Promise<Hit> =>
      until(
        query,
        async () => (await found(gateway, { query, scope: "all", kind: query.startsWith("z") ? "tool" : "turn" }))?.[0],
      );
    expect((await back("zebra1")).snippets[0]?.text).toContain("7001");
    expect((await back("zebra99")).snippets[0]?.text).toContain("7099");
    expect((await back("lighthouse")).snippets[0]?.text).toContain("Oswin");
    const next = await client.say("And which port has zebra0?");
    expect(blocksOf(next.sent, "everlong_recall").at(-1)).toContain("zebra0 is 7000");
  });
});
