// The graph through its front door: facts that come out of order, and a server that is killed while clients post.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { startGateway, type TestGateway } from "../proxy/gateway.ts";
import { newPlace } from "../tool/everlong.ts";

const NOBODY = { url: "http://127.0.0.1:9" };
type FactResult = { fact: string; invalid_at: string | null; episodes: string[] };

async function post(gateway: TestGateway, path: string, body: object): Promise<{ status: number; body: unknown }> {
  const headers = { "content-type": "application/json" };
  const answer = await gateway.api(`/graphiti${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}
const search = async (gateway: TestGateway, body: object): Promise<FactResult[]> =>
  ((await post(gateway, "/search", body)).body as { facts: FactResult[] }).facts;

const message = (content: string, timestamp: string, name = "") => ({
  content,
  role_type: "user",
  role: "Ann",
  timestamp,
  name,
});

it("RE7 RI9 RI11 facts over time: the newest alone, the past by as_of, all of them in the timeline", async () => {
  const gateway = await startGateway(NOBODY);
  const colors = ["blue", "red", "green"];
  const days: Record<string, string> = { red: "2024-01-01", green: "2024-02-01", blue: "2024-03-01" };
  const others = Array.from({ length: 40 }, (_, i) =>
    message(`The helper${i} job is now ready${i}.`, `2024-02-${String((i % 28) + 1).padStart(2, "0")}`),
  );
  const lamp = colors.map((color) => message(`The harbour lamp is now ${color}.`, days[color] ?? ""));
  // Blue first, red in the midst of the others, green last.
  const all = [lamp[0], ...others.slice(0, 20), lamp[1], ...others.slice(20), lamp[2]];
  for (const one of all)
    expect((await post(gateway, "/messages", { group_id: "g", messages: [one] })).status).toBe(202);
  const query = { group_ids: ["g"], query: "harbour lamp" };
  while ((await search(gateway, { ...query, include_expired: true })).length < 3) await wait(20);
  expect((await search(gateway, query)).map(({ fact }) => fact)).toEqual(["The harbour lamp is now blue."]);
  expect((await search(gateway, { ...query, as_of: "2024-02-15" })).map(({ fact }) => fact)).toEqual([
    "The harbour lamp is now green.",
  ]);
  const timeline = await gateway.cli(["graph", "timeline", "harbour lamp", "--group", "g", "--json"]);
  const rows = timeline.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  expect(rows).toHaveLength(5);
  const helpers = await search(gateway, {
    group_ids: ["g"],
    query: "helper job ready",
    include_expired: true,
    max_facts: 100,
  });
  expect(helpers).toHaveLength(40);
  expect(helpers.filter(({ invalid_at }) => invalid_at !== null)).toEqual([]);
  expect(helpers.every(({ episodes }) => episodes.length === 1)).toBe(true);
});

it("RE9 RI10 G7 killed again and again under four clients: every message that was accepted is one episode", async () => {
  const kills = process.env["EVERLONG_SOAK"] ? 50 : 3;
  const place = newPlace({ EVERLONG_EMBEDDER: "none", EVERLONG_RECALL_TIMEOUT_MS: "20000" });
  let gateway = await startGateway(NOBODY, { place });
  let isOver = false;
  const accepted = new Set<string>();
  const client = async (who: number): Promise<void> => {
    for (let i = 0; !isOver; i++) {
      const name = `c${who}.${i}`;
      const body = {
        group_id: `g${who % 2}`,
        messages: [message(`The part${who}x${i} is now fine.`, "2024-01-01", name)],
      };
      // The same message again until somebody takes it.
      while (!isOver) {
        const status = await post(gateway, "/messages", body).then(
          (answer) => answer.status,
          () => 0,
        );
        if (status === 202) accepted.add(name);
        if (status === 202) break;
        await wait(5);
      }
    }
  };
  const clients = [0, 1, 2, 3].map(client);
  for (let i = 0; i < kills; i++) {
    const target = accepted.size + 1 + Math.floor(Math.random() * 40);
    while (accepted.size < target) await wait(1);
    await gateway.stop("SIGKILL");
    gateway = await gateway.restart();
  }
  isOver = true;
  await Promise.all(clients);
  const names: string[] = [];
  for (const group of ["g0", "g1"]) {
    const answer = await gateway.api(`/graphiti/episodes/${group}?last_n=100000`);
    names.push(...((await answer.json()) as { name: string }[]).map(({ name }) => name));
  }
  expect(names.length).toBe(new Set(names).size);
  const known = new Set(names);
  expect([...accepted].filter((name) => !known.has(name))).toEqual([]);
  // What was read when the process died is read again: one fact for each message.
  const last = `The part0x${Math.max(...[...accepted].filter((n) => n.startsWith("c0.")).map((n) => Number(n.slice(3))))}`;
  while ((await search(gateway, { group_ids: ["g0"], query: `"${last}"` })).length === 0) await wait(20);
});

it("G23 RI6 killed while it forgets a group: a part is gone, the rest is whole, and the same request finishes it", async () => {
  const place = newPlace({ EVERLONG_EMBEDDER: "none", EVERLONG_RECALL_TIMEOUT_MS: "20000" });
  let gateway = await startGateway(NOBODY, { place });
  // The oldest facts go first: the newest is left, whenever the kill comes.
  const lines = Array.from({ length: 400 }, (_, i) =>
    message(`The zanzibar${i} job is now ready${i}.`, new Date(Date.UTC(2024, 0, 1, 0, i)).toISOString()),
  );
  await post(gateway, "/messages", { group_id: "gone", messages: lines });
  await post(gateway, "/messages", {
    group_id: "stays",
    messages: [message("The harbour crane is now yellow.", "2024-01-01")],
  });
  const count = (table: string): number => {
    const db = new DatabaseSync(join(place.home, "store.db"), { readOnly: true });
    try {
      return Number(db.prepare(`SELECT count(*) AS n FROM ${table} WHERE group_id = 'gone'`).get()?.["n"]);
    } finally {
      db.close();
    }
  };
  while (count("graph_fact") < 400) await wait(20);
  const forget = () => gateway.api("/graphiti/group/gone", { method: "DELETE" });
  const cut = forget().catch(() => undefined);
  while (count("graph_fact") === 400) await wait(1);
  await gateway.stop("SIGKILL");
  await cut;
  const left = count("graph_fact");
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(400);
  gateway = await gateway.restart();
  // What is left is whole: each fact has the episode that says it, and is found.
  const found = await search(gateway, { group_ids: ["gone"], query: "zanzibar399 job ready399" });
  expect(found[0]).toMatchObject({ fact: "The zanzibar399 job is now ready399.", episodes: [expect.any(String)] });
  expect((await forget()).status).toBe(200);
  for (const table of ["graph_fact", "graph_episode", "graph_entity"])
    expect([table, count(table)]).toEqual([table, 0]);
  expect(await search(gateway, { group_ids: ["gone"], query: "job ready399" })).toEqual([]);
  expect(await search(gateway, { group_ids: ["stays"], query: "harbour crane" })).toHaveLength(1);
  await gateway.stop();
  const files = readdirSync(place.home, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /^store\.db|\.jsonl$/.test(entry.name),
  );
  expect(files.length).toBeGreaterThan(1);
  for (const { parentPath, name } of files)
    expect([name, readFileSync(join(parentPath, name)).includes("zanzibar")]).toEqual([name, false]);
});

it("B46 one message posted fifty times at once is one episode, and every answer is as the first", async () => {
  const gateway = await startGateway(NOBODY);
  const one = {
    ...message("The harbour crane is now yellow.", "2024-01-01"),
    uuid: "0199a000-0000-4000-8000-000000000046",
  };
  const say = () => post(gateway, "/messages", { group_id: "g", messages: [one] });
  const first = await say();
  expect(first.status).toBe(202);
  const others = await Promise.all(Array.from({ length: 50 }, say));
  expect(others).toEqual(others.map(() => first));
  const episodes = await (await gateway.api("/graphiti/episodes/g?last_n=100")).json();
  expect(episodes).toHaveLength(1);
});
