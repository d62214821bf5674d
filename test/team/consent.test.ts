// W1 SEC14: whether a team's texts leave the machines of its nodes is the team's decision, on its database and for all nodes.
import { expect, it } from "vitest";
import { newTeamDatabase } from "../../src/store/postgres/postgres-fixture.ts";
import { foreignEmbedder } from "../recall/foreign-embedder.ts";
import { newPlace, run } from "../tool/everlong.ts";
import { addMember, ask, startNode, type TestMember } from "./nodes.ts";

it("W1 SEC14 F79 the tenant's consent counts on every node, at once, for that tenant alone; a node's own home decides nothing", async () => {
  const { url } = await newTeamDatabase();
  const { origin, inputs, connections } = await foreignEmbedder();
  const ann = await addMember(url, "ann --tenant acme --user ann --scope read,write");
  const eve = await addMember(url, "eve --tenant globex --user eve --scope read,write");
  const embed = { EVERLONG_EMBEDDER: "openai", EVERLONG_EMBED_BASE_URL: origin, EVERLONG_EMBED_MODEL: "m" };
  const nodes = [await startNode(url, embed), await startNode(url, embed)] as const;
  const [one, two] = nodes;
  const desk = newPlace({ EVERLONG_DATABASE_URL: url });
  const say = (...args: string[]) => run(desk, ["consent", ...args]);
  const search = async (node: { url: string }, who: TestMember, query: string): Promise<unknown> => {
    const { status, body } = await ask(node, who, "POST /api/recall", { query });
    expect([status, body["error"]]).toEqual([200, undefined]);
    return body["skipped"];
  };
  /** A search goes on without a vector that is late, so on a busy machine the embedder may be asked by a later one. */
  const sends = async (node: { url: string }, who: TestMember, query: string): Promise<void> => {
    while (!inputs.includes(query)) await search(node, who, query);
  };
  const without = [expect.stringMatching(/^vectors: /)];

  for (const node of nodes) {
    await node.cli(["trust"]);
    await node.cli(["consent", "grant", origin]);
  }
  expect(await search(one, ann, "heron")).toEqual(without);
  expect([connections(), (await say("list", "--tenant", "acme")).stdout.trim()]).toEqual([0, "No consents yet."]);

  expect((await say("grant", `${origin}/v1`, "--tenant", "acme")).stdout).toContain(`${origin} may now receive`);
  expect((await say("list", "--tenant", "acme", "--json")).json).toEqual({
    consents: [{ origin, at: expect.any(String) }],
  });
  await sends(one, ann, "puffin");
  await sends(two, ann, "walrus");
  await search(two, eve, "spaniel");
  expect(new Set(inputs)).toEqual(new Set(["puffin", "walrus"]));

  expect((await say("revoke", origin, "--tenant", "acme")).stdout).toContain("No node sends texts of acme");
  const before = connections();
  for (const node of nodes) expect(await search(node, ann, "otter")).toEqual(without);
  expect([connections(), inputs.includes("otter")]).toEqual([before, false]);
  expect((await say("revoke", origin, "--tenant", "acme")).stdout).toContain("nothing to revoke");
});

it("F79 A7.16 a command that a model runs cannot agree for a team, and an address must be one", async () => {
  const { url } = await newTeamDatabase();
  const place = newPlace({ EVERLONG_DATABASE_URL: url });
  const grant = (address: string, env: Record<string, string> = {}) =>
    run(place, ["consent", "grant", address, "--tenant", "acme"], { env });
  const shell = await grant("https://embed.example.org", { EVERLONG_TOOL_SHELL: "1" });
  expect([shell.code, shell.stderr]).toEqual([1, expect.stringContaining("Only a person can")]);
  expect((await grant("embed.example.org")).code).toBe(2);
  expect((await grant("http://127.0.0.1:11434")).stdout).toContain("needs no consent");
  expect((await run(place, ["consent", "list", "--tenant", "acme"])).stdout).toContain("No consents yet.");
});
