// N14, OP1, PE3: a disk that is full in mid-turn or at the start, and what is there when space returns.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { calls, type Reply, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { startGateway } from "../proxy/gateway.ts";
import { bodyOf, lastSent, SMALL_WINDOW, send } from "../proxy/growing.ts";
import { type Finished, logOf, only, type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";
import { lacks } from "../tool/fault-tool.ts";
import { onSmallDisk } from "../tool/small-disk.ts";

let server: ModelServer;
afterEach(() => server.close());

const GO = ["-p", "work", "--allow-all"];
/** Six seconds for all waits together: what waited anew for each event would need far more than a minute. */
const IMPATIENT = { EVERLONG_DISK_FULL_SECONDS: "6" };

/** Works until it is told to stop: each step leaves some kilobytes in the log. */
const working = (): Reply =>
  calls([{ name: "bash", args: { command: "seq 1 1500", description: "x" } }], { text: "step ".repeat(2000) });

/** Bytes that stand in the way, as many as fit. */
function fill(place: Place, name: string): void {
  const block = Buffer.alloc(4096);
  for (let size = 1024; size > 0; size = Math.floor(size / 2))
    for (;;) {
      try {
        writeFileSync(join(place.home, name), Buffer.concat(Array(size).fill(block)), { flag: "a" });
      } catch {
        break; // no room for so many
      }
    }
}

/** The message of a run that gave up, with the ids that it names. */
function gaveUp(done: Finished, place: Place): { session: string; event: string } {
  expect(done.code, done.stderr).toBe(1);
  expect(done.stderr).not.toMatch(/ {4}at /);
  const [session = ""] = sessionsOf(place);
  const [, event = ""] = new RegExp(`session ${session} is saved up to event (\\S+);`).exec(done.stderr) ?? [];
  expect(done.stderr.match(/Work is paused/g), "the pause is told once").toHaveLength(1);
  expect(done.stderr).toContain(`everlong --resume ${session}`);
  return { session, event };
}

const ids = (place: Place, session: string, count: number): string[] =>
  logOf(place, session)
    .slice(0, count)
    .map((e) => e.id);

describe.skipIf(lacks("a small disk"))("PE3 a home of 2 MB", () => {
  it("PE3 AE15 AB20 N14 OP1 P4 full in mid-turn: exit 1 with session and last event; with space again it goes on from there", async () => {
    server = await startModelServer();
    server.always(() => working());
    const place = await onSmallDisk(placeFor(server, IMPATIENT), "2m");
    writeFileSync(join(place.home, "filler"), Buffer.alloc(1_200_000));
    const done = await run(place, GO);
    const { session, event } = gaveUp(done, place);
    expect(done.stderr).toMatch(/Warning: only \d MB are free/);
    const before = logOf(place, session);
    expect(before.at(-1)?.id, "no line is torn, and the last one is the one named").toBe(event);

    // Still full: what is saved stays as it is.
    fill(place, "more");
    const again = await run(place, ["--resume", session, ...GO]);
    expect([again.code, again.stderr.includes(session)], again.stderr).toEqual([1, true]);
    expect(ids(place, session, before.length)).toEqual(before.map((e) => e.id));

    for (const name of ["filler", "more"]) rmSync(join(place.home, name));
    server.always(() => text("there is room again"));
    const resumed = await run(place, ["--resume", session, "-p", "go on"]);
    expect([resumed.code, resumed.stdout], resumed.stderr).toEqual([0, "there is room again\n"]);
    expect(ids(place, session, before.length)).toEqual(before.map((e) => e.id));
    expect(only(logOf(place, session), "turn.end").at(-1)?.data.status).toBe("done");
    expect(server.rejected.map((r) => r.violation)).toEqual([]);
  });

  it("N14 full at the start: exit 1 naming the session; with space again the same call works", async () => {
    server = await startModelServer({ script: () => text("an answer") });
    const place = await onSmallDisk(placeFor(server, { EVERLONG_DISK_FULL_SECONDS: "0" }), "2m");
    fill(place, "filler");
    const bare = await run(place, GO);
    expect([bare.code, bare.stderr.includes("secret.key: ENOSPC")], bare.stderr).toEqual([1, true]);
    rmSync(join(place.home, "filler"));
    await run(place, ["-p", "/help"]);
    fill(place, "filler");
    const done = await run(place, GO);
    expect(done.code, done.stderr).toBe(1);
    expect(done.stderr).toMatch(/Nothing from session [0-9a-f-]{36} is saved/);
    expect(bare.stderr + done.stderr).not.toMatch(/ {4}at /);
    rmSync(join(place.home, "filler"));
    const next = await run(place, GO);
    expect([next.code, next.stdout], next.stderr).toEqual([0, "an answer\n"]);
  });

  it("PE3 P21 P22 OP1 through the gateway requests go upstream unchanged while the disk is full", async () => {
    server = await startModelServer({ script: () => text("ok") });
    const env = { EVERLONG_UPSTREAM_OPENAI: server.url, EVERLONG_EMBEDDER: "none", ...SMALL_WINDOW };
    const place = await onSmallDisk(placeFor(server, env), "2m");
    const gateway = await startGateway(server, { place });
    expect((await send(gateway, 3)).status).toBe(200);
    fill(place, "filler");
    for (const turns of [40, 41, 42]) {
      const answer = await send(gateway, turns);
      expect([answer.status, answer.header("x-everlong-action")]).toEqual([200, "skip:store"]);
      expect(lastSent(server)).toBe(bodyOf(turns));
    }
    expect(await (await gateway.api("/healthz")).json()).toMatchObject({ status: "degraded" });
    rmSync(join(place.home, "filler"));
    await expect.poll(async () => (await send(gateway, 43)).header("x-everlong-action")).toBe("trim");
  });
});

it("N14 OP1 P4 T2 without tools: a limit on file sizes is a full disk for the log", async () => {
  server = await startModelServer();
  server.always(() => working());
  const place = placeFor(server, { EVERLONG_DISK_FULL_SECONDS: "0" });
  const under = ["bash", "-c", "trap '' XFSZ; ulimit -f 700; exec \"$@\"", "bash"];
  const done = await run(place, GO, { under });
  const { session, event } = gaveUp(done, place);
  expect(logOf(place, session).at(-1)?.id).toBe(event);
  server.always(() => text("there is room again"));
  const resumed = await run(place, ["--resume", session, "-p", "go on"]);
  expect([resumed.code, resumed.stdout], resumed.stderr).toEqual([0, "there is room again\n"]);
  expect(server.rejected.map((r) => r.violation)).toEqual([]);
});
