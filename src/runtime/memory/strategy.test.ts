// The work tree as a session gets it: what the last commits touched, asked of git at most once for each commit.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { treeOf } from "./strategy.ts";

/** A busy machine must not decide what is tested. */
const LONG_MS = 60_000;
const env = { PATH: process.env["PATH"], HOME: "/nonexistent" };

function repository(): { root: string; git: (...args: string[]) => void; commit: (path: string) => void } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "everlong-recent-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ["src", "doc"]) mkdirSync(join(root, folder));
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: root, stdio: "ignore" });
  const commit = (path: string): void => {
    writeFileSync(join(root, path), path);
    git("add", path);
    git("commit", "-q", "-m", path);
  };
  git("init", "-q");
  return { root, git, commit };
}

it("M46 near is what one of the last 50 commits touched, learned anew with each commit", async () => {
  const { root, git, commit } = repository();
  commit("doc/old.md");
  for (let n = 0; n < 49; n++) git("commit", "-q", "--allow-empty", "-m", String(n));
  const tree = treeOf({ root, env, secrets: [] }, join(root, "src"), LONG_MS);
  const near = () => ["src/x.ts", "doc/old.md", "doc/né w.md"].map((path) => tree.isNear(path));
  expect(near()).toEqual([true, false, false]);
  await tree.look?.();
  expect(near()).toEqual([true, true, false]);
  commit("doc/né w.md");
  await tree.look?.();
  expect(near()).toEqual([true, false, true]);
});

it("M46 without git, without a commit or in too little time it is not known, and nothing fails", async () => {
  const { root, commit } = repository();
  const tree = treeOf({ root, env, secrets: [] }, join(root, "src"), LONG_MS);
  await tree.look?.();
  expect(tree.isNear("doc/a.md")).toBe(false);
  commit("doc/a.md");
  const noGit = treeOf({ root, env: { PATH: join(root, "doc") }, secrets: [] }, join(root, "src"), LONG_MS);
  await noGit.look?.();
  expect(noGit.isNear("doc/a.md")).toBe(false);
  const slow = `${root}-bin`; // outside of the project: its own programs are never started
  mkdirSync(slow);
  writeFileSync(join(slow, "git"), "#!/bin/sh\nprintf 'doc/a.md\\0'\nexec sleep 1000\n");
  chmodSync(join(slow, "git"), 0o755);
  const late = treeOf({ root, env: { PATH: `${slow}:${env.PATH}` }, secrets: [] }, join(root, "src"), 50);
  await late.look?.();
  expect(late.isNear("doc/a.md")).toBe(false);
});

it("M46 M51 nothing that the repository's configuration names is started", async () => {
  const { root, git, commit } = repository();
  const signer = join(root, "signer.sh");
  writeFileSync(
    signer,
    "#!/bin/sh\ncat >/dev/null\necho '-----BEGIN PGP SIGNATURE-----'\necho '-----END PGP SIGNATURE-----'\necho '[GNUPG:] SIG_CREATED ' >&2\n",
  );
  chmodSync(signer, 0o755);
  git("config", "gpg.program", signer);
  git("config", "commit.gpgSign", "true");
  commit("doc/a.md");
  const ran = join(root, "ran");
  const evil = join(root, "evil.sh");
  writeFileSync(evil, `#!/bin/sh\ntouch '${ran}'\n`);
  chmodSync(evil, 0o755);
  for (const key of ["gpg.program", "core.pager", "diff.external", "core.fsmonitor", "core.sshCommand"])
    git("config", key, evil);
  git("config", "log.showSignature", "true");
  const tree = treeOf({ root, env, secrets: [] }, join(root, "src"), LONG_MS);
  await tree.look?.();
  expect(tree.isNear("doc/a.md")).toBe(true);
  expect(existsSync(ran)).toBe(false);
});
