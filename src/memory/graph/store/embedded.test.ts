// The graph in store.db does what every graph store has to do, and knows which processes of this machine live.
import { spawnSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { takeTurns } from "../../../store/sqlite.ts";
import { WriteTurn } from "../../../store/write-turn.ts";
import { describeGraphStore } from "../conformance-fixture.ts";
import { day, must, openGraph } from "../graph-fixture.ts";

describeGraphStore("SQLite", openGraph);

it("G7 RE9 what a process held that was killed is free at once, what a living one holds is not", async () => {
  const { store } = await openGraph();
  must(
    await store.accept({
      group: "a",
      origin: "api",
      episodes: [{ name: "n1", text: "a1", role: "Ann", roleType: "user" }],
      now: day(1),
    }),
  );
  const claim = async (worker: string) =>
    must(await store.claim({ worker, size: 1, now: day(1), leaseUntil: day(2) }))?.map((e) => e.text);
  const { pid: dead } = spawnSync(process.execPath, ["--version"]);
  expect(await claim(`w1.${dead}`)).toEqual(["a1"]);
  expect(await claim(`w2.${process.pid}`)).toEqual(["a1"]);
  expect(await claim(`w3.${process.pid}`)).toBeUndefined();
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
  const episodes = ["n1", "n2"].map((name) => ({ name, text: name, role: "Ann", roleType: "user" as const }));
  must(await store.accept({ group: "a", origin: "api", episodes, now: day(1) }));
  const claim = (worker: string) => store.claim({ worker, size: 1, now: day(1), leaseUntil: day(2) });
  // How long it waits for a pause depends on how long the last such work took.
  expect(must(await claim(`w1.${process.pid}`))).toHaveLength(1);
  turn.othersQuietMs = 15;
  turn.looks = 0;
  const next = claim(`w2.${process.pid}`);
  await expect.poll(() => turn.looks).toBeGreaterThan(1);
  turn.othersQuietMs = 1000;
  expect(must(await next)).toBeUndefined();
});
