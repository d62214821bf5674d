// P20, B73: whatever ends the program, at whatever moment, the next start works and says what was recovered.
import { readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Envelope } from "../../src/schema/event/envelope.ts";
import { calls, type Reply, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { lostOrDoubled, recordAcks } from "../tool/acks.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { logOf, only, type Place, placeFor, run, sessionsOf, start } from "../tool/everlong.ts";
import { seededRandom } from "../tool/random.ts";
import { soakCount } from "../tool/soak.ts";

const RESTARTS = soakCount(16, 200);
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const;

let server: ModelServer;
afterEach(() => server.close());

/** A turn that writes all the time and never ends by itself. */
const busy = (): Reply =>
  calls(
    Array.from({ length: 3 }, () => ({ name: "bash", args: { command: "seq 1 300; sleep 0.01", description: "x" } })),
    { text: "working ".repeat(50), chunk: 20 },
  );

const args = (first: boolean): string[] => [...(first ? [] : ["--continue"]), "-p", "work on", "--allow-all"];

describe("P20 stop and start", () => {
  it(`P20 ${RESTARTS} restarts after TERM, INT, HUP and KILL at random moments: each starts, flushes, loses nothing acked`, async () => {
    const { random } = seededRandom("stop and start");
    server = await startModelServer();
    server.always(() => busy());
    const place = placeFor(server);
    const acked: Envelope[] = [];
    for (let n = 0; n < RESTARTS; n++) {
      const signal = SIGNALS[n % SIGNALS.length] ?? "SIGKILL";
      const ending = {
        signal,
        after: (e: Envelope) => e.type === "session.start" || e.type === "session.resume",
        thenMs: random() * 250,
      };
      const run = await recordAcks(place, args(n === 0), ending);
      const { code, stderr } = run.finished;
      expect(run.acked.length, `restart ${n}: ${stderr}`).toBeGreaterThan(0);
      expect(stderr).not.toMatch(/ {4}at /);
      if (signal !== "SIGKILL") {
        expect(code, `${signal}: ${stderr}`).toBe(130);
        expect(run.acked.at(-1)).toMatchObject({ type: "session.shutdown", data: { type: "signal" } });
      }
      acked.push(...run.acked);
    }
    expect(sessionsOf(place).length).toBe(1);
    expect(lostOrDoubled(acked, logOf(place))).toEqual([]);
    expect(server.rejected.map((r) => r.violation)).toEqual([]);
    server.always(() => text("done at last"));
    const last = await run(place, args(false));
    expect(last.code, last.stderr).toBe(0);
    console.log(`stop and start: ${RESTARTS} restarts, ${acked.length} events heard`);
  });

  it("P20 D7 a lock file that names a live process which is not ours does not hold anybody up", async () => {
    server = await startModelServer();
    server.always(() => text("an answer"));
    const place = placeFor(server);
    await run(place, ["-p", "one"]);
    const [id = ""] = sessionsOf(place);
    const lock = join(place.home, "sessions", id, "session.lock");
    writeFileSync(`${lock}.holder`, JSON.stringify({ pid: process.pid, host: hostname() }));
    const done = await run(place, ["--resume", id, "-p", "two"]);
    expect(done.code, done.stderr).toBe(0);
  });

  it("P20 OP9 the second SIGINT leaves at once with 130, the log whole", async () => {
    server = await startModelServer();
    server.script(
      calls([{ name: "bash", args: { command: "trap '' TERM; while :; do sleep 0.1; done", description: "x" } }]),
    );
    const place = placeFor(server);
    const child = start(place, ["-p", "go", "--allow-all", "--output-format", "stream-json"]);
    await new Promise<void>((resolve) =>
      child.stdout?.on("data", (d: Buffer) => d.includes("tool.execution_start") && resolve()),
    );
    child.kill("SIGINT");
    setTimeout(() => child.kill("SIGINT"), 200);
    const done = await child.done;
    expect(done.code).toBe(130);
    expect(lostOrDoubled(done.events, logOf(place))).toEqual([]);
    server.script(text("resumed"));
    expect((await run(place, ["--continue", "-p", "go"])).code).toBe(0);
  });

  it("B73 A8.9 after kill -9 in a call the next start says what was recovered, and the call was not run again", async () => {
    server = await startModelServer();
    const { place } = await killedInCall();
    server.script(text("went on"));
    const done = await run(place, ["--continue", "-p", "go on"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stderr).toMatch(/Recovered after a crash. Interrupted calls: 1,/);
    const log = logOf(place);
    expect(only(log, "session.resume")[0]?.data.recovered).toMatchObject({ interruptedCalls: 1 });
    expect(only(log, "tool.execution_complete").map((e) => e.data.resultType)).toEqual(["interrupted"]);
    expect(server.requests.at(-1)?.rawBody).toContain("may have run");
    expect(readFileSync(join(place.folder, "ran.txt"), "utf8")).toBe("once\n");
    expect(server.rejected).toEqual([]);
  });

  it("T4 a build that leaves an interrupted call open is seen", async () => {
    server = await startModelServer();
    const { place } = await killedInCall();
    server.always(() => text("went on"));
    const bin = brokenCopy(
      /async function closeInterrupted\((\w+)\) \{/,
      "async function closeInterrupted($1) { return;",
    );
    await run({ ...place, bin }, ["--continue", "-p", "go on"], { env: { EVERLONG_RETRY_MAX: "0" } });
    expect(only(logOf(place), "tool.execution_complete")).toEqual([]);
  });
});

async function killedInCall(): Promise<{ place: Place }> {
  server.script(calls([{ name: "bash", args: { command: "echo once >> ran.txt; sleep 60", description: "x" } }]));
  const place = placeFor(server);
  const ending = { signal: "SIGKILL" as const, after: (e: Envelope) => e.type === "tool.execution_start", thenMs: 200 };
  await recordAcks(place, args(true), ending);
  return { place };
}
