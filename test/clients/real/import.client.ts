// The homes that real clients leave are imported without a bad line. With EVERLONG_IMPORT_FIXTURES=1 they become test/import/fixture.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { keepHome } from "../../import/keep-home.ts";
import { run } from "../../tool/everlong.ts";
import { type Client, clients, installed } from "./client.ts";
import { scriptShell, stageFor } from "./stage.ts";

const FIRST =
  "Why did we drop redis? We dropped redis because the failover lost writes. The key is AKIAIOSFODNN7EXAMPLQ.";
const SECOND = "Which queue replaced the zebrafish broker?";
const FIXTURES = join(import.meta.dirname, "..", "..", "import", "fixture");

const present = clients.filter((client) => installed(client) !== undefined && client.variant === undefined);

describe.each(present.map((client) => ({ client, title: client.name })))("$title", ({ client }) => {
  it("IM1 IM7 its home is imported without a bad line", async () => {
    const stage = await stageFor(client);
    const { home, server, place } = stage;
    execFileSync("git", ["-C", place.folder, "remote", "add", "origin", "https://github.com/acme/shop.git"]);
    scriptShell(server, client, ["cat a.txt"]);
    const first = await stage.with(client.first(FIRST));
    expect(first.code, first.stderr).toBe(0);
    scriptShell(server, client, []);
    const second = await stage.resume(SECOND);
    expect(second.code, second.stderr).toBe(0);
    if (process.env["EVERLONG_IMPORT_FIXTURES"])
      keepHome({ name: client.name, version: versionOf(client), home, folder: realpathSync(place.folder) }, FIXTURES);
    const outcome = await run(place, ["import", client.name, "--json"]);
    expect(outcome.code, outcome.stderr).toBe(0);
    expect(outcome.json).toMatchObject({ bad: [], badLines: 0 });
    const { turns, tools } = outcome.json as Record<"turns" | "tools", { added: number }>;
    expect([turns.added >= 2, tools.added >= 1]).toEqual([true, true]);
    const recall = await run(place, ["recall", "why did we drop redis", "--json"]);
    expect(recall.stdout).toContain("failover lost writes");
    expect(recall.stdout).not.toContain("AKIAIOSFODNN7EXAMPLQ");
  });
});

type PackageFile = { version?: string; dependencies?: Record<string, string> };

/** Of the package that its command belongs to. */
function versionOf(client: Client): string {
  const bin = installed(client) ?? "";
  // A script of one's own in place of the command leaves the folder without a version.
  for (let dir = dirname(realpathSync(join(bin, client.name))); dir !== dirname(dir); dir = dirname(dir)) {
    const path = join(dir, "package.json");
    const about = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as PackageFile) : {};
    const [wanted] = Object.values(about.dependencies ?? {});
    if (about.version !== undefined) return about.version;
    if (dir === dirname(dirname(bin)) && wanted !== undefined) return wanted.replace(/^[^\d]*/, "");
  }
  return "unknown";
}
