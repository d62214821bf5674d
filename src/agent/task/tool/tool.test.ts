// The tools of agents, called as a model calls them.
import { describe, expect, it } from "vitest";
import { fail, ok } from "../../../base/result.ts";
import { call as runTool, testContext, textOf } from "../../../tool/builtin/test-context.ts";
import type { Tool } from "../../../tool/contract.ts";
import { toolDefinition } from "../../../tool/registry.ts";
import type { AgentDefinition } from "../../catalog/definition.ts";
import { allTools } from "../../catalog/tools.ts";
import type { AgentHandle, Executor } from "../contract.ts";
import { describeAgents } from "../describe-agents.ts";
import { puppet, scene, settle, spec, talker, turnOf } from "../registry-fixture.ts";
import { listAgentsTool } from "./list-agents.ts";
import { readAgentTool } from "./read-agent.ts";
import { stopAgentTool } from "./stop-agent.ts";
import { type TaskRequest, taskTool } from "./task.ts";
import { writeAgentTool } from "./write-agent.ts";

const definition = (name: string, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  name,
  displayName: name,
  description: `what ${name} does`,
  origin: "builtin",
  path: `${name}.agent.yaml`,
  models: [],
  tools: allTools,
  sideEffects: false,
  caps: {},
  promptParts: {
    includeAISafety: true,
    includeToolInstructions: true,
    includeParallelToolCalling: false,
    includeCustomAgentInstructions: false,
    includeEnvironmentContext: false,
    includeConsolidationPrompt: false,
  },
  prompt: "p",
  skills: [],
  mcpServers: {},
  userInvocable: true,
  modelInvocable: true,
  ...more,
});

const catalog = [
  definition("explore"),
  definition("my-agent", { origin: "user" }),
  definition("hidden", { modelInvocable: false }),
];
const good = { description: "find it", prompt: "find the bug", agent_type: "explore", name: "bug hunt" };

function tools(
  s: ReturnType<typeof scene>,
  caller: { agentId?: string; depth: number } = { depth: 0 },
  executor: Executor = talker,
  /** What happens while the model is chosen. */
  onSlow = () => {},
) {
  const requests: TaskRequest[] = [];
  const task = taskTool({
    registry: s.registry,
    caller,
    agents: () => catalog,
    choose: async (_, { model }) => {
      if (model === "slow") onSlow();
      if (model === "nope") return fail({ code: "unknown_model", message: "Available: a, b." });
      if (model === "dear") return fail({ code: "model_too_expensive", message: "too dear" });
      return ok({ model: "openai/gpt", ...(model === "other" ? { note: "[Ran on x instead of other.]" } : {}) });
    },
    start: async (request) => {
      requests.push(request);
      const { input, executionMode, requestedMode, toolCallId, choice } = request;
      const parent = caller.agentId === undefined ? {} : { parentId: caller.agentId };
      const more = {
        executionMode,
        requestedMode,
        toolCallId,
        ...parent,
        ...(choice.note ? { note: choice.note } : {}),
      };
      return s.registry.startAgent(spec(input.name, { ...more, agentType: request.definition.name }), executor);
    },
  });
  const parts = { registry: s.registry, caller };
  const now = () => "2026-01-01T00:00:10.000Z";
  const all = [task, readAgentTool({ ...parts, now }), listAgentsTool({ ...parts, now })];
  all.push(writeAgentTool(parts), stopAgentTool(parts));
  const call = async (name: string, args: unknown, signal?: AbortSignal) => {
    const tool = all.find((one) => one.name === name) as Tool;
    return textOf(await runTool(tool, args, testContext(signal ? { signal } : {})));
  };
  return { call, requests, task };
}

describe("task", () => {
  it("O35 sync returns the bare final text; a note about the model is its first line", async () => {
    const { call } = tools(scene());
    expect(await call("task", good)).toBe("answer to do bug hunt");
    expect(await call("task", { ...good, model: "other" })).toBe("[Ran on x instead of other.]\nanswer to do bug hunt");
  });

  it("O28 a bad call names every bad field and starts nothing", async () => {
    const s = scene();
    const { call } = tools(s);
    const bad = {
      description: " ",
      prompt: "",
      agent_type: 7,
      mode: "later",
      model: "",
      reasoning_effort: "max",
      todo_id: "",
    };
    const text = await call("task", bad);
    expect(text).toMatch(/^invalid_inputs/);
    for (const field of [...Object.keys(bad), "name"]) expect(text).toContain(`"${field}"`);
    expect(await call("task", { ...good, prompt: "x".repeat(200_001) })).toMatch(/^invalid_inputs.*"prompt"/);
    expect(await call("task", { ...good, extra: 1 })).toMatch(/^invalid_inputs.*extra/);
    expect(s.events).toEqual([]);
  });

  it("O30 OB4 checks in order: type, model, depth, spawns, concurrency", async () => {
    const s = scene({ maxDepth: 1, maxPerPrompt: 1, maxConcurrent: 1 });
    const main = tools(s);
    const wrong = await main.call("task", { ...good, agent_type: "explorer", model: "nope" });
    expect(wrong).toMatch(/^unknown_agent_type: .*Valid types: explore, my-agent\./);
    expect(await main.call("task", { ...good, agent_type: "hidden" })).toMatch(/^unknown_agent_type/);
    expect(await main.call("task", { ...good, model: "nope" })).toBe("unknown_model: Available: a, b.");
    await s.start("parent", puppet().run);
    const nested = tools(s, { agentId: "parent", depth: 1 });
    expect(await nested.call("task", good)).toMatch(/^depth_limit: .*1.*without more subagents/);
    expect(await main.call("task", good)).toMatch(/^spawn_limit/);
    s.registry.resetPrompt();
    expect(await main.call("task", good)).toMatch(/^concurrency_limit: 1 .*Wait for a running agent/);
    expect(s.types().filter((type) => type === "subagent.started")).toHaveLength(1);
    expect(await tools(scene()).call("task", { ...good, model: "dear" })).toBe("model_too_expensive: too dear");
  });

  it("O54 a turn that is stopped while the model is chosen starts no agent, in no mode", async () => {
    for (const mode of ["sync", "background"]) {
      const s = scene();
      const stop = new AbortController();
      const { call } = tools(s, { depth: 0 }, talker, () => stop.abort());
      expect(await call("task", { ...good, mode, model: "slow" }, stop.signal)).toMatch(/^interrupted: /);
      expect(s.events).toEqual([]);
    }
  });

  it("O9 the agent's name is compared in its normal form", async () => {
    expect(await tools(scene()).call("task", { ...good, agent_type: " My_Agent " })).toBe("answer to do bug hunt");
  });

  it("O36 background returns at once with the id; from a subagent it runs sync and keeps what was asked", async () => {
    const s = scene();
    const p = puppet();
    const text = await tools(s, { depth: 0 }, p.run).call("task", { ...good, mode: "background" });
    expect(text).toContain("agent_id bug-hunt");
    expect(text).toContain("notified");
    await s.start("parent", puppet().run);
    const nested = tools(s, { agentId: "parent", depth: 1 });
    expect(await nested.call("task", { ...good, name: "inner", mode: "background" })).toBe("answer to do inner");
    expect(s.registry.get("inner")).toMatchObject({ executionMode: "sync", requestedMode: "background", told: true });
  });

  it("O35 a failed or stopped child is a failure that begins with the code and keeps what it said", async () => {
    const s = scene();
    const run = async (handle: AgentHandle) => {
      await handle.setLatestResponse(turnOf("half of it"));
      return { type: "failed", error: { code: "cap_steps", message: "It has used all of its 4 steps." } } as const;
    };
    const text = await tools(s, { depth: 0 }, run).call("task", good);
    expect(text).toMatch(/^cap_steps: /);
    expect(text).toContain("4 steps");
    expect(text).toContain("half of it");
    const waiting = tools(s, { depth: 0 }, async (handle) => {
      await new Promise((resolve) => handle.signal.addEventListener("abort", resolve));
      return { type: "completed", result: "" };
    }).call("task", { ...good, name: "slow" });
    await settle();
    await s.registry.cancelRecursive("slow", "user", "enough");
    expect(await waiting).toMatch(/^cancelled: .*enough/);
  });

  it("O52 a promoted child lets the waiting call go on with its id", async () => {
    const s = scene();
    const waiting = tools(s, { depth: 0 }, puppet().run).call("task", good);
    await settle();
    await s.registry.promoteAgentToBackground("bug-hunt");
    expect(await waiting).toContain("agent_id bug-hunt");
  });

  it("O54 a stopped call stops its child and what is below it", async () => {
    const s = scene();
    const stopping = new AbortController();
    const untilAborted = async (handle: AgentHandle) => {
      await new Promise((resolve) => handle.signal.addEventListener("abort", resolve));
      return { type: "completed", result: "" } as const;
    };
    const waiting = tools(s, { depth: 0 }, untilAborted).call("task", good, stopping.signal);
    await settle();
    await s.start("below", untilAborted, { parentId: "bug-hunt", executionMode: "sync" });
    stopping.abort();
    expect(await waiting).toMatch(/^cancelled/);
    expect(s.registry.list().map((r) => r.status)).toEqual(["cancelled", "cancelled"]);
  });

  it("O29 the text lists the agents, custom ones first, and their names alone when it is full", () => {
    const { task } = tools(scene());
    const text = toolDefinition(task).description;
    expect(text.indexOf("- my-agent (custom): what my-agent does")).toBeGreaterThan(0);
    expect(text.indexOf("- explore: what explore does")).toBeGreaterThan(text.indexOf("- my-agent"));
    expect(text).not.toContain("hidden");
    const many = Array.from({ length: 60 }, (_, i) => definition(`agent-${i}`, { description: "d".repeat(1024) }));
    const list = describeAgents(many);
    expect(list.length).toBeLessThanOrEqual(12_000);
    for (const { name } of many) expect(`${list}\n`).toMatch(new RegExp(`- ${name}[:\\n]`));
    const crowd = Array.from({ length: 3000 }, (_, i) => definition(`agent-${i}`));
    expect(describeAgents(crowd).length).toBeLessThanOrEqual(12_000);
  });
});

describe("read_agent, write_agent, stop_agent", () => {
  it("O39 shows status, progress, turns from since_turn, and the result", async () => {
    const s = scene();
    const { call } = tools(s);
    await s.start("a");
    await call("write_agent", { agent_id: "a", message: "second" });
    await settle();
    const all = await call("read_agent", { agent_id: "a" });
    expect(all).toContain("Agent a (general-purpose, openai/gpt): idle");
    expect(all).toContain("answer to do a");
    const later = await call("read_agent", { agent_id: "a", since_turn: 1 });
    expect(later).toContain("answer to second");
    expect(later).not.toContain("answer to do a");
    expect(s.registry.get("a")?.told).toBe(true);
    expect(await call("read_agent", { agent_id: "nobody" })).toMatch(/^agent_not_found: .*a/);
    expect(await call("read_agent", { agent_id: "a", timeout: 181, wait: true })).toMatch(/^invalid_inputs/);
  });

  it("O39 with wait it returns at a new turn; a time-out is a normal answer with progress", async () => {
    const s = scene();
    const { call } = tools(s);
    const p = puppet();
    await s.start("a", p.run);
    const handle = await p.started;
    const late = call("read_agent", { agent_id: "a", wait: true, timeout: 5 });
    await s.pass(5000);
    expect(await late).toMatch(/^Nothing new within 5 s.*\n.*running/);
    const news = call("read_agent", { agent_id: "a", wait: true });
    await settle();
    await handle.setLatestResponse(turnOf("news"));
    void handle.waitForMessage();
    expect(await news).toContain("news");
  });

  it("OI10 a reader that is neither the main agent nor the starter leaves the news untold", async () => {
    const s = scene();
    await s.start("a");
    await s.start("b", puppet().run);
    await tools(s, { agentId: "b", depth: 1 }).call("read_agent", { agent_id: "a" });
    expect(s.registry.get("a")?.told).toBe(false);
  });

  it("O41 OB4 one outcome for each target; a scope reaches those that have not ended", async () => {
    const s = scene();
    const { call } = tools(s);
    await s.start("a");
    await s.start("b", talker, { multiTurn: false });
    await s.start("c", puppet().run);
    expect(await call("write_agent", { agent_id: "b", message: "x" })).toMatch(/^agent_finished: .*task/);
    const several = await call("write_agent", { agent_ids: ["a", "b", "zz", "c"], message: "x" });
    expect(several.split("\n").map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      "a: delivered;",
      "b: agent_finished:",
      "zz: agent_not_found:",
      "c: delivered;",
    ]);
    const all = await call("write_agent", { scope: "children", message: "y" });
    expect(all.split("\n").map((line) => line.slice(0, 2))).toEqual(["a:", "c:"]);
    expect(await call("write_agent", { message: "x" })).toMatch(/^invalid_inputs.*exactly one/);
    expect(await call("write_agent", { agent_id: "a", scope: "all", message: "x" })).toMatch(/^invalid_inputs/);
    expect(await call("write_agent", { agent_ids: Array(17).fill("a"), message: "x" })).toMatch(/^invalid_inputs/);
  });

  it("O40 lists by scope, with intent, stall and todo; a subagent sees its children unless it asks for more", async () => {
    const s = scene({ stallMs: 5000 });
    const { call } = tools(s);
    expect(await call("list_agents", {})).toBe("No agents.");
    await s.start("a", puppet().run, { todoId: "t7" });
    await s.start("b", puppet().run, { parentId: "a", executionMode: "sync" });
    await s.start("c", talker, { agentType: "rem-agent", multiTurn: false });
    s.append("b", "tool.execution_start", {
      toolCallId: "x",
      toolName: "report_intent",
      arguments: { intent: "Reading" },
      turnId: "t",
    });
    await s.pass(6000);
    expect((await call("list_agents", {})).split("\n")).toEqual([
      "a  general-purpose  openai/gpt  running  10s  0 turns  0 tokens  todo t7",
      "  b  general-purpose  openai/gpt  running  10s  0 turns  0 tokens  stalled: model_silent  Reading",
      "c  rem-agent  openai/gpt  completed  0s  1 turns  0 tokens",
    ]);
    const ids = (list: string) => list.split("\n").map((line) => line.trim().split(" ")[0]);
    expect(ids(await call("list_agents", { include_completed: false }))).toEqual(["a", "b"]);
    expect(ids(await call("list_agents", { scope: "children" }))).toEqual(["a", "c"]);
    const a = tools(s, { agentId: "a", depth: 1 });
    expect(ids(await a.call("list_agents", {}))).toEqual(["b"]);
    expect(ids(await a.call("list_agents", { scope: "siblings" }))).toEqual(["c"]);
    expect(ids(await a.call("list_agents", { scope: "all" }))).toEqual(["b", "c"]);
  });

  it("O42 an agent writes to and stops its own descendants only; the main agent all", async () => {
    const s = scene();
    const run = async (handle: AgentHandle) => {
      await new Promise((resolve) => handle.signal.addEventListener("abort", resolve));
      return { type: "completed", result: "" } as const;
    };
    await s.start("a", run);
    await s.start("b", run, { parentId: "a", executionMode: "sync" });
    await s.start("c", run, { parentId: "b", executionMode: "sync" });
    await s.start("other", run);
    const a = tools(s, { agentId: "a", depth: 1 });
    expect(await a.call("stop_agent", { agent_id: "other" })).toMatch(/^not_your_agent/);
    expect(await a.call("write_agent", { agent_id: "other", message: "x" })).toMatch(/^not_your_agent/);
    expect(await a.call("stop_agent", { agent_id: "a" })).toMatch(/^not_your_agent/);
    expect(await a.call("stop_agent", { agent_id: "b" })).toBe("Stopped: c, b.");
    const main = tools(s);
    expect(await main.call("stop_agent", { agent_id: "b" })).toBe("b had ended already (cancelled).");
    expect(await main.call("stop_agent", { agent_id: "other" })).toBe("Stopped: other.");
    expect(s.registry.get("other")).toMatchObject({ by: "main", told: true });
  });
});
