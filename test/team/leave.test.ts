// W14: a member or a tenant leaves: nothing of theirs is left in any table, and an export beforehand has it all.
import { expect, it, onTestFinished } from "vitest";
import { memberRows } from "../../src/runtime/team/member-rows.ts";
import { tenantTables } from "../../src/store/copy/table.ts";
import { newTeamDatabase, sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { marker } from "../proxy/growing.ts";
import { newPlace, run } from "../tool/everlong.ts";
import { addMember, ask, fact } from "./nodes.ts";
import { sendTurns, startProxiedNode } from "./proxied.ts";

/** Every row of the database as text, by table, but those of globex: as its superuser, past all walls. */
async function everything(url: string): Promise<Record<string, string>> {
  const server = sharedServer();
  const database = new URL(url).pathname.slice(1);
  const tables = await server.ask(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'everlong'::regnamespace AND relkind = 'r'",
    database,
  );
  const texts = tables.map(async ({ name }): Promise<[string, string]> => {
    const rows = await server.ask(`SELECT * FROM everlong.${String(name)}`, database);
    const others = rows.filter((row) => row["tenant"] !== "globex" && row["name"] !== "globex");
    return [String(name), JSON.stringify(others)];
  });
  return Object.fromEntries(await Promise.all(texts));
}

it("W14 a member's rows go from every table, what they gave to a repository stays nameless; then the tenant; counts are noted", async () => {
  const url = await sharedServer().newUrl();
  const scope = "--scope read,write,approve";
  const ann = await addMember(url, `ann-laptop --tenant acme --user ann ${scope}`);
  const bob = await addMember(url, `bob --tenant acme --user bob ${scope}`);
  const eve = await addMember(url, `eve --tenant globex --user ann ${scope}`);
  const model = await startModelServer({ script: () => text("ok") });
  onTestFinished(() => model.close());
  const node = await startProxiedNode(url, model);
  const own = { scope: "user", approved: true, author: "user", repository: undefined };
  const post = async (who: { token: string }, body: object, key: string): Promise<string> => {
    const headers = { "idempotency-key": key };
    const answer = await ask(node, who, "POST /api/memory/records", body, headers);
    expect(answer.status).toBe(201);
    return String(answer.body["id"]);
  };
  await post(ann, fact("My badge has a heron", own), "k1");
  const shared = await post(ann, fact("The build needs Node 24", { approved: true, author: "user" }), "k2");
  await post(bob, fact("My badge has an otter", own), "k3");
  await post(eve, fact("Globex has a lynx", own), "k4");
  const line = `/api/memory/records/${shared}`;
  expect((await ask(node, ann, `PATCH ${line}`, { reason: "seen" }, { "if-match": "*" })).status).toBe(200);
  expect((await ask(node, ann, `POST ${line}/votes`, { direction: "upvote", reason: "so", fact: "x" })).status).toBe(
    200,
  );
  const board = "PUT /api/memory/board/items/user/plan?repository=acme/app&branch=main";
  expect((await ask(node, ann, board, { description: "d", content: "shared plan" })).status).toBe(201);

  const messages = [{ content: "My locker has a heron.", role_type: "user", role: "Me", uuid: "m-1" }];
  const group = { group_id: "graphiti_user_0123456789abcdef", messages };
  expect((await ask(node, ann, "POST /graphiti/messages", group)).status).toBe(202);

  // What ann's agent said, and was cut out of its request, is stored and found.
  expect((await sendTurns(node, ann, "s", 26)).status).toBe(200);
  const said = async (): Promise<unknown[]> =>
    (await ask(node, ann, "POST /api/recall", { query: marker(3, "user") })).body["results"] as unknown[];
  expect((await said()).length).toBeGreaterThan(0);
  expect((await ask(node, ann, "PATCH /api/me/sharing", { shares: false })).body["shares"]).toBe(false);

  const place = newPlace({ EVERLONG_DATABASE_URL: url });
  const exported = await run(place, ["export", "--tenant", "acme"]);
  expect(exported.code).toBe(0);
  const lines = exported.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.at(-1)).toEqual({ end: true, rows: lines.length - 1 });
  const tables = new Set(lines.slice(0, -1).map(({ table }) => table));
  expect([...tables].sort()).toEqual(
    expect.arrayContaining([
      "board_changes",
      "dynamic_context_items",
      "memories",
      "memory_changes",
      "memory_votes",
      "tokens",
    ]),
  );
  expect(exported.stdout).toMatch(/heron[\s\S]*otter|otter[\s\S]*heron/);
  expect(exported.stdout).not.toContain("lynx");
  for (const table of ["proxy_session", "proxy_item", "proxy_event", "graph_episode", "member_choice"])
    expect([table, tables.has(table)]).toEqual([table, true]);
  expect(exported.stdout).toContain(marker(3, "user"));
  expect(exported.stdout).not.toMatch(/"hash":"[0-9a-f]{64}","user"/);

  // Without a terminal nothing is deleted unasked.
  expect(await run(place, ["wipe", "--tenant", "acme", "--user", "ann"])).toMatchObject({ code: 2 });
  const gone = await run(place, ["wipe", "--tenant", "acme", "--user", "ann", "--yes"]);
  expect([gone.code, gone.stdout]).toEqual([
    0,
    expect.stringMatching(/memories +1 row[\s\S]*Deleted \d+ rows of ann in acme/),
  ]);
  for (const [table, rows] of Object.entries(await everything(url))) {
    expect([table, rows.match(/heron|marker-\d+/)?.[0]]).toEqual([table, undefined]);
    if (table !== "removals") expect([table, rows.match(/\bann\b.{0,9}/)?.[0]]).toEqual([table, undefined]);
  }
  expect((await ask(node, ann, "GET /api/memory/records")).status).toBe(401);
  const seen = await ask(node, bob, "GET /api/memory/records");
  expect((seen.body["items"] as { fact: string }[]).map((one) => one.fact).sort()).toEqual([
    "My badge has an otter",
    "The build needs Node 24",
  ]);
  expect((await ask(node, eve, "GET /api/memory/records")).body["items"]).toHaveLength(1);

  const all = await run(place, ["wipe", "--tenant", "acme", "--yes"]);
  expect(all.code).toBe(0);
  const rest = await everything(url);
  const { removals = "", ...others } = rest;
  for (const [table, rows] of Object.entries(others)) expect([table, rows.includes("acme")]).toEqual([table, false]);
  expect((await ask(node, eve, "GET /api/memory/records")).body["items"]).toHaveLength(1);
  expect(removals).toMatch(/"tenant_name":"acme","user_name":"ann"[\s\S]*\\"memories\\":1[\s\S]*"user_name":null/);
  expect(removals).not.toMatch(/heron|otter|Node 24/);
  expect(await run(place, ["wipe", "--tenant", "acme", "--yes"])).toMatchObject({ code: 1 });
  expect(await run(place, ["export", "--tenant", "acme"])).toMatchObject({ code: 1, stdout: "" });
});

it("W14 somebody has decided what of every table is a member's", async () => {
  const team = await newTeamDatabase();
  const names = await team.store("local").read(tenantTables);
  if (!names.ok) throw new Error(names.error.what);
  expect(names.value.filter((name) => !(name in memberRows))).toEqual([]);
  expect(Object.keys(memberRows).filter((name) => !names.value.includes(name))).toEqual([]);
});
