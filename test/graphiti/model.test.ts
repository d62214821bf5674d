// What an episode, an entity and a fact are, and when a fact is current, as both doors of the gateway show them.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Graphiti, openGraphiti } from "./stage.ts";

let server: Graphiti;
beforeAll(async () => {
  server = await openGraphiti("token");
});
afterAll(() => server.close());

type View = Record<string, unknown> & { uuid: string };
async function view<T>(path: string): Promise<T> {
  const headers = { authorization: `Bearer ${server.token}` };
  const answer = await fetch(server.url.replace(/\/graphiti$/, `/api/graph${path}`), { headers });
  return (await answer.json()) as T;
}
const factsOf = async (group: string): Promise<View[]> =>
  (await view<{ facts: View[] }>(`/facts?expired=true&group=${group}`)).facts;

/** Lines of one speaker, each with its day. */
async function say(group: string, ...lines: [day: string, content: string][]): Promise<void> {
  const messages = lines.map(([timestamp, content]) => ({ content, timestamp, role: "Ann", role_type: "user" }));
  expect((await server.post("/messages", { group_id: group, messages })).status).toBe(202);
  await server.settled(group);
}
const edge = async (uuid: string): Promise<Record<string, unknown>> =>
  (await server.get(`/entity-edge/${uuid}`)).body as Record<string, unknown>;

it("G1 G2 an episode, an entity and a fact have Graphiti's fields and ours", async () => {
  const name = "n1";
  const sent = { content: "I prefer vim for editing.", role: "Ann", role_type: "user", name };
  const messages = [{ ...sent, timestamp: "2024-05-06T07:08:09Z", source_description: "chat" }];
  await server.post("/messages", { group_id: "model", messages });
  await server.settled("model");
  const [fact] = await factsOf("model");
  const [episode] = (await server.get("/episodes/model?last_n=1")).body as View[];
  expect(episode).toEqual({
    ...{ uuid: expect.any(String), name, group_id: "model", labels: [], created_at: expect.any(String) },
    ...{ source: "message", source_description: "chat", content: "Ann(user): I prefer vim for editing." },
    ...{ valid_at: "2024-05-06T07:08:09Z", entity_edges: [fact?.uuid], episode_metadata: null },
  });
  expect(await view(`/episodes/${episode?.uuid}`)).toMatchObject({
    episode: { role: "Ann", roleType: "user", state: "done", origin: "api", tries: 0, text: sent.content },
  });
  expect(fact).toMatchObject({
    ...{ group: "model", relation: "PREFERS", text: sent.content, slot: "editing", origin: "rule", trust: 0.6 },
    ...{ validAt: "2024-05-06T07:08:09.000000Z", invalidAt: null, expiredAt: null, invalidatedBy: null },
    ...{ reason: null, attributes: {}, episodes: [episode?.uuid], subject: { name: "Ann" }, object: { name: "vim" } },
  });
  const { uuid } = (fact as { subject: View } | undefined)?.subject ?? { uuid: "" };
  expect((await view<{ entity: View }>(`/entities/${uuid}`)).entity).toEqual({
    ...{ uuid, group: "model", name: "Ann", label: "User", aliases: [], summary: "", attributes: {} },
    createdAt: expect.stringMatching(/Z$/),
  });
});

it("G3 a fact is current until its end has come, and a contradiction deletes nothing", async () => {
  await say(
    "current",
    ["2024-01-01", "The harbour lamp is now red."],
    ["2024-02-01", "The harbour lamp is now green."],
  );
  await say("current", ["2199-01-01", "The harbour lamp is now blue."]);
  const facts = await factsOf("current");
  expect(facts.map(({ text, state }) => [text, state])).toEqual([
    ["The harbour lamp is now red.", "ended"],
    ["The harbour lamp is now green.", "current"],
    ["The harbour lamp is now blue.", "current"],
  ]);
  const [red, green, blue] = facts;
  // World time says when it was so, system time when Everlong learned of it.
  expect(await edge(red?.uuid ?? "")).toMatchObject({
    ...{ valid_at: "2024-01-01T00:00:00+00:00", invalid_at: "2024-02-01T00:00:00+00:00" },
    ...{ created_at: expect.not.stringMatching(/^2024/), expired_at: expect.not.stringMatching(/^2024/) },
  });
  expect(red).toMatchObject({ invalidatedBy: green?.uuid, reason: "The harbour lamp is now green." });
  expect(await edge(green?.uuid ?? "")).toMatchObject({ invalid_at: "2199-01-01T00:00:00+00:00", expired_at: null });
  expect(green).toMatchObject({ invalidatedBy: blue?.uuid });
});

it("G13 the same fact again gains the episode; after its end it is a new fact", async () => {
  const text = "The billing service depends on Redis.";
  await say("again", ["2024-01-01", text], ["2024-01-02", text]);
  expect((await factsOf("again")).map(({ episodes }) => (episodes as string[]).length)).toEqual([2]);
  await say("again", ["2024-01-03", "The billing service no longer depends on Redis."], ["2024-01-05", text]);
  const facts = await factsOf("again");
  expect(facts.map(({ validAt, invalidAt }) => [String(validAt).slice(0, 10), invalidAt])).toEqual([
    ["2024-01-01", "2024-01-03T00:00:00.000000Z"],
    ["2024-01-05", null],
  ]);
  expect(new Set(facts.map(({ uuid }) => uuid)).size).toBe(2);
});
