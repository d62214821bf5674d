import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sessionById } from "../store/session.ts";
import { openPlace, type Place, value } from "../store/store-fixture.ts";
import { flushEvents } from "./events.ts";

let place: Place;
beforeEach(async () => {
  place = await openPlace();
});
afterEach(() => place.remove());

/** Own hashes that the process called safe before it was killed: in the midst of work, some time after so many of them. */
async function killed(run: number, after: { safe: number; ms: number }): Promise<string[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "kill-fixture.ts"), place.home, String(run)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const safe: string[] = [];
  const ended = new Promise((resolve) => child.once("close", resolve));
  const enough = new Promise<void>((resolve) => {
    createInterface(child.stdout).on("line", (own) => {
      safe.push(own);
      if (safe.length >= after.safe) resolve();
    });
  });
  await Promise.race([enough, ended]);
  await wait(after.ms);
  child.kill("SIGKILL");
  await ended;
  return safe;
}

it("XB22 P1 killed at any point, no item that was called safe is missing, none is there twice, no line stops reading", async () => {
  const safe = new Set<string>();
  for (const [run, ms] of [0, 1, 3, 7].entries())
    for (const own of await killed(run, { safe: 6 + run, ms })) safe.add(own);
  expect(safe.size).toBeGreaterThan(20);
  const session = value(await sessionById(place.store, "k"));
  if (!session) throw new Error("no session");
  value(await flushEvents(place.store, session));
  const hashes = readFileSync(join(session.path, "events.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { hash: string }).hash);
  expect(new Set(hashes).size).toBe(hashes.length);
  expect([...safe].filter((own) => !hashes.includes(own))).toEqual([]);
  expect(place.db.prepare("PRAGMA quick_check").all()).toEqual([{ quick_check: "ok" }]);
});
