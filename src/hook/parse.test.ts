// Hook files: what is taken from them, and what each mistake says.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hookNameOf, hookNames } from "./name.ts";
import { parseHooks } from "./parse.ts";

const file = { path: "/x/hooks.json", layer: "user" } as const;
const parse = (hooks: unknown) => parseHooks(file, hooks);
const messages = (hooks: unknown) => parse(hooks).warnings.map((w) => w.message);

describe("hook files", () => {
  it("O81 every name has its capitalised alias, and two more", () => {
    for (const name of hookNames) {
      const alias = name.charAt(0).toUpperCase() + name.slice(1);
      expect(hookNameOf(name)).toEqual({ name });
      expect(hookNameOf(alias)).toEqual({ name, alias });
    }
    expect(hookNameOf("UserPromptSubmit")?.name).toBe("userPromptSubmitted");
    expect(hookNameOf("Stop")?.name).toBe("agentStop");
    expect(hookNameOf("stop")).toBeUndefined();
  });

  it("O85 a command hook with its defaults, and each field", () => {
    const [plain, full] = parse({
      preToolUse: [
        { type: "command", bash: "check" },
        { command: "x", cwd: "scripts", env: { A: "1" }, timeout: 5, matcher: "bash|edit", onError: "allow", more: 1 },
      ],
    }).hooks;
    expect(plain).toEqual({
      id: "/x/hooks.json#preToolUse[0]",
      name: "preToolUse",
      source: "/x/hooks.json",
      layer: "user",
      type: "command",
      shell: "bash",
      command: "check",
      env: {},
      timeoutMs: 30_000,
      onError: "deny",
    });
    expect(full).toMatchObject({ shell: "sh", cwd: "scripts", env: { A: "1" }, timeoutMs: 5000, onError: "allow" });
    expect(full?.matcher?.test("edit")).toBe(true);
    expect(full?.matcher?.test("edit2"), "anchored").toBe(false);
  });

  it("O81 the nested form of other agents gives each hook the matcher", () => {
    const nested = {
      matcher: "Bash",
      hooks: [
        { type: "command", command: "a" },
        { type: "command", command: "b" },
      ],
    };
    const { hooks, warnings } = parse({ PreToolUse: [nested] });
    expect(warnings).toEqual([]);
    expect(hooks.map((h) => [h.alias, h.matcher?.test("Bash")])).toEqual([
      ["PreToolUse", true],
      ["PreToolUse", true],
    ]);
  });

  it("O82 an unknown name warns with the near one; unknown fields pass", () => {
    const { hooks, warnings } = parse({ preToolUsed: [{ bash: "x" }], preToolUse: [{ bash: "x", comment: "ok" }] });
    expect(hooks).toHaveLength(1);
    expect(warnings).toEqual([{ path: "/x/hooks.json", message: expect.stringContaining("did you mean preToolUse?") }]);
  });

  it("O88 an invalid matcher skips its entry only; empty and * match all; one without a subject is said", () => {
    const matchers = ["(", 7, "", "*"].map((matcher) => ({ bash: "x", matcher }));
    const { hooks, warnings } = parse({ preToolUse: matchers, agentStop: [{ bash: "x", matcher: "a" }] });
    expect(hooks.map((h) => [h.id.split("#")[1], h.matcher])).toEqual([
      ["preToolUse[2]", undefined],
      ["preToolUse[3]", undefined],
      ["agentStop[0]", undefined],
    ]);
    expect(warnings.map((w) => w.message.slice(0, 25))).toEqual([
      'preToolUse[0]: "matcher" ',
      'preToolUse[1]: "matcher" ',
      'agentStop[0]: "matcher" m',
    ]);
  });

  it("O86 O87 http and prompt entries; a prompt only where its text has a place", () => {
    const { hooks, warnings } = parse({
      postToolUse: [{ type: "http", url: "https://h.example/x", headers: { A: "$B" }, allowedEnvVars: ["B"] }],
      sessionStart: [{ prompt: "be kind" }],
      preToolUse: [{ prompt: "be kind" }],
    });
    expect(hooks.map((h) => h.type)).toEqual(["http", "prompt"]);
    expect(warnings.map((w) => w.message)).toEqual([
      expect.stringContaining("preToolUse[0]: a prompt can be given to"),
    ]);
  });

  it.each([
    [7, '"hooks" must be an object'],
    [{ preToolUse: {} }, '"preToolUse" must be a list'],
    [{ preToolUse: ["x"] }, "preToolUse[0]: must be an object"],
    [{ preToolUse: [{ type: "lua", bash: "x" }] }, '"type" must be command, http or prompt, found "lua"'],
    [{ preToolUse: [{ bash: " " }] }, "needs a command"],
    [{ preToolUse: [{ bash: "x", timeoutSec: 601 }] }, '"timeoutSec" must be 1 to 600, found 601; 30 is used'],
    [{ preToolUse: [{ bash: "x", onError: "ignore" }] }, '"onError" must be allow or deny, found "ignore"; deny'],
    [{ preToolUse: [{ bash: "x", env: { A: 1 } }] }, '"env" must be an object of texts'],
    [{ preToolUse: [{ bash: "x", cwd: 3 }] }, '"cwd" must be a folder, found 3'],
    [{ preToolUse: [{ url: 3 }] }, '"url" must be an address, found 3'],
    [{ preToolUse: [{ url: "https://a", allowedEnvVars: "A" }] }, '"allowedEnvVars" must be a list'],
  ])("O11 %j says what was expected and what was found", (hooks, said) => {
    expect(messages(hooks)).toEqual([expect.stringContaining(said)]);
  });

  it("OI14 a value nested 20,000 deep is described, not walked through", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
    for (const hooks of [deep, { preToolUse: [deep] }, { preToolUse: [{ bash: "x", env: deep }] }])
      expect(messages(hooks)).toEqual([expect.stringContaining("nested deeper than 100 levels")]);
  });

  it("OI14 any JSON is read without a throw, and a good hook beside it is still there", () => {
    const names = fc.constantFrom("preToolUse", "Stop", "agentStop", "x");
    const keys = fc.constantFrom("type", "bash", "url", "prompt", "matcher", "hooks", "env", "timeoutSec", "headers");
    const entry = fc.dictionary(keys, fc.jsonValue());
    fc.assert(
      fc.property(fc.dictionary(names, fc.array(fc.oneof(entry, fc.jsonValue()))), (hooks) => {
        const parsed = parse({ ...hooks, sessionEnd: [{ bash: "true" }] });
        expect(parsed.hooks.at(-1)).toMatchObject({ name: "sessionEnd", command: "true" });
      }),
    );
  });
});
