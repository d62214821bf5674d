// Turns of agents behind the gateway become part of the graph.
import { expect, it, onTestFinished } from "vitest";
import { until } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { startModelServer } from "../model-server/server.ts";
import { newClient } from "../proxy/client.ts";
import { startGateway } from "../proxy/gateway.ts";

it("G6 R57 a proxied turn goes to its session's and its workspace's group, once, and leaves them with its session", async () => {
  const server = await startModelServer({ script: () => text("Noted: Carol owns the billing service.") });
  onTestFinished(() => server.close());
  const gateway = await startGateway(server);
  const client = newClient(gateway, server, "openai-chat", {
    "x-everlong-session": "s1",
    "x-everlong-repo": "acme/shop",
  });
  const graphiti = async (path: string, body: object): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    return (await gateway.api(`/graphiti${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  const facts = async (query: string, groups?: string[]) =>
    ((await graphiti("/search", { query, group_ids: groups ?? null })) as { facts: { fact: string; uuid: string }[] })
      .facts;
  await client.say("The deploy job is now paused.");
  await until("the user's words", async () => (await facts("deploy job"))[0]);
  await client.say("The deploy job is now running.");
  await client.say("Thanks.");
  await until("the newer words", async () => (await facts("deploy job")).find(({ fact }) => fact.includes("running")));
  expect((await facts("deploy job")).map(({ fact }) => fact)).toEqual(["The deploy job is now running."]);
  const listed = await gateway.cli(["graph", "facts", "--scope", "all", "--expired", "--json"]);
  const rows = listed.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line)) as {
    group_id: string;
    fact: string;
    sources: { session: string; turn: number }[];
  }[];
  const groups = new Set(rows.map(({ group_id }) => group_id.replace(/_[0-9a-f]+$/, "")));
  expect(groups).toEqual(new Set(["graphiti_session", "graphiti_workspace"]));
  const paused = rows.filter((row) => row.fact.includes("paused"));
  expect(paused).toHaveLength(2);
  expect(paused[0]?.sources).toMatchObject([{ turn: 1, session: expect.any(String) }]);

  // Another session says one of the facts too: it stays, with that session alone behind it.
  const other = newClient(gateway, server, "openai-chat", {
    "x-everlong-session": "s2",
    "x-everlong-repo": "acme/shop",
  });
  await other.say("The deploy job is now running.");
  const shared = rows.find((row) => row.group_id.startsWith("graphiti_workspace"))?.group_id ?? "";
  const sourcesOf = async () => {
    const facts = await gateway.cli(["graph", "facts", "--group", shared, "--expired", "--json"]);
    return facts.stdout.trim() === ""
      ? []
      : facts.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as (typeof rows)[0]);
  };
  await until("both sessions' words", async () =>
    (await sourcesOf()).find(({ fact, sources }) => fact.includes("running") && sources.length === 2),
  );
  const session = paused[0]?.sources[0]?.session ?? "";
  expect((await gateway.api(`/api/proxy/sessions/${session}`, { method: "DELETE" })).status).toBe(200);
  const left = await sourcesOf();
  expect(left.map(({ fact }) => fact)).toEqual(["The deploy job is now running."]);
  expect(left[0]?.sources.map((source) => source.session)).not.toContain(session);
});
