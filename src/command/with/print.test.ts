import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { withLine } from "./line.ts";
import { planFor } from "./plan.ts";
import { request, TOKEN, U } from "./plan-fixture.ts";
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

const upstreams = [{ name: "openai", url: "https://api.openai.com/v1", key: false }];
const shown = (one: Plan, env: Record<string, string> = {}) => ({ plan: one, upstreams, env, isRunning: true });

describe("N31 lines that work", () => {
  const env = { OPENAI_API_KEY: "sk-openai-0123456789", COPILOT_MODEL: "m" };
  const planned = (agent: string, more: Parameters<typeof request>[0]) => {
    const { run: _run, ...rest } = request({ env, ...more });
    const made = planFor(agent, rest);
    if (!made.ok) throw new Error(made.error.what);
    return made.value;
  };
  const run = (lines: string, name: string): string =>
    execFileSync("sh", ["-c", `copilot() { printf %s "$${name}"; }\n${lines}`], { encoding: "utf8", env });

  it("N31 a key is named by the variable that holds it, the upstream is shown, and no run is pretended", () => {
    const lines = shellLines(shown(planned("copilot", {}), env));
    expect(lines).toContain("# It forwards to: openai https://api.openai.com/v1");
    expect(lines).not.toContain("sk-openai");
    expect(run(lines, "COPILOT_PROVIDER_API_KEY")).toBe(env.OPENAI_API_KEY);
    expect(run(lines, "COPILOT_PROVIDER_BASE_URL")).toBe(`${U}/v1`);
    expect(shellLines({ ...shown(planned("copilot", {}), env), isRunning: false })).toContain("everlong serve");
    expect(planJson("copilot", shown(planned("copilot", {}), env))).toMatchObject({
      upstreams: [{ name: "openai", url: "https://api.openai.com/v1" }],
    });
  });

  it("N31 cline's file is made from the user's own, key and all", () => {
    const folder = mkdtempSync(join(tmpdir(), "everlong-with-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, ".cline", "data", "settings", "providers.json");
    const entry = { apiKey: "sk-cline-0123456789", baseUrl: "https://api.openai.com/v1" };
    const settings = JSON.stringify({ providers: { "openai-compatible": { settings: entry } } });
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, settings);
    const made = planned("cline", { home: folder, launch: join(folder, "with"), files: { [path]: settings } });
    const lines = shellLines(shown(made));
    expect(lines).not.toContain(entry.apiKey);
    execFileSync("sh", ["-c", `cline() { :; }\n${lines}`]);
    const copy = JSON.parse(readFileSync(join(folder, "with", "cline.json"), "utf8")) as object;
    expect(copy).toMatchObject({ providers: { "openai-compatible": { settings: { ...entry, baseUrl: `${U}/v1` } } } });
  });
});

describe("X114 a printed plan", () => {
  it("X114 is shell lines that do what a run does", () => {
    const folder = mkdtempSync(join(tmpdir(), "everlong-with-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const lines = shellLines(shown(plan(folder)));
    expect(execFileSync("sh", ["-c", lines], { encoding: "utf8" })).toBe("a b\nc'd|it's $HOME");
    const file = join(folder, "with", "f 1.json");
    expect(readFileSync(file, "utf8")).toBe('{"t":"…DEFG","$x":"`id`"}\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "with")).mode & 0o777).toBe(0o700);
  });

  it("X114 shows no key, as lines or as JSON", () => {
    for (const text of [shellLines(shown(plan("/x"))), JSON.stringify(planJson("sh", shown(plan("/x"))))]) {
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
