// What is stopped stays stopped: at every moment, whoever it is, and whatever would go on by itself.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onlySession, toolResults, until, userTexts } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { logOf, type Place, run, start } from "../tool/everlong.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";
import { at, leave } from "./terminal.ts";

const call = (name: string, args: object) => calls([{ name, args }]);
const shell = (command: string) => call("bash", { command, description: "x" });

function hook(place: Place, hooks: Record<string, object[]>): void {
  mkdirSync(join(place.home, "hooks"), { recursive: true });
  writeFileSync(join(place.home, "hooks", "h.json"), JSON.stringify({ version: 1, hooks }));
}

describe("a stopped agent", () => {
  it("O53 OI5 stopped while its start hook runs, it makes no request and runs no tool", async () => {
    const { place, of } = await cast(
      [
        tasks(task("VICTIM", { name: "victim", mode: "background" })),
        call("stop_agent", { agent_id: "victim" }),
        text("stopped it"),
      ],
      { VICTIM: [shell("touch after-the-stop"), text("never")] },
    );
    hook(place, { subagentStart: [{ bash: "sleep 3", timeoutSec: 10 }] });
    const done = await run(place, ["-p", "go", "--allow-all"]);
    expect(done.code, done.stderr).toBe(0);
    expect(of("VICTIM")).toEqual([]);
    expect(existsSync(join(place.folder, "after-the-stop"))).toBe(false);
    const own = logOf(place).filter((e) => e.agentId === "victim");
    expect(own.filter((e) => e.type === "subagent_session_boundary")).toHaveLength(2);
    expect(own.at(-1)?.type).toBe("subagent.cancelled");
  });

  it("O54 a call whose permission question waits behind another's ends with its turn", async () => {
    const { place } = await cast(
      (_request, step) =>
        [tasks(task("ALPHA", { name: "alpha", mode: "background" })), shell("touch main.txt"), text("ended")][step] ??
        text("more"),
      { ALPHA: [shell("touch alpha.txt"), text("alpha done")] },
    );
    const main = () => logOf(place).filter((e) => e.agentId === undefined);
    const terminal = await at(place);
    terminal.type("go");
    await terminal.see("Your choice");
    const asked = await until("main's own question to wait", () =>
      main().find((e) => e.type === "assistant.message" && e.data.step === 2),
    );
    terminal.press("ctrl+c");
    const end = await until("the end of the turn", () => main().find((e) => e.type === "turn.end"));
    expect(end.data).toMatchObject({ status: "aborted" });
    const [request] = asked.data.toolRequests as { toolCallId: string }[];
    const results = main().filter(
      (e) => e.type === "tool.execution_complete" && e.data.toolCallId === request?.toolCallId,
    );
    expect(results).toMatchObject([{ data: { success: false } }]);
    // The question of the other is still open: its answer counts.
    expect(existsSync(join(place.folder, "alpha.txt"))).toBe(false);
    await until("alpha's question", () => /asked by alpha[\s\S]*Your choice/.test(terminal.screen()));
    terminal.type("1");
    await until("alpha's command", () => existsSync(join(place.folder, "alpha.txt")));
    await terminal.see("ended");
    await leave(terminal);
    expect(existsSync(join(place.folder, "main.txt"))).toBe(false);
  });
});

describe("what would go on by itself", () => {
  it("O120 O122 SIGINT during the stop hook ends autopilot", async () => {
    const { server, place } = await cast(() => text("not yet"), {});
    hook(place, { agentStop: [{ bash: "sleep 5", timeoutSec: 20 }] });
    const running = start(place, ["-p", "go", "--autopilot"]);
    await until("the first request", () => server.requests.length === 1);
    await until("the stop hook", () =>
      eventsOf(place, onlySession(place), "hook.start").some((e) => e["hookType"] === "agentStop"),
    );
    running.kill("SIGINT");
    expect((await running.done).code).toBe(130);
    expect(server.requests).toHaveLength(1);
  });

  it("O54 SIGINT does not wait for a sessionEnd hook", async () => {
    const { place, of } = await cast([tasks(task("ALPHA")), text("x")], { ALPHA: [shell("sleep 1000.31"), text("x")] });
    hook(place, { sessionEnd: [{ bash: "sleep 100", timeoutSec: 300 }] });
    const running = start(place, ["-p", "go", "--allow-all"]);
    await until("the agent", () => of("ALPHA").length === 1);
    running.kill("SIGINT");
    const done = await running.done;
    expect(done.code).toBe(130);
    expect(eventsOf(place, onlySession(place), "hook.end").at(-1)).toMatchObject({
      hookType: "sessionEnd",
      success: false,
    });
  });

  it("O119 O125 after task_complete a background agent's answer starts no turn", async () => {
    const { place, of } = await cast(
      [
        calls([
          task("ALPHA", { name: "alpha", mode: "background" }),
          { name: "task_complete", args: { summary: "all done" } },
        ]),
      ],
      { ALPHA: [text("late", { delayMs: 500 })] },
    );
    const done = await run(place, ["-p", "go", "--autopilot"]);
    expect(done.code, done.stderr).toBe(0);
    expect(of("main")).toHaveLength(1);
    expect(of("ALPHA")).toHaveLength(1);
  });
});

describe("going back", () => {
  it("O59 O78 a result that was told in what was taken back is told again, with the next message", async () => {
    const { place, of } = await cast(
      (_request, step) =>
        [
          tasks(task("ALPHA", { name: "alpha", mode: "background" })),
          text("started"),
          text("heard alpha"),
          text("second"),
          text("third"),
        ][step] ?? text("more"),
      { ALPHA: [text("the ALPHA result", { delayMs: 300 })] },
    );
    const first = await run(place, ["-p", "one"]);
    expect(first.code, first.stderr).toBe(0);
    const told = of("main").length;
    await run(place, ["--continue", "-p", "two"]);
    const id = onlySession(place);
    const notice = logOf(place, id).find((e) => e.type === "system.notification");
    const back = await run(place, ["--resume", id, "-p", `/rewind ${notice?.id}`]);
    expect(back.code, back.stderr).toBe(0);
    expect(of("main")).toHaveLength(told + 1);
    await run(place, ["--resume", id, "-p", "three"]);
    expect(userTexts(of("main").at(-1)).join("\n")).toContain("the ALPHA result");
    expect(toolResults(of("main").at(-1)).length).toBeGreaterThan(0);
  });
});
