// Permission questions of agents: they say who asks, come one after another, and an answer counts for everybody.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, onlySession, toolResults } from "../agent/scene.ts";
import { converse, gate } from "../context/stage.ts";
import { calls, text } from "../model-server/reply.ts";
import { type Place, run } from "../tool/everlong.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";
import { at, leave } from "./terminal.ts";

const has = (place: Place, name: string): boolean => existsSync(join(place.folder, name));

const touching = (mainTouches: string[] = [], mode = "background") =>
  cast(
    (_request, step) =>
      [
        tasks(task("ALPHA", { name: "alpha", mode }), task("BETA", { name: "beta", mode })),
        ...mainTouches.map((name) => calls([bash(`touch ${name}`)])),
      ][step] ?? text(`main says ${step}`),
    {
      ALPHA: [calls([bash("touch alpha-file")]), text("alpha end")],
      BETA: [calls([bash("touch beta-file")]), text("beta end")],
    },
  );

const denied = (place: Place) =>
  eventsOf(place, onlySession(place), "permission.completed").filter((e) => e["result"] === "denied");

describe("O70 in the terminal", () => {
  it("O65 O70 two agents' questions queue, each with the name of its agent, and each answer reaches its own", async () => {
    const { place, of } = await touching();
    const terminal = await at(place);
    terminal.type("go");
    await terminal.see(/asked by (alpha|beta)/);
    const first = /asked by (alpha|beta)/.exec(terminal.screen())?.[1] ?? "";
    const second = first === "alpha" ? "beta" : "alpha";
    await terminal.see(`touch ${first}-file`);
    await terminal.see("Your choice:");
    // Nothing is asked on top of it.
    await expect.poll(() => of(second.toUpperCase()).length).toBe(1);
    expect(terminal.screen()).not.toContain(`asked by ${second}`);
    terminal.type("1");
    await terminal.see(`asked by ${second}`);
    await terminal.see(`touch ${second}-file`);
    await terminal.see("Your choice:");
    terminal.type("4");
    await expect.poll(() => of(second.toUpperCase()).length).toBe(2);
    await expect.poll(() => of(first.toUpperCase()).length).toBe(2);
    expect(toolResults(of(second.toUpperCase())[1])[0]?.text).toContain("rejected");
    expect([has(place, `${first}-file`), has(place, `${second}-file`)]).toEqual([true, false]);
    await leave(terminal);
    const requested = eventsOf(place, onlySession(place), "permission.requested");
    expect(requested.map((e) => e["envelopeAgentId"])).toEqual([first, second]);
    for (const event of requested) expect(event["agent"]).toContain(event["envelopeAgentId"]);
  });

  it("O65 an approval for the session, given to one agent, holds for the other and for main", async () => {
    const { place } = await touching(["main-file"], "sync");
    const terminal = await at(place);
    terminal.type("go");
    await terminal.see("Permission needed");
    await terminal.see("2. this session: shell(touch:*)");
    await terminal.see("Your choice:");
    terminal.type("2");
    await terminal.see("main says 2");
    expect(["alpha-file", "beta-file", "main-file"].map((name) => has(place, name))).toEqual([true, true, true]);
    expect(terminal.screen().split("Permission needed")).toHaveLength(2);
    terminal.type("/permissions");
    await terminal.see("shell(touch:*)  (approved for this session)");
    await leave(terminal);
    expect(eventsOf(place, onlySession(place), "permission.rules_changed")).toMatchObject([
      { scope: "session", added: ["shell(touch:*)"], envelopeAgentId: undefined },
    ]);
  });

  it("O54 O70 agents that are stopped while they ask take their questions with them, and the line is free again", async () => {
    const { place } = await touching();
    const terminal = await at(place);
    terminal.type("go");
    await terminal.see("main says 1");
    await expect.poll(() => terminal.screen().includes("Your choice:")).toBe(true);
    terminal.press("ctrl+c");
    await terminal.see("2 agents are still running in the background");
    terminal.press("ctrl+c");
    await terminal.see("Stopped 2 agents.");
    terminal.type("still there?");
    await terminal.see("main says 2");
    await leave(terminal);
    expect([has(place, "alpha-file"), has(place, "beta-file")]).toEqual([false, false]);
    const cancelled = eventsOf(place, onlySession(place), "subagent.cancelled").map((e) => e["agentId"]);
    expect(cancelled.sort()).toEqual(["alpha", "beta"]);
  });
});

describe("O70 without a person", () => {
  it("O70 prompt mode denies, and names the rule that would allow it; with the rule it runs", async () => {
    const { place, of } = await touching([], "sync");
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    for (const who of ["ALPHA", "BETA"])
      expect(toolResults(of(who)[1])[0]?.text, who).toMatch(/user_not_available.*--allow-tool 'shell\(touch:\*\)'/s);
    expect(
      denied(place)
        .map((e) => e["envelopeAgentId"])
        .sort(),
    ).toEqual(["alpha", "beta"]);
    const allowed = await touching([], "sync");
    await run(allowed.place, ["-p", "go", "--allow-tool", "shell(touch:*)"]);
    expect([has(allowed.place, "alpha-file"), has(allowed.place, "beta-file")]).toEqual([true, true]);
  });

  it("O56 an agent that waits for an answer is shown so and is never stalled", async () => {
    const answered = gate();
    const { place } = await touching([], "background");
    const { client, events, close } = await converse(place, {
      interactive: true,
      env: { EVERLONG_AGENT_STALL_SECONDS: "1" },
      prompts: {
        permission: async () => {
          await answered.opened;
          return { type: "once" };
        },
      },
    });
    await client.send("go");
    await expect.poll(() => client.tasks.list()).toContain("waiting_for_permission");
    // Three silent periods.
    await new Promise((resolve) => setTimeout(resolve, 3500));
    expect(client.tasks.getProgress("alpha")).toMatchObject({ ok: true });
    answered.open();
    await client.untilIdle();
    // On a busy machine the model's own answer may take that long.
    const stalls = events.flatMap((e) => (e.type === "subagent.stalled" ? [e.data.reason] : []));
    expect(stalls.filter((reason) => reason !== "model_silent")).toEqual([]);
    expect([has(place, "alpha-file"), has(place, "beta-file")]).toEqual([true, true]);
    await close();
  });
});
