// Plans: which lines have one, and the line that is run of them.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inspect } from "../inspect.ts";
import { planOf } from "../permit.ts";
import { makePlace, rules } from "../test-place.ts";
import { isUnasked, renderPlan } from "./plan.ts";

const place = makePlace();
for (const name of ["a.txt", "b c.txt", "it's.txt", "-n", "src/x.ts"]) place.file(`project/${name}`);
mkdirSync(join(place.root, "bytes"));
writeFileSync(Buffer.concat([Buffer.from(join(place.root, "bytes/")), Buffer.from([0xff, 0xfe])]), "x");
symlinkSync(Buffer.from([0x78, 0xff]), join(place.root, "bytes/link"));

/** The line that is run; undefined where there is none but the text itself. */
async function rendered(command: string, more: Parameters<typeof place.policy>[0] = {}): Promise<string | undefined> {
  const parts = await inspect([{ kind: "shell", command }], { cwd: place.root, userHome: place.userHome });
  const plan = planOf(parts, place.policy(more));
  return (
    plan &&
    renderPlan(plan)
      .replaceAll(/'\/(usr\/)?bin\//g, "'")
      .replaceAll(place.root, "ROOT")
  );
}

describe("N1 the line that is run", () => {
  it.each([
    ["ls -la", "'ls' '-la'"],
    ["cat *.txt", "'cat' 'a.txt' 'b c.txt' 'it'\\''s.txt'"],
    ["cat none*", "'cat' 'none*'"],
    ["ls s*// s*//x* src//*", "'ls' 'src/' 'src/x.ts' 'src//x.ts'"],
    ["cat \"b c\"* '*'", "'cat' 'b c.txt' '*'"],
    ["ls src/*.ts | wc -l 2>&1", "'ls' 'src/x.ts' | 'wc' '-l' 2>&1"],
    ["ls &>/dev/null || echo no; pwd", "'ls' >/dev/null 2>&1 || 'command' 'echo' 'no'; 'command' 'pwd'"],
    ["ls |& cat", "'ls' 2>&1 | 'cat'"],
    ["! ls && ls", "! 'ls' && 'ls'"],
    ["cd src && ls", "{ 'command' 'cd' '-P' '--' 'ROOT/src' || exit 1; } && 'ls'"],
    ["cd src && wc -l *.ts", "{ 'command' 'cd' '-P' '--' 'ROOT/src' || exit 1; } && 'wc' '-l' 'x.ts'"],
    ["ls # comment", "'ls'"],
    ["echo $'a\\tb\\x41'", "'command' 'echo' 'a\tbA'"],
  ])("N1 %j", async (command, expected) => {
    expect(await rendered(command)).toBe(expected);
  });

  it.each([
    "echo $HOME",
    "echo $?",
    "echo $(ls)",
    "echo $'\\x{41}'",
    "echo $'\\u41'",
    "echo {a,b}",
    "cat < a.txt",
    "ls > f",
    "cat <<E\nx\nE",
    "cat <<< x",
    "x=1 ls",
    "x=1",
    "ls &",
    "(ls)",
    "{ ls; }",
    "for f in a; do ls; done",
    "time ls",
    "[[ -f a.txt ]]",
    "ls && cd src; ls",
    "ls || cd src",
    "cd src | ls",
    "! cd src",
    "cd",
    "cd -",
    "cd src src",
    "pushd src",
    "export A=1",
    "eval ls",
    "exec ls",
    "command ls",
    "cat bytes/*",
    "l? a.txt",
    "echo a\\",
    "",
    "# nothing",
    `cat ${"a".repeat(100_000)}`,
  ])("N1 N2 %j has none", async (command) => {
    expect(await rendered(command)).toBeUndefined();
  });

  it("N1 what a rule covers runs as it was judged too; a pattern only where nothing of the line changes anything", async () => {
    expect(await rendered("npm test 2>&1 | tail -5", { allow: rules("shell(npm test)") })).toBe(
      "'npm' 'test' 2>&1 | 'tail' '-5'",
    );
    expect(await rendered("touch new.txt && cat *.txt", { allow: rules("shell(touch)") })).toBeUndefined();
    expect((await place.shell("touch new.txt && cat *.txt", { allow: rules("shell(touch)") })).type).toBe("ask");
  });

  it("N7 a line of very many unknown words is asked about as a whole, and does not use up the memory", async () => {
    const { root: cwd, userHome } = place;
    const command = `x ${"$a ".repeat(60_000)}`;
    const parts = await inspect([{ kind: "shell", command }], { cwd, userHome, everlongHome: join(userHome, "own") });
    expect(parts).toContainEqual(expect.objectContaining({ kind: "write", unsure: true, real: join(userHome, "own") }));
  });

  it("N1 only what nobody was asked about counts as unasked", async () => {
    const parts = await inspect([{ kind: "shell", command: "ls | head" }], {
      cwd: place.root,
      userHome: place.userHome,
    });
    const unasked = (more: object) => {
      const plan = planOf(parts, place.policy(more));
      return plan && isUnasked(plan);
    };
    expect([unasked({}), unasked({ allowAll: true }), unasked({ allow: rules("shell(ls)") })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("N2 a link whose target is not text is unknown, not a name that happens to be free", async () => {
    expect((await place.shell("cat bytes/link")).type).toBe("ask");
  });
});
