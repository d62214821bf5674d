import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../base/scratch-fixture.ts";
import { flagOptions, readFlags } from "./flag.ts";
import { resolveHome } from "./home.ts";
import { type LoadOptions, loadSettings } from "./load.ts";
import { RANK, resolve, type SettingCandidate } from "./resolve.ts";
import { rowOf, type Settings } from "./table.ts";

const HOME = "/h";
const USER = "/h/settings.json";
const PROJECT = "/r/.everlong/settings.json";
type Files = { user?: unknown; project?: unknown };

function load(files: Files = {}, options: Partial<LoadOptions> = {}) {
  const text = (value: unknown) => (typeof value === "string" || value === undefined ? value : JSON.stringify(value));
  const byPath: Record<string, string | undefined> = { [USER]: text(files.user), [PROJECT]: text(files.project) };
  return loadSettings({ env: {}, home: HOME, root: "/r", trusted: false, readFile: (p) => byPath[p], ...options });
}
async function loaded(files: Files = {}, options: Partial<LoadOptions> = {}) {
  const result = await load(files, options);
  if (!result.ok) throw new Error(result.error.what);
  return result.value;
}
async function refused(files: Files, options: Partial<LoadOptions> = {}) {
  const result = await load(files, options);
  if (result.ok) throw new Error("was accepted");
  return result.error;
}

describe("precedence", () => {
  it("A1.2 each layer beats the one below, and says where the value comes from", async () => {
    const user = { turn: { maxSteps: 1 } };
    const project = { turn: { maxSteps: 2 } };
    const env = { EVERLONG_MAX_STEPS: "3" };
    const seen = [
      await loaded(),
      await loaded({ user }),
      await loaded({ user, project }),
      await loaded({ user, project }, { env }),
      await loaded({ user, project }, { env, flags: { "turn.maxSteps": "4" } }),
    ].map((l) => [l.values["turn.maxSteps"], l.sources["turn.maxSteps"]]);
    expect(seen).toEqual([
      [200, "default"],
      [1, "user"],
      [2, "project"],
      [3, "environment EVERLONG_MAX_STEPS"],
      [4, "flag"],
    ]);
  });

  it("A1.2 objects merge by key and permission lists unite", async () => {
    const l = await loaded(
      {
        user: { provider: { headers: { a: "1", b: "2" } }, permissions: { deny: ["shell(rm)"], allow: ["read"] } },
        project: { permissions: { deny: ["url"], ask: ["write"] } },
      },
      { env: { EVERLONG_HEADERS: "b: 3\nC: x:y" }, flags: { "permissions.deny": ["mcp", "url"] } },
    );
    expect(l.values["provider.headers"]).toEqual({ a: "1", b: "3", C: "x:y" });
    expect(l.values["permissions.deny"]).toEqual(["shell(rm)", "url", "mcp"]);
    expect(l.permissions.ask).toEqual([{ text: "write", source: "project" }]);
    expect(l.sources["permissions.deny"]).toBe("user, project, flag");
  });

  it("AI14 the result does not depend on the order in which layers were read", () => {
    const keys = ["turn.maxSteps", "provider.headers", "permissions.deny"] as const;
    const value = {
      "turn.maxSteps": (n: number) => n,
      "provider.headers": (n: number) => ({ [`k${n % 2}`]: `${n}` }),
      "permissions.deny": (n: number) => [`r${n}`],
    };
    const all: SettingCandidate[] = keys.flatMap((key) =>
      Object.entries(RANK).map(([source, rank]) => ({ row: rowOf(key)!, value: value[key](rank), rank, source })),
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(all), (some) => {
        const sorted = all.filter((c) => some.includes(c));
        expect(resolve(some)).toEqual(resolve(sorted));
      }),
    );
  });

  it("accepts dotted keys beside nested ones", async () => {
    expect((await loaded({ user: { "turn.maxSteps": 9 } })).values["turn.maxSteps"]).toBe(9);
  });

  it("a project that is the user's own folder has no project file of its own", async () => {
    const folder = scratchFolder("settings");
    mkdirSync(join(folder, ".everlong"));
    writeFileSync(join(folder, ".everlong", "settings.json"), '{"provider": {"baseUrl": "http://x"}}');
    symlinkSync(folder, `${folder}-link`);
    for (const root of [folder, `${folder}-link`]) {
      const l = await loadSettings({ env: {}, home: join(folder, ".everlong"), root, trusted: false });
      expect(l).toMatchObject({ ok: true, value: { warnings: [], sources: { "provider.baseUrl": "user" } } });
    }
  });
});

describe("environment", () => {
  it("A1.4 reads booleans in every spelling; empty is unset", async () => {
    for (const text of ["1", "true", "YES", "On"]) {
      expect((await loaded({}, { env: { EVERLONG_OFFLINE: text } })).values.offline).toBe(true);
    }
    for (const text of ["0", "False", "no", "OFF"]) {
      expect((await loaded({}, { env: { EVERLONG_ASK_USER: text } })).values.askUser).toBe(false);
    }
    const l = await loaded({}, { env: { EVERLONG_ASK_USER: "", EVERLONG_MODEL: " " } });
    expect([l.values.askUser, l.values.model, l.warnings]).toEqual([true, undefined, []]);
  });

  it("A1.4 our name beats an alias that differs, with one warning naming both", async () => {
    const l = await loaded({}, { env: { EVERLONG_MCP_TASKS: "0", MCP_TASKS: "1" } });
    expect(l.values["features.mcpTasks"]).toBe(false);
    expect(l.warnings).toEqual([expect.stringMatching(/EVERLONG_MCP_TASKS and MCP_TASKS differ/)]);
    const same = await loaded({}, { env: { EVERLONG_MCP_TASKS: "off", MCP_TASKS: "0" } });
    expect(same.warnings).toEqual([]);
    expect((await loaded({}, { env: { MCP_TASKS: "0" } })).sources["features.mcpTasks"]).toBe("environment MCP_TASKS");
  });

  it.each(["abc", "-5", "0", "NaN", "Infinity", "1.5", "0x10"])(
    "AB4 B58 A1.5 %s as a token limit: one warning, default",
    async (text) => {
      const l = await loaded({}, { env: { EVERLONG_MAX_PROMPT_TOKENS: text } });
      expect(l.values["limits.maxPromptTokens"]).toBeUndefined();
      expect(l.warnings).toHaveLength(1);
      expect(l.warnings[0]).toContain("EVERLONG_MAX_PROMPT_TOKENS");
      expect(l.warnings[0]).toContain(text);
    },
  );

  it("A1.5 a bad value never shows a secret", async () => {
    const l = await loaded({}, { env: { EVERLONG_HEADERS: "sk-very-secret" } });
    expect(l.warnings).toHaveLength(1);
    expect(l.warnings[0]).not.toContain("sk-very");
  });

  it("A1.5 M6 an unreadable switch of the memory features counts as off", async () => {
    const l = await loaded({}, { env: { COPILOT_SUBCONSCIOUS: "maybe" } });
    expect(l.values["features.subconscious"]).toBe(false);
    expect(l.warnings).toEqual([expect.stringContaining("COPILOT_SUBCONSCIOUS")]);
  });

  it("A1.8 agentic memory has a name that disables it", async () => {
    const name = "copilot-feature-agentic-memory";
    const value = async (env: Record<string, string>) => (await loaded({}, { env })).values["features.agenticMemory"];
    expect(await value({ [`${name}-disabled`]: "true", [name]: "true" })).toBe(false);
    expect(await value({ [`${name}-disabled`]: "false", [name]: "true" })).toBe(true);
    expect(await value({ [`${name}-disabled`]: "1", EVERLONG_AGENTIC_MEMORY: "1" })).toBe(true);
  });

  it("A1.9 EVERLONG_FEATURES sets switches by key or seed name; a switch's own variable beats the list", async () => {
    const env = {
      EVERLONG_FEATURES: "githubContext, -MCP_TASKS,-features.multiTurnAgents,nonsense",
      MULTI_TURN_AGENTS: "1",
    };
    const l = await loaded({ user: { features: { mcpTasks: true } } }, { env });
    expect(l.values["features.githubContext"]).toBe(true);
    expect(l.values["features.mcpTasks"]).toBe(false);
    expect(l.values["features.multiTurnAgents"]).toBe(true);
    expect(l.warnings).toEqual([expect.stringContaining('"nonsense"')]);
  });

  it("B60 an empty home is unset, a relative one is refused naming the cure", () => {
    expect(resolveHome({ EVERLONG_HOME: "" }, "/u")).toEqual({ ok: true, value: "/u/.everlong" });
    expect(resolveHome({ EVERLONG_HOME: "/x/" }, "/u")).toEqual({ ok: true, value: "/x" });
    expect(resolveHome({ EVERLONG_HOME: "some/where" }, "/u")).toMatchObject({
      ok: false,
      error: { exit: 1, code: "home_relative" },
    });
  });
});

describe("files", () => {
  it("A1.5 B61 a pipe, a device or a file of many megabytes in its place is refused at once, by its name", async () => {
    const root = scratchFolder("settings");
    mkdirSync(join(root, ".everlong"));
    const path = join(root, ".everlong", "settings.json");
    const make = [
      () => execFileSync("mkfifo", [path]),
      () => symlinkSync("/dev/zero", path),
      () => writeFileSync(path, " ".repeat(3_000_000)),
    ];
    for (const one of make) {
      rmSync(path, { force: true });
      one();
      const result = await loadSettings({ env: {}, home: join(root, "home"), root, trusted: false });
      expect(result).toMatchObject({
        ok: false,
        error: { code: "settings_unreadable", what: expect.stringContaining(path) },
      });
    }
  });

  it("OI14 a file nested 20,000 deep is refused by its name", async () => {
    const deep = `{"mcpServers": ${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    expect((await refused({ project: deep })).what).toContain(`${PROJECT}:1:1 is nested deeper than 100 levels`);
  });

  it("A1.5 B61 AB3 a file that is not JSON stops the start with file:line:column", async () => {
    for (const [text, at] of [
      ['{\n  "model": }\n', "2:12"],
      ["", "1:1"],
      ["[1]", "1:1"],
      ['{\n  "a": 1\n', "3:1"],
    ] as const) {
      const error = await refused({ user: text });
      expect([error.exit, error.what]).toEqual([2, expect.stringContaining(`${USER}:${at} `)]);
    }
  });

  it("A1.5 B61 a wrong value under permissions stops the start, in both files", async () => {
    for (const permissions of [[], { deny: "shell(rm)" }, { deny: [1] }, { allow: null }]) {
      expect(await refused({ user: { permissions } })).toMatchObject({ exit: 2 });
      expect(await refused({ project: { permissions } })).toMatchObject({ exit: 2 });
    }
    const error = await refused(
      { user: '{\n// c\n"permissions": {"deny": ["ok",\n  "bad"]}}' },
      { checkRule: (r) => (r === "bad" ? "no such kind" : undefined) },
    );
    expect(error.what).toContain(`${USER}:4:3 "permissions.deny": no such kind`);
  });

  it("A1.5 B61 another wrong value: one warning with its line, default used; unknown key: warning with the near name", async () => {
    const l = await loaded({ user: '{ // comment\n "turn": {"maxSteps": "fast",\n "maxStepz": 1}, "tool": 3,}' });
    expect(l.values["turn.maxSteps"]).toBe(200);
    expect(l.warnings).toHaveLength(3);
    expect(l.warnings[0]).toBe(
      `${USER} line 2: "turn.maxSteps" must be a whole number of at least 1, found "fast". The default 200 is used. [setting_invalid]`,
    );
    expect(l.warnings[1]).toMatch(/line 3: "turn.maxStepz" is not a setting \(did you mean "turn.maxSteps"\?\)/);
    expect(l.warnings[2]).toMatch(/line 3: "tool" must be an object/);
  });

  it("A1.5 a bad flag is wrong usage", () => {
    expect(readFlags({ "provider.wire": "telepathy" })).toMatchObject({
      ok: false,
      error: { exit: 2, what: expect.stringContaining("--wire") },
    });
    expect(readFlags({ "permissions.allow": ["x"] }, () => "no")).toMatchObject({ ok: false, error: { exit: 2 } });
  });

  it("A1.6 AB3 a project never sets providers, allow-all, trust, consent or home", async () => {
    const l = await loaded(
      {
        project: {
          provider: { baseUrl: "http://evil", apiKey: "k", other: 1 },
          providers: { openai: { baseUrl: "http://evil" }, unknown: 1 },
          permissions: { allowAll: true },
          trust: true,
          consent: ["x"],
          home: "/evil",
          offline: false,
        },
      },
      { trusted: true, env: { EVERLONG_OFFLINE: "1" } },
    );
    expect(l.warnings).toHaveLength(10);
    expect(l.values["provider.baseUrl"]).toBeUndefined();
    expect(l.values["providers.openai.baseUrl"]).toBeUndefined();
    expect(l.values["permissions.allowAll"]).toBe(false);
    expect(l.values.home).toBe(HOME);
    expect(l.values.offline).toBe(true);
  });

  it("A1.6 allow rules of a project count only when it is trusted; deny and ask always", async () => {
    const project = {
      permissions: { allow: ["shell"], deny: ["url"], ask: ["mcp"], dirs: ["/"] },
      web: { fetch: true },
    };
    const flags = { "permissions.allow": ["read"] };
    const before = await loaded({ project }, { flags });
    expect(before.values["permissions.allow"]).toEqual(["read"]);
    expect(before.permissions.allow).toEqual([{ text: "read", source: "flag" }]);
    expect([before.values["permissions.deny"], before.values["permissions.ask"]]).toEqual([["url"], ["mcp"]]);
    expect([before.values["permissions.dirs"], before.values["web.fetch"]]).toEqual([[], false]);
    expect(before.withheld.map((w) => w.key)).toEqual(["permissions.allow", "permissions.dirs", "web.fetch"]);
    const after = await loaded({ project }, { flags, trusted: true });
    expect(after.values["permissions.allow"]).toEqual(["shell", "read"]);
    expect(after.withheld).toEqual([]);
  });

  it("B61 a file that cannot be read stops the start", async () => {
    const error = await refused(
      {},
      {
        readFile: () => {
          throw new Error("EACCES: permission denied");
        },
      },
    );
    expect(error).toMatchObject({ exit: 2, what: expect.stringContaining(USER) });
  });

  it("B61 loading never writes a file", async () => {
    const folder = scratchFolder("settings");
    const text = '{ "foo": 1, /* c */ "turn": {"maxSteps": -1} }';
    writeFileSync(join(folder, "settings.json"), text);
    await loadSettings({ env: {}, home: folder, trusted: false });
    expect(readFileSync(join(folder, "settings.json"), "utf8")).toBe(text);
  });
});

it("A1.1 the values have the types that their rows declare", async () => {
  const { values } = await loaded();
  const typed: Pick<Settings, "turn.maxSteps" | "model" | "durability" | "home" | "tool.exclude"> = values;
  const steps: number = typed["turn.maxSteps"];
  const durability: "process" | "power" = typed.durability;
  // @ts-expect-error a model may be missing
  const model: string = typed.model;
  expect([steps, durability, model, typed.home]).toEqual([200, "process", undefined, HOME]);
});

it("A1.1 flags come from the table", () => {
  const options = flagOptions();
  expect(options.find((o) => o.name === "--no-ask-user")).toMatchObject({ key: "askUser", value: false });
  expect(options.find((o) => o.name === "--yolo")).toMatchObject({ key: "permissions.allowAll", value: true });
  expect(options.find((o) => o.name === "--allow-tool")).toMatchObject({ argument: "RULE", repeat: true });
});
