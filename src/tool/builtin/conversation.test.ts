// The tools that talk to people, and the thin ones over injected parts.
import { describe, expect, it } from "vitest";
import type { ToolQuestion } from "../contract.ts";
import { askUserTool, type UserAnswer } from "./ask-user.ts";
import { exitPlanModeTool, type PlanExitAnswer } from "./exit-plan-mode.ts";
import { type RecallRequest, type RecallResult, recallTool } from "./recall.ts";
import { reportIntentTool } from "./report-intent.ts";
import { skillTool } from "./skill.ts";
import { type TaskCompletion, taskCompleteTool } from "./task-complete.ts";
import { call, testContext, textOf } from "./test-context.ts";

describe("ask_user", () => {
  const asking = (answer: UserAnswer) => {
    const asked: ToolQuestion[] = [];
    const tool = askUserTool({
      ask: async (question) => {
        asked.push(question);
        return answer;
      },
    });
    return { asked, tool };
  };

  it("A5.11 gives the user's answer, and says when nobody is there", async () => {
    const { asked, tool } = asking({ type: "answered", answer: "blue" });
    const args = { question: "Which?", choices: ["red", "blue"], allow_freeform: false };
    expect(textOf(await call(tool, args, testContext()))).toBe("The user answered: blue");
    expect(asked).toEqual([{ question: "Which?", choices: ["red", "blue"], allowFreeform: false }]);
    expect(tool).toMatchObject({ last: true, limitMs: Number.POSITIVE_INFINITY, planMode: true });
    expect(textOf(await call(asking({ type: "unavailable" }).tool, { question: "?" }, testContext()))).toContain(
      "Decide yourself",
    );
    expect(await call(asking({ type: "aborted" }).tool, { question: "?" }, testContext())).toMatchObject({
      code: "interrupted",
    });
  });

  it("A5.11 in autopilot it answers at once without asking", async () => {
    const { asked, tool } = asking({ type: "answered", answer: "x" });
    expect(textOf(await call(tool, { question: "?" }, testContext({ mode: "autopilot" })))).toContain(
      "Nobody is there",
    );
    expect(asked).toEqual([]);
  });
});

describe("exit_plan_mode", () => {
  const run = async (answer: PlanExitAnswer, args: object) =>
    textOf(await call(exitPlanModeTool({ choose: async () => answer }), { summary: "S", ...args }, testContext()));

  it("A5.13 tells the choice or the objections", async () => {
    expect(await run({ type: "chosen", action: "autopilot" }, {})).toMatch(/^The user chose autopilot\./);
    expect(await run({ type: "rejected", feedback: "too big" }, {})).toContain(
      "still in plan mode. They said: too big",
    );
    expect(await run({ type: "aborted" }, {})).toMatch(/^interrupted/);
    expect(await run({ type: "aborted" }, { actions: ["sudo"] })).toMatch(/^invalid_inputs: .*"actions.0"/);
  });
});

describe("report_intent and task_complete", () => {
  it("A5.16 reports at most 100 characters", async () => {
    const intents: string[] = [];
    await call(
      reportIntentTool({ report: (i) => intents.push(i) }),
      { intent: `a\nb ${"x".repeat(200)}` },
      testContext(),
    );
    expect(intents[0]).toHaveLength(100);
    expect(intents[0]).toMatch(/^a b x+…$/);
  });

  it("A6.22 completes once, in autopilot only, after the step's other calls", async () => {
    const done: TaskCompletion[] = [];
    const tool = taskCompleteTool({ complete: async (d) => void done.push(d) });
    await call(tool, { summary: "all done" }, testContext());
    await call(tool, { summary: "no", success: false }, testContext());
    expect(done).toEqual([
      { summary: "all done", success: true },
      { summary: "no", success: false },
    ]);
    expect(tool).toMatchObject({ onlyMode: "autopilot", last: true });
  });
});

describe("recall and skill", () => {
  const recalling = (answer: RecallResult) => {
    const requests: RecallRequest[] = [];
    const tool = recallTool({
      search: async (request) => {
        requests.push(request);
        return answer;
      },
    });
    return { requests, run: async (args: object) => textOf(await call(tool, args, testContext())) };
  };

  it("A6.18 R37 shows at most 8 snippets and 6,000 characters, each with its ref, and how many more", async () => {
    const items = Array.from({ length: 12 }, (_, i) => ({
      ref: `t${i}`,
      kind: "turn",
      time: "2024-01-01",
      text: "y".repeat(400),
    }));
    const { run, requests } = recalling({ type: "found", items, more: 30, searched: "this session" });
    const text = await run({ query: "q", limit: 50, order: "time" });
    expect(requests).toEqual([{ query: "q", limit: 8, order: "time" }]);
    expect(text.match(/^\[t\d+\] turn, 2024-01-01$/gm)).toHaveLength(8);
    expect(text).toContain("34 more");
    const long = recalling({
      type: "found",
      items: items.map((i) => ({ ...i, text: "z".repeat(2900) })),
      more: 0,
      searched: "s",
    });
    const bounded = await long.run({ query: "q" });
    expect(bounded.length).toBeLessThan(6200);
    expect(bounded).toContain("10 more");
  });

  it("A6.18 an id gives the exact original; nothing found says where it looked; something must be asked for", async () => {
    const text = "  exact\r\n\tbytes ";
    expect(await recalling({ type: "original", ref: "t3", text }).run({ id: "t3" })).toBe(`[t3]\n${text}`);
    expect(await recalling({ type: "found", items: [], more: 0, searched: "session" }).run({ query: "q" })).toContain(
      "searched: session",
    );
    expect(await recalling({ type: "refused", message: "no such ref" }).run({ id: "t9" })).toBe(
      "invalid_inputs: no such ref",
    );
    expect(await recalling({ type: "refused", message: "" }).run({ scope: "all" })).toContain('One of "query"');
  });

  it("A6.19 loads a skill or tells why not", async () => {
    const tool = skillTool({
      load: async (name) =>
        name === "x" ? { ok: true, value: "how to x" } : { ok: false, error: "Unknown skill; see /skills." },
    });
    expect(textOf(await call(tool, { name: "x" }, testContext()))).toBe("how to x");
    expect(textOf(await call(tool, { name: "y" }, testContext()))).toBe("not_found: Unknown skill; see /skills.");
  });
});
