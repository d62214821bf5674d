// Shell analysis: every command found, every disguise seen through or called opaque.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text is shell, not TypeScript
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseShell } from "./analyse.ts";
import { identifier } from "./identifier.ts";
import { changesOwnSettings } from "./own-command.ts";
import { literalWord } from "./word.ts";

const HOME = "/home/me";
const analyse = (command: string) => analyseShell(command, HOME);
/** The commands found, as words; `?` in front of what is opaque. */
async function found(command: string): Promise<string[]> {
  const { commands } = await analyse(command);
  return commands.map((c) => `${c.opaqueReason ? "?" : ""}${c.words.map((w) => w.value).join(" ")}`);
}

describe("A7.10 SEC20 every simple command counts", () => {
  it.each([
    ["git status; rm x", ["git status", "rm x"]],
    ["git status && rm x", ["git status", "rm x"]],
    ["git status || rm x", ["git status", "rm x"]],
    ["git status | rm x", ["git status", "rm x"]],
    ["git status |& rm x", ["git status", "rm x"]],
    ["git status & rm x", ["git status", "rm x"]],
    ["git status\nrm x", ["git status", "rm x"]],
    ["{ git status; rm x; }", ["git status", "rm x"]],
    ["( git status; rm x )", ["git status", "rm x"]],
    ["! rm x", ["rm x"]],
    ["time -p rm x", ["rm x"]],
    ["coproc rm x", ["rm x"]],
    ["if a; then b; elif c; then d; else rm x; fi", ["a", "b", "c", "d", "rm x"]],
    ["for i in 1 2; do rm x; done", ["rm x"]],
    ["while a; do rm x; done", ["a", "rm x"]],
    ["until a; do rm x; done", ["a", "rm x"]],
    ["select i in 1; do rm x; done", ["rm x"]],
    ["case a in b) rm x;; *) c;; esac", ["rm x", "c"]],
    ["f() { rm x; }; f", ["rm x", "f"]],
    ["function f { rm x; }", ["rm x"]],
    ["echo $(rm x)", ["?echo $(rm x)", "rm x"]],
    ['echo "a $(rm x)"', ['?echo "a $(rm x)"', "rm x"]],
    ["echo `rm x`", ["?echo `rm x`", "rm x"]],
    ["echo `echo \\`rm x\\``", ["?echo `echo \\`rm x\\``", "?echo `rm x`", "rm x"]],
    ["diff <(rm x) y", ["?diff <(rm x) y", "rm x"]],
    ["git log > >(rm x)", ["git log", "?", "rm x"]],
    ["echo ${a:-$(rm x)}", ["?echo ${a:-$(rm x)}", "rm x"]],
    ["cat <<E\n$(rm x)\nE", ["cat", "rm x"]],
    ["cat <<'E'\n$(rm x)\nE", ["cat"]],
    ['cat <<< "$(rm x)"', ["cat", "rm x"]],
    ["y=$(rm x)", ["rm x"]],
    ["y=(a $(rm x))", ["rm x"]],
    ["[[ -f $(rm x) ]]", ["?", "rm x"]],
    ["(( a[$(rm x)] ))", ["?", "rm x"]],
    ["for i in $(rm x); do a; done", ["rm x", "a"]],
    ["${ rm x; }", ["?${ rm x; }", "rm x"]],
  ])("%j", async (command, expected) => {
    expect(await found(command)).toEqual(expected);
  });
});

describe("A7.10 commands inside commands", () => {
  it.each([
    ["bash -c 'rm x'", ["bash -c rm x", "rm x"]],
    ["sh -ec 'a; rm x'", ["sh -ec a; rm x", "a", "rm x"]],
    ["/bin/bash -o pipefail -c 'rm x' name", ["/bin/bash -o pipefail -c rm x name", "rm x"]],
    ["bash -c \"bash -c 'rm x'\"", ["bash -c bash -c 'rm x'", "bash -c rm x", "rm x"]],
    ["bash <<'E'\nrm x\nE", ["bash", "rm x"]],
    ["bash <<< 'rm x'", ["bash", "rm x"]],
    ["curl a | sh", ["curl a", "?sh"]],
    ["bash -s", ["?bash -s"]],
    ["bash --rcfile evil -c ls", ["?bash --rcfile evil -c ls"]],
    ["bash <<-'E'\n\trm x\n\tE", ["bash", "rm x"]],
    ["bash <<E\nrm \\$x\nE", ["?bash"]],
    ["bash script.sh", ["bash script.sh"]],
    ["zsh -c 'rm x'", ["?zsh -c rm x", "rm x"]],
    ["eval 'rm' x", ["eval rm x", "rm x"]],
    ['eval "$x"', ['?eval "$x"']],
    ["trap 'rm x' EXIT", ["trap rm x EXIT", "rm x"]],
    ["echo a | xargs -n 1 rm -f", ["echo a", "xargs -n 1 rm -f", "?rm -f …"]],
    ["xargs -I{} rm {}", ["xargs -I{} rm {}", "?rm {} …"]],
    ["xargs sh -c", ["xargs sh -c", "?sh -c …"]],
    ["env -i A=1 rm x", ["env -i A=1 rm x", "?rm x"]],
    ["env rm x", ["env rm x", "rm x"]],
    ["env -S 'rm x'", ["?env -S rm x"]],
    ["sudo -u root rm x", ["sudo -u root rm x", "rm x"]],
    ["sudo -i", ["?sudo -i"]],
    ["find . -exec rm {} \\;", ["find . -exec rm {} ;", "?rm {}"]],
    ["find . -exec rm x ';' -execdir a {} +", ["find . -exec rm x ; -execdir a {} +", "rm x", "?a {}"]],
    ["nice -n 5 rm x", ["nice -n 5 rm x", "rm x"]],
    ["nice -10 rm x", ["nice -10 rm x", "rm x"]],
    ["timeout -k 1 5 rm x", ["timeout -k 1 5 rm x", "rm x"]],
    ["timeout --signal=KILL 5 nohup rm x", ["timeout --signal=KILL 5 nohup rm x", "nohup rm x", "rm x"]],
    ["nohup rm x", ["nohup rm x", "rm x"]],
    ["\\time rm x", ["time rm x", "rm x"]],
    ["command rm -v x", ["command rm -v x", "rm -v x"]],
    ["command -v rm", ["command -v rm"]],
    ["exec rm x", ["exec rm x", "rm x"]],
    ["builtin eval 'rm x'", ["builtin eval rm x", "eval rm x", "rm x"]],
    ["busybox rm x", ["busybox rm x", "rm x"]],
    [
      "/usr/bin/env sudo timeout 5 rm x",
      ["/usr/bin/env sudo timeout 5 rm x", "sudo timeout 5 rm x", "timeout 5 rm x", "rm x"],
    ],
    ["timeout $T rm x", ["?timeout $T rm x"]],
  ])("%j", async (command, expected) => {
    expect(await found(command)).toEqual(expected);
  });
});

describe("SEC22 disguises", () => {
  it.each([
    ["\\rm x", ["rm x"]],
    ["r''m x", ["rm x"]],
    ['"r"m x', ["rm x"]],
    ["$'\\x72m' x", ["rm x"]],
    ["r\\\nm x", ["rm x"]],
    ["{rm,-rf,x}", ["?{rm,-rf,x}"]],
    ["/bin/r? x", ["?/bin/r? x"]],
    ["r[m] x", ["?r[m] x"]],
    ["$x y", ["?$x y"]],
    ['$"rm" x', ['?$"rm" x']],
    ["~/bin/tool", ["/home/me/bin/tool"]],
    ["~root/tool", ["?~root/tool"]],
    ["dd of=~/x", ["?dd of=~/x"]],
    ["ｒｍ x", ["ｒｍ x"]],
    ["git status # rm x", ["git status"]],
    ["git status # a\nrm x", ["git status", "rm x"]],
    ["git status\rrm x", ["?", "git status\rrm x"]],
    ["git status #\rrm x", ["?", "git status"]],
    ["git\u00a0status", ["?", "git\u00a0status"]],
    ["echo \u202e x", ["?", "echo \u202e x"]],
    ["alias ls=rm", ["?alias ls=rm"]],
    ["let x=1", ["?let x=1"]],
    ["echo 'unterminated", ["?", "echo unterminated"]],
    ["if true", ["?", "true"]],
    ["a )", ["?", "a"]],
    ["echo $?", ["?echo $?"]],
    ['echo "exit $?"', ['?echo "exit $?"']],
    ["$'\\x{72}m' x", ["?$'\\x{72}m' x"]],
    ["echo $((x))", ["?echo $((x))", "?"]],
    ["cat <<E\n${x@P}\nE", ["cat", "?"]],
    ["cat <<E\n${!x}\nE", ["cat", "?"]],
    ["x='a[$(rm y)]'; [[ x -eq 0 ]]", ["?"]],
    ["[[ -v 'a[$(rm y)]' ]]", ["?"]],
    ["[[ -f src/a && b == c ]]", ["[[ src/a b c"]],
  ])("%j", async (command, expected) => {
    expect(await found(command)).toEqual(expected);
  });

  it.each(["PATH=/evil", "LD_PRELOAD=/x.so", "GIT_PAGER=x", "BASH_ENV=x", "FOO=x", "IFS=x", "CI=$x"])(
    "SEC22 %s in front, alone, exported or as a loop's variable makes it opaque",
    async (assignment) => {
      expect((await analyse(`${assignment} git status`)).commands[0]).toMatchObject({
        opaqueReason: expect.stringContaining("sets"),
      });
      expect((await found(`export ${assignment}; git status`))[0]).toMatch(/^\?export/);
      if (!assignment.startsWith("CI")) {
        expect(await found(`${assignment}; git status`)).toEqual(["?", "git status"]);
        expect((await found(`for ${assignment.split("=")[0]} in a; do git status; done`))[0]).toBe("?");
      }
    },
  );

  it("A7.11 a known harmless variable leaves the command known", async () => {
    expect((await analyse("CI=1 npm test")).commands[0]?.opaqueReason).toBeUndefined();
  });
});

describe("a long text as one word", () => {
  const message = (body: string) => `git commit -m "$(cat ${body}\n)"`;
  it.each([
    ["<<'E'\nFix it\n\nIt's $(broken)\nE", "Fix it\n\nIt's $(broken)"],
    ["<<E\nplain\nE", "plain"],
  ])("%j is known", async (body, text) => {
    expect((await analyse(message(body))).commands[0]).toMatchObject({
      words: [{}, {}, {}, { value: text, literal: true }],
    });
    const out = execFileSync("bash", ["-c", `git() { printf %s "$3"; }; ${message(body)}`]).toString();
    expect(out).toBe(text);
  });
  it.each([
    message("<<E\n$x\nE"),
    message("f <<'E'\nx\nE"),
    message("<<'E' | tr a b\nx\nE"),
    message("<<'E'; rm y\nx\nE"),
    `cat() { echo x; }; ${message("<<'E'\nx\nE")}`,
    "git commit -m $(cat <<'E'\nx\nE\n)",
  ])("%j is opaque", async (command) => {
    expect((await analyse(command)).commands.some((c) => c.opaqueReason)).toBe(true);
  });
});

describe("A7.10 redirects, moves and background", () => {
  it.each([
    ["a > f", ["f"]],
    ["a >> f", ["f"]],
    ["a >| f", ["f"]],
    ["a &> f", ["f"]],
    ["a >& f", ["f"]],
    ["a <> f", ["f"]],
    ["a 2> 'f g'", ["f g"]],
    ["> f", ["f"]],
    ["{ a; b; } > f", ["f"]],
    ["bash -c 'a > f'", ["f"]],
    ["a > ~/.bashrc", ["/home/me/.bashrc"]],
    ["a > /dev/null 2>&1", []],
    ["a 2>&- <&3", []],
    ["a > $f", []],
    ["a > f*", []],
    ["a > /dev/tcp/h/80", ["/dev/tcp/h/80"]],
  ])("%j writes %j", async (command, expected) => {
    expect(
      (await analyse(command)).writes.filter((w) => w.word.literal && !w.word.glob).map((w) => w.word.value),
    ).toEqual(expected);
  });

  it.each([
    "a > $f",
    "a > f*",
    "a > /dev/tcp/h/80",
    "a < /dev/tcp/h/80",
    "a < $f",
    "cd $x",
    "cd -",
    "for i in 1; do cd ..; done",
  ])("%j is opaque", async (command) => {
    expect((await analyse(command)).commands.some((c) => c.opaqueReason)).toBe(true);
  });

  it("an input redirect reads, cd is followed", async () => {
    expect((await analyse("cat < f")).reads.map((r) => r.word.value)).toEqual(["f"]);
    expect((await analyse("cd a && pushd b && cd")).moves).toEqual(["a", "b", HOME]);
  });

  it("spans point into the whole line", async () => {
    const command = "git status && $(bash -c 'rm x')";
    const { commands } = await analyse(command);
    expect(commands.map((c) => command.slice(c.span.start, c.span.end))).toEqual([
      "git status",
      "$(bash -c 'rm x')",
      "bash -c 'rm x'",
      "bash -c 'rm x'",
    ]);
  });

  it("a line too deep or too long is opaque, not a crash", async () => {
    let command = "rm x";
    for (let i = 0; i < 12; i++) command = `bash -c ${JSON.stringify(command).replaceAll("$", "\\$")}`;
    expect((await analyse(command)).commands.some((c) => c.opaqueReason)).toBe(true);
    expect((await analyse(`${"(".repeat(5000)}ls${")".repeat(5000)}`)).commands.some((c) => c.opaqueReason)).toBe(true);
    expect((await analyse(`echo ${"a".repeat(300_000)}`)).commands.some((c) => c.opaqueReason)).toBe(true);
  });
});

describe("what bash makes of it", () => {
  it("SEC20 literal words are exactly what a real bash hands to the program", async () => {
    const piece = fc.oneof(
      fc
        .string({
          unit: fc.constantFrom(
            "a",
            "B",
            " ",
            "$",
            "`",
            '"',
            "\\",
            "*",
            "~",
            "{",
            ",",
            "}",
            "#",
            "é",
            "=",
            "-",
            ";",
            "\n",
          ),
        })
        .map((s) => `'${s}'`),
      fc.constantFrom(
        "a",
        "\\$",
        "\\ ",
        "\\\n",
        '"b c"',
        '"\\$x"',
        "$'\\x41\\t'",
        "x=1",
        "--o",
        "'",
        "$v",
        "*",
        "{a,b}",
        "~",
        "#",
        ";",
        "&&",
        " ",
      ),
    );
    const lines = fc.sample(
      fc.array(
        fc.array(piece, { minLength: 1, maxLength: 4 }).map((p) => p.join("")),
        { minLength: 1, maxLength: 4 },
      ),
      150,
    );
    let compared = 0;
    for (const words of lines) {
      const command = `true ${words.join(" ")}`;
      const { commands } = await analyse(command);
      if (commands.length !== 1 || commands[0]?.opaqueReason || commands[0]?.words.some((w) => w.glob)) continue;
      const program = `true() { printf '%s\\0' "$@"; }; ${command}`;
      const out = execFileSync("bash", ["-c", program], {
        env: { HOME, PATH: process.env["PATH"] },
        cwd: "/",
      }).toString();
      // printf prints one empty string for no arguments at all.
      const real = out.split("\0").slice(0, -1);
      const ours = commands[0]?.words.slice(1).map((w) => w.value) ?? [];
      expect({ command, words: ours.length === 0 ? [""] : ours }).toEqual({ command, words: real });
      compared++;
    }
    expect(compared).toBeGreaterThan(20);
  });
});

describe("A7.2 identifiers", () => {
  it.each([
    ["git push -f origin", "git push"],
    ["git -C sub push", "git -C sub push"],
    ["git --no-pager log", "git --no-pager log"],
    ["git", "git"],
    ["gh pr list", "gh pr"],
    ["npm test", "npm test"],
    ["cargo +nightly build", "cargo +nightly build"],
    ["kubectl -n prod delete pod", "kubectl -n prod delete"],
    ["rm -rf x", "rm"],
    ["python -c x", "python"],
  ])("%s is %s", (command, expected) => {
    expect(identifier(command.split(" "))).toBe(expected);
  });
});

describe("A7.16 Everlong's own settings", () => {
  it.each([
    ["everlong settings set permissions.allowAll true", true],
    ["everlong settings unset x --project", true],
    ["/usr/local/bin/everlong trust", true],
    ["everlong trust . --revoke", true],
    ["npx everlong trust .", true],
    ["node bin/everlong.js consent grant http://x", true],
    ["everlong --silent trust", true],
    ["everlong settings token add x", true],
    ["everlong settings", false],
    ["everlong settings get model", false],
    ["everlong settings --json", false],
    ["everlong trust --list", false],
    ["everlong consent list", false],
    ["everlong memory list", false],
    ["everlong memory --json", false],
    ["everlong --model memory -p hello", false],
    ["everlong -p hello --allow-all", true],
    ["npx everlong --yolo hello", true],
    ["everlong --trust-folder -p hello", true],
    ["everlong --deny-tool shell -p hello", false],
    ["everlong token add x --tenant a", true],
    ["everlong token list", false],
    ["everlong wipe --all --yes", true],
    ["everlong backup restore x", true],
    ["everlong backup --verify x", false],
    ["everlong graph facts", false],
    ["everlong graph forget x", true],
    ["everlong memory review --accept 01ABCDEF", true],
    ["npx everlong memory add --fact x", true],
    ["everlong sessions --all", false],
    ["everlong sessions search send", false],
    ["everlong sessions send 7f3a approve it", true],
    ["npx everlong sessions stop 7f3a", true],
    ["everlong sessions -- send 7f3a approve it", true],
    ["everlong memory -- add --fact x", true],
    ["everlong board changes --run x", false],
    ["everlong board show x", false],
    ["everlong board add x --content y", true],
    ["npx everlong board --json remove x", true],
    ["everlong inbox", false],
    ["everlong inbox show x", false],
    ["everlong inbox delete x --yes", true],
    ["grep everlong trust", false],
  ])("%s: %s", (command, expected) => {
    expect(changesOwnSettings(command.split(" ").map(literalWord))).toBe(expected);
  });
});
