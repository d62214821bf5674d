// N15: a home that is removed or moved away under a running program: the next event says so, nothing seems saved that is not.
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openTerminal } from "../agent/terminal.ts";
import { calls, type Reply, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { brokenCopy } from "../tool/broken-copy.ts";
import { type Place, placeFor, run, sessionsOf } from "../tool/everlong.ts";

let server: ModelServer;
afterEach(() => server.close());

const touch = (name: string): Reply => calls([{ name: "bash", args: { command: `touch ${name}`, description: "x" } }]);

/** The first request is answered after the home is gone. */
async function losing(place: Place, how: (place: Place) => void): Promise<void> {
  server.always((_request, n) => {
    if (n > 0) return text("all is well");
    how(place);
    return touch("ran");
  });
}

const REMOVED = (place: Place): void => rmSync(place.home, { recursive: true });
const MOVED = (place: Place): void => renameSync(place.home, `${place.home}.old`);

describe("N15 the home goes away under a running agent", () => {
  it.each([
    ["removed", REMOVED],
    ["moved", MOVED],
    ["only the session's folder", (place: Place) => rmSync(join(place.home, "sessions"), { recursive: true })],
  ])("N15 %s: the turn ends with a clear error, exit 1", async (_, how) => {
    server = await startModelServer();
    const place = placeFor(server);
    let session = "";
    await losing(place, (p) => {
      [session = ""] = sessionsOf(p);
      how(p);
    });
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect([done.code, done.stdout], done.stderr).toEqual([1, ""]);
    expect(done.stderr).toContain(`The log of session ${session} is gone`);
    expect(done.stderr).toContain("is not saved");
    expect(done.stderr).not.toMatch(/ {4}at /);
    expect(server.requests, "no work goes on unsaved").toHaveLength(1);
  });

  it("N15 moved back, the session goes on", async () => {
    server = await startModelServer();
    const place = placeFor(server);
    await losing(place, MOVED);
    expect((await run(place, ["-p", "go", "--allow-all"])).code).toBe(1);
    rmSync(place.home, { recursive: true, force: true });
    renameSync(`${place.home}.old`, place.home);
    const [id = ""] = sessionsOf(place);
    const done = await run(place, ["--resume", id, "-p", "again"]);
    expect([done.code, done.stdout], done.stderr).toEqual([0, "all is well\n"]);
    expect(server.rejected).toEqual([]);
  });

  it("N15 in the terminal the error is shown and the program can be left", async () => {
    server = await startModelServer();
    const place = placeFor(server);
    await losing(place, REMOVED);
    const terminal = openTerminal(place, ["--allow-all"]);
    await terminal.see("Type a message");
    terminal.type("go");
    await terminal.see("is gone");
    terminal.press("ctrl+d");
    await terminal.exit;
  });

  it("T4 a build that does not look is seen: exit 0 with no log", async () => {
    server = await startModelServer();
    const place = { ...placeFor(server), bin: brokenCopy(/#isThere\(\) \{/, "#isThere() { return true;") };
    await losing(place, REMOVED);
    expect((await run(place, ["-p", "go", "--allow-all"])).code).toBe(0);
  });
});
