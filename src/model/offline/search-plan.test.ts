// The planned searches against the real ripgrep: every pattern must be one that it understands and that finds.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPO } from "./offline-fixture.ts";
import { readQuestion } from "./question.ts";
import { firstSearch, type PlannedCall, widerSearch } from "./search-plan.ts";

const folder = mkdtempSync(join(tmpdir(), "everlong-offline-"));
beforeAll(() => {
  for (const [path, text] of Object.entries(REPO)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run({ name, args }: PlannedCall): { code: number | null; lines: string[] } {
  const glob = name === "glob" ? args["pattern"] : args["glob"];
  const search =
    name === "glob"
      ? ["--files"]
      : ["-n", "--no-heading", ...(args["ignore_case"] ? ["-i"] : []), `--regexp=${args["pattern"]}`];
  const given = [...search, "--sort=path", ...(glob === undefined ? [] : [`--glob=${glob}`]), "./"];
  const { status, stdout } = spawnSync(rgPath, given, { cwd: folder, encoding: "utf8" });
  return { code: status, lines: stdout.split("\n").filter(Boolean) };
}
const found = (prompt: string) =>
  firstSearch(readQuestion(prompt)).flatMap((call) => (call.name === "recall" ? [] : run(call).lines));

describe("planned searches", () => {
  it.each([
    ["where is parseConfig defined?", "./src/config.ts:5:export function parseConfig(text: string): Config {"],
    ["what port does the server use", "./src/server.ts:3:const DEFAULT_PORT = 8080;"],
    ["which tests cover the parser?", "./test/parser.test.ts"],
    ["what does readme say about install", "./README.md:5:## Install"],
    ["is 8,080 set?", "./src/server.ts:3:const DEFAULT_PORT = 8080;"],
  ])("A3.3 %s", (prompt, line) => {
    expect(found(prompt)).toContain(line);
  });

  it("A3.3 no pattern or glob is refused, whatever the prompt holds", () => {
    const prompts = [
      'what is "a(b[c{" and `x|y*+?` in a/b[1].ts?',
      "foo::bar $HOME #tag @scope/pkg C++ --flag=[x] 1.2.3 100%",
      "設定 für naïve 😀 ...?!",
      "src/{a,b}.ts README.md lib/x.rs docs/",
      "Parser.parse the retry_limit class",
    ];
    for (const question of prompts.map(readQuestion)) {
      const calls = [...firstSearch(question), ...widerSearch(question)].filter((call) => call.name !== "recall");
      expect(calls.length).toBeGreaterThan(0);
      for (const call of calls) expect(run(call).code, JSON.stringify(call.args)).not.toBe(2);
    }
  });
});
