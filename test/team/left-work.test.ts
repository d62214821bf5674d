// W8, WB2: what a dead node left in the queue is done by a node that nobody has asked for that tenant's graph.
import { expect, it, onTestFinished, vi } from "vitest";
import { must } from "../../src/memory/graph/graph-fixture.ts";
import { graphStore } from "../../src/memory/graph/store/graph-store.ts";
import { newTeamDatabase } from "../../src/store/postgres/postgres-fixture.ts";
import { addMember, startNode } from "./nodes.ts";

it("W8 WB2 an episode whose lease has ended is read by any node that runs, though nobody asks it for the graph", async () => {
  const team = await newTeamDatabase();
  await addMember(team.url, "ann --tenant acme --user ann --scope read,write");
  const node = await startNode(team.url);
  onTestFinished(async () => void (await node.stop("SIGTERM")));
  const store = graphStore(team.store("acme"));
  const now = new Date().toISOString();
  const episode = { name: "m", text: "The lamp is now red.", role: "Ann", roleType: "user", validAt: now } as const;
  must(await store.accept({ group: "g", origin: "api", episodes: [episode], now }));
  // As a node that was killed leaves it.
  const soon = new Date(Date.now() + 1000).toISOString();
  expect(must(await store.claim({ worker: "w1.999999", size: 8, now, leaseUntil: soon }))).toHaveLength(1);
  await vi.waitUntil(async () => must(await store.counts()).episodes.done === 1, { timeout: 120_000, interval: 500 });
  expect(must(await store.counts())).toMatchObject({ facts: 1, episodes: { done: 1 } });
});
