// Custom agents from files: places, precedence, trust, and what every kind of bad file says.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TestGround, testGround } from "../agent-fixture.ts";
import { normaliseName } from "../file/name.ts";
import { describeWarning } from "../file/warning.ts";
import { builtinAgents } from "./builtin.ts";
import { type CatalogOptions, findAgent, loadCatalog } from "./load.ts";
import { catalogEvent, describeCatalog, selectAgent } from "./show.ts";

let ground: TestGround;
beforeEach(() => {
  ground = testGround();
});
afterEach(() => ground.remove());

const load = (more: Partial<CatalogOptions> = {}) =>
  loadCatalog({ ...ground.trusted(), builtins: {}, isOn: () => true, ...more });
const agent = (name: string, description = "does it") =>
  `---\nname: ${name}\ndescription: ${description}\n---\nBe ${name}.`;
const names = async (more?: Partial<CatalogOptions>) => (await load(more)).agents.map((a) => a.name);
const said = async (more?: Partial<CatalogOptions>) => (await load(more)).warnings.map(describeWarning);

describe("names", () => {
  it.each([
    [" My Agent ", "my-agent"],
    ["my_agent", "my-agent"],
    ["Ünïcode & Co.", "ncode-co"],
    ["a -- b", "a-b"],
    ["x".repeat(99), "x".repeat(64)],
    ["!?", ""],
  ])("O9 %j is %j", (written, name) => {
    expect(normaliseName(written)).toBe(name);
  });

  it("O9 a normal name stays what it is", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const name = normaliseName(text);
        expect(name).toMatch(/^[a-z0-9-]{0,64}$/);
        expect(normaliseName(name)).toBe(name);
      }),
    );
  });
});

describe("custom agents", () => {
  it("O5 O6 O7 every field of a file", async () => {
    const path = ground.put(
      "home/agents/db.agent.md",
      `---
description: Migrates databases
displayName: Database
tools: Read, grep, postgres/*, github/get_issue
disallowedTools: [glob]
mcp-servers: { postgres: { command: pg-mcp } }
model: [gpt-x, claude-y]
skills: [SQL Style]
github: { toolsets: [issues], tools: [search_code] }
user-invocable: false
disable-model-invocation: true
maxTurns: 12
maxTokens: 5000
maxMinutes: 3
color: purple
---

You migrate.
`,
    );
    const { agents, warnings } = await load();
    expect(warnings).toEqual([]);
    expect(agents).toEqual([
      {
        name: "db",
        displayName: "Database",
        description: "Migrates databases",
        origin: "user",
        path,
        models: ["gpt-x", "claude-y"],
        tools: expect.objectContaining({
          all: false,
          names: ["view", "grep"],
          mcp: [{ server: "postgres" }, { server: "github", tool: "get_issue" }],
        }),
        without: expect.objectContaining({ names: ["glob"] }),
        sideEffects: true,
        caps: { maxSteps: 12, maxTokens: 5000, maxMinutes: 3 },
        promptParts: expect.objectContaining({ includeAISafety: true, includeConsolidationPrompt: false }),
        prompt: "You migrate.",
        skills: ["sql-style"],
        mcpServers: { postgres: { command: "pg-mcp" } },
        github: { toolsets: ["issues"], tools: ["search_code"] },
        userInvocable: false,
        modelInvocable: false,
      },
    ]);
  });

  it("O6 what is not said: the stem as name, all tools, the session's model, for everybody", async () => {
    ground.put("home/agents/My Helper.md", "---\ndescription: helps\nmodel: inherit\n---\nHelp.");
    expect((await load()).agents).toMatchObject([
      { name: "my-helper", models: [], tools: { all: true }, userInvocable: true, modelInvocable: true },
    ]);
  });

  it("O8 O10 OB2 the nearest project folder wins, then user, plugin, built-in; the client above all; losers are listed", async () => {
    const places = [
      "root/a/.everlong/agents/x.md",
      "root/a/.github/agents/x.md",
      "root/a/.claude/agents/x.agent.md",
      "root/.everlong/agents/X.md",
      "home/agents/x.md",
      "home/plugins/p/agents/x.md",
    ];
    for (const path of places) ground.put(path, agent(path.endsWith("X.md") ? "X" : "x", path));
    const builtins = { "x.agent.yaml": "name: x\ndescription: ours\ntools: '*'\nprompt: p" };
    const client = [{ fields: { name: "X", description: "client" }, body: "p" }];
    const options = { ...ground.trusted("root/a"), builtins, client };
    const { agents, shadowed, warnings } = await load(options);
    expect(warnings).toEqual([]);
    expect([agents[0], ...shadowed.map((s) => s.agent)].map((a) => a?.description)).toEqual([
      "client",
      ...places,
      "ours",
    ]);
    expect(shadowed.every((s) => s.by === agents[0])).toBe(true);
    expect(describeCatalog({ agents, shadowed, warnings })).toContain(`user: ${join(ground.base, "home/agents/x.md")}`);
    expect((await load({ ...options, client: [] })).agents[0]?.description).toBe(places[0]);
  });

  it("O5 files of a folder below, and files that are no Markdown, are not agents", async () => {
    ground.put("home/agents/deep/x.md", agent("deep"));
    ground.put("home/agents/readme.txt", agent("text"));
    expect(await names()).toEqual([]);
  });

  it("O10 rem-agent and sidekicks cannot be replaced, whether they are on or not", async () => {
    for (const name of ["rem-agent", "subconscious-agent"]) ground.put(`home/agents/${name}.md`, agent(name));
    ground.put("home/agents/explore.md", agent("Explore"));
    for (const on of [true, false]) {
      const { agents, warnings } = await load({ builtins: builtinAgents, isOn: () => on });
      expect(agents.find((a) => a.name === "explore")?.origin).toBe("user");
      expect(agents.find((a) => a.name === "rem-agent")?.origin).toBe(on ? "builtin" : undefined);
      expect(warnings.map((w) => [w.field, w.message])).toEqual([
        ["name", "rem-agent cannot be replaced."],
        ["name", "subconscious-agent cannot be replaced."],
      ]);
    }
  });

  it("O12 a project's agents only in a trusted folder; a changed one is off until trusted again", async () => {
    ground.put("root/.github/agents/a.md", agent("a"));
    ground.put("root/.github/agents/b.md", agent("b"));
    ground.put("root/.github/agents/broken.md", "---\n: [\n---\nx");
    expect(await names(await ground.recorded())).toEqual([]);
    expect(await said(await ground.recorded()), "silent before trust").toEqual([]);
    await ground.trust();
    expect(await names(await ground.recorded())).toEqual(["a", "b"]);
    ground.put("root/.github/agents/b.md", agent("b", "evil"));
    ground.put("root/.github/agents/c.md", agent("c", "new"));
    expect(await names(await ground.recorded())).toEqual(["a"]);
    await ground.trust();
    expect(await names(await ground.recorded())).toEqual(["a", "b", "c"]);
  });

  it("O7 O11 files of other agents load: unknown fields, foreign tools, a colon in a text without quotes", async () => {
    ground.put(
      "root/.claude/agents/reviewer.md",
      "---\nname: reviewer\ndescription: Use it when: code was written. Examples: many\ntools: Read, Grep, Bash, NotebookEdit\nmodel: sonnet\ncolor: blue\n---\nReview.",
    );
    const { agents, warnings } = await load();
    expect(agents).toMatchObject([
      { name: "reviewer", description: "Use it when: code was written. Examples: many", models: ["sonnet"] },
    ]);
    expect(agents[0]?.tools.names).toContain("read_bash");
    expect(warnings.map((w) => [w.field, w.message, w.skipped])).toEqual([
      ["tools", "not a tool: NotebookEdit.", false],
    ]);
  });

  it.each([
    [
      "no frontmatter",
      "Just text",
      "description: expected a text of 1 to 1024 characters, found nothing. This file is not used.",
    ],
    ["bad YAML", "---\ndescription: [a\n---\nx", "frontmatter: not YAML:"],
    ["a list", "---\n- a\n---\nx", "frontmatter: expected fields and their values."],
    ["an open frontmatter", "---\ndescription: a\nx", "frontmatter: the frontmatter is not closed"],
    [
      "tools 7",
      "---\ndescription: a\ntools: 7\n---\nx",
      "tools: expected a list, a text with commas or *, found 7. This file is not used.",
    ],
    [
      "only unknown tools",
      "---\ndescription: a\ntools: [foo, bar]\n---\nx",
      "tools: none of these is a tool: foo, bar. This file is not used.",
    ],
    [
      "a long description",
      `---\ndescription: ${"x".repeat(1025)}\n---\nx`,
      "description: expected a text of 1 to 1024",
    ],
    [
      "no prompt",
      "---\ndescription: a\n---\n \n",
      'prompt: expected a text of 1 to 30000 characters, found "0 characters".',
    ],
    ["a long prompt", `---\ndescription: a\n---\n${"x".repeat(30_001)}`, "prompt: expected a text of 1 to 30000"],
    ["a name of signs", "---\nname: '!!'\ndescription: a\n---\nx", "name: expected a name with letters or digits"],
    ["2 MB", `---\ndescription: a\n---\n${"x".repeat(2_000_000)}`, "the limit is 1048576. This file is not used."],
    ["no UTF-8", Buffer.from([0x2d, 0xff, 0xfe]), "the file is not UTF-8. This file is not used."],
    [
      "an alias bomb",
      `---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n---\nx`,
      "frontmatter: not YAML",
    ],
    ["a circle", "---\ndescription: &a [*a]\n---\nx", "frontmatter: not YAML"],
  ])("O11 OB1 %s: one warning, the others load", async (_what, content, warning) => {
    ground.put("home/agents/bad.md", content);
    ground.put("home/agents/good.md", agent("good"));
    expect(await names()).toEqual(["good"]);
    expect(await said()).toEqual([expect.stringContaining(warning)]);
    expect((await said())[0]).toContain(join(ground.base, "home/agents/bad.md"));
  });

  it.each([
    ["model: { a: 1 }", "model: expected a list or a text with commas, found"],
    ["maxSteps: -1", "maxSteps: expected a whole number above 0, found -1"],
    ["user-invocable: perhaps", 'user-invocable: expected true or false, found "perhaps"'],
    ["skills: 3", "skills: expected a list"],
    ["mcp-servers: [x]", "mcp-servers: expected a map"],
    ["github: 7", "github: expected true or {toolsets, tools}, found 7"],
    ["tools: [view, foo]", "tools: not a tool: foo."],
  ])("O11 a bad optional field (%s) is dropped, the agent stays", async (field, warning) => {
    ground.put("home/agents/x.md", `---\ndescription: a\n${field}\n---\nx`);
    expect(await names()).toEqual(["x"]);
    expect(await said()).toEqual([expect.stringContaining(warning)]);
  });

  it("OB1 a loop of links, a folder in place of a file and a dangling link are warned about", async () => {
    mkdirSync(join(ground.base, "home/agents/folder.md"), { recursive: true });
    symlinkSync("loop.md", join(ground.base, "home/agents/loop.md"));
    symlinkSync("/nowhere/at/all.md", join(ground.base, "home/agents/gone.md"));
    ground.put("home/agents/good.md", agent("good"));
    expect(await names()).toEqual(["good"]);
    expect(await said()).toHaveLength(3);
  });

  it("OI14 any bytes in a file: no throw, and the file beside it loads", async () => {
    ground.put("home/agents/good.md", agent("good"));
    const yaml = fc.array(
      fc.constantFrom(
        "a",
        ": ",
        "\n",
        "- ",
        "[",
        "{",
        "&x ",
        "*x",
        "'",
        "description",
        "tools",
        "  ",
        "#",
        "!!js ",
        "|",
      ),
    );
    const file = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      yaml.map((parts) => `---\n${parts.join("")}\n---\nx`),
    );
    await fc.assert(
      fc.asyncProperty(file, async (content) => {
        ground.put("home/agents/any.md", content);
        expect(await names()).toContain("good");
      }),
      { numRuns: 150 },
    );
  });

  it("OI14 O11 frontmatter nested 20,000 deep, as JSON or as YAML, is named, and the file beside it loads", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    ground.put("home/agents/good.md", agent("good"));
    ground.put("home/agents/json.md", `---\n{"description": "d", "model": ${deep}}\n---\nx`);
    ground.put("home/agents/yaml.md", `---\ndescription: d\nmodel: ${deep}\n---\nx`);
    expect(await names()).toEqual(["good"]);
    expect(await said()).toEqual([
      expect.stringMatching(/json\.md: frontmatter: it is nested deeper than 100 levels/),
      expect.stringMatching(/yaml\.md: frontmatter: /),
    ]);
  });

  it("O11 the event tells files out of use from fields that were dropped", async () => {
    ground.put("home/agents/a.md", "---\ndescription: a\nmaxSteps: 0\n---\nx");
    ground.put("home/agents/b.md", "no description");
    const event = catalogEvent(await load({ builtins: builtinAgents }));
    expect(event.agents.map((a) => a.name)).toEqual(["a"]);
    expect(event.warnings).toEqual([expect.stringContaining("a.md: maxSteps")]);
    expect(event.errors).toEqual([expect.stringContaining("b.md: description")]);
  });

  it("O9 a name is found in any spelling; an unknown or hidden one is answered with the list, exit 2", async () => {
    ground.put("home/agents/a.md", agent("My Agent"));
    ground.put("home/agents/h.md", "---\ndescription: a\nuser-invocable: false\n---\nx");
    const catalog = await load();
    expect(findAgent(catalog, " my_AGENT ")?.name).toBe("my-agent");
    expect(selectAgent(catalog, "My Agent")).toMatchObject({ ok: true });
    for (const name of ["nope", "h"])
      expect(selectAgent(catalog, name)).toMatchObject({
        ok: false,
        error: { exit: 2, next: "Choose one of: my-agent." },
      });
  });
});
