// The built program with both walls up: hostile repositories, and what is said and run where the sandbox is missing.
import { execFileSync } from "node:child_process";
import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sandboxStatus } from "../../src/host/sandbox/sandbox.ts";
import { bash, scene, toolResults } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { type Place, run, start } from "../tool/everlong.ts";
import { processesIn, survivorsAfter } from "../tool/processes.ts";
import { arm, git, hostileScene, workTree } from "./hostile-git.ts";

const { name, problem } = await sandboxStatus();
const held = it.skipIf(name !== "bubblewrap");
if (problem !== undefined) it.skip(`N8 skipped, what needs a sandbox: ${problem}`);

const hostile = hostileScene();
afterAll(hostile.end);

/** Our program where /usr/bin/bwrap cannot be run. */
const WITHOUT = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", "/usr/bin/bwrap", "--"];

async function results(
  lines: string[],
  place: (p: Place) => Place = (p) => p,
  options: { under?: string[]; args?: string[] } = {},
) {
  const { server, place: fresh } = await scene([calls(lines.map((line, i) => bash(line, {}, `c${i}`))), text("ok")]);
  const done = await run(
    place(fresh),
    ["-p", "go", ...(options.args ?? [])],
    options.under ? { under: options.under } : {},
  );
  expect(done.code, done.stderr).toBe(0);
  return toolResults(server.requests[1]).map((result) => result.text);
}

describe("the program in a folder that nobody trusts", () => {
  it("N5 looks at a hostile repository without running any of its programs", async () => {
    const dir = workTree(hostile, "program");
    arm(hostile, dir);
    const lines = [
      "git status --short",
      "git diff",
      "git log -p -3 | head -40",
      "git show signed",
      "git branch -v && git stash list",
    ];
    const told = await results(lines, (place) => ({ ...place, folder: dir }));
    expect(hostile.sang()).toEqual([]);
    expect(told[0]).toContain("a.txt");
    expect(told[1]).toContain("+two");
    for (const one of told) expect(one).toContain("[exit code 0");
  });

  it("N5 asks about a repository that leads elsewhere, and says why", async () => {
    const dir = workTree(hostile, "leads");
    const secret = workTree(hostile, "private");
    renameSync(join(dir, ".git"), join(dir, "old"));
    symlinkSync(join(secret, ".git"), join(dir, ".git"));
    const [log, cat] = await results(["git log", "cat a.txt"], (place) => ({ ...place, folder: dir }));
    expect(log).toContain("Denied");
    expect(log).toContain("git folder is outside the folder");
    expect(cat).toContain("[exit code 0");
  });

  held("N8 runs what nobody approved in the sandbox, and what was approved outside of it", async () => {
    // Each folder that it sees is mounted by itself.
    const mountOf = "stat -c 'mount %m end' .";
    expect(await results([mountOf])).toEqual([expect.stringMatching(/mount \/.*\/work end/)]);
    const approved = await results([mountOf], (place) => place, { args: ["--allow-all"] });
    expect(approved).toEqual([expect.not.stringMatching(/\/work end/)]);
    const all = (place: Place): Place => ({ ...place, env: { ...place.env, EVERLONG_SANDBOX_COMMANDS: "all" } });
    const [wrote, escaped] = await results(
      ["touch in && echo wrote", "touch ../../out && echo wrote; touch /usr/out && echo wrote"],
      all,
      { args: ["--allow-all"] },
    );
    expect(wrote).toContain("wrote\n");
    expect(escaped).toContain("Read-only file system");
  });

  held("N8 holds the part of a line that nobody approved, also against what the approved part just did", async () => {
    const linked = (place: Place): Place => {
      // An approved unpacking brings a link that leads out; the first wall cannot know of it.
      symlinkSync("../outside.txt", join(place.folder, "brought"));
      writeFileSync(join(place.folder, "../outside.txt"), "CANARY-outside");
      writeFileSync(join(place.folder, "a.txt"), "one\n");
      execFileSync("tar", ["cf", "bag.tar", "brought"], { cwd: place.folder });
      rmSync(join(place.folder, "brought"));
      return place;
    };
    const lines = ["tar xf bag.tar && cat brought", "tar tf bag.tar | cat && stat -c 'mount %m end' . && cat a.txt"];
    const [read, mixed] = await results(lines, linked, { args: ["--allow-tool", "shell(tar)"] });
    expect(read).toContain("brought: No such file");
    expect(read).not.toContain("CANARY");
    expect(mixed).toMatch(/brought\nmount \/.*\/work end\none\n/);
  });

  held("N8 the sandbox shows a linked work tree its repository, ripgrep itself, and gives a terminal", async () => {
    const main = workTree(hostile, "main-tree");
    const dir = join(hostile.base, "linked-tree");
    git(main, "worktree", "add", "-b", "linked", dir);
    const { server, place } = await scene([
      calls([
        bash("git log --oneline -1 && git status --short", {}, "c0"),
        bash("rg -n both", {}, "c1"),
        bash("cat a.txt", { tty: true }, "c2"),
      ]),
      text("ok"),
    ]);
    await run({ ...place, folder: dir }, ["-p", "go"]);
    const [log, search, tty] = toolResults(server.requests[1]).map((result) => result.text);
    expect(log).toMatch(/merged\n\[exit code 0/);
    expect(search).toContain("a.txt:1:both");
    expect(tty).toMatch(/both\r?\n\[exit code 0/);
  });

  held("N9 what runs in the sandbox ends when the program is killed", async () => {
    const { server, place } = await scene([
      calls([bash("sleep 300", { mode: "async" })]),
      text("late", { delayMs: 60_000 }),
    ]);
    const child = start(place, ["-p", "go"]);
    await server.waitFor(2, 30_000);
    expect(processesIn(place.folder).some(({ command }) => command.includes("sleep 300"))).toBe(true);
    child.kill("SIGKILL");
    await child.done;
    expect(await survivorsAfter(place.folder, 5000)).toEqual([]);
  });

  held("N8 without a sandbox: auto runs it, required refuses it with the reason", async () => {
    const mode = (value: string) => (place: Place) => {
      writeFileSync(join(place.folder, "a.txt"), "one\n");
      return { ...place, env: { ...place.env, EVERLONG_SANDBOX: value } };
    };
    expect(await results(["cat a.txt"], mode("auto"), { under: WITHOUT })).toEqual([expect.stringContaining("one\n")]);
    const [refused] = await results(["cat a.txt"], mode("required"), { under: WITHOUT });
    expect(refused).toMatch(/Denied.*sandbox\.mode is "required", but bubblewrap does not work here/);
    expect(await results(["cat a.txt"], mode("required"))).toEqual([expect.stringContaining("one\n")]);
  });

  held("N8 /permissions says what is in force", async () => {
    const { place } = await scene([]);
    const shown = await run(place, ["-p", "/permissions"]);
    expect(shown.stdout).toContain("sandbox: bubblewrap, for commands that run without asking");
    const off = await run({ ...place, env: { ...place.env, EVERLONG_SANDBOX: "off" } }, ["-p", "/permissions"]);
    expect(off.stdout).toContain("sandbox: off");
    rmSync(place.home, { recursive: true, force: true });
  });
});
