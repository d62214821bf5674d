// Paths that lead elsewhere, files that no agent may write, edits that do not fit.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Call, calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { logOf, only, type Place, placeFor, run } from "../tool/everlong.ts";
import { treeChanges, treeOf } from "../tool/tree-hash.ts";

let server: ModelServer;
afterEach(() => server.close());

async function newRepository(): Promise<Place> {
  server = await startModelServer();
  const place = placeFor(server);
  // The temp folder is an allowed one: that of the test run must not cover what lies beside the repository.
  const temporary = join(dirname(place.home), "tmp");
  mkdirSync(temporary);
  place.env["TMPDIR"] = temporary;
  execFileSync("git", ["init", "-q", place.folder]);
  return place;
}

async function results(place: Place, wanted: Call[][], args: string[] = ["--allow-all"]) {
  server.script(...wanted.map((step) => calls(step)), text("went on"));
  const done = await run(place, ["-p", "go", ...args]);
  expect(done.code, done.stderr).toBe(0);
  return only(logOf(place), "tool.execution_complete").map((e) => e.data);
}

const create = (path: string): Call => ({ name: "create", args: { path, file_text: "planted\n" } });
const bash = (command: string): Call => ({ name: "bash", args: { command, description: "x" } });

describe("paths and guards", () => {
  it("B50 A7.5 home, project settings, hooks, .mcp.json, .git/hooks, .git/config: refused under --allow-all, by tool and by shell", async () => {
    const place = await newRepository();
    const guarded = [
      join(place.home, "settings.json"),
      join(place.home, "permissions.json"),
      join(place.home, "sessions", "x"),
      ".everlong/settings.json",
      ".everlong/hooks/evil.json",
      ".github/hooks/evil.json",
      ".claude/settings.json",
      ".mcp.json",
      ".MCP.json",
      ".git/hooks/pre-commit",
      ".git/config",
      "./sub/../.git/config",
    ];
    symlinkSync(".git", join(place.folder, "innocent"));
    guarded.push("innocent/config");
    await run(place, ["sessions"]);
    const before = [treeOf(place.folder), treeOf(place.home)];
    const config = readFileSync(join(place.folder, ".git", "config"));
    const calls_ = guarded.flatMap((path) => [
      create(path),
      bash(`echo planted >> '${path}'`),
      bash(`cp /etc/hostname '${path}'`),
    ]);
    calls_.push({ name: "edit", args: { path: ".git/config", old_str: "[core]", new_str: "[core]\n\tpager = evil" } });
    const data = await results(place, [calls_]);
    expect(data.filter((r) => r.resultType !== "denied").map((r) => [r.toolName, r.result.content])).toEqual([]);
    expect(readFileSync(join(place.folder, ".git", "config"))).toEqual(config);
    expect(treeChanges(before[0] as Map<string, string>, treeOf(place.folder))).toEqual([]);
    for (const name of ["settings.json", "permissions.json", "sessions/x"])
      expect(existsSync(join(place.home, name))).toBe(false);
  });

  it("B53 PI11 a sibling whose name begins like the root, links out of it, `..`: denied, nothing read or written there", async () => {
    const place = await newRepository();
    const evil = `${place.folder}-evil`;
    mkdirSync(evil);
    writeFileSync(join(evil, "secret.txt"), "the secret beside\n");
    symlinkSync(evil, join(place.folder, "link"));
    const elsewhere = [
      "../work-evil/secret.txt",
      join(evil, "secret.txt"),
      "link/secret.txt",
      "./link/../link/secret.txt",
      "sub/../../work-evil/secret.txt",
    ];
    const before = treeOf(evil);
    const data = await results(
      place,
      [
        [
          ...elsewhere.map((path): Call => ({ name: "view", args: { path } })),
          ...elsewhere.map((path): Call => create(`${dirname(path)}/new.txt`)),
          ...elsewhere.map(
            (path): Call => ({ name: "grep", args: { pattern: "secret", path, output_mode: "content" } }),
          ),
          bash(`cat ${join(evil, "secret.txt")}`),
          bash("cat link/secret.txt"),
        ],
      ],
      ["--allow-tool", "write(**)", "--allow-tool", "shell(echo)"],
    );
    expect(data.filter((r) => r.resultType === "success").map((r) => r.result.content)).toEqual([]);
    expect(treeChanges(before, treeOf(evil))).toEqual([]);
    expect(server.requests.at(-1)?.rawBody).not.toContain("the secret beside");
  });

  it.each([
    ["link", "ln -sfn OUTSIDE link; ln -sfn inside link"],
    ["inside", "mv inside kept; ln -s OUTSIDE inside; rm inside; mv kept inside"],
    ["deep/inside", "mv deep kept; ln -s OUTSIDE deep; rm deep; mv kept deep"],
  ])(
    "B53 SEC17 %s swapped for a link while files are made and read through it: nothing outside is touched or seen",
    async (name, swap) => {
      const place = await newRepository();
      const outside = join(dirname(place.home), "outside");
      for (const folder of [
        outside,
        join(outside, "inside"),
        join(place.folder, "inside"),
        join(place.folder, "deep", "inside"),
      ]) {
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, "read.txt"), folder.startsWith(outside) ? "seen from outside\n" : "inside\n");
      }
      symlinkSync("inside", join(place.folder, "link"));
      const settings = { permissions: { allow: ["shell", "write(**/inside/**)", "write(link/**)"] } };
      mkdirSync(place.home, { recursive: true });
      writeFileSync(join(place.home, "settings.json"), JSON.stringify(settings));
      const before = treeOf(outside);
      const loop = `n=0; while [ $n -lt 1000 ]; do ${swap.replace("OUTSIDE", outside)}; n=$((n+1)); done`;
      const read: Call = { name: "view", args: { path: `${name}/read.txt` } };
      const steps = [0, 1, 2, 3].map((step) =>
        Array.from({ length: 25 }, (_, n) => [create(`${name}/f${step}-${n}.txt`), read]).flat(),
      );
      steps[0]?.unshift({ name: "bash", args: { command: loop, description: "x", mode: "async" } });
      await results(place, steps, []);
      expect(treeChanges(before, treeOf(outside))).toEqual([]);
      expect(server.requests.at(-1)?.rawBody).not.toContain("seen from outside");
    },
  );

  it("AB11 A6.13 edit with a stale view, no match, two matches: failure with the reason, bytes unchanged", async () => {
    const place = await newRepository();
    const file = join(place.folder, "a.txt");
    writeFileSync(file, "one\r\ntwo\r\ntwo\r\n");
    const edit = (old_str: string): Call => ({ name: "edit", args: { path: "a.txt", old_str, new_str: "changed" } });
    const data = await results(place, [
      [{ name: "view", args: { path: "a.txt" } }],
      [edit("three"), edit("two")],
      [bash("printf 'one\\r\\nother\\r\\n' > a.txt")],
      [edit("one")],
    ]);
    const edits = data.filter((r) => r.toolName === "edit");
    expect(edits.map((r) => r.success)).toEqual([false, false, false]);
    expect(edits[0]?.result.content).toMatch(/no match|not found|does not/i);
    expect(edits[1]?.result.content).toContain("2");
    expect(edits[2]?.result.content).toMatch(/changed/i);
    expect(readFileSync(file, "utf8")).toBe("one\r\nother\r\n");
  });
});
