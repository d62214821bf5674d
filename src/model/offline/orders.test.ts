// What the offline model does beside answering: its steps and calls, orders, autopilot, reviews.
import { describe, expect, it } from "vitest";
import { ask, assistant, callOnce, item, REPO, requestOf, result, user, type World } from "./offline-fixture.ts";

describe("steps and calls", () => {
  it("A3.3 at most 3 steps and 8 calls, of search tools that are offered, never with tool choice none", async () => {
    const prompts = [
      "where is `a` or `b.c` or x_y in src/a.ts, README and lib/b.ts?",
      "why does the flux capacitor drift in README?",
      "fooBar retry",
    ];
    for (const prompt of prompts) {
      const { calls, steps } = await ask(prompt, { files: REPO });
      expect(steps).toBeLessThanOrEqual(3);
      expect(calls.length).toBeLessThanOrEqual(8);
      for (const call of calls) expect(["recall", "grep", "glob", "view"]).toContain(call.name);
    }
    const bare = await callOnce(requestOf([user("where is parseConfig?", 1)], []));
    expect(bare).toMatchObject({ type: "answer", answer: { toolRequests: [], finishReason: "stop" } });
    const none = await callOnce(requestOf([user("where is parseConfig?", 1)], ["grep"], { toolChoice: "none" }));
    expect(none).toMatchObject({ answer: { toolRequests: [] } });
  });

  it("A3.1 call ids are never repeated in a session", async () => {
    const one = await ask("where is parseConfig defined?", { files: REPO });
    const two = await ask("where is startServer defined?", { files: REPO, history: one.items });
    const ids = two.items.flatMap((each) => each.toolCallIds);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("A3.1 streams text and calls as they are answered, costs nothing, and stops when told", async () => {
    const parts: string[] = [];
    const items = [user("where is parseConfig defined?", 1)];
    const out = await callOnce(requestOf(items, ["grep"]), undefined, (part) => parts.push(part.type));
    expect(parts.slice(0, 3)).toEqual(["call_start", "call_arguments", "call_end"]);
    expect(out).toMatchObject({ answer: { finishReason: "tool_calls", usage: { cost: 0, estimated: true } } });

    let text = "";
    const said = await callOnce(
      requestOf(items, []),
      undefined,
      (part) => (text += part.type === "text" ? part.delta : ""),
    );
    expect(said).toMatchObject({ answer: { content: text, finishReason: "stop" } });

    expect(await callOnce(requestOf(items, []), AbortSignal.abort())).toEqual({ type: "aborted" });
    const stop = new AbortController();
    expect(await callOnce(requestOf(items, []), stop.signal, () => stop.abort())).toMatchObject({
      type: "aborted",
      partial: expect.any(String),
    });
  });
});

describe("orders", () => {
  it("A3.8 runs a command that stands alone, and reports no more than its result", async () => {
    const bash = () => ({ content: "3 passed\nexit code: 0" });
    const { calls, text } = await ask("run `npm test`", { tools: { bash } });
    expect(calls).toEqual([
      { name: "bash", args: { command: "npm test", description: expect.any(String), mode: "sync" } },
    ]);
    expect(text).toContain("3 passed\nexit code: 0");

    const denied = await ask("run `rm -rf x`", {
      tools: { bash: () => ({ content: "Denied by rule shell(rm)", isError: true }) },
    });
    expect(denied.text).toContain("did not succeed");
    expect(denied.text).toContain("Denied by rule shell(rm)");
    expect((await ask("run `npm test`")).text).toContain("`npm test` was not run: no shell is offered here.");

    const many = await ask(Array.from({ length: 9 }, (_, at) => `run \`echo ${at}\``).join("\n"), { tools: { bash } });
    expect(many.calls.length).toBe(8);
    expect(many.text).toContain("`echo 8` was not run: I make at most 8 calls.");
  });

  it("A3.8 remembers a fact, citing the message; says so when memory is not there", async () => {
    const tools = { store_memory: () => ({ content: "Stored mem_1 (repository)" }) };
    const { calls, text } = await ask("remember that releases go out on Thursday", { tools });
    expect(calls).toEqual([
      {
        name: "store_memory",
        args: {
          subject: "releases go out on Thursday",
          fact: "releases go out on Thursday",
          citations: ["t1"],
          reason: expect.any(String),
        },
      },
    ]);
    expect(text).toContain("Stored mem_1");
    expect((await ask("remember that we use pnpm")).text).toContain("memory is not available here");
  });

  it("A3.7 issues exactly the prescribed call, once, and reports its result", async () => {
    const args = { agent_type: "rem-agent", mode: "background", name: "rem-consolidate" };
    const request = { directive: { tool: "task", args } };
    const { calls, text } = await ask("/subconscious run", {
      files: REPO,
      tools: { task: () => ({ content: "Started rem-1" }) },
      request,
    });
    expect(calls).toEqual([{ name: "task", args }]);
    expect(text).toContain("Started rem-1");
    const without = await ask("/subconscious run", { request });
    expect(without.calls).toEqual([]);
    expect(without.text).toContain("not offered");
  });

  it("A3.6 in autopilot the answer ends the task, with success only when something was found and nothing is to be changed", async () => {
    const world: World = {
      files: REPO,
      tools: { task_complete: () => ({ content: "ok" }) },
      request: { autopilot: true },
    };
    const success = async (prompt: string) => (await ask(prompt, world)).calls.at(-1);
    expect(await success("where is parseConfig defined?")).toMatchObject({
      name: "task_complete",
      args: { success: true },
    });
    expect(await success("where is frobnicateWidget defined?")).toMatchObject({
      name: "task_complete",
      args: { success: false },
    });
    expect(await success("fix parseConfig")).toMatchObject({ name: "task_complete", args: { success: false } });
  });

  it("A3.6 it never loops: a continuation or a notification after the answer gets no further search", async () => {
    const answered = [user("where is parseConfig?", 1), assistant("It is there.", 1)];
    const continued = [
      ...answered,
      item({ role: "user", content: "<system_notification>go on</system_notification>" }, 1, { isPrompt: false }),
    ];
    const out = await callOnce(requestOf(continued, ["grep", "task_complete"], { autopilot: true }));
    expect(out).toMatchObject({ answer: { toolRequests: [{ name: "task_complete", arguments: { success: false } }] } });
    const quiet = await callOnce(requestOf(continued, ["grep"]));
    expect(quiet).toMatchObject({ answer: { toolRequests: [], finishReason: "stop" } });
    const call = assistant("done", 1, [["task_complete", {}]]);
    const refused = [user("x", 1), call, result(call, 0, "denied", true)];
    expect(await callOnce(requestOf(refused, ["task_complete"], { autopilot: true }))).toMatchObject({
      answer: { toolRequests: [] },
    });
  });

  it("A3.12 an agent that reviews says that judging needs a real model and lists the files", async () => {
    const { text, calls } = await ask("Review src/config.ts, startServer and gone.ts", {
      files: REPO,
      request: { agentRole: "reviewer" },
    });
    expect(text).toMatch(/^I cannot judge code: a review needs a real model\./);
    expect(text).toContain("- src/config.ts\n- src/server.ts\n- gone.ts (named, not seen)");
    expect(calls.every((call) => ["glob", "grep"].includes(call.name))).toBe(true);
  });
});
