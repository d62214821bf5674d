// A hostile repository against git as nobody approved it: no canary sings, nothing is written, nothing outside is read.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { recentFiles } from "../../src/host/git-recent.ts";
import { harmlessGit } from "../../src/host/harmless-git.ts";
import { gitOperands } from "../../src/permission/shell/read-only-git.ts";
import { literalWord } from "../../src/permission/shell/word.ts";
import { arm, git, gitEnv, hostileScene, workTree } from "./hostile-git.ts";

const scene = hostileScene();
afterAll(scene.end);
afterEach(() => void scene.sang());

/** At least one line a row of the table of git's forms that only look. */
const LINES = `
status
status --short --branch --ignored --show-stash -uall
status --porcelain=v2 a.txt
diff
diff --stat --check
diff --cached --word-diff
diff HEAD~1 -- a.txt d.cmd
diff --name-only --exit-code main..side
log -p --all
log --stat -S one -3
log --oneline --graph --decorate signed
log --pretty=evil
log --format=%(trailers) -5
log -L1,1:a.txt
log --follow -p -- a.txt
show
show signed
show -p v1
show HEAD:a.txt
show --first-parent HEAD^1
shortlog -sne --all
ls-files -m -o -d --exclude-standard
ls-files -s -v
ls-tree -r -l HEAD
show-ref --head -d
for-each-ref --format=%(refname)%(contents)%(trailers)%(upstream:track)
branch
branch -a -v
branch --list m*
tag -l --format=%(refname)%(contents)
remote -v
reflog -5
reflog --all --date=iso
stash list
worktree list
version
--version`
  .trim()
  .split("\n")
  .map((line) => line.split(" "));

const folder = (cwd: string) => ({ cwd, env: gitEnv, folders: [scene.base] });

async function runHarmless(args: string[], cwd: string): Promise<{ status: number | null; out: string }> {
  const harmless = await harmlessGit({ args, ...folder(cwd) });
  if (!harmless.ok) throw new Error(`${args.join(" ")}: ${harmless.error}`);
  const { status, stdout, stderr } = spawnSync("git", harmless.value.args, {
    cwd,
    env: harmless.value.env,
    encoding: "utf8",
  });
  return { status, out: stdout + stderr };
}

const runPlain = (args: string[], cwd: string) =>
  spawnSync("git", args, { cwd, env: gitEnv, encoding: "utf8", timeout: 20_000 });

describe("a repository whose configuration runs programs", () => {
  for (const where of ["config", "include", "worktree"] as const) {
    it(`N5 no form that only looks runs any of them (${where})`, async () => {
      const dir = workTree(scene, `evil-${where}`);
      arm(scene, dir, where);
      for (const args of LINES) {
        expect(gitOperands(args.map((arg) => literalWord(arg))), args.join(" ")).toBeDefined();
        const { status, out } = await runHarmless(args, dir);
        expect(scene.sang(), args.join(" ")).toEqual([]);
        expect(status, `${args.join(" ")}: ${out}`).toBeLessThanOrEqual(1);
      }
      expect(existsSync(join(dir, ".git/index.lock"))).toBe(false);
    }, 60_000);
  }

  it("N5 the same repository runs them under plain git, so that the canaries can sing", () => {
    const dir = workTree(scene, "evil-plain");
    arm(scene, dir);
    const songs = new Set<string>();
    for (const args of LINES) {
      runPlain(args, dir);
      for (const song of scene.sang()) songs.add(song);
    }
    for (const song of [
      "fsmonitor",
      "external",
      "textconv",
      "clean",
      "clean-odd-name",
      "clean-no-name",
      "process",
      "gpg-openpgp",
    ])
      expect([...songs], song).toContain(song);
  });

  it("N5 says the same as plain git where nothing is hostile", async () => {
    const dir = workTree(scene, "plain");
    writeFileSync(join(dir, "a.txt"), "changed\n");
    for (const args of LINES.filter((l) => !l.includes("--pretty=evil"))) {
      const { status, out } = await runHarmless(args, dir);
      const plain = runPlain(args, dir);
      expect({ status, out }, args.join(" ")).toEqual({ status: plain.status, out: plain.stdout + plain.stderr });
    }
  });

  it("N5 our own look at the last commits runs nothing either", async () => {
    const dir = workTree(scene, "own");
    arm(scene, dir);
    const files = await recentFiles(dir, { env: { base: gitEnv, secrets: [] }, limitMs: 10_000 });
    expect([...(files ?? [])]).toContain("a.txt");
    expect(scene.sang()).toEqual([]);
  });

  it("N5 a filter whose name cannot be written on a command line is refused", async () => {
    const dir = workTree(scene, "odd-filter");
    writeFileSync(
      join(dir, ".git/config"),
      `${readFileSync(join(dir, ".git/config"), "utf8")}[filter "a=b"]\n  clean = ${scene.canary("equals")}\n`,
    );
    expect(await harmlessGit({ args: ["status"], ...folder(dir) })).toMatchObject({ ok: false });
  });

  it("N5 variables of git in the environment change nothing", async () => {
    const dir = workTree(scene, "variables");
    const env = {
      ...gitEnv,
      GIT_EXTERNAL_DIFF: scene.canary("env-external"),
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: scene.canary("env-fsmonitor"),
      GIT_TRACE: join(scene.base, "songs/trace"),
      GIT_DIR: join(scene.base, "elsewhere"),
    };
    writeFileSync(join(dir, "a.txt"), "x\n");
    const harmless = await harmlessGit({ args: ["diff"], cwd: dir, env, folders: [dir] });
    if (!harmless.ok) throw new Error(harmless.error);
    const { stdout } = spawnSync("git", harmless.value.args, { cwd: dir, env: harmless.value.env, encoding: "utf8" });
    expect(stdout).toContain("+x");
    expect(scene.sang()).toEqual([]);
  });

  it("N5 objects that are missing are not fetched", async () => {
    const source = workTree(scene, "source");
    git(source, "config", "uploadpack.allowFilter", "true");
    git(source, "config", "uploadpack.allowAnySHA1InWant", "true");
    const dir = join(scene.base, "partial");
    git(scene.base, "clone", "--filter=blob:none", "--no-checkout", `file://${source}`, dir);
    git(dir, "config", "remote.origin.uploadpack", `${scene.canary("uploadpack")} </dev/null; git-upload-pack`);
    git(dir, "config", "protocol.file.allow", "always");
    expect((await runHarmless(["log", "-p"], dir)).out).toMatch(/not allowed|missing|unable|could not/i);
    expect(scene.sang()).toEqual([]);
    runPlain(["log", "-p"], dir);
    expect(scene.sang()).toContain("uploadpack");
    git(dir, "config", "remote.origin.url", `ext::${scene.canary("ext")}`);
    git(dir, "config", "protocol.ext.allow", "always");
    await runHarmless(["log", "-p", "--all"], dir);
    expect(scene.sang()).toEqual([]);
  });

  it("N5 nothing is written: the index stays as it is", async () => {
    const dir = workTree(scene, "index");
    const index = join(dir, ".git/index");
    rmSync(join(dir, "a.txt"));
    git(dir, "checkout", "a.txt");
    writeFileSync(join(dir, "a.txt"), readFileSync(join(dir, "a.txt"))); // stat differs, content does not
    const before = { bytes: readFileSync(index), inode: statSync(index).ino };
    for (const args of [["status"], ["diff"], ["ls-files", "-m"]]) await runHarmless(args, dir);
    expect({ bytes: readFileSync(index), inode: statSync(index).ino }).toEqual(before);
  });
});

describe("a repository that leads elsewhere", () => {
  const secret = workTree(scene, "secret");
  const refusal = async (dir: string, folders = [dir]) => {
    const harmless = await harmlessGit({ args: ["log", "-p"], cwd: dir, env: gitEnv, folders });
    return harmless.ok ? undefined : harmless.error;
  };
  const fresh = (name: string): string => {
    const dir = join(scene.base, name);
    mkdirSync(dir);
    git(dir, "init");
    git(dir, "commit", "--allow-empty", "-m", "one");
    return dir;
  };

  it("N5 a bare repository that lies in the tree is not read", async () => {
    const dir = fresh("bare-in-tree");
    const bare = join(dir, "docs");
    git(scene.base, "clone", "--bare", secret, bare);
    writeFileSync(
      join(bare, "config"),
      `[core]\n bare = true\n fsmonitor = ${scene.canary("bare")}\n pager = ${scene.canary("bare-pager")}\n`,
    );
    expect((await runHarmless(["log"], bare)).out).toContain("bare repository");
    expect((await runHarmless(["log"], join(bare, "refs"))).out).toContain("bare repository");
    expect(scene.sang()).toEqual([]);
  });

  it.each<[string, (dir: string) => void]>([
    ["core.worktree", (dir) => git(dir, "config", "core.worktree", secret)],
    [
      "a .git file",
      (dir) => replaceGit(dir, () => writeFileSync(join(dir, ".git"), `gitdir: ${join(secret, ".git")}\n`)),
    ],
    ["a .git link", (dir) => replaceGit(dir, () => symlinkSync(join(secret, ".git"), join(dir, ".git")))],
    ["commondir", (dir) => writeFileSync(join(dir, ".git/commondir"), join(secret, ".git"))],
    ["alternates", (dir) => writeFileSync(join(dir, ".git/objects/info/alternates"), join(secret, ".git/objects"))],
    ["an included file", (dir) => git(dir, "config", "include.path", join(secret, ".git/config"))],
    ["core.attributesFile", (dir) => git(dir, "config", "core.attributesFile", join(secret, "a.txt"))],
    ["core.excludesFile", (dir) => git(dir, "config", "core.excludesFile", "~/secret")],
    ["mailmap.file", (dir) => git(dir, "config", "mailmap.file", join(secret, "a.txt"))],
    ["linked objects", (dir) => relink(dir, "objects")],
    ["linked refs", (dir) => relink(dir, "refs")],
    ["a linked log", (dir) => relink(dir, "logs/HEAD")],
    [
      "a rebase that was never begun",
      (dir) => {
        mkdirSync(join(dir, ".git/rebase-merge"));
        symlinkSync(join(secret, "a.txt"), join(dir, ".git/rebase-merge/done"));
      },
    ],
    [
      "a work tree's made-up name",
      (dir) => {
        mkdirSync(join(dir, ".git/worktrees/x"), { recursive: true });
        symlinkSync(join(secret, "a.txt"), join(dir, ".git/worktrees/x/gitdir"));
      },
    ],
  ])("N5 %s to outside is refused", async (name, lead) => {
    const dir = fresh(`leads-${name.replace(/\W+/g, "-")}`);
    expect(await refusal(dir)).toBeUndefined();
    lead(dir);
    expect(await refusal(dir)).toBeDefined();
  });

  const replaceGit = (dir: string, make: () => void) => {
    rmSync(join(dir, ".git"), { recursive: true });
    make();
  };
  const relink = (dir: string, part: string) => {
    renameSync(join(dir, ".git", part), join(dir, "kept-part"));
    symlinkSync(join(secret, ".git", part), join(dir, ".git", part));
  };

  it("N5 a work tree that git itself linked, and a submodule, are read though their git folder is elsewhere", async () => {
    const tree = join(scene.base, "linked");
    git(secret, "worktree", "add", "-b", "linked", tree);
    expect(await refusal(tree)).toBeUndefined();
    expect(await refusal(join(secret, "part"))).toBeUndefined();
    const harmless = await harmlessGit({ args: ["status"], cwd: tree, env: gitEnv, folders: [tree] });
    expect(harmless).toMatchObject({ ok: true, value: { reads: expect.arrayContaining([join(secret, ".git")]) } });
  });

  it("N5 a repository above the folder is not read, nor forms that do more than look", async () => {
    const dir = fresh("above");
    mkdirSync(join(dir, "below"));
    expect(await refusal(join(dir, "below"))).toBeDefined();
    for (const args of [
      ["commit"],
      ["-C", "/", "status"],
      ["-c", "a.b=c", "log"],
      ["grep", "-O", "x"],
      ["config", "-l"],
      [""],
    ])
      expect((await harmlessGit({ args, ...folder(dir) })).ok, args.join(" ")).toBe(false);
  });

  it("N5 outside of any repository git says so", async () => {
    expect((await runHarmless(["status"], scene.base)).out).toContain("not a git repository");
  });
});
