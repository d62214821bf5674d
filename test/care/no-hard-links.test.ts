// OP12: a disk that knows no hard links, such as FAT or some network and phone storage.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newPlace, run } from "../tool/everlong.ts";
import { lacks } from "../tool/fault-tool.ts";

/** The system refuses every hard link, as such a disk does. */
const LINKLESS = [
  ...["strace", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null"],
  ...["-e", "trace=link,linkat", "-e", "inject=link,linkat:error=EPERM"],
];

describe.skipIf(lacks("strace"))("a disk without hard links", () => {
  it("OP12 B71 a backup is made and whole; a file that is there is never written over", async () => {
    const place = newPlace();
    const under = { under: LINKLESS };
    expect((await run(place, ["board", "add", "tides", "--description", "d", "--content", "noon"], under)).code).toBe(
      0,
    );
    const file = join(place.folder, "mine.tar.gz");
    const done = await run(place, ["backup", file], under);
    expect(done.code, done.stderr).toBe(0);
    expect((await run(place, ["backup", "--verify", file], under)).code).toBe(0);
    writeFileSync(join(place.folder, "other.tar.gz"), "not yours");
    const refused = await run(place, ["backup", join(place.folder, "other.tar.gz")], under);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("already exists")]);
    expect(readFileSync(join(place.folder, "other.tar.gz"), "utf8")).toBe("not yours");
    expect(readdirSync(place.folder).sort()).toEqual(["mine.tar.gz", "other.tar.gz"]);
    const other = { ...place, home: join(place.folder, "restored") };
    const restored = await run(other, ["backup", "restore", file], under);
    expect(restored.code, restored.stderr).toBe(0);
    expect((await run(other, ["board", "list"])).stdout).toContain("tides");
  });
});
