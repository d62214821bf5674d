// Recall through a team's nodes: what a member finds, what nobody else does, and an index that was not there before.
import { expect, it, vi } from "vitest";
import type { Item } from "../../src/memory/recall/item.ts";
import { addItems } from "../../src/memory/recall/store/change.ts";
import { newTeamDatabase } from "../../src/store/postgres/postgres-fixture.ts";
import { execute } from "../../src/store/unit.ts";
import { addMember, ask, codeOf, fact, startNode, type TestMember } from "./nodes.ts";

type Node = { url: string };

async function found(
  node: Node,
  who: TestMember,
  query: string,
  more: Record<string, unknown> = {},
): Promise<string[]> {
  const { status, body } = await ask(node, who, "POST /api/recall", { query, ...more });
  expect([query, status, body["error"]]).toEqual([query, 200, undefined]);
  return (body["results"] as { id: string }[]).map(({ id }) => id);
}

const said = (user: string, id: string, text: string): Item => ({
  ...{ id, kind: "turn", role: "user", text, seq: 1, turn: 1, index: 1, time: Date.now() },
  place: { level: "session", session: "s1", repository: "acme/app", identity: `acme/${user}` },
});

it("W1 W12 R54 WB4 a memory is found on every node by who may see it, what somebody said only by them", async () => {
  const team = await newTeamDatabase();
  const { url } = team;
  const ann = await addMember(url, "ann --tenant acme --user ann --scope read,write,approve");
  const bob = await addMember(url, "bob --tenant acme --user bob --scope read,write --repo acme/*");
  const ron = await addMember(url, "ron --tenant acme --user ron --scope read");
  const eve = await addMember(url, "eve --tenant globex --user ann --scope read,write,approve");
  const [one, two] = [await startNode(url), await startNode(url)];
  const store = async (text: string, more: Record<string, unknown> = {}): Promise<string> => {
    const stored = await ask(one, ann, "POST /api/memory/records", fact(text, more));
    expect(stored.status).toBe(201);
    return String(stored.body["id"]);
  };
  const herons = await store("Herons nest behind the harbour");
  const hidden = await store("Herons are counted at night", { repository: "ops/infra" });
  const own = await store("I feed herons", { scope: "user", approved: true, author: "user", repository: undefined });
  const items = [said("ann", "ann-1", "my heron is called Otto"), said("bob", "bob-1", "a heron stole my lunch")];
  expect(await team.store("acme").write(() => addItems(items))).toMatchObject({ ok: true, value: 2 });

  const all = async (who: TestMember): Promise<string[]> => (await found(two, who, "heron")).sort();
  expect(await all(ann)).toEqual([herons, hidden, own, "ann-1"].sort());
  expect(await all(bob)).toEqual([herons, "bob-1"].sort());
  expect(await all(ron)).toEqual([herons, hidden].sort());
  expect(await all(eve)).toEqual([]);
  // A scope narrows what is reached, and never widens it.
  expect(await found(two, bob, "heron", { repo: "ops/infra" })).toEqual([]);
  expect(await found(two, bob, "heron", { session: "s1" })).toEqual(["bob-1"]);
  expect(await found(two, bob, "heron", { scope: "user" })).toEqual([]);
  expect(await found(two, ann, "heron", { scope: "user" })).toEqual([own]);
  expect((await found(two, ann, "heron", { repo: "acme/app" })).sort()).toEqual([herons, "ann-1"].sort());
  // By its id, too.
  expect((await ask(two, ann, `GET /api/recall/items/${own}`)).body["item"]).toMatchObject({ id: own });
  for (const id of [hidden, own, "ann-1"])
    expect([id, (await ask(two, bob, `GET /api/recall/items/${id}`)).status]).toEqual([id, 404]);
  expect(codeOf(await ask(two, bob, "POST /api/recall?tenant=globex", { query: "heron" }))).toEqual([
    403,
    "forbidden_tenant",
  ]);
  expect(codeOf(await ask(two, ron, "POST /api/recall/forget", { ids: ["x"] }))).toEqual([403, "forbidden_scope"]);
  expect((await ask(two, ann, "POST /api/recall", {})).status).toBe(400);

  // In the transaction that changes it: what is edited is found as it is now, what is deleted is gone.
  const edit = await ask(
    one,
    ann,
    `PATCH /api/memory/records/${herons}`,
    { fact: "Cranes nest there" },
    { "if-match": "*" },
  );
  expect(edit.status).toBe(200);
  expect(await found(two, bob, "heron")).toEqual(["bob-1"]);
  expect(await found(two, bob, "crane")).toEqual([herons]);
  const gone = await ask(two, ann, `DELETE /api/memory/records/${herons}`, undefined, { "if-match": "*" });
  expect(gone.status).toBe(204);
  expect(await found(one, bob, "crane")).toEqual([]);
  // A board is found by whoever reaches its repository.
  const board = { description: "where we are", content: "the crane moves on Friday" };
  const put = await ask(one, ann, "PUT /api/memory/board/items/user/plan?repository=acme/app&branch=main", board);
  expect([put.status, await found(two, bob, "crane friday")]).toEqual([201, ["board:acme/app@main:user/plan"]]);
  expect(await found(two, eve, "crane friday")).toEqual([]);
});

it("R3 a database from before there was an index is filled by the first node that is asked", async () => {
  const team = await newTeamDatabase();
  const ann = await addMember(team.url, "ann --tenant acme --user ann --scope read,write,approve");
  const old = await startNode(team.url);
  const stored = await ask(old, ann, "POST /api/memory/records", fact("Puffins return in April"));
  const id = String(stored.body["id"]);
  await team.store("acme").write(function* () {
    for (const table of ["recall_term", "recall_passage", "recall_item", "recall_scope_part", "recall_note"])
      yield* execute(`DELETE FROM ${table}`);
  });
  const [one, two] = [await startNode(team.url), await startNode(team.url)];
  await vi.waitFor(
    async () => {
      const answers = await Promise.all([one, two].map((node) => found(node, ann, "puffins in april")));
      expect(answers).toEqual([[id], [id]]);
    },
    { timeout: 30_000, interval: 100 },
  );
});
