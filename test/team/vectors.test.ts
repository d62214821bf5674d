// W8, R49: vectors on a team's database: many nodes make each once, a dead one's work is taken over, and the order is that of one person.
import { expect, it } from "vitest";
import { ok } from "../../src/base/result.ts";
import type { Embedder } from "../../src/memory/recall/embed/contract.ts";
import { embedWaiting, lineUp } from "../../src/memory/recall/embed/queue.ts";
import { VectorScan } from "../../src/memory/recall/embed/scan.ts";
import type { Item } from "../../src/memory/recall/item.ts";
import { TermCounts } from "../../src/memory/recall/rank/count.ts";
import { searching } from "../../src/memory/recall/search.ts";
import { addItems, removeItems } from "../../src/memory/recall/store/change.ts";
import { embeddedStore } from "../../src/store/embedded-store.ts";
import { newTeamDatabase } from "../../src/store/postgres/postgres-fixture.ts";
import { allRows, execute, type RowStore } from "../../src/store/unit.ts";
import { openMemories } from "../memory/record-fixture.ts";

const never = new AbortController().signal;
const GROUPS = ["puppy hound dog", "car bus lorry", "rain storm snow"];
const vectorOf = (text: string): Float32Array =>
  Float32Array.from([
    ...GROUPS.map((words) => words.split(" ").filter((w) => text.includes(w)).length),
    0.1,
    text.length / 500,
  ]);

/** Tells what it was asked for; `hold` keeps it from answering. */
function embedder(hold?: Promise<void>): Embedder & { asked: string[] } {
  const asked: string[] = [];
  return {
    ...{ id: "toy", dims: 5, asked },
    async embed(texts) {
      asked.push(...texts);
      await hold;
      return ok(texts.map(vectorOf));
    },
  };
}

const items = (count: number): Item[] =>
  Array.from({ length: count }, (_, n) => ({
    ...({
      id: `i${n}`,
      kind: "turn",
      role: "user",
      text: `the ${GROUPS[n % 3]?.split(" ")[n % 2]} of ${n}`,
      seq: n,
      turn: n,
    } as const),
    place: { level: "session", session: `s${n % 2}`, repository: "acme/app", identity: "acme/ann" } as const,
  }));

async function must<T>(result: Promise<{ ok: true; value: T } | { ok: false; error: { what: string } }>): Promise<T> {
  const outcome = await result;
  if (!outcome.ok) throw new Error(outcome.error.what);
  return outcome.value;
}

it("W8 W2 R11 two nodes give each passage one vector; both databases then find the same in the same order", async () => {
  const team = await newTeamDatabase();
  const nodes = [team.store("acme"), (await newTeamDatabase(team.url)).store("acme")];
  const home = embeddedStore(await openMemories());
  const all = items(150);
  for (const store of [nodes[0] as RowStore, home]) await must(store.write(() => addItems(all, { embed: true })));
  const embedders = nodes.map(() => embedder());
  await Promise.all(nodes.map((store, i) => embedWaiting(store, { embedder: embedders[i] as Embedder }, never)));
  await embedWaiting(home, { embedder: embedder() }, never);
  expect(embedders.flatMap(({ asked }) => asked).toSorted()).toEqual(all.map(({ text }) => text).toSorted());
  expect(await must(nodes[0]!.read(() => allRows("SELECT * FROM recall_waiting")))).toEqual([]);
  await must(nodes[0]!.write(() => removeItems(["i3"])));
  await must(home.write(() => removeItems(["i3"])));
  for (const text of ["hound", "a lorry of 7", "storm"])
    for (const session of ["s0", "s1"]) {
      const within = { identity: "acme/ann", scopes: [{ type: "session", session }] } as const;
      const vector = { embedder: "toy", values: vectorOf(text) };
      const answers = [nodes[0]!, home].map((store) => {
        const parts = { relatedTo: () => [], counts: new TermCounts(), vectors: new VectorScan() };
        return must(store.read(() => searching({ text, within, vector, limit: 30 }, parts)));
      });
      const [there, here] = await Promise.all(answers);
      expect(there?.results.map(({ id, score }) => [id, score])).toEqual(
        here?.results.map(({ id, score }) => [id, score]),
      );
      expect(there?.results.length).toBeGreaterThan(20);
      expect(there?.results.every(({ source }) => source.session === session)).toBe(true);
    }
  // Passages that came without a place in the line are found by looking for them.
  await must(nodes[0]!.write(() => addItems([{ ...all[0]!, id: "late", turn: 900, text: "a late puppy" }])));
  const late = embedder();
  await must(lineUp(nodes[1]!, "toy", never));
  await embedWaiting(nodes[1]!, { embedder: late }, never);
  expect(late.asked).toEqual(["a late puppy"]);
});

it("W8 WB2 what a stopped node holds is taken over after its lease; its late vectors have no effect, nor have those of erased texts", async () => {
  const team = await newTeamDatabase();
  const [stopped, other] = [team.store("acme"), (await newTeamDatabase(team.url)).store("acme")];
  await must(stopped.write(() => addItems(items(5), { embed: true })));
  const resume = Promise.withResolvers<void>();
  const slow = embedder(resume.promise);
  const running = embedWaiting(stopped, { embedder: slow }, never);
  while (slow.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const idle = embedder();
  expect([await embedWaiting(other, { embedder: idle }, never), idle.asked]).toEqual([0, []]);
  // As if the time had passed.
  await must(other.write(() => execute("UPDATE recall_waiting SET taken_until = 0")));
  await must(other.write(() => removeItems(["i4"])));
  expect(await embedWaiting(other, { embedder: embedder() }, never)).toBe(4);
  const vectors = () => must(other.read(() => allRows("SELECT id FROM recall_vector ORDER BY id")));
  const before = await vectors();
  resume.resolve();
  await running;
  expect([before.length, await vectors()]).toEqual([4, before]);
});
