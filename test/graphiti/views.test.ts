// The graph as the dashboard sees it.
import { expect, it, onTestFinished } from "vitest";
import { openGraphiti } from "./stage.ts";

it("G24 G21 /api/graph shows facts with their sources, entities by page, episodes, the timeline and the queue", async () => {
  const server = await openGraphiti("token");
  onTestFinished(() => server.close());
  const view = async (path: string): Promise<[number, Record<string, never>]> => {
    const headers = { authorization: `Bearer ${server.token}` };
    const answer = await fetch(server.url.replace(/\/graphiti$/, `/api/graph${path}`), { headers });
    return [answer.status, (await answer.json()) as Record<string, never>];
  };
  const colors = ["red", "green", "blue"];
  await server.post("/messages", {
    group_id: "g",
    messages: colors.map((color, i) => ({
      content: `The harbour lamp is now ${color}.`,
      role_type: "user",
      role: "Ann",
      timestamp: `2024-01-0${i + 1}`,
    })),
  });
  await server.settled("g");
  type Fact = { uuid: string; text: string; state: string; subject: { uuid: string }; sources: { uuid: string }[] };
  const [status, { facts }] = (await view("/search?query=harbour%20lamp")) as [number, { facts?: Fact[] }];
  expect([status, facts?.map(({ text }) => text)]).toEqual([200, ["The harbour lamp is now blue."]]);
  const [blue] = facts ?? [];
  expect(await view(`/facts/${blue?.uuid}`)).toMatchObject([200, { state: "current", sources: [{ role: "Ann" }] }]);
  expect((await view("/facts?expired=true"))[1]["facts"]).toHaveLength(3);
  expect((await view("/timeline?entity=harbour%20lamp"))[1]["timeline"]).toHaveLength(5);
  const [, first] = (await view(`/entities/${blue?.subject.uuid}?limit=2`)) as [
    number,
    { facts?: Fact[]; next?: string },
  ];
  expect(first.facts?.map(({ state }) => state)).toEqual(["ended", "ended"]);
  const rest = await view(`/entities/${blue?.subject.uuid}?limit=2&after=${encodeURIComponent(first.next ?? "")}`);
  expect(rest[1]).toMatchObject({ facts: [{ uuid: blue?.uuid }] });
  expect(rest[1]).not.toHaveProperty("next");
  expect(await view(`/episodes/${blue?.sources[0]?.uuid}`)).toMatchObject([200, { facts: [{ uuid: blue?.uuid }] }]);
  expect((await view("/entities?entity=harbour%20lamp"))[1]["entities"]).toHaveLength(1);
  expect(await view("/queue")).toMatchObject([200, { counts: { parked: 0 }, episodes: [] }]);
  expect((await view("/promotions"))[0]).toBe(200);
  for (const path of ["/facts/nothing", "/entities/nothing", "/episodes/nothing"])
    expect((await view(path))[0]).toBe(404);
  expect((await view("/facts?group=a'b"))[0]).toBe(400);
});
