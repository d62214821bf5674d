// Command lines that hide what they do: every part is judged, and what was not allowed did not run.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { calls, text } from "../model-server/reply.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { logOf, only, type Place, placeFor, run } from "../tool/everlong.ts";
import { treeChanges, treeOf } from "../tool/tree-hash.ts";

let server: ModelServer;
afterEach(() => server.close());

/** Runs all lines in one step; gives what became of each, and what changed in the folder. */
async function lines(commands: string[], args: string[]): Promise<{ place: Place; ran: string[]; changes: string[] }> {
  server = await startModelServer();
  server.script(
    calls(commands.map((command, n) => ({ id: `c${n}`, name: "bash", args: { command, description: "x" } }))),
    text("went on"),
  );
  const place = placeFor(server);
  execFileSync("git", ["init", "-q", place.folder]);
  mkdirSync(join(place.folder, "x"));
  writeFileSync(join(place.folder, "x", "kept.txt"), "kept\n");
  writeFileSync(join(place.folder, "f.txt"), "b\na\n");
  const before = treeOf(place.folder);
  const done = await run(place, ["-p", "go", ...args]);
  expect(done.code, done.stderr).toBe(0);
  const results = only(logOf(place), "tool.execution_complete").map((e) => e.data);
  expect(results.length).toBe(commands.length);
  const ran = results
    .filter((r) => r.resultType !== "denied")
    .map((r) => commands[Number(r.toolCallId.slice(1))] ?? "");
  return { place, ran, changes: treeChanges(before, treeOf(place.folder)).filter((c) => !c.includes(".git")) };
}

const hidden = [
  "git status && rm -rf x",
  "git status; rm -rf x",
  "git status || rm -rf x",
  "git status | xargs rm -rf x",
  "git status & rm -rf x",
  "git status\nrm -rf x",
  "git status $(rm -rf x)",
  "git status `rm -rf x`",
  "git status <(rm -rf x)",
  "git status > x/kept.txt",
  "git status >> x/kept.txt",
  "(git status; rm -rf x)",
  "{ git status; rm -rf x; }",
  "if git status; then rm -rf x; fi",
  'git status "$(rm -rf x)"',
  "git() { rm -rf x; }; git status",
  "alias git='rm -rf x'; git status",
  "eval 'git status; rm -rf x'",
  "bash -c 'rm -rf x'",
  "env rm -rf x",
  "\\rm -rf x",
  "r''m -rf x",
  "$'\\x72m' -rf x",
  "{rm,-rf,x}",
  "git status #\nrm -rf x",
  "git status\r\nrm -rf x",
  "PATH=.:$PATH git status",
  "GIT_PAGER='rm -rf x' git status",
  "gitea status",
];

describe("shell lines", () => {
  it("B51 AB15 A7.10 under shell(git status): each part is judged, rm is denied, nothing ran", async () => {
    const { ran, changes } = await lines(["git status", ...hidden], ["--allow-tool", "shell(git status)"]);
    expect(ran).toEqual(["git status"]);
    expect(changes).toEqual([]);
  });

  it("AB15 AI8 under shell(git:*) and a write rule the same: only git itself", async () => {
    const { ran, changes } = await lines(["git status", ...hidden.slice(0, 16)], ["--allow-tool", "shell(git:*)"]);
    expect(ran).toEqual(["git status"]);
    expect(changes).toEqual([]);
  });

  it("B52 A7.11 SEC22 lines that only seem to read are never read-only: denied when nobody can be asked", async () => {
    const seeming = [
      "rg --pre 'touch pwned' a",
      "rg --hostname-bin 'touch pwned' a",
      "sed -n 'w pwned' f.txt",
      "sed -i s/a/b/ f.txt",
      "awk 'BEGIN{system(\"touch pwned\")}'",
      "find . -exec touch pwned ;",
      "find . -delete",
      "find . -fprint pwned",
      "git -c core.pager='touch pwned' log",
      "git -c alias.x='!touch pwned' x",
      "git grep -O'touch pwned' a",
      "git log --output=pwned",
      "git diff --ext-diff",
      "sort -o pwned f.txt",
      "cat f.txt | tee pwned",
      "ls | xargs touch",
      "FOO=x ls",
      "LD_PRELOAD=./x.so ls",
      "env touch pwned",
      "nice touch pwned",
      "timeout 5 touch pwned",
      "sh -c 'touch pwned'",
      "man -P 'touch pwned' ls",
      "tar -cf pwned f.txt",
      "curl -o pwned http://127.0.0.1:9/",
      "date -s 2020-01-01",
      "cat f.txt &",
      "cat < f.txt > pwned",
    ];
    const { ran, changes } = await lines(["cat f.txt", ...seeming], []);
    expect(ran).toEqual(["cat f.txt"]);
    expect(changes).toEqual([]);
  });

  it("AE7 SEC19 deny rules hold under --allow-all, whatever the line hides them in", async () => {
    const { ran, changes } = await lines(
      ["rm -rf x", "env rm -rf x", "echo a; rm -rf x", "bash -c 'rm -rf x'", "echo fine"],
      ["--allow-all", "--deny-tool", "shell(rm)"],
    );
    expect(ran).toEqual(["echo fine"]);
    expect(changes).toEqual([]);
  });

  it("AB14 a command that waits for a password or for input fails or ends: stdin is closed, the turn goes on", async () => {
    const { place, ran } = await lines(
      [
        "read -r -s -p 'Password: ' x; echo \"read said $?\"",
        "cat; echo after-cat",
        'read -r x < /dev/tty; echo "tty said $?"',
        "sudo -S true; echo sudo-done",
        "python3 -c 'input()'; echo python-done",
      ],
      ["--allow-all"],
    );
    expect(ran.length).toBe(5);
    const results = only(logOf(place), "tool.execution_complete").map((e) => e.data);
    for (const [n, word] of ["read said 1", "after-cat", "tty said 1", "sudo-done", "python-done"].entries()) {
      expect(results.find((r) => r.toolCallId === `c${n}`)?.result.content).toContain(word);
    }
    expect(existsSync(join(place.folder, "x"))).toBe(true);
  });
});
