import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { withLine } from "./line.ts";
import { TOKEN } from "./plan-fixture.ts";
import { planJson, shellLines } from "./print.ts";
import type { Plan } from "./row.ts";

const plan = (folder: string): Plan => ({
  command: "sh",
  args: ["-c", 'printf "%s|%s" "$NAME" "$1"', "x", "it's $HOME"],
  env: { NAME: "a b\nc'd", KEY: `Bearer ${TOKEN}` },
  files: [{ path: join(folder, "with", "f 1.json"), mode: 0o600, text: `{"t":"${TOKEN}","$x":"\`id\`"}\n` }],
  notes: ["a note"],
  secrets: [TOKEN, ""],
});

describe("X114 a printed plan", () => {
  it("X114 is shell lines that do what a run does", () => {
    const folder = mkdtempSync(join(tmpdir(), "everlong-with-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const lines = shellLines(plan(folder));
    expect(execFileSync("sh", ["-c", lines], { encoding: "utf8" })).toBe("a b\nc'd|it's $HOME");
    const file = join(folder, "with", "f 1.json");
    expect(readFileSync(file, "utf8")).toBe('{"t":"…DEFG","$x":"`id`"}\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "with")).mode & 0o777).toBe(0o700);
  });

  it("X114 shows no key, as lines or as JSON", () => {
    for (const text of [shellLines(plan("/x")), JSON.stringify(planJson("sh", plan("/x")))]) {
      expect(text).not.toContain(TOKEN);
      expect(text).toContain("…DEFG");
      expect(text).toContain("a note");
    }
  });
});

describe("X114 whose words are whose", () => {
  const line = (agent: string, args: string[], print = false, json = false) => ({ agent, args, print, json });
  it.each([
    [["codex", "exec", "x"], line("codex", ["exec", "x"])],
    [["--print", "codex", "exec"], line("codex", ["exec"], true)],
    [["--json", "--print", "pi"], line("pi", [], true, true)],
    [["codex", "--print"], line("codex", [], true)],
    [["codex", "exec", "--json"], line("codex", ["exec", "--json"])],
    [["claude", "--print"], line("claude", ["--print"])],
    [["claude", "--json"], line("claude", [], false, true)],
    [["--", "python", "--print"], line("--", ["python", "--print"])],
    [["--print"], line("", [], true)],
    [["codex", "--", "x"], line("codex", ["--", "x"])],
  ])("X114 with %j", (words, expected) => {
    expect(withLine(words)).toEqual(expected);
  });
});
