// Tasks that MCP servers run for us: records beside the agents, followed to their end, announced, cancelled, never steered by force.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { messagesOf, offeredTools, oneCall, textOf, toolResults, until, userTexts } from "../agent/scene.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { type Reply, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run, start } from "../tool/everlong.ts";
import { isAlive, mcpScene, mcpTools, pidsIn, server } from "./stage.ts";

const TRUST = "--trust-folder";
const ALLOW = [TRUST, "--allow-tool", "mcp"];

const lastResult = (request: Recorded | undefined): string => toolResults(request).at(-1)?.text ?? "";
const isNotified = (request: Recorded): boolean =>
  userTexts(request).some((one) => one.includes("<system_notification>") && one.includes("done task-1"));

describe("a task tool of the main agent", () => {
  it("OE14 O141 O142 O143 returns an agent_id at once, is followed with its progress, and its result is announced", async () => {
    const {
      server: model,
      place,
      journal,
    } = await mcpScene(
      (request) =>
        isNotified(request)
          ? text("It is done.")
          : toolResults(request).length === 0
            ? oneCall("far-work", { steps: 3, stepMs: 700, poll: 250 })
            : text("It runs."),
      (file) => ({ far: server("task", { journal: file }) }),
    );
    expect((await run(place, ["-p", "Go", ...ALLOW])).code).toBe(0);
    expect(journal()).toContain("call work as task");
    expect(lastResult(model.requests[1])).toMatch(/agent_id: work\b/);
    expect(model.requests.filter(isNotified)).not.toEqual([]);
    const log = logOf(place);
    const [started] = only(log, "subagent.started");
    expect(started?.data).toMatchObject({
      agentId: "work",
      agentType: "mcp-task",
      executionMode: "background",
      prompt: '{"steps":3,"stepMs":700,"poll":250}',
      mcpTask: { server: "far", tool: "work", taskId: "task-1", status: "working", streamWarnings: [] },
    });
    const seen = only(log, "subagent.mcp_task").map((e) => e.data.mcpTask);
    expect(seen.some((one) => one.total === 3 && one.message?.startsWith("step "))).toBe(true);
    expect(seen.at(-1)?.status).toBe("completed");
    expect(only(log, "subagent.completed").map((e) => e.data.result)).toEqual(["done task-1"]);
    expect(only(log, "subagent_session_boundary").map((e) => e.data.phase)).toEqual(["start", "end"]);
  });

  it("O145 OB19 a task that fails ends with its reason, one that the server forgets as task_lost", async () => {
    for (const [end, reason] of [
      ["fail-in-result", "the disk is full"],
      ["forget", "task_lost"],
    ] as const) {
      const { place } = await mcpScene(
        (request) =>
          toolResults(request).length === 0 ? oneCall("far-work", { end, poll: 250 }) : text("Waiting, then told."),
        () => ({ far: server("task") }),
      );
      await run(place, ["-p", "Go", ...ALLOW]);
      const [failed] = only(logOf(place), "subagent.failed");
      expect(JSON.stringify(failed?.data.error)).toContain(reason);
    }
  });

  it("O147 OE14 write_agent is refused clearly by a server that takes no messages, and reaches one that does", async () => {
    for (const steering of [false, true]) {
      const replies: Reply[] = [
        oneCall("far-work", { steps: 8, stepMs: 500, poll: 250 }),
        oneCall("write_agent", { agent_id: "work", message: "faster, please" }),
        oneCall("stop_agent", { agent_id: "work" }),
      ];
      const {
        server: model,
        place,
        journal,
      } = await mcpScene(
        (_request, index) => replies[index] ?? text("Done."),
        (file) => ({ far: server("task", { journal: file, steering }) }),
      );
      expect((await run(place, ["-p", "Go", ...ALLOW])).code).toBe(0);
      const answer = lastResult(model.requests[2]);
      if (steering) expect(journal()).toContain("steered faster, please");
      else expect(answer).toContain("mcp_task_not_steerable");
      expect(journal()).toContain("tasks/cancel");
      expect(only(logOf(place), "subagent.cancelled").map((e) => e.data.agentId)).toEqual(["work"]);
    }
  });

  it("O141 with features.mcpTasks off the tool is not offered; an optional one is called plainly", async () => {
    const {
      server: model,
      place,
      journal,
    } = await mcpScene([oneCall("far-maybe", {}), text("Done.")], (file) => ({
      far: server("task", { journal: file }),
    }));
    expect((await run(place, ["-p", "Go", ...ALLOW], { env: { EVERLONG_MCP_TASKS: "false" } })).code).toBe(0);
    expect(mcpTools(model.requests[0], "far")).toEqual(["far-maybe"]);
    expect(lastResult(model.requests[1])).toBe("plain");
    expect(journal()).toEqual(["call maybe plain"]);
  });

  it("OE5 O146 O54 SIGINT cancels the task on its server, and is told in the log", async () => {
    const { place, journal } = await mcpScene(
      (request) =>
        toolResults(request).length === 0 ? oneCall("far-work", { steps: 600, stepMs: 100 }) : text("It runs."),
      (file) => ({ far: server("task", { journal: file }) }),
    );
    const child = start(place, ["-p", "Go", ...ALLOW]);
    await until("the task", () => journal().includes("tasks/get"));
    child.kill("SIGINT");
    expect((await child.done).code).toBe(130);
    expect(journal()).toContain("tasks/cancel");
    expect(only(logOf(place), "subagent.cancelled").map((e) => e.data.agentId)).toEqual(["work"]);
  });
});

describe("in a subagent", () => {
  const agent = (place: Place, content: string): void => {
    mkdirSync(join(place.folder, ".everlong/agents"), { recursive: true });
    writeFileSync(join(place.folder, ".everlong/agents/helper.md"), content);
  };
  const task = oneCall("task", { agent_type: "helper", name: "one", description: "d", prompt: "Do the work." });
  const isChild = (request: Recorded): boolean => textOf(messagesOf(request)[0]).includes("You are the helper.");

  it("O142 O36 waits for the task and gets its result as the call's own", async () => {
    const { server: model, place } = await mcpScene(
      (request) => {
        if (!isChild(request)) return toolResults(request).length === 0 ? task : text("All done.");
        return toolResults(request).length === 0 ? oneCall("far-work", { poll: 250 }) : text("The child is done.");
      },
      () => ({ far: server("task") }),
    );
    agent(place, "---\nname: helper\ndescription: helps\n---\nYou are the helper.\n");
    expect((await run(place, ["-p", "Go", ...ALLOW])).code).toBe(0);
    const child = model.requests.filter(isChild);
    expect(lastResult(child[1])).toBe("done task-1");
    const started = only(logOf(place), "subagent.started").map((e) => e.data);
    expect(started[1]).toMatchObject({
      agentType: "mcp-task",
      parentId: "one",
      depth: 2,
      executionMode: "sync",
      requestedMode: "background",
    });
  });

  it("O60 O127 an agent's own servers are started for it, offered to it alone, and ended with it", async () => {
    const alive: boolean[] = [];
    const made = await mcpScene(
      (request) => {
        if (!isChild(request) && toolResults(request).length === 0) return task;
        alive.push(...pidsIn(made.journal()).map(isAlive));
        if (!isChild(request)) return text("All done.");
        return toolResults(request).length === 0 ? oneCall("own-echo", { text: "mine" }) : text("The child is done.");
      },
      () => ({}),
    );
    const { server: model, place, journalFile } = made;
    const own = JSON.stringify({ own: server("plain", { journal: journalFile }) });
    agent(place, `---\nname: helper\ndescription: helps\nmcp-servers: ${own}\n---\nYou are the helper.\n`);
    expect((await run(place, ["-p", "Go", ...ALLOW])).code).toBe(0);
    // At both requests of the child, and at the one after its end.
    expect(alive).toEqual([true, true, false]);
    const [main, first, second] = [model.requests[0], ...model.requests.filter(isChild)];
    expect(mcpTools(main, "own")).toEqual([]);
    expect(mcpTools(first, "own")).toContain("own-echo");
    expect(lastResult(second)).toBe("mine");
    expect(offeredTools(model.requests.at(-1)).some((tool) => tool.startsWith("own-"))).toBe(false);
  });

  it("O130 a project's agent whose server is off this machine: not contacted, and the user is told how to allow it", async () => {
    const { place } = await mcpScene(
      (request) => (!isChild(request) && toolResults(request).length === 0 ? task : text("Done.")),
      () => ({}),
    );
    const own = JSON.stringify({ own: { url: "http://203.0.113.7:9/mcp" } });
    agent(place, `---\nname: helper\ndescription: helps\nmcp-servers: ${own}\n---\nYou are the helper.\n`);
    expect((await run(place, ["-p", "Go", ...ALLOW])).code).toBe(0);
    const told = only(logOf(place), "session.warning").map((e) => e.data.message);
    expect(told).toEqual([expect.stringContaining("everlong consent grant http://203.0.113.7:9")]);
  });
});
