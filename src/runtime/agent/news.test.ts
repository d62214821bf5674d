// What the main agent is told of its agents: once, as it stands, and whom it wakes.
import { describe, expect, it } from "vitest";
import { puppet, scene, settle } from "../../agent/task/registry-fixture.ts";
import { agentNews } from "./news.ts";

type Scene = ReturnType<typeof scene>;
const newsOf = ({ registry, events }: Scene) => agentNews(registry.list({ removed: true }), "notification", events);
const stall = (s: Scene) => s.append("a", "subagent.stalled", { agentId: "a", reason: "model_silent" });
const tell = (s: Scene) =>
  s.append(undefined, "system.notification", { content: "c", kind: "agent_stalled", agentId: "a" });

describe("agent_stalled", () => {
  it("O56 O78 each stall is told once, over a resume of the log too; one that moves again has nothing to tell", async () => {
    const s = scene();
    await s.start("a", puppet().run);
    expect(newsOf(s)).toEqual([]);
    stall(s);
    expect(newsOf(s)).toMatchObject([{ kind: "agent_stalled", wakes: true, data: { agentId: "a" } }]);
    tell(s);
    expect(newsOf(s)).toEqual([]);
    stall(s);
    expect(newsOf(s)).toHaveLength(1);
    s.append("a", "subagent.turn", {
      agentId: "a",
      turn: 0,
      prompt: "p",
      response: "r",
      stopReason: "end_turn",
      usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
    });
    expect(newsOf(s)).toEqual([]);
  });
});

describe("a cancel", () => {
  it.each([
    ["user", [false]],
    ["prompt mode", [false]],
    ["worker", [true]],
    ["main", []],
  ])("O78 O126 by %s", async (by, wakes) => {
    const s = scene();
    const a = puppet();
    await s.start("a", a.run);
    a.end({ type: "completed", result: "" });
    await s.start("b", (handle) => new Promise((_, reject) => handle.signal.addEventListener("abort", reject)));
    await s.registry.markRead("a");
    await s.registry.cancelRecursive("b", by, "r");
    await settle();
    const told = newsOf(s).filter((notice) => notice.agentIds?.includes("b"));
    expect(told.map((notice) => notice.wakes)).toEqual(wakes);
  });
});
