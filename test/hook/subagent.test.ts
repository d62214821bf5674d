// Hooks at every depth: the guard holds for subagents and theirs, and the hooks of an agent's own life are called.
import { describe, expect, it } from "vitest";
import { hookNames } from "../../src/hook/name.ts";
import { bash, oneCall, scene, toolResults, userTexts } from "../agent/scene.ts";
import { calls, type Reply, text } from "../model-server/reply.ts";
import type { Answerer } from "../model-server/server.ts";
import { logOf, only, type Place, run } from "../tool/everlong.ts";
import { answer, type HookFile, has, notes, noting, userHooks } from "./hook-scene.ts";

/** Who is asked is told by the prompt; the reply by the results so far. */
type Minds = Record<string, (results: string[], prompts: string[]) => Reply>;

function minds(of: Minds): Answerer {
  return (request) => {
    const prompts = userTexts(request);
    const key = Object.keys(of).find((k) => prompts[0]?.includes(k)) ?? "";
    const results = toolResults(request).map((r) => r.text);
    return of[key]?.(results, prompts) ?? text(`nobody thinks about: ${prompts[0]}`);
  };
}

const task = (name: string, prompt: string, more: object = {}): Reply =>
  oneCall("task", { name, description: "d", prompt, agent_type: "general-purpose", ...more });

const told = (place: Place, name: string) => notes(place).filter((n) => n["hookEventName"] === name);
const go = (place: Place) => run(place, ["-p", "main work", "--allow-all"]);

describe("OE8 OI6 O67 guards at every depth", () => {
  it("OE8 P38 bash is denied in the main agent, its subagent and that one's subagent; the events say whose call it was", async () => {
    const { place } = await scene(
      minds({
        "main work": (r) =>
          r.length === 0
            ? calls([bash("touch mark0")])
            : r.length === 1
              ? task("outer", "outer work")
              : text("all done"),
        "outer work": (r) =>
          r.length === 0
            ? calls([bash("touch mark1")])
            : r.length === 1
              ? task("inner", "inner work")
              : text("outer done"),
        "inner work": (r) => (r.length === 0 ? calls([bash("touch mark2")]) : text("inner done")),
      }),
    );
    const deny = answer({ permissionDecision: "deny", permissionDecisionReason: "no shell here" });
    userHooks(place, { preToolUse: [{ bash: noting(place, deny), matcher: "bash" }] });
    const done = await go(place);
    expect(done.code, done.stderr).toBe(0);
    expect(["mark0", "mark1", "mark2"].filter((name) => has(place, name))).toEqual([]);
    const log = logOf(place);
    const results = only(log, "tool.execution_complete").filter((e) => e.data.toolName === "bash");
    expect(results.map((e) => [e.agentId, e.data.resultType])).toEqual([
      [undefined, "denied"],
      ["outer", "denied"],
      ["inner", "denied"],
    ]);
    expect(only(log, "tool.execution_start").filter((e) => e.data.toolName === "bash")).toEqual([]);
    expect(only(log, "hook.start").map((e) => e.agentId)).toEqual([undefined, "outer", "inner"]);
    expect(only(log, "permission.requested").map((e) => [e.agentId, e.data.agent !== undefined])).toEqual([
      [undefined, false],
      ["outer", true],
      ["inner", true],
    ]);
    expect(notes(place).map((n) => n["agentId"])).toEqual([undefined, "outer", "inner"]);
  });

  it("OE8 O67 a guard denies `task` itself, which needs no permission", async () => {
    const { place } = await scene(
      minds({ "main work": (r) => (r.length === 0 ? task("outer", "outer work") : text("ok")) }),
    );
    userHooks(place, { preToolUse: [{ bash: "echo 'no helpers' >&2; exit 2", matcher: "task" }] });
    const done = await go(place);
    expect(done.code, done.stderr).toBe(0);
    expect(only(logOf(place), "subagent.started")).toEqual([]);
    expect(only(logOf(place), "tool.execution_complete")[0]?.data.result.content).toContain("no helpers");
  });

  it("O67 permissionRequest, postToolUse and postToolUseFailure hooks run for a subagent's calls", async () => {
    const { place } = await scene(
      minds({
        "main work": (r) => (r.length === 0 ? task("outer", "outer work") : text("ok")),
        "outer work": (r) =>
          r.length === 0
            ? calls([bash("touch mark", {}, "a"), { name: "view", args: { path: "none" }, id: "b" }])
            : text("done"),
      }),
    );
    userHooks(place, {
      permissionRequest: [{ bash: noting(place, answer({ decision: "allow" })) }],
      postToolUse: [{ bash: noting(place), matcher: "bash" }],
      postToolUseFailure: [{ bash: noting(place) }],
    });
    const done = await run(place, ["-p", "main work"]);
    expect(done.code, done.stderr).toBe(0);
    expect(has(place, "mark")).toBe(true);
    expect(
      notes(place)
        .map((n) => [n["hookEventName"], n["agentId"]])
        .sort(),
    ).toEqual([
      ["permissionRequest", "outer"],
      ["postToolUse", "outer"],
      ["postToolUseFailure", "outer"],
    ]);
  });
});

describe("the life of a subagent", () => {
  const sent: Minds = { "main work": (r) => (r.length === 0 ? task("outer", "outer work") : text("main done")) };
  const blocking = (place: Place, then: string): HookFile => ({ subagentStop: [{ bash: noting(place, then) }] });
  const block = answer({ decision: "block", reason: "Look again." });

  it("O80 O61 O62 O92 subagentStart and subagentStop say which agent it is; its context is on top of the prompt", async () => {
    const { server, place } = await scene(minds({ ...sent, "outer work": () => text("seen") }));
    const all = Object.fromEntries(hookNames.map((name) => [name, [{ bash: noting(place) }]]));
    userHooks(place, {
      ...all,
      subagentStart: [
        { bash: noting(place, answer({ additionalContext: "Mind the gap." })), matcher: "general-purpose" },
      ],
    });
    const done = await go(place);
    expect(done.code, done.stderr).toBe(0);
    const who = { agentId: "outer", agentName: "general-purpose", agentType: expect.any(String) };
    expect(told(place, "subagentStart")).toMatchObject([{ ...who, agentDisplayName: expect.any(String) }]);
    expect(told(place, "subagentStop")).toMatchObject([{ ...who, stopHookActive: false, lastResponse: "seen" }]);
    expect(told(place, "agentStop")).toHaveLength(1);
    expect(told(place, "userPromptSubmitted")).toHaveLength(1);
    const prompts = server.requests.map((r) => userTexts(r)[0] ?? "");
    expect(prompts.find((p) => p.includes("outer work"))).toMatch(/^Mind the gap\.\n\n(.|\n)*outer work/);
  });

  it("OE8 O68 subagentStop blocks twice: two more turns, each with its reason as the prompt", async () => {
    const { place } = await scene(minds({ ...sent, "outer work": (_r, prompts) => text(`answer ${prompts.length}`) }));
    userHooks(place, blocking(place, `[ $(wc -l < ${place.home}/../notes) -gt 2 ] || ${block}`));
    const done = await go(place);
    expect(done.code, done.stderr).toBe(0);
    expect(told(place, "subagentStop").map((n) => [n["stopHookActive"], n["lastResponse"]])).toEqual([
      [false, "answer 1"],
      [true, "answer 2"],
      [true, "answer 3"],
    ]);
    const result = only(logOf(place), "tool.execution_complete").find((e) => e.data.toolName === "task");
    expect(result?.data.result.content).toContain("answer 3");
    const own = only(logOf(place), "user.message").filter((e) => e.agentId === "outer");
    expect(own.map((e) => e.data.content).slice(1)).toEqual(["Look again.", "Look again."]);
  });

  it("OE8 OB12 O68 one that always blocks: it ends at 5 with its latest answer, and hook.block_limit says so", async () => {
    const { place } = await scene(minds({ ...sent, "outer work": (_r, prompts) => text(`answer ${prompts.length}`) }));
    userHooks(place, blocking(place, block));
    const done = await go(place);
    expect(done.code, done.stderr).toBe(0);
    expect(told(place, "subagentStop")).toHaveLength(6);
    const limit = only(logOf(place), "hook.block_limit");
    expect(limit.map((e) => [e.agentId, e.data])).toEqual([["outer", { hookType: "subagentStop", blocks: 5 }]]);
    expect(only(logOf(place), "subagent.completed")[0]?.data.result).toContain("answer 6");
  });

  it("O80 O76 notification: an agent in the background has ended", async () => {
    const { place } = await scene(
      minds({
        "main work": (r) => (r.length === 0 ? task("outer", "outer work", { mode: "background" }) : text("ok")),
        "outer work": () => text("seen"),
      }),
    );
    userHooks(place, { notification: [{ bash: noting(place), matcher: "agent_.*" }] });
    const done = await go(place);
    expect(done.code, done.stderr).toBe(0);
    expect(notes(place)).toMatchObject([
      { kind: expect.stringMatching(/^agent_(completed|idle)$/), content: expect.any(String) },
    ]);
  });
});
