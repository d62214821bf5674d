// WB6: a newer node has brought the schema up while an older one still runs.
import { expect, it } from "vitest";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { newPlace, run } from "../tool/everlong.ts";
import { addMember, ask, fact, startNode } from "./nodes.ts";

it("WB6 the older node serves on with what it knows, says that it is old, and none like it starts", async () => {
  const server = sharedServer();
  const url = await server.newUrl();
  const ann = await addMember(url, "ann --tenant acme --user ann --scope read,write,approve");
  const node = await startNode(url);
  const path = "/api/memory/records";
  // Every connection of its pool knows its statements by heart.
  const warm = Array.from({ length: 30 }, (_, i) =>
    ask(node, ann, `POST ${path}`, fact(`Fact number ${i}`, { approved: true })),
  );
  expect((await Promise.all(warm)).map(({ status }) => status)).toEqual(Array(30).fill(201));
  expect((await ask(node, ann, `GET ${path}?limit=500`)).body["items"]).toHaveLength(30);

  const database = new URL(url).pathname.slice(1);
  await server.ask(
    `ALTER TABLE everlong.memories ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';
     ALTER TABLE everlong.tokens ADD COLUMN colour TEXT;
     UPDATE everlong.schema_version SET version = version + 1`,
    database,
  );
  const ready = await fetch(`${node.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { ready: false, reasons: ["store_too_new"] }]);
  const after = await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      i % 2 === 0
        ? ask(node, ann, `GET ${path}?limit=500`)
        : ask(node, ann, `POST ${path}`, fact(`Later fact ${i}`, { approved: true })),
    ),
  );
  expect(after.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? 200 : 201)));
  const { body } = await ask(node, ann, `GET ${path}?limit=500`);
  const items = body["items"] as Record<string, unknown>[];
  expect(items).toHaveLength(45);
  expect(items.every((one) => !("mood" in one) && typeof one["fact"] === "string")).toBe(true);
  const rows = await server.ask("SELECT count(*)::int AS n FROM everlong.memories WHERE mood = 'calm'", database);
  expect(rows).toEqual([{ n: 45 }]);

  const late = await run(newPlace({}), ["serve", "--port", "0", "--database", url]);
  expect([late.code, late.stderr]).toEqual([1, expect.stringMatching(/schema version \d+, this program knows \d+/)]);
  expect(await node.stop("SIGTERM")).toMatchObject({ code: 0 });
});
