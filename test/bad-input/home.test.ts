// A home that cannot be used is refused before any work, with its path and the cure.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { placeFor, run } from "../tool/everlong.ts";

let server: ModelServer;
afterEach(() => server.close());

const isRoot = process.getuid?.() === 0;

describe("B60 home", () => {
  it("B60 SEC16 missing: made with 0700, its files 0600, whatever the umask", async () => {
    server = await startModelServer();
    server.script(text("an answer"));
    const place = placeFor(server);
    place.home = join(place.home, "deep", "er");
    const done = await run(place, ["-p", "x"], { under: ["sh", "-c", 'umask 0; exec "$@"', "sh"] });
    expect(done.code, done.stderr).toBe(0);
    for (const folder of ["", "sessions"]) expect(statSync(join(place.home, folder)).mode & 0o777).toBe(0o700);
    for (const file of ["store.db", "secret.key"]) expect(statSync(join(place.home, file)).mode & 0o777).toBe(0o600);
  });

  const canMount = spawnSync("bwrap", ["--dev-bind", "/", "/", "true"]).status === 0;
  it.skipIf(!canMount)(
    "B60 N13 on a read-only file system: why reading does not work there either, and what to do",
    async () => {
      server = await startModelServer();
      const place = placeFor(server);
      expect((await run(place, ["memory", "list"])).code).toBe(0);
      const under = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", place.home, place.home];
      const done = await run(place, ["memory", "list"], { under });
      expect(done.code).toBe(1);
      expect(done.stderr).toContain(`${place.home} is on a read-only file system`);
      expect(done.stderr).toMatch(/copy it to a folder that you can write .* EVERLONG_HOME/);
    },
  );

  it("B60 A1.10 a file, relative, below a file, dangling, without write permission, another user's: exit 1 naming path and cure", async () => {
    server = await startModelServer();
    const base = dirname(placeFor(server).home);
    const file = join(base, "file");
    writeFileSync(file, "x");
    symlinkSync(join(base, "nowhere", "x"), join(base, "dangling"));
    const homes = [file, "relative/home", join(file, "below"), join(base, "dangling"), "/proc/everlong"];
    const foreign = join(base, "foreign");
    mkdirSync(foreign);
    if (isRoot) chownSync(foreign, 12345, 12345);
    else chmodSync(foreign, 0o500);
    homes.push(foreign);
    for (const home of homes) {
      const done = await run(placeFor(server), ["-p", "x"], { env: { EVERLONG_HOME: home } });
      expect(done.code, `${home}: ${done.stderr}`).toBe(1);
      expect(done.stderr).toContain(home);
      expect(done.stderr).toContain("EVERLONG_HOME");
      expect(done.stderr).not.toMatch(/ {4}at /);
    }
    expect(server.requests).toEqual([]);
  });
});
