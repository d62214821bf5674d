// GS7, RB13: Graphiti's REST contract on a team's nodes: whose token it is decides what is there, and what may be done.
import { describe, expect, it } from "vitest";
import { graphRoutes } from "../../src/server/graphiti/routes.ts";
import { sharedServer } from "../../src/store/postgres/postgres-fixture.ts";
import { type Answer, addMember, ask, startNode, type TestMember } from "./nodes.ts";

type Episode = { uuid: string; content: string };
const said = (content: string, more: object = {}) => ({
  content,
  role_type: "user",
  role: "Ann",
  timestamp: "2026-01-01T00:00:00Z",
  ...more,
});
const listOf = ({ body }: Answer): Episode[] => JSON.parse(String(body["text"])) as Episode[];
const detailOf = ({ status, body }: Answer): [number, unknown] => [status, body["detail"]];

/** Two nodes, and five members of two tenants. */
async function stage() {
  const url = await sharedServer().newUrl();
  const nodes = [await startNode(url), await startNode(url)] as const;
  const member = (name: string, tenant: string, scopes: string) =>
    addMember(url, `${name} --tenant ${tenant} --user ${name} --scope ${scopes}`);
  const ann = await member("ann", "acme", "read,write");
  const bob = await member("bob", "acme", "read,write");
  const post = (who: TestMember, group: string, messages: object[], node: 0 | 1 = 0) =>
    ask(nodes[node], who, "POST /graphiti/messages", { group_id: group, messages });
  const episodes = async (who: TestMember, group: string, node: 0 | 1 = 0): Promise<Episode[]> =>
    listOf(await ask(nodes[node], who, `GET /graphiti/episodes/${group}?last_n=50`));
  return { nodes, member, ann, bob, post, episodes };
}

describe("W1 GS7 /graphiti of a team", () => {
  it("W6 GS5 what one node was told with 202 is at once on the other, and each of its facts is there once", async () => {
    const { nodes, ann, bob, post, episodes } = await stage();
    expect((await post(ann, "shared", [said("The lamp is now red.", { uuid: "m-1" })])).status).toBe(202);
    expect((await episodes(bob, "shared", 1)).map(({ content }) => content)).toEqual([
      "Ann(user): The lamp is now red.",
    ]);
    expect((await post(bob, "shared", [said("The lamp is now red.", { uuid: "m-1" })], 1)).status).toBe(202);
    expect((await post(bob, "shared", [said("Something else.", { uuid: "m-1" })], 1)).status).toBe(409);
    expect(await episodes(ann, "shared", 1)).toHaveLength(1);
    let edges: string[] = [];
    while (edges.length === 0) {
      const rows = listOf(await ask(nodes[1], ann, "GET /graphiti/episodes/shared?last_n=1"));
      edges = (rows[0] as unknown as { entity_edges: string[] }).entity_edges;
    }
    const edge = await ask(nodes[0], bob, `GET /graphiti/entity-edge/${edges[0]}`);
    expect([edge.status, edge.body["fact"], edges.length]).toEqual([200, "The lamp is now red.", 1]);
  });

  it("GS7 RB13 without a token, with a wrong one, and with one that may only read", async () => {
    const { nodes, member, ann, post, episodes } = await stage();
    const reader = await member("rita", "acme", "read");
    await post(ann, "shared", [said("The lamp is now red.", { uuid: "m-1" })]);
    for (const token of ["", "evl.acme.nothing", `${ann.token}x`])
      expect(detailOf(await ask(nodes[0], { token }, "GET /graphiti/healthcheck"))).toEqual([401, "Not authenticated"]);
    const message = { content: "lamp", role_type: "user", role: null };
    const body = { group_id: "shared", messages: [message], query: "lamp", center_node_uuid: null };
    const statuses: Record<string, number> = {};
    for (const { method, path } of [...graphRoutes, { method: "GET", path: "/openapi.json" }]) {
      const line = `${method} /graphiti${path.replace("{group_id}", "shared").replace("{uuid}", "m-1")}`;
      const shown = { ...body, uuid: "e", name: "n", scope: "user", key: "k" };
      const asked = path === "/episodes/{group_id}" ? `${line}?last_n=1` : line;
      const answer = await ask(nodes[0], reader, asked, method === "POST" ? shown : undefined);
      statuses[`${method} ${path}`] = answer.status;
    }
    expect(statuses).toEqual({
      "GET /healthcheck": 200,
      "POST /messages": 403,
      "POST /search": 200,
      "POST /get-memory": 200,
      "GET /episodes/{group_id}": 200,
      "GET /entity-edge/{uuid}": 404,
      "DELETE /entity-edge/{uuid}": 403,
      "DELETE /episode/{uuid}": 403,
      "DELETE /group/{group_id}": 403,
      "POST /entity-node": 403,
      "POST /clear": 403,
      "POST /groups/resolve": 200,
      "GET /openapi.json": 200,
    });
    expect((await ask(nodes[0], ann, "POST /graphiti/clear")).status).toBe(403);
    expect(await episodes(ann, "shared")).toHaveLength(1);
  });

  it("GS7 RB13 W12 a person's own group is not there for others, and nobody else writes or deletes it", async () => {
    const { nodes, ann, bob, post, episodes } = await stage();
    const group = "graphiti_user_0123456789abcdef";
    expect((await post(ann, group, [said("I prefer tabs.", { uuid: "p-1" })])).status).toBe(202);
    expect(await episodes(ann, group, 1)).toHaveLength(1);
    expect(await episodes(bob, group, 1)).toEqual([]);
    for (const line of [`DELETE /graphiti/group/${group}`, "DELETE /graphiti/episode/p-1"])
      expect([line, (await ask(nodes[1], bob, line)).status]).toEqual([line, 403]);
    expect((await post(bob, group, [said("I prefer spaces.")])).status).toBe(403);
    expect(
      (await ask(nodes[0], bob, "POST /graphiti/entity-node", { uuid: "x", group_id: group, name: "n" })).status,
    ).toBe(403);
    expect(await episodes(ann, group)).toHaveLength(1);
    expect((await ask(nodes[1], ann, `DELETE /graphiti/group/${group}`)).status).toBe(200);
    expect(await episodes(ann, group)).toEqual([]);
  });

  it("GS7 RB13 WB4 another tenant has nothing of it: groups and ids are its own, and clearing takes its own alone", async () => {
    const { nodes, member, ann, post, episodes } = await stage();
    const globex = await member("gil", "globex", "read,write,admin");
    const admin = await member("root", "acme", "read,write,admin");
    await post(ann, "shared", [said("The lamp is now red.", { uuid: "m-1" })]);
    expect(await episodes(globex, "shared")).toEqual([]);
    expect((await post(globex, "shared", [said("The lamp is now green.", { uuid: "m-1" })])).status).toBe(202);
    expect((await ask(nodes[0], globex, "DELETE /graphiti/episode/m-1")).status).toBe(200);
    expect((await ask(nodes[0], globex, "DELETE /graphiti/episode/m-1")).status).toBe(404);
    for (let i = 0; i < 2; i++) expect((await ask(nodes[0], globex, "DELETE /graphiti/group/shared")).status).toBe(200);
    expect((await ask(nodes[0], globex, "POST /graphiti/clear")).status).toBe(200);
    expect((await ask(nodes[0], globex, "GET /graphiti/episodes/shared?last_n=1&tenant=acme")).status).toBe(403);
    expect(await episodes(ann, "shared")).toHaveLength(1);
    expect((await ask(nodes[0], admin, "POST /graphiti/clear")).status).toBe(200);
    expect(await episodes(ann, "shared")).toEqual([]);
  });

  it("GS7 RB13 W12 WB4 a search finds facts of shared groups and of the caller's own, never of others or of another tenant", async () => {
    const { nodes, member, ann, bob, post } = await stage();
    const eve = await member("eve", "globex", "read,write");
    const [annsGroup, bobsGroup] = ["graphiti_user_0123456789abcdef", "graphiti_session_fedcba9876543210"];
    await post(ann, "shared", [said("The lamp is now red.")]);
    await post(ann, annsGroup, [said("The lamp is now blue.")]);
    await post(bob, bobsGroup, [said("The lamp is now grey.")]);
    await post(eve, "shared", [said("The lamp is now green.")]);
    const factsOf = async (who: TestMember, more: object = {}, node: 0 | 1 = 1): Promise<string[]> => {
      const answer = await ask(nodes[node], who, "POST /graphiti/search", {
        query: "What colour is the lamp?",
        ...more,
      });
      expect([answer.status, answer.body["detail"]]).toEqual([200, undefined]);
      return (answer.body["facts"] as { fact: string }[]).map((one) => one.fact).sort();
    };
    const until = (who: TestMember, colours: string[]) =>
      expect.poll(() => factsOf(who), { timeout: 30_000 }).toEqual(colours.map((one) => `The lamp is now ${one}.`));
    await until(ann, ["blue", "red"]);
    await until(bob, ["grey", "red"]);
    await until(eve, ["green"]);
    expect(await factsOf(bob, { group_ids: ["shared"] }, 0)).toEqual(["The lamp is now red."]);
    expect(await factsOf(bob, { group_ids: [annsGroup] })).toEqual([]);
    expect(await factsOf(ann, { group_ids: [annsGroup] })).toEqual(["The lamp is now blue."]);
    expect(await factsOf(eve, { group_ids: [annsGroup, bobsGroup] })).toEqual([]);

    // The same through /api/graph, by search, list and id.
    const texts = ({ body }: Answer): string[] => (body["facts"] as { text: string }[]).map(({ text }) => text).sort();
    const red = ["The lamp is now grey.", "The lamp is now red."];
    expect(texts(await ask(nodes[0], bob, "GET /api/graph/search?query=lamp"))).toEqual(red);
    const listed = await ask(nodes[0], bob, "GET /api/graph/facts");
    expect(texts(listed)).toEqual(red);
    expect(texts(await ask(nodes[0], bob, `GET /api/graph/facts?group=${annsGroup}`))).toEqual([]);
    expect((await ask(nodes[0], bob, "GET /api/graph/facts?scope=workspace")).status).toBe(400);
    const blue = (await ask(nodes[0], ann, `GET /api/graph/facts?group=${annsGroup}`)).body["facts"] as {
      uuid: string;
    }[];
    for (const line of ["GET", "DELETE"].map((method) => `${method} /api/graph/facts/${blue[0]?.uuid}`)) {
      expect([line, (await ask(nodes[0], bob, line)).status]).toEqual([line, 404]);
      expect([line, (await ask(nodes[0], eve, line)).status]).toEqual([line, 404]);
      expect([line, (await ask(nodes[0], ann, line)).status]).toEqual([line, 200]);
    }
    const reader = await member("rita", "acme", "read");
    const { uuid } = (listed.body["facts"] as { uuid: string; text: string }[]).find((one) =>
      one.text.includes("red"),
    )!;
    expect((await ask(nodes[0], reader, `DELETE /api/graph/facts/${uuid}`)).status).toBe(403);
    expect((await ask(nodes[0], reader, `GET /api/graph/facts/${uuid}`)).status).toBe(200);
  });
});
