// What happens beside the conversation: commands that end, runs that do not wait, workflows that are in each other's way.
import { describe, expect, it } from "vitest";
import { bash, onlySession, scene, toolResults, until, userTexts } from "../agent/scene.ts";
import { add, fleet, sql } from "../fleet/stage.ts";
import { inHome } from "../mcp/stage.ts";
import { calls, hang, text } from "../model-server/reply.ts";
import { run } from "../tool/everlong.ts";
import { cast, eventsOf, firstPrompt, task, tasks } from "./cast.ts";
import { at, leave } from "./terminal.ts";

describe("O76 O78 a command that ends in the background", () => {
  it("O76 O78 wakes an idle session at the terminal, with its shell and exit code", async () => {
    const { place, of } = await cast(
      [calls([bash("sleep 1; exit 3", { mode: "async", shell_id: "job" })]), text("it runs"), text("it has ended")],
      {},
    );
    const terminal = await at(place, ["--allow-all"]);
    terminal.type("go");
    await terminal.see("it runs");
    await terminal.see("it has ended");
    await leave(terminal);
    expect(of("main")).toHaveLength(3);
    const told = eventsOf(place, onlySession(place), "system.notification");
    expect(told).toMatchObject([{ kind: "shell_completed", shellId: "job", exitCode: 3 }]);
  });

  it("O125 does not keep a run of prompt mode going", async () => {
    const { place, of } = await cast([calls([bash("sleep 0.2", { mode: "async" })]), text("it runs")], {});
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    expect(of("main")).toHaveLength(2);
  });

  it("O100 /tasks names the commands of agents too", async () => {
    const { place } = await cast([tasks(task("WORKER", { mode: "background" })), text("started")], {
      WORKER: [calls([bash("sleep 1000.3")]), text("never")],
    });
    const terminal = await at(place, ["--allow-all"]);
    terminal.type("go");
    await terminal.see("started");
    await until("the command", () => eventsOf(place, onlySession(place), "tool.execution_start").length > 1);
    terminal.type("/tasks");
    await terminal.see(/shell worker:sh1 \(sleep 1000\.3\)/);
    await leave(terminal);
  });
});

it("O126 agents that are not waited for are cancelled, and the main agent is not asked about it", async () => {
  const { place, of } = await cast(
    [tasks(task("SLOW", { name: "slow", mode: "background" })), text("started"), text("extra")],
    { SLOW: () => hang() },
    { env: { EVERLONG_TASK_WAIT_SECONDS: "0" } },
  );
  const done = await run(place, ["-p", "go"]);
  expect(done.code, done.stderr).toBe(0);
  expect(done.stdout.trim()).toBe("started");
  expect(of("main")).toHaveLength(2);
  expect(eventsOf(place, onlySession(place), "subagent.cancelled")).toMatchObject([{ agentId: "slow" }]);
});

describe("workflows", () => {
  it("O111 a fleet without todos fails with its own code, and says so once", async () => {
    const { place } = await cast([text("no plan"), text("no plan")], {});
    const done = await run(place, ["-p", "/fleet build it", "--output-format", "json"]);
    expect(done.code).toBe(1);
    expect(done.json["error"]).toMatchObject({ code: "no_todos" });
    expect(done.stderr.match(/wrote no todos/g)).toHaveLength(1);
  });

  it("O31 O32 OI8 a worker on another model than the one set says so in its start, event and note", async () => {
    const { answer } = fleet(add(["a"]), {});
    const { place } = await scene(answer);
    inHome(place, "settings.json", { agent: { models: { "general-purpose": "anthropic/claude-nope" } } });
    await run(place, ["-p", "/fleet build it"]);
    const id = onlySession(place);
    expect(eventsOf(place, id, "subagent.model_changed")).toMatchObject([{ requested: "anthropic/claude-nope" }]);
    expect(eventsOf(place, id, "subagent.started")).toMatchObject([
      { model: "custom/scripted", note: expect.stringContaining("claude-nope") },
    ]);
  });

  it("O30 the fleet's own messages are no messages of the user: maxPerPrompt goes on counting", async () => {
    const steps = [
      () => tasks(task("HELPER", { name: "one" })),
      () => sql(add(["b"])),
      () => text("Checked."),
      () => tasks(task("HELPER", { name: "two" })),
    ];
    const { answer } = fleet(add(["a"]), {}, (request) =>
      firstPrompt(request).includes("HELPER") ? text("helped") : (steps.shift()?.() ?? text("Checked again.")),
    );
    const { place, server } = await scene(answer, { env: { EVERLONG_SUBAGENT_MAX_PER_PROMPT: "1" } });
    const done = await run(place, ["-p", "/fleet build it"]);
    expect(done.code, done.stderr).toBe(0);
    expect(toolResults(server.requests.at(-1)).at(-1)?.text).toMatch(/spawn_limit/);
  });

  it("O104 O109 a research that runs refuses another one and a fleet", async () => {
    const { place, server } = await cast(() => hang(), {});
    const terminal = await at(place);
    terminal.type("/research alpha");
    await until("the request", () => server.requests.length === 1);
    terminal.type("/research beta");
    await terminal.see(/A research run is using the main agent, and \/research needs/);
    terminal.type("/fleet build it");
    await terminal.see(/A research run is using the main agent, and \/fleet needs/);
    terminal.press("ctrl+c");
    await leave(terminal);
    expect(server.requests.flatMap((r) => userTexts(r)).join("\n")).not.toContain("beta");
    expect(eventsOf(place, onlySession(place), "session.fleet_started")).toEqual([]);
  });
});
