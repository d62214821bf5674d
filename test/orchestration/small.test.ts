// Small rules of orchestration: settings, what started says, intents, plan to fleet, nobody to ask, one writer.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { offeredTools, onlySession, toolResults, until } from "../agent/scene.ts";
import { openTerminal } from "../agent/terminal.ts";
import { calls, hang, text } from "../model-server/reply.ts";
import { run, start } from "../tool/everlong.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";

const call = (name: string, args: object) => calls([{ name, args }]);

describe("O1 O2 settings", () => {
  it("O1 a bad value is a warning and the default; over 256 agents become 256", async () => {
    const { place } = await cast(
      [text("ok")],
      {},
      {
        env: { COPILOT_SUBAGENT_MAX_DEPTH: "99", EVERLONG_SUBAGENT_MAX_CONCURRENT: "1000" },
      },
    );
    const done = await run(place, ["-p", "hi"]);
    expect(done.code).toBe(0);
    expect(done.stderr).toMatch(/COPILOT_SUBAGENT_MAX_DEPTH must be .* from 1 to 32.*The default 6 is used/);
    expect(done.stderr).toMatch(/EVERLONG_SUBAGENT_MAX_CONCURRENT is above its maximum. 256 is used/);
    const shown = await run(place, ["settings", "get", "agent.maxConcurrent"]);
    expect(shown.stdout.trim()).toBe("256");
  });

  it("O2 sessionBasedSubagents is accepted and changes nothing", async () => {
    const { place, of } = await cast(
      [tasks(task("ALPHA")), text("ok")],
      { ALPHA: [text("answer")] },
      {
        env: { SESSION_BASED_SUBAGENTS: "false" },
      },
    );
    const done = await run(place, ["-p", "hi"]);
    expect(done.code, done.stderr).toBe(0);
    expect(of("ALPHA")).toHaveLength(1);
    expect(eventsOf(place, onlySession(place), "subagent.turn")).toHaveLength(1);
  });
});

describe("what is said of an agent", () => {
  it("O72 O73 O44 O45 its start and its end say who it is, and its intent is its own", async () => {
    const { place, of } = await cast(
      [
        tasks(task("ALPHA", { name: "My Scan", description: "scan it", mode: "background" })),
        text("ok"),
        text("heard"),
      ],
      { ALPHA: [call("report_intent", { intent: "looking around" }), text("the answer")] },
      { env: { MULTI_TURN_AGENTS: "false" } },
    );
    const done = await run(place, ["-p", "hi"]);
    expect(done.code, done.stderr).toBe(0);
    expect(offeredTools(of("ALPHA")[0])).toContain("report_intent");
    const id = onlySession(place);
    expect(eventsOf(place, id, "subagent.started")).toMatchObject([
      {
        agentId: "my-scan",
        envelopeAgentId: "my-scan",
        depth: 1,
        agentName: "general-purpose",
        agentDisplayName: expect.any(String),
        agentDescription: expect.any(String),
        agentType: "general-purpose",
        name: "My Scan",
        description: "scan it",
        prompt: "ALPHA",
        model: "custom/scripted",
        executionMode: "background",
        requestedMode: "background",
        multiTurn: false,
        toolCallId: expect.any(String),
      },
    ]);
    expect(eventsOf(place, id, "subagent.completed")).toMatchObject([
      { agentId: "my-scan", totalToolCalls: 1, turns: 1, result: "the answer", model: "custom/scripted" },
    ]);
    const shown = await run(place, ["--resume", id, "-p", "/tasks show my-scan"]);
    expect(shown.stdout).toContain("intent: looking around");
  });
});

describe("O102 O123 plans and nobody to ask", () => {
  it("O102 autopilot_fleet sets autopilot and starts the fleet with the plan", async () => {
    const { place, of } = await cast(
      (request, step) =>
        [
          call("exit_plan_mode", { summary: "PLAN: two things" }),
          text("the plan is accepted"),
          call("sql", { query: "INSERT INTO todos (id, title) VALUES ('one', 'first')" }),
          text("planned"),
          text("all is well"),
          call("task_complete", { summary: "done" }),
        ][step] ?? text(`more ${request.index}`),
      { "todo one": () => call("sql", { query: "UPDATE todos SET status = 'done' WHERE id = 'one'" }) },
    );
    const terminal = openTerminal(place, ["--allow-all"]);
    await terminal.see("Type a message");
    terminal.type("/plan do it");
    await terminal.see("Go on?");
    terminal.type("3");
    await terminal.see("not run, 1 rounds.");
    terminal.type("/exit");
    await terminal.exit;
    const id = onlySession(place);
    expect(eventsOf(place, id, "session.fleet_started")).toMatchObject([
      { prompt: expect.stringContaining("two things") },
    ]);
    expect(eventsOf(place, id, "session.mode_changed").map((e) => e["newMode"])).toContain("autopilot");
    expect(of("main").length).toBeGreaterThan(3);
  });

  it("O123 autopilot approves nothing, and says that the user is away", async () => {
    const { server, place } = await cast(
      [
        calls([{ name: "bash", args: { command: "touch made.txt", description: "x" } }]),
        call("task_complete", { summary: "s" }),
      ],
      {},
    );
    const done = await run(place, ["-p", "hi", "--autopilot"]);
    expect(done.code, done.stderr).toBe(0);
    expect(toolResults(server.requests[1]).at(-1)?.text).toMatch(/denied|not available|nobody/i);
  });
});

describe("one writer, and an end", () => {
  it("OB24 a second everlong on a session with a running agent exits 1 and names the holder", async () => {
    const { place, of } = await cast([tasks(task("ALPHA")), text("never")], { ALPHA: () => hang() });
    const running = start(place, ["-p", "hi"]);
    await until("the agent's request", () => of("ALPHA").length === 1);
    const second = await run(place, ["--resume", onlySession(place), "-p", "me too"]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(String(running.pid));
    expect(of("ALPHA")).toHaveLength(1);
    running.kill("SIGINT");
    await running.done;
  });

  it("OI4 every agent comes to rest with a silent model, a hook that hangs and a command that never ends", async () => {
    const { place, of } = await cast(
      [
        tasks(
          task("SILENT", { name: "silent", mode: "background" }),
          task("SHELL", { name: "shell", mode: "background" }),
          task("HOOKED", { name: "hooked", mode: "background" }),
        ),
        text("started"),
      ],
      {
        SILENT: () => hang(),
        SHELL: [calls([{ name: "bash", args: { command: "sleep 1000.5", description: "x" } }]), text("moved on")],
        HOOKED: [text("an answer")],
      },
      { env: { EVERLONG_AGENT_STALL_SECONDS: "1.5", EVERLONG_BASH_WAIT_SECONDS: "5", MULTI_TURN_AGENTS: "false" } },
    );
    await run(place, ["-p", "/help"]);
    const hooks = {
      version: 1,
      hooks: { subagentStop: [{ bash: "sleep 1000.6", matcher: "general-purpose", timeoutSec: 1 }] },
    };
    const { mkdirSync } = await import("node:fs");
    mkdirSync(join(place.home, "hooks"), { recursive: true });
    writeFileSync(join(place.home, "hooks", "h.json"), JSON.stringify(hooks));
    const done = await run(place, ["-p", "go", "--allow-all", "--output-format", "json"]);
    expect(done.code, done.stderr).toBe(0);
    const { sessionId } = JSON.parse(done.stdout) as { sessionId: string };
    const ends = ["subagent.completed", "subagent.failed"].flatMap((type) => eventsOf(place, sessionId, type));
    expect(ends.map((e) => e["agentId"]).sort()).toEqual(["hooked", "shell", "silent"]);
    // Longer than the silence that fails an agent: the command was waited for, and then left to itself.
    expect(toolResults(of("SHELL").at(-1)).at(-1)?.text).toMatch(/still running after 5/);
  });
});
