// WB1: the database fails over, is read-only, or has no room: requests pass, writes are refused for certain, and nothing needs a restart.
import { expect, it, onTestFinished, vi } from "vitest";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { addMember, ask, codeOf, fact } from "./nodes.ts";
import { sendTurns, startProxiedNode } from "./proxied.ts";

/** A disk that is full says so to whoever writes. */
const FULL = `CREATE FUNCTION everlong.full() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
  CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON everlong.memories EXECUTE FUNCTION everlong.full();
  CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON everlong.proxy_item EXECUTE FUNCTION everlong.full();`;

it("WB1 W4 handed over with its connections cut, read-only, and full: 503 or passed on, acknowledged writes there once, back by itself", async () => {
  const server = sharedServer();
  const url = await server.newUrl();
  const database = new URL(url).pathname.slice(1);
  const model = await startModelServer({ script: () => text("ok") });
  onTestFinished(() => model.close());
  const ann = await addMember(url, "ann --tenant acme --user ann --scope read,write");
  const node = await startProxiedNode(url, model);
  const cut = () =>
    server.ask(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()`,
    );
  const acknowledged: string[] = [];
  const store = async (words: string): Promise<number> => {
    const { status } = await ask(node, ann, "POST /api/memory/records", fact(words));
    if (status === 201) acknowledged.push(words);
    return status;
  };
  const works = (words: string) =>
    vi.waitUntil(async () => (await store(words)) === 201, { timeout: 60_000, interval: 100 });
  expect(await store("Before all of it")).toBe(201);
  expect((await sendTurns(node, ann, "s", 2)).header("x-everlong-action")).not.toMatch(/^skip/);

  await cut();
  await works("After the connections were cut");

  await server.ask(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
  await cut();
  await vi.waitUntil(async () => (await ask(node, ann, "GET /api/memory/records")).status === 200, { timeout: 60_000 });
  expect(codeOf(await ask(node, ann, "POST /api/memory/records", fact("Not while it only reads")))).toEqual([
    503,
    "store_unavailable",
  ]);
  expect((await sendTurns(node, ann, "s", 3)).status).toBe(200);
  await server.ask(`ALTER DATABASE ${database} RESET default_transaction_read_only`);
  await cut();
  await works("When it writes again");

  await server.ask(FULL, database);
  const full = await ask(node, ann, "POST /api/memory/records", fact("Not while it is full"));
  expect(codeOf(full)).toEqual([503, "store_unavailable"]);
  const passed = await sendTurns(node, ann, "s", 30);
  expect([passed.status, passed.header("x-everlong-action")]).toEqual([200, "skip:store"]);
  await server.ask("DROP FUNCTION everlong.full CASCADE", database);
  await works("When there is room again");
  await vi.waitUntil(
    async () => !(await sendTurns(node, ann, "s", 30)).header("x-everlong-action")?.startsWith("skip"),
    {
      ...{ timeout: 60_000, interval: 100 },
    },
  );
  const { body } = await ask(node, ann, "GET /api/memory/records");
  const facts = (body["items"] as { fact: string }[]).map((one) => one.fact);
  expect(facts.toSorted()).toEqual(acknowledged.toSorted());
});
