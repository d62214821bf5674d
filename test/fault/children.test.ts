// P14: every child dies with its owner, however the owner dies.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { calls, type Reply, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { type Place, placeFor, start } from "../tool/everlong.ts";
import { killAll, processesIn, survivorsAfter } from "../tool/processes.ts";

let server: ModelServer;
afterEach(() => server.close());

/** Ten commands in the background: plain ones, one with grandchildren, one deaf to TERM, one in a session of its own, beside one without environment. */
const commands = [
  ...Array.from({ length: 7 }, () => "sleep 300"),
  "(sleep 300 & sleep 300 & wait)",
  "trap '' TERM INT HUP; while :; do sleep 0.2; done",
  "env -i setsid sleep 300 & setsid -f bash -c 'trap \"\" HUP; while :; do date >> alive.txt; sleep 0.1; done'; sleep 300",
];

const tenChildren = (): Reply =>
  calls(commands.map((command) => ({ name: "bash", args: { command, description: "x", mode: "async" } })));

/** Runs until all ten work and the model is being waited for. */
async function owner(place: Place) {
  server.script(tenChildren());
  server.always(() => text("late", { delayMs: 60_000 }));
  const child = start(place, ["-p", "start them", "--allow-all"]);
  await server.waitFor(2);
  await expect.poll(() => existsSync(join(place.folder, "alive.txt"))).toBe(true);
  const working = () => processesIn(place.folder).filter((p) => p.pid !== child.pid);
  await expect.poll(() => working().length).toBeGreaterThanOrEqual(commands.length);
  return child;
}

describe("P14 AI15 A6.5 children die with their owner", () => {
  it.each(["SIGKILL", "SIGTERM", "SIGSEGV"] as const)(
    "N9 P14 ten children, none left after %s of the owner",
    async (signal) => {
      server = await startModelServer();
      const place = placeFor(server);
      const child = await owner(place);
      child.kill(signal);
      await child.done;
      expect(await survivorsAfter(place.folder)).toEqual([]);
      const written = readFileSync(join(place.folder, "alive.txt"), "utf8");
      await sleep(300);
      expect(readFileSync(join(place.folder, "alive.txt"), "utf8")).toBe(written);
    },
  );

  it("P14 B76 a crash in our own code ends them too", async () => {
    server = await startModelServer();
    // The signal that cancels a turn meets a bug.
    const bin = brokenCopy(
      /function interrupt\((\w+), (\w+)\) \{/,
      'function interrupt($1, $2) { throw new Error("planted bug");',
    );
    const place = { ...placeFor(server), bin };
    const child = await owner(place);
    child.kill("SIGINT");
    const done = await child.done;
    expect(done.code).toBe(1);
    expect(done.stderr).toContain("planted bug");
    expect(await survivorsAfter(place.folder)).toEqual([]);
  });

  it("N9 P14 A9.5 the end of the run ends what was left in the background", async () => {
    server = await startModelServer();
    server.script(tenChildren(), text("they run"));
    const place = placeFor(server);
    const child = start(place, ["-p", "start them", "--allow-all"]);
    const done = await child.done;
    expect(done.code, done.stderr).toBe(0);
    expect(await survivorsAfter(place.folder)).toEqual([]);
  });

  it("T4 a build whose reaper ends nobody is seen", async () => {
    server = await startModelServer();
    const place = { ...placeFor(server), bin: brokenCopy("for sig in TERM KILL KILL; do", "for sig in; do") };
    const child = await owner(place);
    child.kill("SIGKILL");
    await child.done;
    const left = await survivorsAfter(place.folder, 500);
    killAll(place.folder);
    expect(left.length).toBeGreaterThanOrEqual(commands.length);
  });
});
