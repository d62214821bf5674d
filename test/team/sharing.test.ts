// W12: what a team's agents are told through its nodes: memories of the repository; others' sessions only where the team shares them.
import { expect, it, onTestFinished, vi } from "vitest";
import { addItems } from "../../src/memory/recall/store/change.ts";
import { newTeamDatabase, sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startGateway } from "../proxy/gateway.ts";
import { chat, OPENCODE, ScriptedClient } from "../proxy/scripted-client.ts";
import { newPlace, run } from "../tool/everlong.ts";
import { addMember, ask, fact, startNode, type TestMember } from "./nodes.ts";

it("W12 X81 an agent through a node is told what the team decided about its repository, and nothing else's", async () => {
  const url = await sharedServer().newUrl();
  const model = await startModelServer({ script: () => text("Understood.") });
  onTestFinished(() => model.close());
  const ann = await addMember(url, "ann --tenant acme --user ann --scope read,write,approve");
  const bob = await addMember(url, "bob --tenant acme --user bob --scope read,write --repo acme/*");
  const eve = await addMember(url, "eve --tenant globex --user ann --scope read,write");
  const node = await startGateway(model, { env: { EVERLONG_DATABASE_URL: url } });
  const other = await startNode(url);
  await ask(other, ann, "POST /api/memory/records", fact("The harbour crane deploys with the code HERON-7"));
  await ask(
    other,
    ann,
    "POST /api/memory/records",
    fact("The harbour crane of ops is OTTER-9", { repository: "ops/infra" }),
  );
  const own = { scope: "user", approved: true, author: "user", repository: undefined };
  await ask(other, ann, "POST /api/memory/records", fact("My own harbour crane is LYNX-3", own));
  const told = async (who: TestMember, repository: string): Promise<string[]> => {
    const client = new ScriptedClient(node, chat({ headers: OPENCODE }), {
      ...{
        "x-everlong-token": who.token,
        "x-everlong-repo": repository,
        authorization: "Bearer sk-the-same-key-000000",
      },
    });
    expect((await client.ask("With which code does the harbour crane deploy?")).status).toBe(200);
    return model.requests.at(-1)?.rawBody.match(/HERON-7|OTTER-9|LYNX-3/g) ?? [];
  };
  expect(await told(bob, "Acme/App")).toEqual(["HERON-7"]);
  expect(await told(bob, "https://github.com/acme/app.git")).toEqual(["HERON-7"]);
  expect(await told(bob, "ops/infra")).toEqual([]);
  expect(await told(ann, "ops/infra")).toEqual(["OTTER-9"]);
  expect(await told(eve, "acme/app")).toEqual([]);
});

const TEXTS = { app: "a heron stole my lunch", ops: "lunch is late, the heron waits on the roof of the old store" };

it("W12 team.shareSessions=repository shows others' sessions of a covered repository, until they refuse", async () => {
  const team = await newTeamDatabase();
  const { url } = team;
  const ann = await addMember(url, "ann --tenant acme --user ann --scope read,write");
  const bob = await addMember(url, "bob --tenant acme --user bob --scope read,write --repo acme/*");
  const shared = await startNode(url, { EVERLONG_TEAM_SHARE_SESSIONS: "repository" });
  const apart = await startNode(url);
  const said = (id: keyof typeof TEXTS, repository: string) => ({
    ...({ id, kind: "turn", role: "user", text: TEXTS[id], seq: 1, turn: 1, index: 1 } as const),
    place: { level: "session", session: id, repository, identity: "acme/ann" } as const,
  });
  const items = [said("app", "acme/app"), said("ops", "ops/infra")];
  expect(await team.store("acme").write(() => addItems(items))).toMatchObject({ value: 2 });
  const found = async (node: { url: string }, who: TestMember, more: object = {}): Promise<string[]> => {
    const { body } = await ask(node, who, "POST /api/recall", { query: "heron lunch", ...more });
    return (body["results"] as { id: string }[]).map(({ id }) => id).sort();
  };
  expect(await found(shared, ann)).toEqual(["app", "ops"]);
  expect(await found(shared, bob)).toEqual(["app"]);
  expect(await found(shared, bob, { repo: "acme/app" })).toEqual(["app"]);
  expect(await found(shared, bob, { repo: "ops/infra" })).toEqual([]);
  expect(await found(shared, bob, { session: "app" })).toEqual([]);
  expect((await ask(shared, bob, "GET /api/recall/items/ops")).status).toBe(404);
  expect(await found(apart, bob)).toEqual([]);
  expect((await ask(apart, bob, "GET /api/recall/items/app")).status).toBe(404);

  const place = newPlace({ EVERLONG_MEMORY_URL: shared.url, EVERLONG_MEMORY_TOKEN: ann.token });
  expect(await run(place, ["token", "sharing"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("can find your"),
  });
  expect(await run(place, ["token", "sharing", "off"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Nobody else"),
  });
  await vi.waitUntil(async () => (await found(shared, bob)).length === 0, { timeout: 10_000, interval: 200 });
  expect(await found(shared, ann)).toEqual(["app", "ops"]);
  expect(await run(place, ["token", "sharing", "maybe"])).toMatchObject({ code: 2 });
});
