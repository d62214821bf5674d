// Repositories that try to run something: every setting of git that names a program names a canary, which leaves a file.
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type HostileScene = {
  base: string;
  /** The canaries that sang since the last call. */
  sang: () => string[];
  canary: (name: string) => string;
  end: () => void;
};

export const gitEnv: Record<string, string> = {
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
};

export function git(cwd: string, ...args: string[]): string {
  const own = [
    "user.name=t",
    "user.email=t@t",
    "init.defaultBranch=main",
    "protocol.file.allow=always",
    "commit.gpgSign=false",
  ];
  return execFileSync("git", [...own.flatMap((s) => ["-c", s]), ...args], {
    cwd,
    env: gitEnv,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

export function hostileScene(): HostileScene {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "everlong-hostile-")));
  const songs = join(base, "songs");
  mkdirSync(songs);
  mkdirSync(join(base, "bin"));
  return {
    base,
    canary: (name) => {
      const path = join(base, "bin", name);
      // Some are fed and must pass on what they get, or git gives up before the next one.
      writeFileSync(path, `#!/bin/sh\n: > '${join(songs, name)}'\n[ -t 0 ] || cat\n`);
      chmodSync(path, 0o755);
      return path;
    },
    sang: () => {
      const names = readdirSync(songs);
      for (const name of names) rmSync(join(songs, name));
      return names.sort();
    },
    end: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** A section of a configuration file for each place where a program can be named. */
export function hostileConfig({ canary }: HostileScene): string {
  const c = (name: string) => canary(name).replaceAll("\\", "\\\\");
  return `
[core]
  fsmonitor = ${c("fsmonitor")}
  hooksPath = ${c("hook").replace(/\/hook$/, "")}
  pager = ${c("pager")}
  editor = ${c("editor")}
  sshCommand = ${c("ssh")}
  askPass = ${c("askpass")}
  gitProxy = ${c("proxy")}
  alternateRefsCommand = ${c("alternate-refs")}
[sequence]
  editor = ${c("sequence-editor")}
[credential]
  helper = ${c("credential")}
[diff]
  external = ${c("external")}
  submodule = diff
[diff "evil"]
  textconv = ${c("textconv")}
[diff "evil2"]
  command = ${c("diff-command")}
[filter "evil"]
  clean = ${c("clean")}
  smudge = ${c("smudge")}
  required = true
[filter "e-v.i\\"l"]
  clean = ${c("clean-odd-name")}
[filter ""]
  clean = ${c("clean-no-name")}
[filter "long"]
  process = ${c("process")}
[merge "evil"]
  driver = ${c("merge-driver")} %A
[gpg]
  program = ${c("gpg")}
[gpg "openpgp"]
  program = ${c("gpg-openpgp")}
[gpg "ssh"]
  program = ${c("gpg-ssh")}
  defaultKeyCommand = ${c("gpg-key")}
[gpg "x509"]
  program = ${c("gpg-x509")}
[log]
  showSignature = true
  diffMerges = remerge
[format]
  pretty = %h %G?
[pretty]
  evil = %G?
[status]
  submoduleSummary = true
[submodule]
  recurse = true
[pager]
  status = ${c("pager-status")}
  log = ${c("pager-log")}
  diff = ${c("pager-diff")}
  branch = ${c("pager-branch")}
[alias]
  status = !${c("alias-status")}
  log = !${c("alias-log")}
[trailer "x"]
  command = ${c("trailer")}
[trace2]
  normalTarget = ${c("trace").replace(/\/bin\/trace$/, "/songs/trace2")}
[protocol]
  allow = always
[protocol "ext"]
  allow = always
[uploadpack]
  packObjectsHook = ${c("pack-objects")}
[browser "x"]
  cmd = ${c("browser")}
`;
}

const ATTRIBUTES = `*.txt filter=evil diff=evil merge=evil
*.odd filter=e-v.i"l
*.none filter=
*.long filter=long
*.cmd diff=evil2
`;

/** A work tree with changes of every kind, a signed commit, a merge and a submodule; harmless until it is armed. */
export function workTree(scene: HostileScene, name: string): string {
  const dir = join(scene.base, name);
  const part = join(scene.base, `${name}-part`);
  for (const folder of [dir, part]) {
    mkdirSync(folder);
    git(folder, "init");
    for (const file of ["a.txt", "b.odd", "c.long", "d.cmd", "e.none"]) writeFileSync(join(folder, file), "one\n");
    git(folder, "add", ".");
    git(folder, "commit", "-m", "first\n\nx: y");
  }
  git(dir, "submodule", "add", part, "part");
  git(dir, "commit", "-m", "part");
  git(dir, "checkout", "-b", "side");
  writeFileSync(join(dir, "a.txt"), "side\n");
  git(dir, "commit", "-am", "side");
  git(dir, "checkout", "main");
  writeFileSync(join(dir, "a.txt"), "main\n");
  git(dir, "commit", "-am", "main");
  spawnSync("git", ["merge", "side"], { cwd: dir, env: gitEnv });
  writeFileSync(join(dir, "a.txt"), "both\n");
  git(dir, "commit", "-am", "merged");
  git(dir, "tag", "-m", "tagged", "v1");
  git(dir, "update-ref", "refs/heads/signed", signedCommit(dir));
  git(dir, "stash", "store", "-m", "kept", git(dir, "commit-tree", "-p", "HEAD", "-m", "kept", "HEAD^{tree}"));
  return dir;
}

function signedCommit(dir: string): string {
  const [head = "", ...message] = git(dir, "cat-file", "commit", "HEAD").split("\n\n");
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----";
  const input = `${head}\n${signature}\n\n${message.join("\n\n")}\n`;
  return execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], {
    cwd: dir,
    env: gitEnv,
    input,
    encoding: "utf8",
  }).trim();
}

/** Puts the configuration and attributes into the repository, its submodule included, and makes git look at every file anew. */
export function arm(scene: HostileScene, dir: string, where: "config" | "include" | "worktree" = "config"): void {
  const config = hostileConfig(scene);
  for (const hook of ["post-index-change", "reference-transaction", "post-checkout"]) scene.canary(hook);
  const gitDir = git(dir, "rev-parse", "--absolute-git-dir");
  const commonDir = join(dir, git(dir, "rev-parse", "--git-common-dir"));
  if (where === "config") appendFileSync(join(gitDir, "config"), config);
  if (where === "include") {
    writeFileSync(join(dir, "evil.inc"), config);
    appendFileSync(
      join(gitDir, "config"),
      `[includeIf "gitdir:${base(gitDir)}/**"]\n  path = ${join(dir, "evil.inc")}\n`,
    );
  }
  if (where === "worktree") {
    git(dir, "config", "extensions.worktreeConfig", "true");
    writeFileSync(join(gitDir, "config.worktree"), config);
  }
  appendFileSync(join(commonDir, "modules/part/config"), hostileConfig(scene));
  for (const folder of [dir, join(dir, "part")]) {
    writeFileSync(join(folder, ".gitattributes"), ATTRIBUTES);
    for (const file of ["a.txt", "b.odd", "c.long", "d.cmd", "e.none"]) writeFileSync(join(folder, file), "two\n");
  }
  scene.sang();
}

const base = (gitDir: string): string => gitDir.replace(/\/[^/]+$/, "");
