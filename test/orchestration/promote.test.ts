// Promotion: what the main agent waits for goes on in the background, loses nothing, and reports later.
import { describe, expect, it } from "vitest";
import { bash, onlySession, readIn, toolResults, userTexts } from "../agent/scene.ts";
import { gate } from "../context/stage.ts";
import { calls, text } from "../model-server/reply.ts";
import { run, sessionsOf } from "../tool/everlong.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";
import { at, leave } from "./terminal.ts";

describe("O52 promotion in the terminal", () => {
  it.each(["ctrl+b", "/background", "/tasks promote slow"])(
    "O52 OI15 %s: the waiting call returns at once with the id; the agent loses nothing and notifies",
    async (command) => {
      const step = gate();
      const { place, of } = await cast(
        [tasks(task("SLOW", { name: "slow" })), text("I go on meanwhile"), text("heard of it")],
        {
          SLOW: async (_request, n) => {
            if (n === 0) return calls([bash("echo first >> steps.txt")]);
            if (n === 1) await step.opened;
            return n === 1 ? calls([bash("echo second >> steps.txt")]) : text("the slow result");
          },
        },
      );
      const terminal = await at(place, ["--allow-all"]);
      terminal.type("go");
      await terminal.see("task: slow started");
      await expect.poll(() => of("SLOW").length).toBe(2);
      if (command === "ctrl+b") terminal.press(command);
      else terminal.type(command);
      await terminal.see("slow continues in the background");
      // Before the agent has taken another step.
      await terminal.see("I go on meanwhile");
      const promoted = toolResults(of("main")[1]).at(-1)?.text ?? "";
      expect(promoted).toContain("agent_id slow");
      expect(promoted).toMatch(/notified/);
      expect(readIn(place, "steps.txt")).toBe("first\n");
      step.open();
      await terminal.see("heard of it");
      await leave(terminal);
      expect(readIn(place, "steps.txt")).toBe("first\nsecond\n");
      expect(userTexts(of("main")[2]).at(-1)).toMatch(/<system_notification>[\s\S]*slow[\s\S]*the slow result/);
      // The same conversation went on: its third request holds both results.
      expect(toolResults(of("SLOW")[2])).toHaveLength(2);
      const id = onlySession(place);
      expect(eventsOf(place, id, "subagent.promoted")).toMatchObject([{ agentId: "slow", envelopeAgentId: "slow" }]);
      expect(eventsOf(place, id, "subagent.started")).toMatchObject([{ executionMode: "sync", requestedMode: "sync" }]);
      expect(eventsOf(place, id, "system.notification").map((e) => e["kind"])).toEqual(["agent_idle"]);
    },
  );

  it("O52 with nothing to promote, and with an unknown id, it says so and changes nothing", async () => {
    const { place } = await cast([text("hello")], {});
    const terminal = await at(place);
    terminal.type("/background");
    await terminal.see("is not waiting for any agent");
    terminal.type("/tasks promote nobody");
    await terminal.see('No such agent: "nobody"');
    await leave(terminal);
    expect(sessionsOf(place)).toEqual([]);
  });
});

describe("O52 promotion by time", () => {
  it("O52 autoBackgroundSeconds: a sync agent of the main agent that takes longer is promoted; one below it is not", async () => {
    const inner = gate();
    const { place, of } = await cast(
      [tasks(task("OUTER", { name: "outer" })), text("not waiting", { delayMs: 10 }), text("heard of it")],
      {
        OUTER: [tasks(task("INNER", { name: "inner" })), text("outer result")],
        INNER: async () => {
          await inner.opened;
          return text("inner result");
        },
      },
      { env: { EVERLONG_AUTO_BACKGROUND_SECONDS: "1" } },
    );
    const running = run(place, ["-p", "go"]);
    await expect.poll(() => of("main").length).toBeGreaterThanOrEqual(2);
    inner.open();
    const done = await running;
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout.trim()).toBe("heard of it");
    expect(toolResults(of("main")[1]).at(-1)?.text).toContain("agent_id outer");
    expect(toolResults(of("OUTER")[1]).at(-1)?.text).toBe("inner result");
    expect(eventsOf(place, onlySession(place), "subagent.promoted").map((e) => e["agentId"])).toEqual(["outer"]);
  });

  it("O52 one that is quicker comes back bare, and so does every one when the setting is off", async () => {
    for (const seconds of ["30", "0"]) {
      const { place, of } = await cast(
        [tasks(task("QUICK", { name: "quick" })), text("done")],
        { QUICK: [text("quick result", { delayMs: 300 })] },
        { env: { EVERLONG_AUTO_BACKGROUND_SECONDS: seconds } },
      );
      const done = await run(place, ["-p", "go"]);
      expect(done.code, done.stderr).toBe(0);
      expect(toolResults(of("main")[1]).at(-1)?.text).toBe("quick result");
      expect(eventsOf(place, onlySession(place), "subagent.promoted")).toEqual([]);
    }
  });
});
