// How lines are run: what nobody approved confined and harmless, what was approved as the settings say.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Confinement } from "../host/sandbox/confinement.ts";
import { workingSandbox } from "../host/sandbox/sandbox.ts";
import type { PlannedCommand, ShellPlan } from "../permission/shell/plan.ts";
import { createSecondWall, type WallParts } from "./second-wall.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "everlong-wall-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const folder = join(base, "work");
const temp = join(base, "temp");
mkdirSync(folder);
mkdirSync(temp);
writeFileSync(join(folder, "a.txt"), "one\n");
writeFileSync(join(folder, "b.junk"), "ignored by the person's own configuration\n");
writeFileSync(join(base, ".gitconfig"), "[core]\n  excludesFile = ~/my-ignore\n");
writeFileSync(join(base, "my-ignore"), "*.junk\n");
writeFileSync(join(temp, "kept.log"), "kept\n");
writeFileSync(join(temp, "other.log"), "other\n");
const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: base,
  AWS_SECRET_ACCESS_KEY: "hush",
  GIT_DIR: "/nowhere",
  GIT_PAGER: "cat",
};
const own = { cwd: folder, env: { PATH: env.PATH, HOME: base } };
for (const args of [
  ["init", "-b", "main"],
  ["add", "."],
  ["-c", "user.name=t", "-c", "user.email=t", "commit", "-m", "one"],
])
  execFileSync("git", args, { ...own, stdio: "ignore" });

const command = (text: string, unasked = true): PlannedCommand => {
  const argv = text.split(" ");
  return { argv, matches: [], redirects: [], folder, unasked, program: `/usr/bin/${argv[0]}` };
};
const plan = (...commands: PlannedCommand[]): ShellPlan => ({
  pipelines: commands.map((c) => ({ joint: ";", negated: false, commands: [c] })),
});

type Settings = ReturnType<WallParts["settings"]>;
const confinements: Confinement[] = [];
const wall = (settings: Partial<Settings> = {}, works = true) =>
  createSecondWall({
    settings: () => ({ mode: "auto", commands: "unasked", network: [], ...settings }),
    places: () => ({ folders: [folder, temp], temp, home: join(base, "home") }),
    env: () => env,
    sandbox: async () =>
      works
        ? {
            name: "bubblewrap",
            confine: (confinement) => {
              confinements.push(confinement);
              return ["confined"];
            },
          }
        : undefined,
    status: async () =>
      works ? { name: "bubblewrap", endsStrays: true } : { problem: "there is none.", endsStrays: true },
  });
const confined = async (settings: Partial<Settings>, given?: ShellPlan, works = true) =>
  wall(settings, works).confine({ ...(given ? { plan: given } : {}), cwd: folder, env });

describe("what nobody approved", () => {
  it("N8 is confined to looking, with an environment without secrets", async () => {
    const run = await confined({}, plan(command("cat a.txt"), command("ls -l")));
    expect(run).toMatchObject({
      ok: true,
      value: { under: ["confined"], line: "'/usr/bin/cat' 'a.txt'; '/usr/bin/ls' '-l'" },
    });
    expect(run.ok && run.value.env).not.toHaveProperty("AWS_SECRET_ACCESS_KEY");
    expect(confinements.at(-1)).toMatchObject({
      type: "look",
      hidden: expect.arrayContaining([join(base, "home"), join(base, "home/secret.key")]),
    });
    expect(confinements.at(-1)).toHaveProperty("reads", expect.not.arrayContaining([temp]));
  });

  it("N8 sees of the temporary folder only what it names", async () => {
    await confined({}, plan(command(`cat ${temp}/kept.log`)));
    expect(confinements.at(-1)).toHaveProperty("reads", expect.arrayContaining([folder, join(temp, "kept.log")]));
    expect(JSON.stringify(confinements.at(-1))).not.toContain("other.log");
  });

  it("N5 runs git so that it starts nothing else, also beside an approved command, which keeps its own words", async () => {
    const run = await confined({}, plan(command("git status"), command("git push", false)));
    if (!run.ok) throw new Error(run.error);
    expect(run.value.under).toBeUndefined();
    expect(run.value.env).toEqual(env);
    const [look, push] = (run.value.line ?? "").split("; ");
    expect(look).toMatch(/^'\/usr\/bin\/env' .*'-i' .*'GIT_ALLOW_PROTOCOL=none'.*'core.fsmonitor=false'.*'status'/);
    expect(push).toBe("'git' 'push'");
  });

  it("N5 asks about git where it cannot be made harmless, and does not run it if it got so since", async () => {
    expect(await wall().doubt(command("git status"))).toBeUndefined();
    expect(await wall().doubt(command("git commit"))).toContain("more than look");
    expect(await confined({}, plan(command("git commit")))).toMatchObject({
      ok: false,
      error: expect.stringContaining("Not run"),
    });
    expect(await wall().doubt(command("cat a.txt"))).toBeUndefined();
  });

  it("N8 without a sandbox runs as it is, or is asked about and not run where one is required", async () => {
    expect(await confined({}, plan(command("ls")), false)).toMatchObject({
      ok: true,
      value: { line: "'/usr/bin/ls'" },
    });
    expect(await wall({ mode: "required" }, false).doubt(command("ls"))).toContain("there is none");
    expect(await confined({ mode: "required" }, plan(command("ls")), false)).toMatchObject({ ok: false });
    const off = await confined({ mode: "off" }, plan(command("ls")));
    expect(off.ok && off.value.under).toBeUndefined();
  });
});

describe("a line of which only a part was approved", () => {
  const mixed = plan(command("npm test", false), command("cat a.txt"), command("git status"));

  it("N8 runs the rest each confined by itself, with a plain environment and none of the project's programs", async () => {
    const path = { ...env, PATH: `${folder}/bin:/usr/bin` };
    const run = await wall().confine({ plan: mixed, cwd: folder, env: path });
    if (!run.ok) throw new Error(run.error);
    const [npm, cat, git] = run.value.line?.split("; ") ?? [];
    expect(npm).toBe("'npm' 'test'");
    expect(cat).toMatch(/^'\/usr\/bin\/env' '-i' .*'PATH=\/usr\/bin' .*'confined' '\/usr\/bin\/cat' 'a.txt'$/);
    expect(git).toMatch(/'confined' '\/usr\/bin\/env' '-i' .*'\/usr\/bin\/git' /);
    expect(cat).not.toContain("hush");
    // The approved part has what a person's own shell has.
    expect(run.value).toMatchObject({ env: path });
    expect(run.value.under).toBeUndefined();
  });

  it("N8 a line that grows too long by it is not run, and says so", async () => {
    const many = plan(command("npm test", false), ...Array.from({ length: 2000 }, () => command("cat a.txt")));
    expect(await confined({}, many)).toMatchObject({ ok: false, error: expect.stringContaining("too long") });
  });
});

describe("what was approved", () => {
  it("N8 is left alone by default, and confined to working with sandbox.commands all", async () => {
    const free = await confined({}, undefined);
    expect(free).toEqual({ ok: true, value: { env } });
    await confined({ commands: "all" }, undefined);
    expect(confinements.at(-1)).toEqual({
      type: "work",
      writes: [folder, temp],
      network: false,
      hidden: [join(base, "home/gateway.token"), join(base, "home/secret.key")],
    });
    expect(await confined({ commands: "all", mode: "required" }, undefined, false)).toMatchObject({ ok: false });
  });

  it.each<[string[], string[] | undefined, boolean]>([
    [["npm install"], ["npm install left-pad"], true],
    [["npm install"], ["npm installer"], false],
    [["npm install"], ["npm install", "curl evil"], false],
    [["npm install"], ["cd sub", "npm install"], true],
    [["npm install"], undefined, false],
    [["*"], undefined, true],
    [[], ["npm install"], false],
  ])("N8 with sandbox.network %j, %j has the network: %s", async (network, lines, expected) => {
    const given = lines && plan(...lines.map((line) => command(line, false)));
    await confined({ commands: "all", network }, given);
    expect(confinements.at(-1)).toMatchObject({ type: "work", network: expected });
  });
});

it("N8 says what is in force", async () => {
  expect(await wall().describe()).toBe("sandbox: bubblewrap, for commands that run without asking");
  expect(await wall({ commands: "all" }).describe()).toBe("sandbox: bubblewrap, for every command");
  expect(await wall({ mode: "off" }).describe()).toBe("sandbox: off (sandbox.mode)");
  expect(await wall({}, false).describe()).toContain("there is none");
  expect(await wall({ mode: "required" }, false).describe()).toContain("cannot run");
});

const machine = await workingSandbox();
it.skipIf(!machine)("N5 N8 in the real sandbox, git and others say what they say outside", async () => {
  const real = createSecondWall({
    settings: () => ({ mode: "required", commands: "unasked", network: [] }),
    places: () => ({ folders: [folder, temp], temp, home: join(base, "home") }),
    env: () => env,
  });
  const lines = `git status|git log --stat|git show|git diff HEAD|ls -lA|cat a.txt|wc -l a.txt|cat ${temp}/kept.log|find . -name *.txt`;
  for (const text of lines.split("|")) {
    const run = await real.confine({ plan: plan(command(text)), cwd: folder, env });
    if (!run.ok) throw new Error(run.error);
    const [program, ...args] = run.value.under ?? ["missing"];
    const shell = [...args, "/bin/bash", "-c", run.value.line ?? ""];
    const inside = spawnSync(program, shell, { cwd: folder, env: run.value.env, encoding: "utf8" });
    const outside = spawnSync("/bin/bash", ["-c", `set -f; ${text}`], { ...own, encoding: "utf8" });
    const { stdout, stderr, status } = outside;
    expect(inside, text).toMatchObject({ stdout, stderr, status });
  }
});
