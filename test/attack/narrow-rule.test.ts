// A rule for one command: it covers that command where the session works, and nothing that only begins like it.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { Place } from "../tool/everlong.ts";
import { sessionsOf } from "../tool/everlong.ts";
import { attack } from "./attack.ts";

/** A folder that holds everything a program would run by itself. */
function layPackage(folder: string, base: string): void {
  mkdirSync(join(folder, "sub"), { recursive: true });
  const script = `touch ${base}/OWNED`;
  execFileSync("git", ["init", "-q", folder]);
  execFileSync("git", ["config", "core.fsmonitor", script], { cwd: folder });
  for (const dir of [folder, join(folder, "sub")]) {
    writeFileSync(join(dir, "package.json"), JSON.stringify({ name: "x", scripts: { test: script, pretest: script } }));
    writeFileSync(join(dir, "Makefile"), `all test:\n\t${script}\n`);
    writeFileSync(join(dir, "evil.mk"), `all test:\n\t${script}\n`);
    writeFileSync(join(dir, ".npmrc"), `script-shell=${dir}/evil.sh\n`);
    writeFileSync(join(dir, "evil.sh"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
}

const RULES = ["npm test", "git status", "git log", "git diff", "make test", "cargo test", "go test", "touch allowed"];
const flags = RULES.flatMap((rule) => ["--allow-tool", `shell(${rule})`]);

const STRAYING = (there: string): string[] => [
  `cd ${there} && npm test`,
  `cd ${there}; npm test`,
  `cd ${there}\nnpm test`,
  `(cd ${there} && npm test)`,
  `pushd ${there} && npm test`,
  `cd ${there}/sub/.. && npm test`,
  `d=${there}; cd $d && npm test`,
  `cd "$(echo ${there})" && npm test`,
  `eval 'cd ${there}'; npm test`,
  `bash -c 'cd ${there} && npm test'`,
  `env -C ${there} npm test`,
  `npm test --prefix ${there}`,
  `npm test --prefix=${there}`,
  `npm --prefix ${there} test`,
  `npm test -C ${there}`,
  `npm test --userconfig ${there}/.npmrc`,
  `npm test --script-shell=${there}/evil.sh`,
  `npm test --node-options=--require=${there}/evil.js`,
  `npm test -w sub`,
  "npm test --workspaces",
  `npm test --script_shell=${there}/evil.sh`,
  "npm test --editor=./evil.sh",
  "npm test --viewer ./evil.sh",
  "git log --output=OWNED",
  "git log --outp OWNED",
  "git diff --no-index /dev/null ../outside/secret.txt",
  `npm test --prefi ${there}`,
  `npm test --prefi=${there}`,
  `npm test -prefix ${there}`,
  `npm test --script-she=${there}/evil.sh`,
  `npm_config_prefix=${there} npm test`,
  `export npm_config_prefix=${there}; npm test`,
  `find ${there} -maxdepth 0 -execdir npm test ';'`,
  `timeout 5 npm test --prefix ${there}`,
  `npm tes$'\\x{74}' --prefix ${there}`,
  `make test -C ${there}`,
  `make test -C${there}`,
  `make test -sC ${there}`,
  `make test --directory=${there}`,
  `make test -f ${there}/evil.mk`,
  `make test --file=${there}/evil.mk`,
  `make test --eval='$(shell touch OWNED)'`,
  `make test --dir=${there}`,
  `make test --eva='$(shell touch OWNED)'`,
  `make test -o -- -C ${there}`,
  "make test SHELL=./ls",
  "make test -- SHELL=./ls",
  `go test --toolexec=${there}/evil.sh ./...`,
  `go test -exec ${there}/evil.sh ./...`,
  `MAKEFLAGS=-C${there} make test`,
  `cargo test --manifest-path ${there}/Cargo.toml`,
  `cargo test --config ${there}/evil.toml`,
  `git -C ${there} status`,
  `git --git-dir=${there} status`,
  "git -c core.fsmonitor='touch OWNED' status",
  `cd ${there} && git status`,
  `GIT_DIR=${there} git status`,
  "touch allowed && touch OWNED",
  "touch allowed; touch $'allowed' OWNED2 && touch OWNED",
  "touch $'all\\x{6f}wed' OWNED",
  "touch {allowed,OWNED}",
  "touch allowe? OWNED",
  "touch 'allowed OWNED'",
  "find . $'\\x{2d}exec' touch OWNED ';' && touch allowed",
  "sort $'\\x{2d}o' OWNED f.txt; touch allowed",
  "touch allowed | cat $'\\x{2e}./outside/secret.txt'",
];

it("N6 SEC21 a rule holds in the session's folder only, without options that lead elsewhere", async () => {
  const here = ["touch allowed", "touch allowed | tail -20", "cd . && touch allowed"];
  const tried = (place: Place): string[] => {
    const there = join(place.folder, "there");
    return [...here, ...STRAYING(there)];
  };
  const { ran, changes, leaks } = await attack(tried, flags, (place) =>
    layPackage(join(place.folder, "there"), dirname(place.home)),
  );
  expect(ran).toEqual(here.toSorted());
  expect(changes).toEqual(["+ work/allowed"]);
  expect(leaks).toEqual([]);
});

it("N6 A7.5 the session's own folder takes notes unasked, and nothing that a program would run by itself", async () => {
  const names = [
    "package.json",
    "Makefile",
    "GNUmakefile",
    ".npmrc",
    ".git/config",
    ".git",
    "HEAD",
    "config",
    ".yarnrc.yml",
  ];
  names.push(
    "Cargo.toml",
    "sub/package.json",
    "node_modules/x/index.js",
    "pyproject.toml",
    "conftest.py",
    "vite.config.ts",
    "meson.build",
    "flake.nix",
    "SConstruct",
    "mix.exs",
    "Package.swift",
    "MODULE.bazel",
    "x.csproj",
    "Gruntfile.js",
    "phpunit.xml",
  );
  const { place, ran, results } = await attack((_place, sessionDir) => {
    const create = (name: string) => ({
      name: "create",
      args: { path: join(sessionDir, "files", name), file_text: "x" },
    });
    return [create("note.md"), create("result.json"), ...names.map(create)];
  });
  const [id = ""] = sessionsOf(place);
  expect(ran.length, [...results.values()].join("\n")).toBe(2);
  expect(readdirSync(join(place.home, "sessions", id, "files"))).toEqual(["note.md", "result.json"]);
});

it("N6 a rule for a command does not cover a file that the session wrote into its own folder", async () => {
  const tried = (_place: Place, sessionDir: string) => {
    const path = join(sessionDir, "files/test_evil.py");
    return [
      { name: "create", args: { path, file_text: "x" } },
      "touch allowed",
      `touch ${path}`,
      `touch allowed ${path}`,
      `touch --reference=${path} allowed`,
      `touch ${path}::test_one`,
      `touch -- allowed ${sessionDir}/files/../files/test_evil.py`,
      `cd . && touch ${path}`,
      `ln -s ${sessionDir}/files f && touch f/test_evil.py`,
    ];
  };
  const flags = ["--allow-tool", "shell(touch)", "--allow-tool", "shell(ln)"];
  const { ran, results } = await attack(tried, flags);
  expect(ran.map((line) => (line.startsWith("{") ? "create" : line))).toEqual(["touch allowed", "create"]);
  const refused = [...results.values()].filter((text) => text.includes("Denied"));
  expect(refused.length).toBe(7);
  for (const text of refused) expect(text).toContain("own folder");
});
