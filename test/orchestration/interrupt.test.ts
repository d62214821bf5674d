// Ctrl+C with agents: the turn ends with its sync subtree, the background goes on until a second one.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, onlySession, toolResults, userTexts } from "../agent/scene.ts";
import { calls, hang, text } from "../model-server/reply.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";
import { at, leave } from "./terminal.ts";

const cancelled = (place: Parameters<typeof eventsOf>[0]) =>
  eventsOf(place, onlySession(place), "subagent.cancelled").map((e) => e["agentId"]);

const started = (place: Parameters<typeof eventsOf>[0]) =>
  eventsOf(place, onlySession(place), "tool.execution_start").map((e) => e["toolName"]);

describe("O54 interrupting", () => {
  const both = () =>
    cast(
      [
        tasks(task("BACK", { name: "back", mode: "background" }), task("FRONT", { name: "front" })),
        text("after the interrupt"),
        text("heard"),
      ],
      {
        BACK: () => hang(),
        FRONT: [tasks(task("BELOW", { name: "below" }))],
        BELOW: () => calls([bash("sleep 1000")]),
      },
    );

  it("O54 OI15 Ctrl+C cancels the turn with its sync subtree and tells what still runs; again within 3 s stops that too", async () => {
    const { place, of } = await both();
    const terminal = await at(place, ["--allow-all"]);
    terminal.type("go");
    await expect.poll(() => started(place)).toContain("bash");
    await expect.poll(() => of("BACK").length).toBe(1);
    terminal.press("ctrl+c");
    await terminal.see("Interrupted.");
    await terminal.see(/1 agent is still running in the background/);
    await expect.poll(() => cancelled(place).sort()).toEqual(["below", "front"]);
    terminal.press("ctrl+c");
    await terminal.see("Stopped 1 agent");
    expect(cancelled(place)).toContain("back");
    // What the person stopped is no news that starts a turn before the person speaks.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(of("main")).toHaveLength(1);
    terminal.type("and now?");
    await terminal.see("after the interrupt");
    await leave(terminal);
    expect(of("main")).toHaveLength(2);
    expect(userTexts(of("main")[1]).join("\n")).toMatch(
      /back .*was cancelled[\s\S]*and now\?|and now\?[\s\S]*back .*was cancelled/,
    );
    const results = toolResults(of("main")[1]);
    expect(results).toHaveLength(2);
    expect(results[0]?.text).toContain("agent_id back");
  });

  it("O54 the background goes on after one Ctrl+C, and its result arrives", async () => {
    let release = () => {};
    const wait = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { place, of } = await cast(
      [
        tasks(task("BACK", { name: "back", mode: "background" }), task("FRONT", { name: "front" })),
        text("heard of back"),
      ],
      {
        BACK: async () => {
          await wait;
          return text("back result");
        },
        FRONT: () => hang(),
      },
    );
    const terminal = await at(place);
    terminal.type("go");
    await expect.poll(() => of("FRONT").length + of("BACK").length).toBe(2);
    terminal.press("ctrl+c");
    await terminal.see(/1 agent is still running in the background/);
    await expect.poll(() => cancelled(place)).toEqual(["front"]);
    release();
    await terminal.see("heard of back");
    await leave(terminal);
    expect(cancelled(place)).toEqual(["front"]);
  });

  it("O54 a second Ctrl+C that comes later than 3 s leaves the background alone", async () => {
    const { place, of } = await both();
    const terminal = await at(place, ["--allow-all"]);
    terminal.type("go");
    await expect.poll(() => started(place)).toContain("bash");
    await expect.poll(() => of("BACK").length).toBe(1);
    terminal.press("ctrl+c");
    await terminal.see("1 agent is still running");
    await new Promise((resolve) => setTimeout(resolve, 3200));
    terminal.press("ctrl+c");
    await terminal.see("1 agent is still running");
    expect(cancelled(place)).not.toContain("back");
    await leave(terminal);
  });
});

describe("O53 stopping one agent", () => {
  it("O53 OI15 whoever waits for an agent that the user stops is told so and goes on, at every depth", async () => {
    const { place, of } = await cast([tasks(task("CHILD", { name: "child" })), text("main goes on")], {
      CHILD: [tasks(task("LEAF", { name: "leaf" })), text("child goes on"), hang()],
      LEAF: () => hang(),
    });
    const terminal = await at(place);
    terminal.type("go");
    await expect.poll(() => of("LEAF").length).toBe(1);
    terminal.type("/tasks stop leaf");
    await terminal.see("Stopped: leaf.");
    await terminal.see("main goes on");
    expect(toolResults(of("CHILD")[1]).at(-1)?.text).toMatch(/cancelled by user/);
    expect(toolResults(of("main")[1]).at(-1)?.text).toBe("child goes on");
    await leave(terminal);
    expect(cancelled(place)).toEqual(["leaf"]);
  });

  it("O53 O54 an interrupt while an agent's question is open takes the question back", async () => {
    const { place, of } = await cast([tasks(task("CHILD", { name: "child" })), text("main goes on")], {
      CHILD: () => calls([bash("touch made")]),
    });
    const terminal = await at(place);
    terminal.type("go");
    await terminal.see("Permission needed");
    await terminal.see("Your choice:");
    terminal.press("ctrl+c");
    await terminal.see("Interrupted.");
    await expect.poll(() => cancelled(place)).toEqual(["child"]);
    terminal.type("1");
    await terminal.see("main goes on");
    await leave(terminal);
    expect(of("main")).toHaveLength(2);
    expect(existsSync(join(place.folder, "made"))).toBe(false);
  });
});
