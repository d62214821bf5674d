// What is read from git's files must be what git itself says.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { gitContext, repositoryKey, repositoryOf } from "./git.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "everlong-git-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main", ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

function repository(name: string): string {
  const dir = join(base, name);
  mkdirSync(join(dir, "deep/er"), { recursive: true });
  git(dir, "init");
  git(dir, "commit", "--allow-empty", "-m", "one");
  git(dir, "remote", "add", "origin", "https://user:s3cret@example.com/owner/name.git");
  return dir;
}

describe("gitContext", () => {
  it("reads root, repository, branch and commit from a folder below the root", () => {
    const dir = repository("plain");
    git(dir, "switch", "-c", "feature/x");
    const context = gitContext(join(dir, "deep/er"));
    expect(context).toEqual({
      cwd: join(dir, "deep/er"),
      gitRoot: dir,
      repository: "example.com/owner/name",
      branch: "feature/x",
      headCommit: git(dir, "rev-parse", "HEAD"),
    });
    expect(JSON.stringify(context)).not.toContain("s3cret");
  });

  it("reads packed refs, a detached head, a worktree and a repository without commits", () => {
    const dir = repository("packed");
    const head = git(dir, "rev-parse", "HEAD");
    git(dir, "pack-refs", "--all");
    expect(gitContext(dir)).toMatchObject({ branch: "main", headCommit: head });
    git(dir, "worktree", "add", "-b", "side", join(base, "tree"));
    expect(gitContext(join(base, "tree"))).toMatchObject({
      gitRoot: join(base, "tree"),
      repository: "example.com/owner/name",
      branch: "side",
      headCommit: head,
    });
    git(dir, "checkout", "--detach");
    expect(gitContext(dir)).toEqual({ cwd: dir, gitRoot: dir, repository: "example.com/owner/name", headCommit: head });
    const empty = join(base, "empty");
    mkdirSync(empty);
    git(empty, "init");
    expect(gitContext(empty)).toEqual({ cwd: empty, gitRoot: empty, branch: "main" });
  });

  it("is only the folder outside of git or when .git is nonsense", () => {
    const dir = join(base, "nonsense");
    mkdirSync(dir);
    writeFileSync(join(dir, ".git"), "\0\0what");
    expect(gitContext(dir)).toEqual({ cwd: dir });
    expect(gitContext(join(base, "gone"))).toEqual({ cwd: join(base, "gone") });
  });
});

describe("repositoryOf", () => {
  it.each([
    ["git@github.com:owner/name.git", "owner/name"],
    ["ssh://git@host:2222/owner/name", "owner/name"],
    ["https://token@host/group/sub/name.git/", "group/sub/name"],
    ["host:owner/name", "owner/name"],
    ["/srv/git/name.git", undefined],
    ["file:///srv/git/name.git", undefined],
    ["../other", undefined],
    ["https://host/", undefined],
    ["", undefined],
  ])("%s is %s", (url, expected) => expect(repositoryOf(url)).toBe(expected));
});

describe("repositoryKey", () => {
  const withRemotes = (name: string, remotes: Record<string, string>): string => {
    const dir = join(base, name);
    mkdirSync(join(dir, "below"), { recursive: true });
    git(dir, "init");
    git(dir, "commit", "--allow-empty", "-m", "one");
    for (const [remote, url] of Object.entries(remotes)) git(dir, "remote", "add", remote, url);
    return dir;
  };

  it.each([
    ["https://user:s3cret@github.com/Owner/Name.git", "owner/name"],
    ["git@github.com:Owner/Name.git", "owner/name"],
    ["ssh://git@GitHub.com:22/Owner/Name", "owner/name"],
    ["https://gitlab.example.com/Group/Sub/Name.git", "gitlab.example.com/group/sub/name"],
    ["git@gitlab.example.com:group/name", "gitlab.example.com/group/name"],
  ])("M84 %s is %s", (url, key) => {
    const dir = withRemotes(`key-${key.replaceAll("/", "-")}-${url.length}`, { origin: url });
    expect(repositoryKey(join(dir, "below"))).toBe(key);
    expect(gitContext(dir).repository, "a session names it as memories do").toBe(key);
  });

  it("M84 origin comes before upstream, upstream before the first by name", () => {
    const b = "https://github.com/b/b";
    const u = "https://github.com/u/u";
    expect(repositoryKey(withRemotes("r1", { zeta: b, upstream: u }))).toBe("u/u");
    expect(repositoryKey(withRemotes("r2", { zeta: u, alpha: b }))).toBe("b/b");
    expect(repositoryKey(withRemotes("r3", { upstream: u, origin: b }))).toBe("b/b");
  });

  it("M84 without a remote it is the main work tree's folder, outside of git the folder", () => {
    const dir = withRemotes("none", {});
    git(dir, "worktree", "add", "-b", "other", join(base, "none-tree"));
    expect(repositoryKey(join(dir, "below"))).toBe(`local:${dir}`);
    expect(repositoryKey(join(base, "none-tree"))).toBe(`local:${dir}`);
    expect(repositoryKey(base)).toBe(`local:${base}`);
  });
});
