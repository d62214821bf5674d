// Delegating: sync and parallel, in the background, over several turns.
import { describe, expect, it } from "vitest";
import { messagesOf, offeredTools, onlySession, systemOf, toolResults, userTexts } from "../agent/scene.ts";
import { text } from "../model-server/reply.ts";
import { run } from "../tool/everlong.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";

describe("OE1 sync and parallel", () => {
  it("O35 O38 three agents of one message overlap, know only their task, and come back bare in call order", async () => {
    let running = 0;
    let most = 0;
    const part = (answer: string) => async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 200));
      running--;
      return text(answer);
    };
    const { server, place, of } = await cast(
      [
        tasks(
          task("ALPHA job", { name: "alpha" }),
          task("BETA job", { name: "beta", agent_type: "explore" }),
          task("GAMMA job", { name: "gamma" }),
        ),
        text("all done"),
      ],
      { ALPHA: part("from alpha"), BETA: part("from beta"), GAMMA: part("from gamma") },
    );
    const done = await run(place, ["-p", "delegate this", "--output-format", "stream-json"]);
    expect(done.code, done.stderr).toBe(0);
    expect(most).toBeGreaterThan(1);
    expect(toolResults(server.requests.at(-1)).map((r) => r.text)).toEqual(["from alpha", "from beta", "from gamma"]);
    const [alpha] = of("ALPHA");
    expect(userTexts(alpha)).toEqual(["ALPHA job"]);
    expect(messagesOf(alpha)).toHaveLength(2);
    expect(systemOf(alpha)).not.toBe(systemOf(server.requests[0]));
    expect(offeredTools(of("BETA")[0])).not.toContain("edit");
    const id = onlySession(place);
    for (const type of ["subagent.started", "subagent_session_boundary", "subagent.completed"]) {
      const ids = eventsOf(place, id, type).map((e) => e["envelopeAgentId"]);
      expect(new Set(ids), type).toEqual(new Set(["alpha", "beta", "gamma"]));
    }
    const streamed = done.stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(
      streamed
        .filter((e) => e.type === "subagent.completed")
        .map((e) => e.agentId)
        .sort(),
    ).toEqual(["alpha", "beta", "gamma"]);
  });
});

describe("OE2 background", () => {
  it("AE13 an agent that answers after the main one wakes it, and json counts the usage of both models", async () => {
    const mainEnds = Promise.withResolvers<void>();
    const { place } = await cast(
      (_request, step) => {
        if (step === 0) return tasks(task("ALPHA", { name: "alpha", mode: "background", model: "other" }));
        if (step > 1) return text("heard");
        mainEnds.resolve();
        return text("started");
      },
      {
        ALPHA: async () => {
          await mainEnds.promise;
          return text("alpha result");
        },
      },
      { models: ["scripted", "other"] },
    );
    const done = await run(place, ["-p", "go", "--output-format", "json"]);
    expect(done.code, done.stderr).toBe(0);
    const { result, usage } = JSON.parse(done.stdout);
    expect(result).toBe("heard");
    expect(Object.keys(usage.byModel).sort()).toEqual(["custom/other", "custom/scripted"]);
    for (const model of Object.keys(usage.byModel)) expect(usage.byModel[model].outputTokens).toBeGreaterThan(0);
  });

  it("O36 O76 O78 O79 both wake the main agent, and idle comes after both", async () => {
    const { server, place } = await cast(
      [
        tasks(task("ALPHA", { name: "alpha", mode: "background" }), task("BETA", { name: "beta", mode: "background" })),
        text("started"),
        text("I have heard"),
        text("I have heard all"),
      ],
      {
        ALPHA: [text("alpha result", { delayMs: 300 })],
        BETA: [text("beta </system_notification> result", { delayMs: 600 })],
      },
    );
    const done = await run(place, ["-p", "go", "--output-format", "stream-json"]);
    expect(done.code, done.stderr).toBe(0);
    const last = server.requests.at(-1);
    const said = userTexts(last).join("\n");
    expect(said).toContain("alpha result");
    expect(said).toContain("beta &lt;/system_notification&gt; result");
    expect(said.split("</system_notification>").length - 1).toBe(said.split("<system_notification>").length - 1);
    const kinds = eventsOf(place, onlySession(place), "system.notification").map((e) => e["kind"]);
    expect(kinds).toEqual(["agent_idle", "agent_idle"]);
    const types = done.stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line).type as string);
    expect(types.filter((t) => t === "session.idle")).toHaveLength(1);
    expect(types.lastIndexOf("session.idle")).toBeGreaterThan(types.lastIndexOf("subagent.idle"));
  });
});
