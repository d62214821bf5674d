// B76: a bug in our own code: one clear message, a redacted report, exit 1, and nothing acknowledged is lost.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { lostOrDoubled, wholeLines } from "../tool/acks.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { type Finished, logOf, type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";
import { survivorsAfter } from "../tool/processes.ts";

let server: ModelServer;
afterEach(() => server.close());

const KEY = "test-key-0123456789";
const bug = `throw new Error("planted bug near ${KEY}")`;

function expectReport(place: Place, done: Finished): void {
  expect(done.code, done.stderr).toBe(1);
  expect(done.stderr).toContain("planted bug");
  const told = done.stderr.split("\n").filter((line) => line.includes("planted bug"));
  expect(told).toEqual([expect.stringMatching(/went wrong.*--resume continues.*crash-/) as string]);
  expect(done.stderr).not.toMatch(/ {4}at /);
  const logs = join(place.home, "logs");
  const [report = ""] = readdirSync(logs).filter((name) => name.startsWith("crash-"));
  const content = readFileSync(join(logs, report), "utf8");
  expect(content).toMatch(/planted bug[\s\S]* {4}at /);
  expect(content + done.stderr + done.stdout).not.toContain(KEY);
  expect(statSync(join(logs, report)).mode & 0o777).toBe(0o600);
}

describe("B76 a bug of our own", () => {
  it("B76 OP8 in a timer, nobody there to catch it: children ended, log whole, report redacted, exit 1", async () => {
    server = await startModelServer();
    server.script(calls([{ name: "bash", args: { command: "echo begun; sleep 60", description: "x" } }]));
    // The timer that shows partial output meets the bug while the command runs.
    const bin = brokenCopy(/publish\("tool\.execution_partial_result", \{/, `publish(...(() => { ${bug} })(), {`);
    const place = { ...placeFor(server), bin };
    const done = await run(place, ["-p", "go", "--allow-all", "--output-format", "stream-json"]);
    expectReport(place, done);
    expect(await survivorsAfter(place.folder)).toEqual([]);
    expect(lostOrDoubled(wholeLines(done.stdout), logOf(place))).toEqual([]);
    server.script(text("resumed"));
    const again = await run({ ...place, bin: join(import.meta.dirname, "..", "..", "bin", "everlong.js") }, [
      "--continue",
      "-p",
      "go",
    ]);
    expect(again.code, again.stderr).toBe(0);
  });

  it("B76 inside a turn: the session is closed properly, the message is json's error too", async () => {
    server = await startModelServer();
    server.script(text("x"));
    const bin = brokenCopy(/async function recordAnswer\(([^)]*)\) \{/, `async function recordAnswer($1) { ${bug};`);
    const place = { ...placeFor(server), bin };
    const done = await run(place, ["-p", "go", "--output-format", "json"]);
    expectReport(place, done);
    expect(done.json).toMatchObject({ success: false, error: { code: "internal_error" } });
    expect(logOf(place).at(-1)).toMatchObject({ type: "session.shutdown", data: { type: "error" } });
  });

  it("B76 P35 a report that itself fails ends the run all the same; a part that is gone is said so", async () => {
    server = await startModelServer();
    server.always(() => calls([{ name: "bash", args: { command: "echo begun; sleep 60", description: "x" } }]));
    const bin = brokenCopy(/publish\("tool\.execution_partial_result", \{/, `publish(...(() => { ${bug} })(), {`);
    const part = join(dirname(bin), "..", "dist", "part");
    const turn = readdirSync(part).find((name) => name.startsWith("turn-")) ?? "";
    const whole = readFileSync(join(part, turn), "utf8");
    writeFileSync(join(part, turn), whole.replace("function reportCrash(error) {", `$& ${bug};`));
    const done = await run({ ...placeFor(server), bin }, ["-p", "go", "--allow-all"]);
    expect([done.code === 0, done.signal]).toEqual([false, null]);
    writeFileSync(join(part, turn), whole);
    for (const name of readdirSync(part)) if (/^stored-sessions-/.test(name)) rmSync(join(part, name));
    const gone = await run({ ...placeFor(server), bin }, ["sessions"]);
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining("Start it again")]);
  });

  it("B76 in a command beside the agent, and in a part that cannot be loaded", async () => {
    server = await startModelServer();
    const listing = {
      ...placeFor(server),
      bin: brokenCopy(/function withStore\(([^)]*)\) \{/, `function withStore($1) { ${bug};`),
    };
    expectReport(listing, await run(listing, ["sessions"]));
    const unloadable = { ...placeFor(server), bin: brokenCopy(/^(?=[\s\S]*function withStore\()/, `${bug};\n`) };
    expectReport(unloadable, await run(unloadable, ["sessions"]));
    expect(sessionsOf(listing)).toEqual([]);
  });
});
