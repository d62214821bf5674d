// The proof of each row of the read-only table: the real program, with every option of its row, among links that lead out.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { treeChanges, treeOf } from "../../../test/tool/tree-hash.ts";
import { ripgrepPath } from "../../host/ripgrep.ts";
import { makePlace } from "../test-place.ts";
import type { Form } from "./options.ts";
import { READ_ONLY, readOnlyPaths } from "./read-only.ts";
import { literalWord } from "./word.ts";

const SECRET = "CANARY-71bd";
const place = makePlace();
place.file("elsewhere/secret.txt", `${SECRET}\n`);
place.file("project/one.txt", "b 2\na 1\nCANARY\n");
place.file("project/two.txt", "b 2\nc 3\n");
place.file("project/src/deep.txt", "CANARY\n");
mkdirSync(join(place.root, "links"));
symlinkSync(join(place.base, "elsewhere"), join(place.root, "links/folder"));
symlinkSync(join(place.base, "elsewhere/secret.txt"), join(place.root, "links/file"));
symlinkSync("/proc/self/environ", join(place.root, "links/variables"));

const BUILTINS = new Set(["cd", "pwd", "true", "false"]);
const VALUES: Record<string, string> = { t: ",", e: "CANARY", regexp: "CANARY", s: "x", f: "1", c: "1", b: "1" };

function optionsOf({ flags = "", values = "", long = "" }: Form): string[][] {
  const value = (name: string): string => VALUES[name] ?? "1";
  return [
    [],
    ...[...flags].map((letter) => [`-${letter}`]),
    ...[...values].flatMap((letter) => [[`-${letter}`, value(letter)], [`-${letter}${value(letter)}`]]),
    ...long
      .split(" ")
      .filter(Boolean)
      .map((name) => [name.endsWith("=") ? `--${name}${value(name.slice(0, -1))}` : `--${name}`]),
  ];
}

function operandsFor({ operands, most = 9 }: Form, name: string): string[][] {
  if (operands === "none") return [[]];
  if (operands === "text") return [[name === "date" ? "+%s" : name === "sleep" || name === "seq" ? "0" : "x"]];
  const paths = [["one.txt", "two.txt"].slice(0, most), ["."]];
  return operands === "pattern" ? paths.map((p) => ["-r", "CANARY", ...p].slice(name === "rg" ? 1 : 0)) : paths;
}

const installed = (name: string): string =>
  ["/usr/bin", "/bin"].map((folder) => join(folder, name)).find((path) => existsSync(path)) ??
  (name === "rg" ? ripgrepPath() : "");

/** What each call prints, told apart by a mark. One shell runs them all: a process of ours for each would cost the most. */
function outputsOf(program: string, calls: readonly string[][]): string[] {
  const mark = "\u0001next\u0001";
  const script = `program=$1; shift
    while [ $# -gt 0 ]; do
      n=$1; shift
      timeout 10 "$program" "\${@:1:n}" 2>&1 </dev/null
      printf '${mark}'
      shift "$n"
    done`;
  const args = calls.flatMap((argv) => [String(argv.length), ...argv]);
  const env = { PATH: "/usr/bin:/bin", CANARY: SECRET, HOME: place.userHome };
  const run = spawnSync("/bin/bash", ["--norc", "-c", script, "bash", program, ...args], {
    cwd: place.root,
    env,
    encoding: "latin1",
    maxBuffer: 256 * 1024 * 1024,
  });
  return run.stdout.split(mark).slice(0, -1);
}

describe("N4 SEC22 every row of the table, tried with the real program", () => {
  const rows = Object.entries(READ_ONLY)
    .filter(([name]) => !BUILTINS.has(name))
    .map(([name, row]) => ({ name, row, program: installed(name) }));
  for (const { name } of rows.filter(({ program }) => program === ""))
    it.skip(`N4 skipped: ${name} is not installed here, so its row is not proved on this machine`);
  it.each(rows.filter(({ program }) => program !== ""))(
    "N4 $name writes nothing, shows no variable and follows no link, whatever option of its row it has",
    ({ name, row, program }) => {
      const before = treeOf(place.base);
      const calls = optionsOf(row)
        .flatMap((options) => operandsFor(row, name).map((operands) => [...options, ...operands]))
        .filter((argv) => readOnlyPaths([name, ...argv].map(literalWord)));
      expect(calls.length).toBeGreaterThan(0);
      const shown = outputsOf(program, calls);
      expect(shown).toHaveLength(calls.length);
      expect(calls.filter((_argv, n) => shown[n]?.includes(SECRET))).toEqual([]);
      expect(treeChanges(before, treeOf(place.base))).toEqual([]);
    },
  );

  it.each([
    ["cat", "--output=x"],
    ["cksum", "-c", "--check", "-a"],
    ["cmp", "-i1x"],
    ["date", "-s", "--set=x", "-f", "--file=x", "-r", "--reference=x", "0101"],
    ["diff", "-r", "-N", "--recursive", "--new-file", "--from-file=x", "--to-file=x", "-X", "--exclude-from=x", "-x"],
    ["du", "-L", "-D", "-H", "--dereference", "-X", "--exclude-from=x", "--files0-from=x"],
    ["grep", "-R", "-f", "--file=x", "-S", "-O", "--dereference-recursive", "--exclude-from=x", "-D", "-d"],
    ["ls", "-L", "-H", "--dereference", "--dereference-command-line"],
    ["md5sum", "-c", "--check"],
    ["sha256sum", "-c", "--check"],
    [
      "rg",
      "-L",
      "--follow",
      "-f",
      "--file=x",
      "--pre=x",
      "--pre",
      "--hostname-bin=x",
      "-z",
      "--search-zip",
      "--ignore-file=x",
    ],
    ["rg", "--hyperlink-format=x", "--type-add=x:include:y", "--debug", "--trace", "--generate=man"],
    [
      "sort",
      "-o",
      "-ox",
      "--output=x",
      "-T",
      "--temporary-directory=x",
      "--compress-program=x",
      "--files0-from=x",
      "-S",
    ],
    ["sort", "--random-source=x", "--out=x", "--comp=x", "--batch-size=2", "--parallel=2"],
    ["stat", "-L", "-f", "--dereference"],
    ["tail", "-f", "-F", "--follow", "--pid=1", "--retry"],
    ["tree", "-l", "-o", "--fromfile", "-R", "-H", "--gitfile=x", "--infofile=x", "--info"],
    ["uniq", "--files0-from=x"],
    ["wc", "--files0-from=x"],
  ])("N4 %s does not pass with %s and the like", (name, ...options) => {
    for (const option of options)
      for (const argv of [
        [name, option, "one.txt"],
        [name, "one.txt", option],
        [name, option, "one.txt", "two.txt"],
      ])
        expect({ argv, looks: readOnlyPaths(argv.map(literalWord)) !== undefined }).toEqual({ argv, looks: false });
  });

  it("N4 programs with a language of their own, and those that other files choose, have no row", () => {
    const left = "awk jq sed perl python node yarn cargo npm less man column file df env printenv xargs tee dd od xxd";
    for (const name of left.split(" ")) expect(readOnlyPaths([literalWord(name), literalWord("x")])).toBeUndefined();
  });

  it("N4 diff and cmp take files only: in folders they would follow links", async () => {
    expect((await place.shell("diff one.txt two.txt")).type).toBe("allow");
    for (const line of ["diff src links", "diff one.txt src", "diff . one.txt", "cmp . one.txt"])
      expect({ line, type: (await place.shell(line)).type }).toEqual({ line, type: "ask" });
  });
});
