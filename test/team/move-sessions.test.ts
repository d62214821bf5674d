// W13: proxied sessions of a home on a team's database: to be read and searched by their owner, and brought home again.
import { expect, it, onTestFinished } from "vitest";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { startGateway } from "../proxy/gateway.ts";
import { marker, SESSION, SMALL_WINDOW, send } from "../proxy/growing.ts";
import { newPlace, type Place, run } from "../tool/everlong.ts";
import { addMember, ask, startNode, type TestMember } from "./nodes.ts";

type Told = { tables: { table: string; rows: number; added: number }[]; verified: boolean };
async function move(place: Place, ...args: string[]): Promise<Told & { added: number }> {
  const answer = await run(place, ["move", ...args, "--tenant", "acme", "--user", "ann", "--json"]);
  if (answer.code !== 0) throw new Error(answer.stderr + answer.stdout);
  const told = JSON.parse(answer.stdout) as Told;
  return { ...told, added: told.tables.reduce((sum, one) => sum + one.added, 0) };
}

it("W13 W12 WE3 what agents said through a home is its owner's on the team's database, and home again it is found as before", async () => {
  const url = await sharedServer().newUrl();
  const model = await startModelServer({ script: () => text("ok") });
  onTestFinished(() => model.close());
  const homes = [];
  for (const _ of [1, 2]) {
    const gateway = await startGateway(model, { env: SMALL_WINDOW });
    const headers = {
      "X-Everlong-Token": gateway.token,
      "X-Everlong-Repo": "acme/app",
      "X-Everlong-Todo": "- [ ] keep me",
    };
    for (const turns of [24, 26]) expect((await send(gateway, turns, headers)).status).toBe(200);
    await gateway.stop();
    homes.push(gateway);
  }
  const [first, twin] = homes as [(typeof homes)[0], (typeof homes)[0]];
  const lines = first.events(SESSION).filter(({ hash }) => hash !== undefined);
  expect(lines.length).toBeGreaterThan(10);
  const recalled = async (place: Place): Promise<[string, number][]> => {
    const answer = await run(place, ["recall", marker(3, "user"), "--all", "--as-of", "2100-01-01", "--json"]);
    const { results } = JSON.parse(answer.stdout) as { results: { snippets: { text: string }[]; score: number }[] };
    return results.map(({ snippets, score }) => [snippets[0]?.text ?? "", score]);
  };
  const before = await recalled(first.place);
  expect(before[0]?.[0]).toContain(marker(3, "user"));

  const out = await move(first.place, "--to", url);
  expect([out.verified, out.tables.find(({ table }) => table === "proxy_session")?.added]).toEqual([true, 1]);
  expect(await move(first.place, "--to", url)).toMatchObject({ verified: true, added: 0 });
  // The same name in another home is another session.
  expect((await move(twin.place, "--to", url)).tables.find(({ table }) => table === "proxy_session")?.added).toBe(1);

  const ann = await addMember(url, "ann --tenant acme --user ann --scope read,write");
  const bob = await addMember(url, "bob --tenant acme --user bob --scope read,write");
  const node = await startNode(url);
  const listed = async (who: TestMember): Promise<string[]> =>
    ((await ask(node, who, "GET /api/proxy/sessions")).body["items"] as { id: string }[]).map(({ id }) => id);
  const names = await listed(ann);
  expect(names).toEqual([
    expect.stringMatching(/^growing~[0-9a-f]{8}$/),
    expect.stringMatching(/^growing~[0-9a-f]{8}$/),
  ]);
  expect([new Set(names).size, await listed(bob)]).toEqual([2, []]);
  const at = `/api/proxy/sessions/${encodeURIComponent(names[1] ?? "")}`;
  const events = await ask(node, ann, `GET ${at}/events?limit=500`);
  expect(
    (events.body["items"] as { hash?: string; text: string }[]).filter(({ hash }) => hash).map((one) => one.text),
  ).toEqual(lines.map((line) => line["text"]));
  expect(JSON.stringify((await ask(node, ann, `GET ${at}/todo`)).body)).toContain("keep me");
  const search = async (who: TestMember): Promise<number> =>
    ((await ask(node, who, "POST /api/recall", { query: marker(3, "user") })).body["results"] as unknown[]).length;
  expect([(await search(ann)) > 0, await search(bob)]).toEqual([true, 0]);

  const second = newPlace();
  const back = await move(second, "--from", url);
  expect([back.verified, back.tables.find(({ table }) => table === "proxy_session")?.added]).toEqual([true, 2]);
  expect(await move(second, "--from", url)).toMatchObject({ verified: true, added: 0 });
  expect(await move(first.place, "--from", url)).toMatchObject({ verified: true });
  // Both homes said the same.
  expect((await recalled(second)).map(([said]) => said)).toEqual(expect.arrayContaining([before[0]?.[0]]));
  expect((await run(second, ["proxy", "sessions"])).stdout).toContain("growing~");
});
