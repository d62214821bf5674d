// Talking with agents: idle and woken, read and stopped, limits with their codes.
import { describe, expect, it } from "vitest";
import { onlySession, toolResults, userTexts } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { run } from "../tool/everlong.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";

const call = (name: string, args: object) => calls([{ name, args }]);
const last = (results: { text: string }[]): string => results.at(-1)?.text ?? "";

describe("OE3 a conversation with an agent", () => {
  it("O39 O41 O42 O47 O50 idle, woken, read from a turn on, stopped, and then finished", async () => {
    const seen: string[] = [];
    const { place } = await cast(
      (request, step) => {
        seen.push(last(toolResults(request)));
        const steps = [
          tasks(task("ALPHA", { name: "alpha", mode: "background" })),
          call("read_agent", { agent_id: "alpha", wait: true, timeout: 20 }),
          // Its slot is free again: the limit is 1.
          tasks(task("BETA", { name: "beta" })),
          call("write_agent", { agent_id: "alpha", message: "and more?" }),
          call("read_agent", { agent_id: "alpha", wait: true, timeout: 20, since_turn: 1 }),
          call("stop_agent", { agent_id: "alpha" }),
          call("write_agent", { agent_id: "alpha", message: "still there?" }),
          text("done"),
        ];
        return steps[step] ?? text("nothing more");
      },
      { ALPHA: [text("first answer"), text("second answer")], BETA: [text("from beta")] },
      { env: { EVERLONG_SUBAGENT_MAX_CONCURRENT: "1" } },
    );
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(seen[2]).toContain("first answer");
    expect(seen[3]).toBe("from beta");
    expect(seen[5]).toContain("second answer");
    expect(seen[5]).not.toContain("first answer");
    expect(seen[7]).toContain("agent_finished");
    const id = onlySession(place);
    expect(eventsOf(place, id, "subagent.turn").map((e) => e["turn"])).toEqual([0, 0, 1]);
    expect(eventsOf(place, id, "subagent.cancelled")).toMatchObject([{ agentId: "alpha", by: "main" }]);
    // What was read, and a cancel of its own, is not announced.
    expect(eventsOf(place, id, "system.notification")).toEqual([]);
  });

  it("N39 a sync agent answers its call and stays: a follow-up wakes it with all it knows, and its answer is told", async () => {
    const seen: string[] = [];
    const { place, of } = await cast(
      (request, step) => {
        seen.push(last(toolResults(request)));
        const steps = [
          tasks(task("ALPHA", { name: "Alpha scan" })),
          call("list_agents", {}),
          call("write_agent", { agent_id: "alpha-scan", message: "and more?" }),
          text("waiting"),
          text("heard it"),
        ];
        return steps[step] ?? text("nothing more");
      },
      { ALPHA: [text("first answer"), text("second answer")] },
      { env: { EVERLONG_SUBAGENT_MAX_CONCURRENT: "1" } },
    );
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout.trim()).toBe("heard it");
    expect(seen[1]).toBe("first answer");
    expect(seen[2]).toMatch(/^alpha-scan .* idle /);
    expect(seen[3]).toContain("works on it now");
    expect(userTexts(of("ALPHA")[1])).toEqual(["ALPHA", "and more?"]);
    const id = onlySession(place);
    expect(eventsOf(place, id, "system.notification")).toMatchObject([
      { kind: "agent_idle", agentIds: ["alpha-scan"] },
    ]);
    expect(eventsOf(place, id, "subagent.completed")).toMatchObject([{ result: "second answer", turns: 2 }]);
    expect(eventsOf(place, id, "subagent_session_boundary").map((e) => e["phase"])).toEqual(["start", "end"]);
  });

  it("O51 without multi-turn agents nothing goes idle", async () => {
    const { place } = await cast(
      [tasks(task("ALPHA", { name: "alpha", mode: "background" })), text("started"), text("heard")],
      { ALPHA: [text("the answer", { delayMs: 200 })] },
      { env: { MULTI_TURN_AGENTS: "false" } },
    );
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    const id = onlySession(place);
    expect(eventsOf(place, id, "subagent.idle")).toEqual([]);
    expect(eventsOf(place, id, "system.notification").map((e) => e["kind"])).toEqual(["agent_completed"]);
    expect(done.stdout.trim()).toBe("heard");
  });
});

describe("list_agents", () => {
  it("N39 O40 shows the main agent all, a subagent its own, with status, turns, tokens, intent and todo", async () => {
    const lists: string[] = [];
    const beforeList = (results: { text: string }[]) => lists.push(last(results));
    const { place } = await cast(
      (request, step) => {
        if (step >= 2) beforeList(toolResults(request));
        const steps = [
          tasks(
            task("ALPHA", { name: "alpha", mode: "background" }),
            task("BETA", { name: "beta", mode: "background" }),
          ),
          call("list_agents", {}),
          call("read_agent", { agent_id: "beta", wait: true, timeout: 60 }),
          call("stop_agent", { agent_id: "beta" }),
          call("read_agent", { agent_id: "alpha", wait: true, timeout: 60 }),
          call("list_agents", { include_completed: false }),
          text("done"),
        ];
        return steps[step] ?? text("nothing more");
      },
      {
        ALPHA: [text("first answer")],
        BETA: (request, step) => {
          if (step === 0) return call("report_intent", { intent: "Asking around" });
          if (step === 1) return tasks(task("GAMMA", { name: "gamma", agent_type: "explore" }));
          if (step === 2) return call("list_agents", {});
          beforeList(toolResults(request));
          return text("beta knows");
        },
        GAMMA: [text("from gamma")],
      },
    );
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    const ofBeta = lists.find((list) => list.startsWith("gamma")) ?? "";
    expect(ofBeta).toMatch(/^gamma {2}explore {2}\S+ {2}completed {2}\d+s {2}1 turns {2}\d+ tokens$/);
    const [first = "", , , , open = ""] = lists.filter((list) => list !== ofBeta);
    expect(first).toMatch(/^alpha {2}general-purpose .*\nbeta {2}general-purpose/);
    expect(open).toMatch(/^alpha .* idle /);
    expect(open).not.toContain("beta");
  });
});

describe("OE4 limits", () => {
  const errorsOf = async (main: Parameters<typeof cast>[0], parts: Parameters<typeof cast>[1], env = {}) => {
    const made = await cast(main, parts, { env });
    const done = await run(made.place, ["-p", "go"]);
    return { ...made, done };
  };

  it("N42 O28 O30 OB4 unknown types, models and bad arguments are named, with what would be valid", async () => {
    const { server, done } = await errorsOf(
      [
        calls([
          task("x", { agent_type: "wizard" }),
          task("x", { model: "no-such-model" }),
          { name: "task", args: { description: "", agent_type: "explore", permission: "allow" } },
        ]),
        text("ok"),
      ],
      {},
    );
    expect(done.code, done.stderr).toBe(0);
    const [type = "", model = "", bad = ""] = toolResults(server.requests[1]).map((r) => r.text);
    expect(type).toMatch(/unknown_agent_type.*general-purpose/s);
    expect(model).toMatch(/unknown_model/);
    expect(bad).toMatch(/invalid_inputs.*"description".*"prompt".*"name".*permission/s);
    for (const [result, code] of [
      [type, "unknown_agent_type"],
      [model, "unknown_model"],
      [bad, "invalid_inputs"],
    ] as const)
      expect(result.split(code), code).toHaveLength(2);
  });

  it("O30 OB5 OB6 P15 a model that always delegates is stopped at each limit, and the session answers", async () => {
    let most = 0;
    let running = 0;
    const always = async (request: Parameters<typeof toolResults>[0]) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
      const results = toolResults(request);
      if (results.length >= 3) return text("I give up");
      return tasks(
        task("DEEPER", { name: "deeper" }),
        task("DEEPER", { name: "deeper" }),
        task("DEEPER", { name: "deeper" }),
      );
    };
    const { server, place, done } = await errorsOf(
      [tasks(task("DEEPER")), text("end")],
      { DEEPER: always },
      {
        EVERLONG_SUBAGENT_MAX_DEPTH: "2",
        EVERLONG_SUBAGENT_MAX_CONCURRENT: "2",
      },
    );
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout.trim()).toBe("end");
    expect(most).toBeLessThanOrEqual(2);
    const said = server.requests.flatMap((r) => toolResults(r).map((t) => t.text)).join("\n");
    expect(said).toContain("depth_limit");
    expect(said).toContain("concurrency_limit");
    const started = eventsOf(place, onlySession(place), "subagent.started");
    expect(Math.max(...started.map((e) => Number(e["depth"])))).toBe(2);
  });

  it("O30 spawn_limit counts the starts of all depths between two messages of the user", async () => {
    const { server, place, done } = await errorsOf(
      [tasks(...[1, 2, 3, 4].map((n) => task("WORK", { name: `w${n}` }))), text("end")],
      { WORK: () => text("done") },
      { EVERLONG_SUBAGENT_MAX_PER_PROMPT: "3" },
    );
    expect(done.code).toBe(0);
    expect(toolResults(server.requests.at(-1)).filter((r) => r.text.includes("spawn_limit"))).toHaveLength(1);
    expect(eventsOf(place, onlySession(place), "subagent.started")).toHaveLength(3);
  });

  it("O58 a cap ends the record with its code, and the parent goes on", async () => {
    const { server, place, done } = await errorsOf(
      [tasks(task("LOOP")), text("noted")],
      { LOOP: () => calls([{ name: "report_intent", args: { intent: "looping" } }]) },
      { EVERLONG_AGENT_MAX_STEPS: "3" },
    );
    expect(done.stdout.trim()).toBe("noted");
    expect(last(toolResults(server.requests.at(-1))).split("cap_steps")).toHaveLength(2);
    expect(eventsOf(place, onlySession(place), "subagent.failed")).toMatchObject([{ error: { code: "cap_steps" } }]);
  });

  it("O37 OB7 an empty answer gets one more turn, then fails as empty_result", async () => {
    const { server, of } = await errorsOf([tasks(task("MUTE")), text("ok")], { MUTE: () => text("") });
    expect(of("MUTE").length).toBeGreaterThanOrEqual(2);
    expect(userTexts(of("MUTE").at(-1)).at(-1)).toContain("no text");
    expect(last(toolResults(server.requests.at(-1)))).toContain("empty_result");
  });
});
