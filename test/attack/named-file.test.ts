// Options that name a file of their own: what they would read, run or write is judged as any other path is.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attack } from "./attack.ts";

const OUT = "../outside/secret.txt";

const FREE = "wc -l f.txt";

/** The first may run. Each other one reads, runs or writes something by an option, a list or a place that is not the command's first argument. */
const LINES = [
  FREE,
  `wc --files0-from=${OUT}`,
  `du --files0-from=${OUT}`,
  `sort --files0-from=${OUT}`,
  "sort --compress-program=./cat -S1 f.txt",
  "sort -T ../outside f.txt",
  "sort --random-source=../outside/secret.txt -R f.txt",
  `find -files0-from ${OUT}`,
  `find . -newer ${OUT}`,
  "find . -samefile ../outside/secret.txt",
  `grep -f ${OUT} README.md`,
  `grep --file=${OUT} README.md`,
  `grep --exclude-from=${OUT} -r foo .`,
  `rg -f ${OUT} README.md`,
  `rg --ignore-file ${OUT} foo`,
  "rg --hostname-bin ./cat foo",
  "rg --pre ./cat --pre-glob '*' foo",
  "rg -L CANARY .",
  "grep -R CANARY .",
  `diff --from-file=${OUT} f.txt`,
  `diff -X ${OUT} left right`,
  `file -f ${OUT}`,
  `file -m ${OUT} f.txt`,
  `date -f ${OUT}`,
  `date --file=${OUT}`,
  `date -r ${OUT}`,
  `tree --fromfile ${OUT}`,
  "tree -l",
  "tree -o OWNED",
  "ls -L out right",
  "ls -R --dereference-command-line out",
  "stat -L out/secret.txt",
  "head -c 100 out/deep/../secret.txt",
  "tail -n 5 second/secret.txt",
  "cat <&3 3<../outside/secret.txt",
  "cat 0<../outside/secret.txt",
  "cat /proc/self/cwd/../outside/secret.txt",
  "cat /dev/fd/../../proc/self/environ",
  "cat /proc/thread-self/environ",
  "git grep --open-files-in-pager=./cat foo",
  "git grep -O./cat foo",
  "git grep --no-index CANARY ../outside",
  `git grep -f ${OUT}`,
  `git blame --contents ${OUT} f.txt`,
  `git blame -S ${OUT} f.txt`,
  `git blame --ignore-revs-file=${OUT} f.txt`,
  `git ls-files -X ${OUT}`,
  `git ls-files --exclude-from=${OUT} -o`,
  `git status --pathspec-from-file=${OUT}`,
  `git diff -O${OUT}`,
  `git log --mailmap -O${OUT}`,
  "git diff --ext-diff",
  "git log -p --textconv",
  `git diff --no-index /dev/null ${OUT}`,
  "git --exec-path=. status",
  "git --paginate log",
  "git -p log",
  "git --attr-source=HEAD log",
  "git show --output OWNED",
  "git log --output OWNED -1",
  "git shortlog --output=OWNED HEAD",
  "git archive --output=OWNED HEAD",
  "git branch --edit-description",
  "git branch OWNED",
  "git tag OWNED",
  "git remote show ext::./cat",
  "git ls-remote ext::./cat",
  "git rev-parse --parseopt",
  "git cat-file --textconv HEAD:f.txt",
  "git cat-file --filters HEAD:f.txt",
  "git help -w status",
  "git var GIT_EDITOR && git var -l",
];

describe("options that name a file", () => {
  it("N4 N5 N1 nothing outside is shown, nothing of the project is run, nothing is written", async () => {
    const { leaks, changes, results, ran } = await attack(
      () => LINES,
      [],
      ({ folder }) => writeFileSync(join(folder, ".gitattributes"), "*.txt diff=own filter=own\n"),
    );
    expect(ran).toEqual([FREE]);
    expect(leaks).toEqual([]);
    expect(changes).toEqual([]);
    expect([...results.keys()].length).toBe(LINES.length);
  });
});
