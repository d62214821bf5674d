// The graph in store.db does what every graph store has to do, and knows which processes of this machine live.
import { spawnSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { newWorkerName } from "../../../host/worker-name.ts";
import { takeTurns } from "../../../store/sqlite.ts";
import { WriteTurn } from "../../../store/write-turn.ts";
import { describeGraphStore } from "../conformance-fixture.ts";
import { day, must, openGraph } from "../graph-fixture.ts";
import { embeddedGraph } from "./embedded.ts";

describeGraphStore("SQLite", openGraph);

const episodes = (...names: string[]) =>
  names.map((name) => ({ name, text: name, role: "Ann", roleType: "user" as const }));

it("G7 RE9 what a process held that was killed is free at once, also when another has its number; what a living one holds is not", async () => {
  const { store } = await openGraph();
  must(await store.accept({ group: "a", origin: "api", episodes: episodes("a1"), now: day(1) }));
  const claim = async (worker: string) =>
    must(await store.claim({ worker, size: 1, now: day(1), leaseUntil: day(2) }))?.map((e) => e.text);
  const { pid: dead } = spawnSync(process.execPath, ["--version"]);
  expect(await claim(`w1.${dead}.1.0`)).toEqual(["a1"]);
  expect(await claim(`w2.${process.pid}.1.0`)).toEqual(["a1"]);
  expect(await claim(newWorkerName("w3"))).toEqual(["a1"]);
  expect(await claim(newWorkerName("w4"))).toBeUndefined();
  expect(must(await store.episodes({ states: ["running"] }))).toMatchObject([{ tries: 0 }]);
});

it("G7 RE9 what a thread had in hand when it ended is free at once and read alone; what ended three of them is parked", async () => {
  const { db, store: first } = await openGraph();
  must(await first.accept({ group: "a", origin: "api", episodes: episodes("bad", "good"), now: day(1) }));
  const threadName = (id: number): string => newWorkerName("w").replace(/\d+$/, String(id));
  const claim = async (thread: number, ended: readonly number[]) =>
    must(
      await embeddedGraph(db, ended).claim({ worker: threadName(thread), size: 8, now: day(1), leaseUntil: day(2) }),
    )?.map((e) => e.text);
  expect(await claim(71, [])).toEqual(["bad", "good"]);
  expect(await claim(72, [])).toBeUndefined();
  expect(await claim(72, [71])).toEqual(["bad"]);
  expect(await claim(73, [71, 72])).toEqual(["bad"]);
  expect(await claim(74, [71, 72, 73])).toEqual(["good"]);
  expect(must(await first.episodes({ states: ["parked"] }))).toMatchObject([
    { text: "bad", tries: 3, error: "The thread that read it ended." },
  ]);
});

/** A thread whose turn comes late, beside one that wrote a moment ago. */
class LateTurn extends WriteTurn {
  othersQuietMs = 1000;
  looks = 0;
  override get quietMs(): number {
    this.looks++;
    return this.othersQuietMs;
  }
  override tryTake = (): boolean => false;
  override async take(): Promise<boolean> {
    await wait(50);
    return true;
  }
  override give = (): void => undefined;
}

it("G17 what nobody waits for leaves the rounds of other writers alone: a few milliseconds without them are no pause", async () => {
  const { store, db } = await openGraph();
  const turn = new LateTurn("back");
  takeTurns(db, turn);
  must(await store.accept({ group: "a", origin: "api", episodes: episodes("n1", "n2"), now: day(1) }));
  const claim = (worker: string) => store.claim({ worker, size: 1, now: day(1), leaseUntil: day(2) });
  // How long it waits for a pause depends on how long the last such work took.
  expect(must(await claim(newWorkerName("w1")))).toHaveLength(1);
  turn.othersQuietMs = 15;
  turn.looks = 0;
  const next = claim(newWorkerName("w2"));
  await expect.poll(() => turn.looks).toBeGreaterThan(1);
  turn.othersQuietMs = 1000;
  expect(must(await next)).toBeUndefined();
});
