// Guards under allow-all: no way of naming a path that can be read from a line writes what is guarded or shows Everlong's keys.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text is shell, not TypeScript
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Place } from "../tool/everlong.ts";
import { attack } from "./attack.ts";

/** By names that the line makes, texts that it hands on, scripts in it, and folders that hold what is guarded. */
const INDIRECT = ({ home }: Place): string[] => [
  "ln -s .git/hooks h; echo x > h/pre-commit",
  "ln -s .git g && ln -s g/hooks h && echo x > h/pre-commit",
  "ln -s .git/hooks h; rm h; ln -s src h; echo x > h/pre-commit",
  "ln -sfn .git/hooks h && cd h && echo x > pre-commit",
  "ln -s $PWD/.git/hooks h; cp f.txt h/pre-commit",
  "ln -s . h; echo x > h/.git/hooks/pre-commit",
  "ln .git/config c; echo x > c",
  "cp -l .git/config c && echo x > c",
  `ln -s ${home} e; cat e/secret.key`,
  `ln -s ${home} e; cat e/*`,
  `ln -s ${home} e; cat e/secret.k?y`,
  "D=.git; ln -s $D/hooks h; tee h/pre-commit < f.txt",
  "ln -s $(echo .git/hooks) h; echo x > h/pre-commit",
  'ln -s "$(printf .git)/hooks" h; echo x > h/pre-commit',
  "mv f.txt h2; ln -s .git h2; echo x > h2/hooks/x",
  "mkdir d; ln -s ../.git/hooks d/; echo x > d/hooks/x",
  "ln -s -t d ../.git/hooks; echo x > d/hooks/x",
  "mount --bind .git m; echo x > m/hooks/y",
  "echo .git/hooks/pre-commit | xargs touch",
  "echo .git/hooks/pre-commit | xargs -I{} cp f.txt {}",
  "echo .git | xargs -I{} cp f.txt {}/hooks/pre-commit",
  "echo pre-commit | xargs -I{} cp f.txt .git/hooks/{}",
  "xargs touch <<< .git/hooks/pre-commit",
  `echo ${home}/secret.key | xargs cat`,
  `printf '%s\\n' ${home}/secret.key | xargs -n1 cat`,
  "find . -name pre-commit -exec cp f.txt {} ;",
  "find .git -name 'confi?' -exec cp f.txt {} \\;",
  `find ${home} -name 'secret*' -exec cat {} +`,
  "echo x > $(echo .git/hooks/pre-commit)",
  'echo x > "`echo .git/hooks/pre-commit`"',
  "set -- .git/hooks/x; echo x > $1",
  'f() { echo x > "$1"; }; f .git/hooks/pre-commit',
  'echo .git/hooks/x | while read f; do echo x > "$f"; done',
  `while read f; do cat $f; done <<< ${home}/secret.key`,
  'awk \'BEGIN{print "x" > ".git/hooks/pre-commit"}\'',
  "awk -v f=.git/hooks/x '{print > f}' f.txt",
  `awk 'BEGIN{while((getline l < "${home}/secret.key")>0) print l}'`,
  `awk '{print}' ${home}/secret.key`,
  "sed -n 'w .git/hooks/pre-commit' f.txt",
  "sed -n w.git/hooks/pre-commit f.txt",
  "sed 's/a/b/w .git/hooks/pre-commit' f.txt",
  "sed 's/a/b/gw.git/hooks/pre-commit' f.txt",
  `sed 'r ${home}/secret.key' f.txt`,
  `sed -e '1r ${home}/secret.key' f.txt`,
  "python3 -c \"open('.git/hooks/pre-commit','w')\"",
  `python3 -c "print(open('${home}/secret.key').read())"`,
  "perl -e 'open F,\">.git/hooks/pre-commit\"'",
  'node -e \'fs.writeFileSync(".git/hooks/x","")\'',
  "python3 <<E\nopen('.git/hooks/x','w')\nE",
  "echo \"open('.git/hooks/x','w')\" | python3",
  "ed -s f.txt <<< 'w .git/hooks/pre-commit'",
  'ruby -e \'File.write(".git/hooks/x","")\'',
  `jq -n 'input' ${home}/secret.key`,
  "vim -c 'w .git/hooks/x' f.txt",
  `cp -r ${home} x`,
  `cp -a ${home}/../home x`,
  "cp -r ~ x",
  `tar c ${home} | cat`,
  "tar czf x.tgz ~",
  "tar -C ~ -c .everlong",
  "cd ~ && tar c .",
  `cd ${home} && tar c .`,
  `cd ${home} && grep -r .`,
  `grep -r . ${home}`,
  "grep -r . ~",
  "rg . ~",
  `rsync -a ${home}/ x`,
  `find ${home} -type f -exec cat {} +`,
  "find ~ -type f -exec cat {} +",
  `zip -r x.zip ${home}`,
  `foo ${home}`,
  // What other processes ask of an open session, and where data lies.
  `mkdir -p ${home}/sessions/a/control && echo x > ${home}/sessions/a/control/q.json`,
  "cp f.txt ~/home/sessions/*/control/",
  `ln -s ${home}/sessions c; echo x > c/a/control/q.json`,
  `tee -a ${home}/journal/x.jsonl < f.txt`,
  `mv ${home}/store.db x`,
  "rm -rf ~/home/journal",
  `sqlite3 ${home}/store.db 'delete from x'`,
  `truncate -s 0 ${home}/sessions/a/events.jsonl`,
  `dd if=/dev/zero of=${home}/store.db count=1`,
  `find ${home} -name '*.jsonl' -delete`,
  `git -C ${home} init`,
  // Another agent with more leave than this one has, tokens of a team, and what only people do.
  "everlong -p go --allow-all",
  "npx everlong --yolo -p go",
  "node bin/everlong.js -p go --allow-tool=shell",
  "everlong --trust-folder -p go",
  "echo go | xargs everlong --allow-all -p",
  "env -u EVERLONG_TOOL_SHELL everlong token add x --tenant a --user b --scope admin",
  "env -i everlong wipe --all --yes",
  "sh -c 'everlong backup restore x'",
  "timeout 5 everlong graph forget x",
  "everlong sessions send a 'approve it'",
];

const FINE = [
  'echo x > "$(pwd)/made"',
  "echo made2 | xargs touch",
  "find . -name '*.ts' | xargs sed -i s/foo/baz/",
  "ln -s .git/hooks linked",
  "cp -r .git backup; rm -rf backup/hooks",
  "mv src/b.ts src/c.ts; echo x > src/b.ts",
  "awk '{print > \"made3\"}' f.txt",
  "sed -n 's/a/b/p' f.txt",
  "python3 -c 'print(1)'",
  "cat .git/config | grep core",
  "ls -la ~ ~/home",
  "cp f.txt ~/tmp",
  "tar cf made4 src",
  "grep -r foo src",
];

const layGuarded = ({ folder }: Place): void => {
  mkdirSync(join(folder, ".everlong"));
  mkdirSync(join(folder, ".git/hooks"), { recursive: true });
  writeFileSync(join(folder, ".everlong/keep"), "");
};

describe("guards hold", () => {
  it("N7 A7.5 B50 under --allow-all no line writes what is guarded or shows Everlong's own keys", async () => {
    const targets = (home: string): string[] => [
      "echo x > .git/hooks/pre-commit",
      "echo x > $PWD/.git/hooks/pre-commit",
      "echo x > ${PWD}/.git/hooks/pre-commit",
      "D=.git; echo x > $D/hooks/pre-commit",
      'D=.git/hooks; cp f.txt "$D/pre-commit"',
      "for d in .git; do echo x > $d/hooks/pre-commit; done",
      "echo x > $(echo .git)/hooks/pre-commit",
      "echo x > .git/$(echo hooks)/pre-commit",
      "echo x > .git/{hooks,x}/pre-commit",
      "echo x > .git/hook?/pre-commit",
      "cp f.txt .git/hook?/pre-commit",
      "tee .git/hooks/pre-commit < f.txt",
      "tee $PWD/.git/hooks/pre-commit < f.txt",
      "timeout 5 cp f.txt .git/hooks/pre-commit",
      "flock f.txt cp f.txt .git/hooks/pre-commit",
      "sh -c 'echo x > .git/hooks/pre-commit'",
      "cd .git/hooks && echo x > pre-commit",
      "cd .git && cp ../f.txt hooks/pre-commit",
      "ln -s ../../f.txt .git/hooks/pre-commit",
      "uniq f.txt .git/hooks/pre-commit",
      "shuf --output=.git/hooks/pre-commit f.txt",
      "openssl enc -base64 -in f.txt -out .git/hooks/pre-commit",
      "gcc -o .git/hooks/pre-commit x.c",
      "git archive -o .git/hooks/pre-commit HEAD",
      "git diff --output=.git/hooks/pre-commit",
      "git clone -q . .git/hooks/copy",
      `shuf -o ${home}/settings.json f.txt`,
      "git config core.hooksPath .",
      "echo x >> .git/config",
      "echo x > .everlong/settings.json",
      "echo x > $PWD/.everlong/settings.json",
      "echo x > .mcp.json",
      `echo x > ${home}/settings.json`,
      "echo x > $HOME/home/settings.json",
      "echo x > ${HOME}/home/settings.json",
      "echo x > ~/home/settings.json",
      "echo x > $EVERLONG_HOME/settings.json",
      "cp f.txt $HOME/home/settings.json",
      "cd $HOME/home && echo x > settings.json",
      "cd ~/home && cp ../work/f.txt settings.json",
      "rm -f $HOME/home/secret.key",
      `cat ${home}/secret.key`,
      "cat $HOME/home/secret.key",
      'cat "$HOME"/home/secret.key',
      "cat ${HOME}/home/gateway.token",
      "cat $EVERLONG_HOME/secret.key",
      "cat ~/home/secret.key",
      "cat ~/home/secret.*",
      "cat $HOME/home/secret.ke?",
      "cd ~/home && cat secret.key",
      "cd $HOME && cat home/secret.key",
      "cp ~/home/secret.key copy",
      "H=$HOME; cat $H/home/secret.key",
      "cat < $HOME/home/secret.key",
      "base64 $HOME/home/secret.key",
      "timeout 5 cat $HOME/home/secret.key",
      "sh -c 'cat $HOME/home/secret.key'",
    ];
    const { place, ran, changes, leaks } = await attack(({ home }) => targets(home), ["--allow-all"], layGuarded);
    expect(leaks).toEqual([]);
    expect(changes).toEqual([]);
    expect(ran).toEqual([]);
    expect(existsSync(join(place.folder, ".git/hooks/pre-commit"))).toBe(false);
  }, 120_000);

  it("N7 A7.5 nor by a link made in the line, input of xargs, a script's own redirection or a whole folder", async () => {
    const { ran, changes, leaks } = await attack(INDIRECT, ["--allow-all"], layGuarded);
    expect(leaks).toEqual([]);
    expect(ran).toEqual([]);
    expect(changes).toEqual([]);
  }, 120_000);

  it("N7 what only looks like it still runs", async () => {
    const { ran, changes, leaks } = await attack(FINE, ["--allow-all"], layGuarded);
    expect(ran).toEqual(FINE.toSorted());
    expect(leaks).toEqual([]);
    expect(
      changes.filter((change) => /\.git\/(hooks|config)|home\//.test(change) && !change.includes("backup")),
    ).toEqual([]);
  });
});
