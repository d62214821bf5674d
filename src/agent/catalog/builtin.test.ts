// The built-in agents: their files, their tools, and exactly what each is told.
import { readdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trustForRun } from "../../permission/trust.ts";
import { factsOf } from "../../schema/own-tool.ts";
import { builtinAgents } from "./builtin.ts";
import { type AgentDefinition, promptPartNames } from "./definition.ts";
import { loadCatalog } from "./load.ts";
import { mayUseTool, type ToolCandidate } from "./may-use.ts";
import { renderAgentPrompt } from "./system-prompt.ts";
import { allTools, parseTools } from "./tools.ts";

const load = (isOn: (gate: string) => boolean = () => true) =>
  loadCatalog({
    everlongHome: "/nowhere",
    root: "/nowhere",
    cwd: "/nowhere",
    trust: trustForRun("/nowhere"),
    builtins: builtinAgents,
    isOn,
  });
const { agents, warnings } = await load();
const get = (name: string): AgentDefinition => agents.find((a) => a.name === name)!;
const tool = (name: string): ToolCandidate => factsOf(name) ?? { name };
const remote = (server: string, name: string, readOnly = false): ToolCandidate => ({
  name: `${server}-${name}`,
  mcp: { server, tool: name, readOnly },
});

describe("built-in agents", () => {
  it("O3 every file beside the code is in the catalogue and in the bundle, without a warning", async () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".agent.yaml"));
    expect(Object.keys(builtinAgents).sort()).toEqual(files.sort());
    expect(warnings).toEqual([]);
    expect(agents.map((a) => `${a.name}.agent.yaml`)).toEqual(files.sort());
  });

  it.each([
    ["explore", false, ["view", "grep", "glob", "recall", "bash"], ["edit", "create", "task", "sql"]],
    ["task", true, ["bash", "view", "grep"], ["edit", "create", "task"]],
    ["general-purpose", true, ["bash", "edit", "task", "skill", "sql", "web_fetch"], ["store_memory", "ask_user"]],
    ["rubber-duck", false, ["view", "grep", "bash"], ["edit", "recall", "web_fetch"]],
    ["code-review", false, ["view", "grep", "bash"], ["edit", "create", "task"]],
    ["security-review", false, ["view", "grep", "bash"], ["edit", "create", "task"]],
    ["research", false, ["view", "web_fetch", "recall", "session_store_sql"], ["bash", "edit", "task"]],
    ["rem-agent", true, ["context_board"], ["view", "report_intent", "bash"]],
  ])("O3 %s has its tools and no others", (name, sideEffects, has, lacks) => {
    const agent = get(name);
    expect(agent).toMatchObject({ sideEffects, models: [], origin: "builtin" });
    expect(has.filter((one) => !mayUseTool(agent, tool(one), "subagent"))).toEqual([]);
    expect(lacks.filter((one) => mayUseTool(agent, tool(one), "subagent"))).toEqual([]);
    expect(agent.tools.readOnlyShell).toBe(["explore", "rubber-duck", "code-review", "security-review"].includes(name));
    const reads = ["explore", "research", "general-purpose"].includes(name);
    expect(mayUseTool(agent, remote("s", "read", true), "subagent")).toBe(reads);
    expect(mayUseTool(agent, remote("s", "write"), "subagent")).toBe(name === "general-purpose");
  });

  it("A3.12 O18 what an agent is for is a field of its definition", () => {
    const roles = agents.flatMap(({ name, role }) => (role ? [[name, role]] : []));
    expect(Object.fromEntries(roles)).toEqual({
      "code-review": "reviewer",
      "rem-agent": "consolidator",
      "rubber-duck": "reviewer",
      "security-review": "reviewer",
    });
  });

  it("O18 rem-agent is there only while its setting is on, with two parts of the prompt", async () => {
    const on = (gates: string[]) => load((gate) => gates.includes(gate));
    expect((await on([])).agents.map((a) => a.name)).not.toContain("rem-agent");
    expect((await on(["features.subconscious"])).agents.map((a) => a.name)).toContain("rem-agent");
    const { promptParts } = get("rem-agent");
    expect(promptPartNames.filter((name) => promptParts[name])).toEqual([
      "includeAISafety",
      "includeConsolidationPrompt",
    ]);
  });

  it.each(agents.map((a) => a.name))("O4 %s is told exactly this", (name) => {
    const input = {
      environment: "Working folder: /work",
      instructions: "<instruction_file path=AGENTS.md>be kind</instruction_file>",
      tools: [{ tag: "skill_list" as const, text: "- sql", maxTokens: 100 }],
      consolidation: "EVIDENCE",
    };
    expect(renderAgentPrompt(get(name), input)).toMatchSnapshot();
  });

  it("O4 a part stands in the prompt exactly when it is asked for, in the main agent's order", () => {
    const marks = {
      includeAISafety: "Permissions:",
      includeToolInstructions: "Tools:",
      includeParallelToolCalling: "run in parallel",
      includeEnvironmentContext: "<environment_info>",
      includeCustomAgentInstructions: "be kind",
      includeConsolidationPrompt: "EVIDENCE",
    };
    const names = Object.keys(marks) as (keyof typeof marks)[];
    fc.assert(
      fc.property(fc.subarray(names), (wanted) => {
        const promptParts = Object.fromEntries(promptPartNames.map((name) => [name, wanted.includes(name)]));
        const text = renderAgentPrompt(
          { prompt: "IDENTITY", promptParts: promptParts as AgentDefinition["promptParts"] },
          {
            environment: "e",
            instructions: "be kind",
            consolidation: "EVIDENCE",
          },
        );
        const places = ["IDENTITY", ...wanted.map((name) => marks[name])].map((mark) => text.indexOf(mark));
        expect(places[0]).toBe(0);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        for (const name of names) expect(text.includes(marks[name]), name).toBe(wanted.includes(name));
      }),
    );
  });
});

describe("tools of a definition", () => {
  const held = (
    list: string[],
    one: ToolCandidate,
    as: "main" | "subagent" = "subagent",
    more: Partial<AgentDefinition> = {},
  ) => mayUseTool({ tools: parseTools(list).tools, ...more }, one, as);

  it.each([
    ["read", ["view"]],
    ["search", ["grep", "glob"]],
    ["edit", ["create", "edit"]],
    ["shell", ["bash", "read_bash", "stop_bash", "list_bash"]],
    ["shell:read-only", ["bash", "read_bash", "stop_bash", "list_bash"]],
    ["web", ["web_fetch"]],
    ["agent", ["task", "read_agent", "write_agent", "stop_agent", "list_agents"]],
    ["todo", ["sql"]],
    ["memory", ["store_memory", "vote_memory"]],
    ["skill", ["skill"]],
    ["Bash", ["bash", "read_bash", "stop_bash", "list_bash"]],
    ["Read", ["view"]],
    ["Write", ["create"]],
    ["Edit", ["edit"]],
    ["WebFetch", ["web_fetch"]],
    ["Task", ["task", "read_agent", "write_agent", "stop_agent", "list_agents"]],
    ["recall", ["recall"]],
  ])("O15 %s is %j", (name, names) => {
    const { tools, unknown } = parseTools([name]);
    expect({ all: tools.all, names: tools.names.toSorted(), unknown }).toEqual({
      all: false,
      names: names.toSorted(),
      unknown: [],
    });
  });

  it("O15 the whole shell beats the read-only one; both words alone do not widen", () => {
    expect(parseTools(["shell:read-only"]).tools.readOnlyShell).toBe(true);
    expect(parseTools(["shell:read-only", "shell"]).tools.readOnlyShell).toBe(false);
    expect(parseTools(["shell:read-only", "view"]).tools.readOnlyShell).toBe(true);
  });

  it("O15 names of an object's own parts are no groups", () => {
    expect(parseTools(["constructor", "__proto__", "toString"])).toMatchObject({
      unknown: ["constructor", "__proto__", "toString"],
    });
  });

  it("O15 server/* and server/tool", () => {
    expect(held(["pg/*"], remote("pg", "query"))).toBe(true);
    expect(held(["pg/query"], remote("pg", "query"))).toBe(true);
    expect(held(["pg/query"], remote("pg", "drop"))).toBe(false);
    expect(held(["pg/*"], remote("other", "query"))).toBe(false);
    expect(held(["*"], remote("other", "query"))).toBe(true);
  });

  it("O20 what no subagent is given, by no list", () => {
    for (const name of ["ask_user", "task_complete", "exit_plan_mode", "read_inbox", "context_board"]) {
      expect(held(["*"], tool(name)), name).toBe(false);
      expect(held([name], tool(name)), name).toBe(false);
    }
    expect(held(["*"], tool("store_memory"))).toBe(false);
    expect(held(["store_memory"], tool("store_memory"))).toBe(true);
    expect(held(["*"], tool("task"))).toBe(true);
    expect(held(["read"], tool("task"))).toBe(false);
    expect(held(["agent"], tool("task"))).toBe(true);
  });

  it("the main session keeps what speaks for it, and everybody reports intent", () => {
    expect(held(["read"], tool("ask_user"), "main")).toBe(true);
    expect(held(["*"], tool("store_memory"), "main")).toBe(true);
    expect(held(["*"], tool("context_board"), "main")).toBe(false);
    expect(held(["read"], tool("report_intent"))).toBe(true);
  });

  it("O6 O7 github names tools of that server only; disallowedTools take away", () => {
    expect(held([], remote("github", "get_issue"), "subagent", { github: true })).toBe(true);
    expect(held([], remote("gitlab", "get_issue"), "subagent", { github: true })).toBe(false);
    const some = { github: { toolsets: ["issues"], tools: ["search_code"] } };
    expect(held([], remote("github", "get_issue"), "subagent", some)).toBe(true);
    expect(held([], remote("github", "search_code"), "subagent", some)).toBe(true);
    expect(held([], remote("github", "delete_repo"), "subagent", some)).toBe(false);
    const without = parseTools(["edit", "pg/drop"]).tools;
    expect(held(["*"], tool("edit"), "subagent", { without })).toBe(false);
    expect(held(["*"], remote("pg", "drop"), "subagent", { without })).toBe(false);
    expect(held(["*"], tool("view"), "subagent", { without })).toBe(true);
    expect(held(["*"], tool("view"), "subagent", { without: allTools })).toBe(false);
  });
});
