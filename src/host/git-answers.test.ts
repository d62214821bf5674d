// Git is asked about a folder once, and again as soon as something that its answer rests on is another.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { gitAnswers } from "./git-answers.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "everlong-answers-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A repository, and a git that counts how often it is asked. */
function place(name: string) {
  const home = join(base, name);
  const repo = join(home, "repo");
  mkdirSync(join(repo, "below"), { recursive: true });
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["init", "-q", repo], { env });
  const program = join(home, "counting-git");
  writeFileSync(program, `#!/bin/sh\necho x >> ${home}/asked\nexec git "$@"\n`, { mode: 0o755 });
  writeFileSync(join(home, "asked"), "");
  // Long after the last change, so that clocks of file systems do not matter.
  const now = (): number => Date.now() + 60_000;
  return {
    home,
    repo,
    config: join(repo, ".git/config"),
    async ask(cwd = repo, when = now) {
      const before = readFileSync(join(home, "asked"), "utf8").length;
      const answers = await gitAnswers({ cwd, env, program, now: when });
      const isAsked = readFileSync(join(home, "asked"), "utf8").length > before;
      return { isAsked, keys: answers.ok ? answers.value.config.map(({ key }) => key) : [], answers };
    },
  };
}

describe("N5 what git says of a folder", () => {
  it("is asked once, and a change of the index or of files asks nothing again", async () => {
    const { ask, repo } = place("once");
    expect((await ask()).isAsked).toBe(true);
    writeFileSync(join(repo, "a.txt"), "x");
    execFileSync("git", ["add", "."], { cwd: repo });
    expect(await ask()).toMatchObject({ isAsked: false, answers: { ok: true, value: { place: { root: repo } } } });
  });

  it.each<[string, (p: ReturnType<typeof place>) => void]>([
    ["its configuration", ({ config }) => appendFileSync(config, '[filter "evil"]\n  clean = ./evil\n')],
    [
      "its configuration, replaced by one of the same size",
      ({ config }) => {
        const text = readFileSync(config, "utf8");
        rmSync(config);
        writeFileSync(config, text);
      },
    ],
    ["the person's own configuration", ({ home }) => writeFileSync(join(home, ".gitconfig"), "[a]\n  b = c\n")],
    ["a configuration of the work tree", ({ repo }) => writeFileSync(join(repo, ".git/config.worktree"), "")],
    ["another repository's files", ({ repo }) => writeFileSync(join(repo, ".git/commondir"), "../.git\n")],
    ["a repository nearer to the folder", ({ repo }) => execFileSync("git", ["init", "-q", join(repo, "below")])],
    ["no repository any more", ({ repo }) => rmSync(join(repo, ".git"), { recursive: true })],
  ])("is asked again after a change: %s", async (what, change) => {
    const one = place(what.replace(/\W+/g, "-"));
    const below = join(one.repo, "below");
    await one.ask(below);
    expect((await one.ask(below)).isAsked).toBe(false);
    change(one);
    expect((await one.ask(below)).isAsked).toBe(true);
  });

  it("a repository that comes where there was none, and what a link leads to, are seen", async () => {
    const { ask, home } = place("link");
    await ask(home);
    expect((await ask(home)).isAsked).toBe(false);
    writeFileSync(join(home, "real"), "");
    symlinkSync("real", join(home, ".gitconfig"));
    await ask(home);
    expect((await ask(home)).isAsked).toBe(false);
    appendFileSync(join(home, "real"), '[filter "x"]\n  clean = ./x\n');
    expect((await ask(home)).keys).toContain("filter.x.clean");
    execFileSync("git", ["init", "-q", home]);
    expect(await ask(home)).toMatchObject({ isAsked: true, answers: { value: { place: { root: home } } } });
  });

  it("is never kept where a file that is not there yet may join, or while files have just changed", async () => {
    const { ask, config } = place("never");
    for (let n = 0; n < 3; n++) expect((await ask(undefined, () => Date.now())).isAsked).toBe(true);
    appendFileSync(config, "[include]\n  path = ../later.inc\n");
    for (let n = 0; n < 3; n++) expect((await ask()).isAsked).toBe(true);
  });
});
