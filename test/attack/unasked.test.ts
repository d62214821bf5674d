// Lines that nobody approved: whatever they are dressed as, nothing is run, written or shown that was not judged.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text is shell, not TypeScript
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { attack, SECRET } from "./attack.ts";

/** They must go on running unasked. */
const FREE = [
  "ls -la src && cat README.md | head -20",
  "grep -rn foo src 2>/dev/null",
  "cd src && git log --oneline | head",
  "cd src && wc -l *.ts",
  "find . -name '*.ts' -type f | sort | uniq -c",
  "cat f.txt f.txt > /dev/null 2>&1; echo 'it is over'",
];

/** Decoding: what bash makes of a word is not what a reader sees. */
const DECODED = [
  String.raw`find README.md $'\x{2d}exec' sh $'\x{2d}c' 'id > OWNED' $'\x{3b}'`,
  String.raw`find README.md $'\x{2d}delete'`,
  String.raw`find README.md $'\u{2d}delete'`,
  String.raw`find README.md $'\x2ddelete'`,
  String.raw`find README.md $'\055delete'`,
  String.raw`find README.md $'\u002ddelete'`,
  String.raw`find README.md $'\U0000002ddelete'`,
  String.raw`find README.md -fprint$'\x{0}' OWNED`,
  String.raw`sort $'\x{2d}o' OWNED f.txt`,
  String.raw`sort $'\x{2d}-output=OWNED' f.txt`,
  String.raw`sort $'\x{2d}oOWNED' f.txt`,
  String.raw`git log $'\x{2d}-output=OWNED'`,
  String.raw`git diff $'\x{2d}-output=OWNED'`,
  String.raw`git diff $'\x{2d}-no-index' /dev/null $'\x{2f}etc/hostname'`,
  String.raw`cat $'\x{2e}\x{2e}/outside/secret.txt'`,
  String.raw`cat $'\x2e\x2e/outside/secret.txt'`,
  String.raw`cat $'\56\56/outside/secret.txt'`,
  String.raw`cat ..$'\x{2f}outside/secret.txt'`,
  String.raw`cat $'..\u{2f}outside/secret.txt'`,
  String.raw`rg $'\x{2d}-pre=./cat' foo`,
  String.raw`rg --pre$'\x{3d}'./cat foo`,
  String.raw`tree $'\x{2d}o' OWNED`,
  String.raw`date $'\x{2d}s' 2020-01-01`,
  String.raw`$'\x{74}ouch' OWNED`,
  "$'touch' OWNED",
  '"$[$(touch OWNED)]"',
  'echo "$[$(touch OWNED)0]"',
  "echo $[ $(touch OWNED) ]",
  'ls $"a$(touch OWNED)"',
  String.raw`cat README.md $'\c[' $'\x{0a}touch OWNED'`,
];

/** Expansions: the word is made when it runs. */
const EXPANDED = [
  "false; cat $?/secret.txt",
  "true; cat $?/secret.txt",
  "cat $#/secret.txt",
  "cat $!0/secret.txt",
  "cat ${#}/secret.txt",
  "cat $(( 1 ))/secret.txt",
  "cat $_/secret.txt",
  "cat ${RANDOM:0:1}/secret.txt",
  "cat $SECONDS/secret.txt",
  "cat ${SECONDS}/secret.txt",
  "cat $((SECONDS))/secret.txt",
  "cat $EUID/secret.txt",
  "cat $UID/secret.txt",
  "cat ${BASH_SUBSHELL}/secret.txt",
  "cat $SHLVL/secret.txt",
  "echo $CANARY",
  "echo ${CANARY}",
  'echo "$CANARY"',
  "echo ${!CAN*} ${CANARY@Q}",
  'cat <<< "$CANARY"',
  "cat <<E\n$CANARY\nE",
  "x=$CANARY; echo $x",
  "printf '%s' ${CANARY:-x}",
  "printf -v x %s y; echo $x",
  "printf 'abc%ln' PATH; egrep foo README.md",
  "printf 'abc%-5hhn' PATH; fgrep foo README.md",
  "[ -v 'a[$(touch OWNED)]' ]",
  "test -v 'a[$(touch OWNED)]'",
  "[[ -v 'a[$(touch OWNED)]' ]]",
  "[[ 'a[$(touch OWNED)]' -eq 0 ]]",
  "(( a[$(touch OWNED)] ))",
  "for f in *; do cat $f/secret.txt; done",
  "while touch OWNED; do break; done",
  "cat {out,0}/secret.txt",
  "cat {../outside/secret.txt,README.md}",
  "cat ${PWD%/*}/outside/secret.txt",
  "cat ~/secret.txt",
  "cat ~+/../secret.txt",
  "cat ~-/../secret.txt",
  "cat `echo ../outside/secret.txt`",
  "diff <(cat ../outside/secret.txt) README.md",
  "cat < ../outside/secret.txt",
  "cat < out/secret.txt",
  "cat 0<out/secret.txt",
  "cat README.md 3<>OWNED",
  "cat README.md {x}>OWNED",
];

/** File names: bytes, links, and what a pattern stands for. */
const NAMED = [
  "cat a/*",
  "cat a/x*",
  "cat a/through",
  "cat a/?*",
  "head a/*",
  "cat */*",
  "cat b/*",
  "cat b/two*",
  "cat 'b/two\nlines'",
  "cat out/secret.txt",
  "cat out/*",
  "cat ou?/secret.txt",
  "cat o[u]t/secret.txt",
  "cat second/secret.txt",
  "cat src/../out/secret.txt",
  "cat out/../secret.txt",
  "cat ./././out//secret.txt",
  "cat */secret.txt",
  "cat */*/secret.txt",
  "cat variables",
  "cat var*",
  "grep . variables",
  "grep -r CANARY out/",
  "grep -r CANARY out/.",
  "grep -R CANARY .",
  "grep --dereference-recursive CANARY .",
  "rg -L CANARY",
  "rg --follow CANARY",
  "rg CANARY out/",
  "find -L . -name secret.txt",
  "find out/ -name secret.txt",
  "find . -follow -name secret.txt -ls",
  "ls -L out/",
  "ls -RL .",
  "tree -l",
  "du -L .",
  "diff -N left right",
  "diff -r left right",
  "diff left right",
  "diff left right/same",
  "diff --from-file=left/same right",
  "diff left/same right",
  "cmp left right/same",
  "sort --files0-from=b/list",
  "wc --files0-from=f.txt",
  "du --files0-from=f.txt",
  "md5sum -c f.txt",
  "cd out && cat secret.txt",
  "cd second; cat secret.txt",
  "cd 1 && ls",
  "cd ../outside && cat secret.txt",
  "cd out/deep && cd .. && cat secret.txt",
  "cd src && cd .. && cd .. && cat outside/secret.txt",
  "ls missing && cd src; cat ../../outside/secret.txt",
  "cd missing; cat ../../outside/secret.txt",
  "true || cd src; cat out/secret.txt",
  "cd src | cat ../out/secret.txt",
  "pushd out; cat secret.txt",
  "CDPATH=.. cd outside && cat secret.txt",
  "cd -- out && cat secret.txt",
  "cd -P out && cat secret.txt",
  "cat -- out/secret.txt",
  "head -n1 -- out/secret.txt",
  "paste README.md out/secret.txt",
  "comm f.txt out/secret.txt",
  "nl out/secret.txt",
  "rev out/secret.txt",
  "tac out/secret.txt",
  "cut -c1- out/secret.txt",
  "fold out/secret.txt",
  "uniq out/secret.txt",
  "tail -n +1 out/secret.txt",
  "stat out/secret.txt",
  "sha256sum out/secret.txt",
];

/** Programs: options and languages that write, run or read by themselves. */
const PROGRAMS = [
  "jq -n env",
  "jq -n '$ENV.CANARY'",
  "jq -n 'import \"x\" as x; 1'",
  "jq -n 'input_filename' out/secret.txt",
  "jq --rawfile x out/secret.txt -n '$x'",
  "awk 'BEGIN{print ENVIRON[\"CANARY\"]}'",
  "awk 'BEGIN{system(\"touch OWNED\")}'",
  "sed -n 'w OWNED' f.txt",
  "sed '1e touch OWNED' f.txt",
  "sed 's/a/touch OWNED/e' f.txt",
  "printenv CANARY",
  "env",
  "set",
  "export -p",
  "declare -p CANARY",
  "compgen -v",
  "compgen -e",
  "compgen -C 'touch OWNED'",
  "history -w OWNED",
  "find . -exec touch OWNED ';'",
  "find . -execdir touch OWNED +",
  "find . -ok touch OWNED ';'",
  "find . -fprintf OWNED x",
  "find . -fls OWNED",
  "find . -newerXY out/secret.txt",
  "find . -files0-from f.txt",
  "sort -T. --compress-program=./ls f.txt",
  "sort -S1 --parallel=1 --compress-program ./ls f.txt",
  "sort -uo OWNED f.txt",
  "sort f.txt -o OWNED",
  "uniq f.txt OWNED",
  "split f.txt OWNED",
  "csplit f.txt 1",
  "tee OWNED",
  "cp f.txt OWNED",
  "file -C -m f.txt",
  "column -t f.txt",
  "xxd f.txt OWNED",
  "od f.txt",
  "tail -F f.txt --pid=1",
  "date --reference=out/secret.txt",
  "date -f out/secret.txt",
  "ls --hyperlink --time-style=+x",
  "git -c core.fsmonitor='touch OWNED' status",
  "git --git-dir=out status",
  "git -C out status",
  "git --exec-path=. status",
  "git --no-index diff x out/secret.txt",
  "git diff --no-index README.md out/secret.txt",
  "git grep -O./ls foo",
  "git log --format=%G?",
  "git config --get-all x",
  "git hash-object out/secret.txt",
  "git archive -o OWNED HEAD",
  "yarn --version",
  "cargo --version",
  "pnpm --version",
  "npm --version",
  "node --version",
  'python3 -c \'open("OWNED","w")\'',
  "perl -e 'system q(touch OWNED)'",
];

/** Names: another program under a known one. */
const DISGUISED = [
  "./ls",
  "node_modules/.bin/ls",
  "PATH=. ls",
  "export PATH=.; ls",
  "ls() { touch OWNED; }; ls",
  "alias ls='touch OWNED'; ls",
  "function cat { touch OWNED; }; cat f.txt",
  "hash -p ./ls ls; ls",
  "enable -n echo; echo x",
  "builtin eval 'touch OWNED'",
  "command touch OWNED",
  "exec touch OWNED",
  "eval 'touch OWNED'",
  "source ls",
  ". ./ls",
  "sh ls",
  "bash -c 'touch OWNED'",
  "env touch OWNED",
  "xargs touch < f.txt",
  "echo touch OWNED | sh",
  "trap 'touch OWNED' EXIT",
  "trap 'touch OWNED' EXIT; ls",
  "ls & touch OWNED",
  "ls &",
  "ls\ntouch OWNED",
  "ls\r\ntouch OWNED",
  "ls\rtouch OWNED",
  "ls #\ntouch OWNED",
  "ls # comment\r\ntouch OWNED",
  "ls \\\n; touch OWNED",
  "ls;touch OWNED",
  "ls|touch OWNED",
  "ls&&touch OWNED",
  "ls||touch OWNED",
  "! touch OWNED",
  "{ ls; touch OWNED; }",
  "(touch OWNED)",
  "coproc touch OWNED",
  "time touch OWNED",
  "if ls; then touch OWNED; fi",
  "case x in x) touch OWNED;; esac",
  "ls $(touch OWNED)",
  "ls `touch OWNED`",
  "ls <(touch OWNED)",
  "ls > >(touch OWNED)",
  "ls > OWNED",
  "ls >> OWNED",
  "ls >| OWNED",
  "ls &> OWNED",
  "ls >& OWNED",
  "ls 2> OWNED",
  "ls <> OWNED",
  "> OWNED",
  "ls > /dev/../tmp/../dev/shm/OWNED",
  "ls > /dev/tcp/127.0.0.1/9",
  "{touch,OWNED}",
  "/usr/bin/touc? OWNED",
  "t\\ouch OWNED",
  "'touch' OWNED",
  "to''uch OWNED",
  "ｔｏｕｃｈ OWNED",
  "l\u200bs",
  "ls\u00a0OWNED",
  "ls \u202e OWNED",
  "ls\u0000touch OWNED",
  "ls <<E\n$(touch OWNED)\nE",
  "ls <<E\nE\ntouch OWNED",
  "ls <<'E'\ntouch OWNED\nE\ntouch OWNED",
  "ls <<-\\E\n\tE\ntouch OWNED",
  "echo 'a\ntouch OWNED",
  'echo "a\ntouch OWNED',
  "x='",
  "x=1",
  "# only words",
  "if",
  "ls )",
  "!! touch OWNED",
];

describe("nobody approved it", () => {
  it(`N1 N2 N3 N4 SEC22 nothing of ${DECODED.length + EXPANDED.length + NAMED.length + PROGRAMS.length + DISGUISED.length} lines is run, written or shown; what only looks still runs`, async () => {
    const lines = [...FREE, ...DECODED, ...EXPANDED, ...NAMED, ...PROGRAMS, ...DISGUISED];
    const { ran, changes, leaks } = await attack(lines);
    expect(leaks).toEqual([]);
    expect(changes).toEqual([]);
    expect(ran).toEqual(FREE.toSorted());
  }, 300_000);

  it("N1 programs of the project stand first in PATH, functions and start files in the environment: the system's own programs run", async () => {
    const PLAIN = ["ls src", "cat f.txt", "rg foo", "echo x", "egrep foo f.txt", "fgrep foo f.txt", "git status"];
    const { ran, changes } = await attack(PLAIN, [], ({ folder, env }) => {
      // What a shell or a program would take from its environment.
      env["BASH_ENV"] = join(folder, "ls");
      env["BASH_FUNC_cat%%"] = `() { touch ${folder}/OWNED; }`;
      env["BASH_FUNC_command%%"] = `() { touch ${folder}/OWNED; }`;
      env["RIPGREP_CONFIG_PATH"] = join(folder, "rg.conf");
      writeFileSync(join(folder, "rg.conf"), `--pre=${folder}/ls\n`);
      for (const name of ["grep", "false"])
        writeFileSync(join(folder, "node_modules/.bin", name), `#!/bin/sh\n/usr/bin/touch ${folder}/OWNED\n`, {
          mode: 0o755,
        });
      env["PATH"] = `${join(folder, "node_modules/.bin")}:${folder}:${process.env["PATH"]}`;
    });
    expect(ran).toEqual(PLAIN.toSorted());
    expect(changes).toEqual([]);
  });

  it("N4 an ignore file that leads outside is not shown by what ripgrep says against it", async () => {
    const { ran, leaks } = await attack(
      () => ["rg foo", "rg --files", { name: "grep", args: { pattern: "foo" } }],
      [],
      ({ folder, home }) => {
        writeFileSync(join(dirname(home), "odd"), `{${SECRET}\n`);
        symlinkSync(join(dirname(home), "odd"), join(folder, ".ignore"));
      },
    );
    expect(leaks).toEqual([]);
    expect(ran.length).toBe(3);
  });

  it("N4 B50 a search over a folder that holds Everlong's own keys does not show them", async () => {
    const { ran, leaks } = await attack(
      ({ home }) => [
        `grep -r CANARY- ${home}`,
        `rg -uuu CANARY- ${home}`,
        { name: "grep", args: { pattern: "CANARY-", path: home } },
      ],
      [],
      ({ home }) => writeFileSync(join(home, "settings.json"), JSON.stringify({ permissions: { dirs: [home] } })),
    );
    expect(leaks).toEqual([]);
    expect(ran.length).toBe(1);
  });

  it("N2 a repository of 10,000 links that leave it: patterns over them ask, searches go by, and neither takes long", async () => {
    const { ran, leaks, results } = await attack(
      [
        "cat many/*",
        "cat many/*/*",
        "cat many/l1*/../*",
        "ls many | wc -l",
        "grep -r CANARY many | head",
        "find many -type f",
      ],
      [],
      ({ folder, home }) => {
        mkdirSync(join(folder, "many"));
        for (let n = 0; n < 10_000; n++)
          symlinkSync(
            join(dirname(home), n % 2 === 0 ? "outside" : "outside/secret.txt"),
            join(folder, "many", `l${n}`),
          );
      },
    );
    expect(leaks).toEqual([]);
    expect(ran).toEqual(["ls many | wc -l", "grep -r CANARY many | head", "find many -type f"].toSorted());
    expect(results.get("ls many | wc -l")).toContain("10000");
  });
});
