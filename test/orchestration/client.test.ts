// The client surface: what a face calls for agents, modes, fleets, servers and history, in this process.
import { describe, expect, it } from "vitest";
import { systemOf, userTexts } from "../agent/scene.ts";
import { converse, gate, isSummary, SUMMARY } from "../context/stage.ts";
import { text } from "../model-server/reply.ts";
import { cast, task, tasks } from "./cast.ts";

const refused = (code: string) => ({ ok: false, error: { code } });

describe("O49 session.tasks", () => {
  it("O48 O49 startAgent, list, getProgress, sendMessage, cancel and remove, each with its refusal", async () => {
    const { place, of } = await cast(() => text("heard"), {
      ALPHA: [text("first answer"), text("second answer")],
    });
    const { client, events, close } = await converse(place, { interactive: true });
    const { tasks: t } = client;
    expect(t.list()).toContain("No tasks yet.");
    const request = { agentType: "general-purpose", prompt: "ALPHA", name: "Alpha Job", description: "d" };
    expect(await t.startAgent({ ...request, agentType: "wizard" })).toMatchObject(refused("unknown_agent_type"));
    expect(await t.startAgent(request)).toMatchObject({ ok: true, value: expect.stringContaining("alpha-job") });
    await client.untilIdle();
    expect(t.getProgress("alpha-job")).toMatchObject({ ok: true, value: expect.stringContaining("first answer") });
    expect(t.list()).toMatch(/alpha-job {2}general-purpose .* idle .* 1 turns/);
    expect(t.getProgress("alpha-job")).toMatchObject({ ok: true, value: expect.stringContaining("first answer") });
    expect(await t.remove("alpha-job")).toMatchObject(refused("agent_not_finished"));
    expect(await t.sendMessage("Alpha Job", "and more?")).toMatchObject({ ok: true });
    await client.untilIdle();
    expect(userTexts(of("ALPHA")[1]).at(-1)).toBe("and more?");
    expect(t.getProgress("alpha")).toMatchObject({ ok: true, value: expect.stringContaining("second answer") });
    expect(await t.promoteToBackground()).toMatchObject(refused("nothing_running"));
    expect(await t.promoteToBackground("alpha-job")).toMatchObject(refused("agent_not_running"));
    expect(await t.cancel("alpha-job")).toMatchObject({ ok: true });
    expect(await t.sendMessage("alpha-job", "x")).toMatchObject(refused("agent_finished"));
    expect(await t.remove("alpha-job")).toMatchObject({ ok: true });
    expect(t.list()).toContain("No tasks yet.");
    for (const call of [t.getProgress("nobody"), await t.cancel("nobody"), await t.sendMessage("nobody", "x")])
      expect(call).toMatchObject(refused("agent_not_found"));
    const changes = events.filter((e) => e.type === "session.background_tasks_changed");
    expect(changes.length).toBeGreaterThan(3);
    for (const change of changes) expect(change).toMatchObject({ ephemeral: true, data: {} });
    await close();
  });

  it("O52 O49 promoteToBackground: the call that waited returns, and cancelAll counts what it stops", async () => {
    const slow = gate();
    const { place, of } = await cast([tasks(task("SLOW", { name: "slow" })), text("not waiting")], {
      SLOW: async () => {
        await slow.opened;
        return text("late");
      },
    });
    const { client, close } = await converse(place, { interactive: true });
    await client.send("go");
    await expect.poll(() => of("SLOW").length).toBe(1);
    expect(client.tasks.running()).toBe(0);
    expect(await client.tasks.promoteToBackground()).toMatchObject({ ok: true });
    expect(client.tasks.running()).toBe(1);
    await expect.poll(() => of("main").length).toBe(2);
    expect(await client.tasks.cancelAll()).toBe(1);
    expect(client.tasks.running()).toBe(0);
    slow.open();
    await client.untilIdle();
    await close();
  });
});

describe("O49 the rest of the surface", () => {
  it("O49 agent.list and select, mode.get and set, mcp.list, startFleet", async () => {
    const { place, server } = await cast(() => text("ok"), {});
    const { client, say, events, close } = await converse(place, { interactive: true });
    expect(client.agents.list()).toContain("code-review");
    expect(await client.agents.select("nobody")).toMatchObject({ ok: false, error: { exit: 2 } });
    expect(await client.agents.select("Code_Review")).toMatchObject({ ok: true });
    await say("look");
    expect(systemOf(server.requests.at(-1))).toContain("You review a change to code");
    expect(await client.agents.select("none")).toMatchObject({ ok: true });
    await say("look again");
    expect(systemOf(server.requests.at(-1))).not.toContain("You review a change to code");
    expect(client.mode.get()).toBe("interactive");
    await client.mode.set("plan");
    expect(client.mode.get()).toBe("plan");
    await client.mode.set("interactive");
    const changed = events.flatMap((e) => (e.type === "session.mode_changed" ? [e.data] : []));
    expect(changed).toMatchObject([
      { previousMode: "interactive", newMode: "plan" },
      { previousMode: "plan", newMode: "interactive" },
    ]);
    expect(await client.mcp.list()).toBeUndefined();
    expect(await client.mcp.show("nobody")).toMatchObject({ ok: false });
    expect(await client.agents.startFleet({ prompt: "do it" })).toMatchObject({ ok: true, value: { started: true } });
    expect(await client.agents.startFleet({})).toMatchObject({
      ok: true,
      value: { started: false, reason: "already_running" },
    });
    await client.untilIdle();
    await close();
  });

  it("O49 history.compact, cancel, undo and rewind", async () => {
    const { place } = await cast((request) => (isSummary(request) ? text(SUMMARY) : text("answer ".repeat(400))), {});
    const { client, say, close } = await converse(place, { interactive: true });
    for (const n of [1, 2, 3]) await say(`question ${n}`);
    expect(await client.history.cancel()).toMatchObject(refused("nothing_running"));
    expect(await client.history.compact("the parser")).toMatchObject({ ok: true });
    expect(await client.history.undo()).toMatchObject({ ok: true });
    expect(client.history.preview(undefined)).toMatchObject({
      ok: true,
      value: { prompts: [{ ref: "t3", content: "question 3" }], files: [] },
    });
    expect(client.view().promptCount).toBe(3);
    const went = await client.history.rewind("t2");
    expect(went.ok, JSON.stringify(went)).toBe(true);
    expect(await client.history.rewind("t2")).toMatchObject(refused("unknown_event"));
    await close();
  });
});
