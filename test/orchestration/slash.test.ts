// Slash commands around agents in prompt mode: macros, lists without a model, refusals before anything is started.
import { describe, expect, it } from "vitest";
import { bash, gitInit, oneCall, onlySession, scene, toolResults, userTexts } from "../agent/scene.ts";
import { calls, text } from "../model-server/reply.ts";
import { newPlace, only, run, sessionsOf } from "../tool/everlong.ts";
import { cast, eventsOf, task, tasks } from "./cast.ts";
import { definition, put } from "./definitions.ts";

describe("O98 macros", () => {
  it.each([
    ["/review", "code-review", ""],
    ["/review the parser, above all", "code-review", "the parser, above all"],
    ["/security-review uploads", "security-review", "uploads"],
    ["/rubber-duck my plan is to rewrite it", "rubber-duck", "my plan is to rewrite it"],
  ])("O96 O97 O98 %s prescribes one call of task with %s", async (typed, agentType, focus) => {
    let prescribed: Record<string, unknown> = {};
    const { place, server } = await scene((request, index) => {
      if (index === 1) return text("two defects");
      if (index === 2) return text("It found two defects.");
      prescribed = JSON.parse(/\{[\s\S]*\}/.exec(userTexts(request)[0] ?? "")?.[0] ?? "{}");
      return oneCall("task", prescribed);
    });
    gitInit(place);
    const done = await run(place, ["-p", typed]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout.trim()).toBe("It found two defects.");
    const id = onlySession(place);
    const [message] = eventsOf(place, id, "user.message");
    expect(message).toMatchObject({ source: "command", display: typed, directive: { tool: "task", args: prescribed } });
    expect(prescribed).toMatchObject({ agent_type: agentType });
    expect(eventsOf(place, id, "subagent.started")).toMatchObject([{ agentType, prompt: prescribed["prompt"] }]);
    const said = userTexts(server.requests[1]).join("\n");
    expect(said).toContain(focus);
    expect(toolResults(server.requests[2])[0]?.text).toBe("two defects");
  });

  it("O96 a replay gives the same request: after a resume the prompt is still the macro's", async () => {
    const { place, server } = await scene([text("nothing to do"), text("again")]);
    await run(place, ["-p", "/review this"]);
    await run(place, ["--resume", onlySession(place), "-p", "go on"]);
    expect(userTexts(server.requests[1])[0]).toBe(userTexts(server.requests[0])[0]);
  });

  it("O96 offline the directive is followed, and the answer says that a model is needed for more", async () => {
    const place = newPlace();
    gitInit(place);
    put(place.folder, "a.ts", "export const a = 1;\n");
    const done = await run(place, ["-p", "/review"]);
    expect(done.code, done.stderr).toBe(0);
    expect(eventsOf(place, onlySession(place), "subagent.started")).toMatchObject([{ agentType: "code-review" }]);
    expect(done.stdout).toContain("a review needs a real model");
    expect(done.stdout).toContain("OPENAI_API_KEY");
  });
});

describe("O100 lists without a model", () => {
  it.each(["/agent", "/tasks", "/mcp", "/skills", "/hooks"])("O100 %s", async (typed) => {
    const { place, server } = await scene([]);
    const done = await run(place, ["-p", typed]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout.trim()).not.toBe("");
    expect(server.requests).toEqual([]);
    const streamed = await run(place, ["-p", typed, "--output-format", "stream-json"]);
    const output = done.stdout.trimEnd();
    expect(only(streamed.events, "command.complete")).toMatchObject([
      { data: { command: typed.slice(1), success: true, output } },
    ]);
    expect(sessionsOf(place)).toEqual([]);
  });

  it("O100 /tasks prints the tree: id, type, model, status, turns, tokens", async () => {
    const { place } = await cast(
      [
        calls([
          { name: "task", args: { ...(task("PARENT", { name: "top" }).args as object) } },
          bash("sleep 0", { mode: "async" }),
        ]),
        text("ok"),
      ],
      {
        PARENT: [tasks(task("CHILD", { name: "below", agent_type: "explore" })), text("done")],
        CHILD: [text("found")],
      },
    );
    await run(place, ["-p", "go", "--yolo"]);
    const done = await run(place, ["--resume", onlySession(place), "-p", "/tasks"]);
    expect(done.code, done.stderr).toBe(0);
    const lines = done.stdout.split("\n");
    const [top, below] = ["top", "below"].map((id) => lines.find((line) => line.includes(id)) ?? "");
    for (const part of ["general-purpose", "custom/scripted", "completed"]) expect(top).toContain(part);
    for (const part of ["explore", "custom/scripted", "completed"]) expect(below).toContain(part);
    expect(done.stdout).toMatch(/1 turn/);
    expect(done.stdout).toMatch(/token/);
    const indent = (line = "") => line.search(/\S/);
    expect(indent(below)).toBeGreaterThan(indent(top));
  });
});

describe("O97 A9.8 refusals", () => {
  it.each([
    ["/reviw", "/review"],
    ["/agents", "/agent"],
    ["/nothing-like-it", "/help"],
  ])("A9.8 %s is unknown: exit 2, near names, no session", async (typed, near) => {
    const { place, server } = await scene([]);
    const done = await run(place, ["-p", typed]);
    expect(done.code).toBe(2);
    expect(done.stderr).toContain(near);
    expect(sessionsOf(place)).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it("A9.8 near names include the user's own commands and skills", async () => {
    const { place } = await scene([]);
    put(place.home, "commands/deploy.md", "Deploy it.");
    put(place.home, "skills/translate/SKILL.md", definition({ description: "translates" }));
    expect((await run(place, ["-p", "/deplyo"])).stderr).toContain("/deploy");
    expect((await run(place, ["-p", "/transalte"])).stderr).toContain("/translate");
  });

  it("A9.8 O101 /help lists them beside our own, with what they are for", async () => {
    const { place, server } = await scene([]);
    put(place.home, "commands/deploy.md", "---\ndescription: ships it\nargument-hint: WHERE\n---\nDeploy to $1.");
    put(place.home, "skills/translate/SKILL.md", definition({ description: "translates" }));
    const all = (await run(place, ["-p", "/help"])).stdout;
    expect(all).toMatch(/^\/deploy WHERE +ships it$/m);
    expect(all).toMatch(/^\/translate +translates$/m);
    expect((await run(place, ["-p", "/help deploy"])).stdout).toBe("/deploy WHERE  ships it\n");
    expect(server.requests).toEqual([]);
  });

  it.each([
    ["/research", "TOPIC"],
    ["/tasks frobnicate", "/tasks"],
    ["/tasks message", "/tasks"],
    ["/autopilot maybe", "/autopilot on"],
  ])("O97 OB21 %s: usage, exit 2, no model", async (typed, usage) => {
    const { place, server } = await scene([]);
    const done = await run(place, ["-p", typed]);
    expect(done.code).toBe(2);
    expect(done.stderr).toContain(usage);
    expect(server.requests).toEqual([]);
  });

  it.each(["/fleet", "/fleet build it all", "/research the history of tea"])(
    "OB25 offline %s says that a provider is needed and how to set it; exit 1; nothing started",
    async (typed) => {
      const place = newPlace();
      const done = await run(place, ["-p", typed]);
      expect(done.code).toBe(1);
      expect(done.stderr).toMatch(/provider/);
      expect(done.stderr).toMatch(/EVERLONG_BASE_URL|_API_KEY|--model/);
      expect(sessionsOf(place)).toEqual([]);
    },
  );

  it("A9.8 a path, a leading space and a double slash are prompts", async () => {
    const { place, server } = await scene([text("1"), text("2"), text("3")]);
    for (const prompt of ["/usr/bin/env", " /review", "//review it"]) await run(place, ["-p", prompt]);
    expect(server.requests.map((r) => userTexts(r)[0])).toEqual(["/usr/bin/env", " /review", "/review it"]);
  });
});
