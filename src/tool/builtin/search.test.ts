// grep and glob with the real ripgrep.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hiddenBelow } from "../../permission/hidden.ts";
import { makePolicy } from "../../permission/policy.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { call, testContext, testEnv, testOwner, textOf } from "./test-context.ts";

const owner = testOwner();
afterAll(() => owner.end(500));

function setup(files: Record<string, string>, ...deny: string[]) {
  const context = testContext();
  let time = 1_700_000_000;
  for (const [name, content] of Object.entries(files)) {
    const path = join(context.cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, time, time++);
  }
  const { cwd, sessionDir } = context;
  const home = join(sessionDir, "home");
  const rules = deny.map((argument) => ({ kind: "read" as const, argument, text: `read(${argument})` }));
  const places = { root: cwd, cwd, sessionDir, everlongHome: home, userHome: home, tempDir: home };
  const policy = makePolicy({ ...places, deny: rules });
  const parts = { owner, env: testEnv, hidden: (folder: string) => hiddenBelow(policy, folder) };
  return {
    context,
    grep: async (args: object) => textOf(await call(grepTool(parts), args, context)),
    glob: async (args: object) => textOf(await call(globTool(parts), args, context)),
  };
}

const FILES = {
  ".gitignore": "*.log\nbuild/\n",
  "src/a.ts": "const one = 1;\nneedle(one);\nconst two = 2;\n",
  "src/b.js": "// Needle\n",
  ".github/ci.yml": "needle: true\n",
  "out.log": "needle\n",
  "build/x.ts": "needle\n",
  ".git/config": "needle\n",
};

describe("grep", () => {
  it("A6.14 files, content with context, count; ignore files honoured, hidden files searched, git's own not", async () => {
    const { grep } = setup(FILES);
    expect(await grep({ pattern: "needle" })).toBe(".github/ci.yml\nsrc/a.ts");
    expect(await grep({ pattern: "needle", output_mode: "content", context: 1, path: "src" })).toBe(
      "src/a.ts-1-const one = 1;\nsrc/a.ts:2:needle(one);\nsrc/a.ts-3-const two = 2;",
    );
    expect(await grep({ pattern: "NEEDLE", ignore_case: true, output_mode: "count" })).toBe(
      ".github/ci.yml:1\nsrc/a.ts:1\nsrc/b.js:1",
    );
    expect(await grep({ pattern: "one.*two", multiline: true })).toBe("src/a.ts");
    expect(await grep({ pattern: "needle", type: "ts" })).toBe("src/a.ts");
    expect(await grep({ pattern: "nowhere" })).toBe("No matches.");
    expect(await grep({ pattern: "needle", path: "src/a.ts", output_mode: "content" })).toBe("src/a.ts:2:needle(one);");
  });

  it("A6.14 a glob narrows and never brings ignored files back; its rules file is gone afterwards", async () => {
    const { grep, context } = setup(FILES);
    expect(await grep({ pattern: "needle", glob: "*.{ts,js,log}" })).toBe("src/a.ts");
    expect(await grep({ pattern: "needle", glob: "!*.ts" })).not.toContain("src/a.ts");
    expect(await grep({ pattern: "needle", glob: "*.log" })).toBe("No matches.");
    expect(await grep({ pattern: "needle", glob: "src/**" })).toBe("src/a.ts");
    expect(readdirSync(context.sessionDir)).toEqual([]);
  });

  it("A6.14 a bad expression is an error that offers the literal one, which works", async () => {
    const { grep } = setup({ "a.c": "call(foo[1], {x}) + $y\n" });
    const text = await grep({ pattern: "call(foo[1], {x}) + $y(" });
    expect(text).toMatch(/^invalid_inputs: "pattern":/);
    const literal = /use the pattern: (.*)$/.exec(await grep({ pattern: "call(foo[" }))?.[1];
    expect(await grep({ pattern: literal, output_mode: "content" })).toBe("a.c:1:call(foo[1], {x}) + $y");
    expect(await grep({ pattern: "x", type: "nosuch" })).toMatch(/^invalid_inputs: .*nosuch/);
  });

  it("A6.14 at most 200 results, saying how many more; a pattern is never an option", async () => {
    const { grep } = setup({ "many.txt": "hit\n".repeat(450), "dash.txt": "--files\n" });
    const text = await grep({ pattern: "hit", output_mode: "content", head_limit: 999 });
    expect(text.split("\n")).toHaveLength(201);
    expect(text).toContain("first 200 results, 250 more");
    expect((await grep({ pattern: "hit", output_mode: "content", head_limit: 3 })).split("\n")).toHaveLength(4);
    expect(await grep({ pattern: "--files" })).toBe("dash.txt");
  });

  it("AE9 reaches line 123456 of a spilled output in the session folder", async () => {
    const { grep, context } = setup({});
    const file = join(context.sessionDir, "outputs/call.txt");
    mkdirSync(dirname(file));
    execFileSync("sh", ["-c", `seq 1 200000 > ${file}`]);
    expect(await grep({ pattern: "^123456$", path: file, output_mode: "content" })).toBe(`${file}:123456:123456`);
  });

  it.each([
    ["secret.txt"],
    ["SECRET.TXT"],
    ["sub/secret.txt"],
    ["s*.txt"],
    ["sec[r]et.???"],
    ["**/secret.txt"],
    ["../*/sub/secret.txt"],
  ])("SEC19 A7.3 files of the rule read(%s) are left out of a search, and nothing else is", async (rule) => {
    const files = { "sub/secret.txt": "needle\n", "sub/other.md": "needle\n", "a.md": "needle\n" };
    const { grep, glob } = setup(files, rule);
    expect(await grep({ pattern: "needle" })).toBe("a.md\nsub/other.md");
    expect(await grep({ pattern: "needle", path: "sub", output_mode: "content" })).toBe("sub/other.md:1:needle");
    expect(await grep({ pattern: "needle", glob: "secret.txt" })).toBe("No matches.");
    expect(await glob({ pattern: "**/*" })).toBe("a.md\nsub/other.md");
    expect(await glob({ pattern: "*.txt", path: "sub" })).toBe("No files match.");
  });

  it("SEC19 so are whole folders, absolute patterns and odd names; a file asked for by name was judged by itself", async () => {
    const files = { "keys/deep/a.pem": "needle\n", "{a,b}.md": "needle\n", "a.md": "needle\n", "x y ": "needle\n" };
    expect(await setup(files, "keys/", "{a,b}.md", "x y ").grep({ pattern: "needle" })).toBe("a.md");
    expect(await setup(files, "keys", "[x", "x*").grep({ pattern: "needle" })).toBe("a.md\n{a,b}.md");
    const { grep, context } = setup(files, "../**/deep", "a.md");
    expect(await grep({ pattern: "needle" })).toBe("x y \n{a,b}.md");
    expect(await grep({ pattern: "needle", path: join(context.cwd, "a.md") })).toBe("a.md");
  });

  it("A7.6 a link out of the allowed folders is refused", async () => {
    const { grep, context } = setup({});
    symlinkSync("/etc", join(context.cwd, "door"));
    expect(await grep({ pattern: "root", path: "door" })).toMatch(/^denied/);
    expect(await grep({ pattern: "root", path: "none" })).toMatch(/^not_found/);
  });
});

describe("glob", () => {
  it("A6.15 finds by pattern, newest first, honouring ignore files", async () => {
    const { glob } = setup(FILES);
    expect(await glob({ pattern: "*" })).toBe(".github/ci.yml\nsrc/b.js\nsrc/a.ts\n.gitignore");
    expect(await glob({ pattern: "**/*.{ts,js}" })).toBe("src/b.js\nsrc/a.ts");
    expect(await glob({ pattern: "src/*.ts" })).toBe("src/a.ts");
    expect(await glob({ pattern: "*.js", path: "src" })).toBe("src/b.js");
    expect(await glob({ pattern: "*.log" })).toBe("No files match.");
    expect(await glob({ pattern: "*", head_limit: 1 })).toContain("the newest 1 of 4 files");
  });
});
