// Sidekicks: what they are, when they start, how they end, what they may send and cost.
import { describe, expect, it } from "vitest";
import { fail, ok } from "../../base/result.ts";
import { defineTool, success, type Tool, type ToolContext } from "../../tool/contract.ts";
import type { Sending } from "../inbox/inbox.ts";
import { builtinSidekicks } from "./builtin.ts";
import type { RunEnd, RunTask, ScheduleParts, SidekickSettings, Trigger } from "./contract.ts";
import { parseSidekick, type SidekickDefinition, sidekickMayUse } from "./definition.ts";
import { isTrivial, sharesWord } from "./relevant.ts";
import { type StartedRun, transition } from "./run.ts";
import { Schedule } from "./schedule.ts";
import { boardReader, notVerbatim } from "./verbatim.ts";

const define = (fields: Record<string, unknown> = {}): SidekickDefinition => {
  const base = { name: "helper", description: "d", prompt: "p", tools: ["send_inbox"], triggers: ["user.message"] };
  const parsed = parseSidekick({ ...base, ...fields });
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};

type Running = RunTask & { finish: (end?: RunEnd) => void };

function stage(
  definitions: SidekickDefinition[],
  more: Partial<ScheduleParts> & { limits?: Partial<SidekickSettings> } = {},
) {
  const events: [string, Record<string, unknown>][] = [];
  const runs: Running[] = [];
  const delivered: Sending[] = [];
  const { limits, ...parts } = more;
  const schedule = new Schedule({
    definitions,
    settings: () => ({
      memory: true,
      enabled: true,
      off: [],
      isOn: () => true,
      maxTokensPerTurn: 1000,
      maxTokensPerSession: 5000,
      ...limits,
    }),
    conditions: {
      hasMemories: () => true,
      memoryEnabled: () => true,
      hasBoardEntries: async () => true,
      hasGithub: () => false,
    },
    boardItems: async () => [],
    run: (task) =>
      new Promise((resolve) => {
        task.signal.addEventListener("abort", () => resolve({ type: "completed" }));
        runs.push({ ...task, finish: (end = { type: "completed" }) => resolve(end) });
      }),
    async deliver(sending) {
      const refusal = sending.refuse(sending.draft.content);
      if (refusal) return fail(refusal);
      delivered.push(sending);
      return ok({ id: `entry-${delivered.length}` });
    },
    publish: (type, data) => void events.push([type, data as Record<string, unknown>]),
    nowMs: () => 1_700_000_000_000,
    spentBefore: 0,
    ...parts,
  });
  let id = 0;
  const say = (text: string, source: "user" | "command" | "hook" | "autopilot" = "user") =>
    schedule.onEvent({ event: "user.message", messageId: `m${++id}`, text, source } satisfies Trigger);
  const of = (type: string) => events.filter(([t]) => t === type).map(([, data]) => data);
  const one = (at = 0): Running => {
    const run = runs[at];
    if (!run) throw new Error("there is no such run");
    return run;
  };
  return { schedule, events, runs, delivered, say, of, one };
}

const ASK = "please fix the parser of the settings file";
const draft = { summary: "s", content: "c" };

describe("definitions", () => {
  it("M106 M115 M116 the built-in ones, with every default", async () => {
    const [subconscious, github] = await builtinSidekicks();
    const defaults = {
      behaviour: "restart",
      cancelOnNewTurn: true,
      maxSendsPerTurn: 1,
      inlineForwardMaxChars: 1500,
      maxSteps: 6,
      timeoutSeconds: 30,
      skipTrivial: true,
    };
    expect(subconscious).toMatchObject({
      ...defaults,
      name: "subconscious-agent",
      setting: "features.subconscious",
      conditions: ["hasBoardEntries"],
      tools: ["context_board", "send_inbox"],
      triggers: [{ event: "user.message" }],
    });
    expect(github).toMatchObject({
      ...defaults,
      name: "github-context",
      setting: "features.githubContext",
      conditions: ["hasMemories"],
    });
  });

  it("M106 the seed's name of a condition, a limited trigger; what is wrong is named", () => {
    const d = define({
      conditions: ["hasDynamicContextBoardEntries"],
      triggers: [{ event: "user.message", limit: 2 }],
    });
    expect(d.conditions).toEqual(["hasBoardEntries"]);
    expect(d.triggers).toEqual([{ event: "user.message", limit: 2 }]);
    const bad = { name: "A b", description: "d", prompt: "p", tools: ["nosuch"], triggers: ["later"], extra: 1 };
    const parsed = parseSidekick(bad);
    expect(!parsed.ok && parsed.error).toMatch(/name: .*triggers.*extra/s);
    const { extra: _, ...known } = bad;
    const tools = parseSidekick({ ...known, name: "ab", triggers: ["user.message"] });
    expect(!tools.ok && tools.error).toContain("nosuch");
  });

  it("M112 M116 exactly its tools: groups by their members, of GitHub only what reads", async () => {
    const [, github] = await builtinSidekicks();
    if (!github) throw new Error("missing");
    const mcp = (server: string, readOnly: boolean) => ({ name: `${server}-x`, mcp: { server, tool: "x", readOnly } });
    const held = ["view", "grep", "glob", "session_store_sql", "send_inbox"];
    const not = ["bash", "edit", "create", "web_fetch", "task", "report_intent", "context_board", "read_inbox", "sql"];
    expect(held.every((name) => sidekickMayUse(github, { name }))).toBe(true);
    expect(not.filter((name) => sidekickMayUse(github, { name }))).toEqual([]);
    expect(sidekickMayUse(github, mcp("github", true))).toBe(true);
    expect(sidekickMayUse(github, mcp("github", false))).toBe(false);
    expect(sidekickMayUse(github, mcp("jira", true))).toBe(false);
  });
});

describe("a run", () => {
  const running: StartedRun = { state: "running", name: "n", agentId: "a", startedMs: 0, tokens: 0, sends: 0 };

  it("M111 every state is reached by its change, and an ended run stays as it ended", () => {
    const sent = transition(running, { type: "sent" });
    const ends: [StartedRun, Parameters<typeof transition>[1], string][] = [
      [running, { type: "done", atMs: 1 }, "silent"],
      [sent, { type: "done", atMs: 1 }, "sent"],
      [sent, { type: "cancel", reason: "r", atMs: 1 }, "cancelled"],
      [running, { type: "fail", code: "c", message: "m", atMs: 1 }, "failed"],
      [running, { type: "over_budget", atMs: 1 }, "over_budget"],
    ];
    for (const [from, change, state] of ends) {
      const ended = transition(from, change);
      expect(ended.state).toBe(state);
      for (const [, other] of ends) expect(transition(ended, other)).toBe(ended);
      expect(transition(ended, { type: "sent" })).toBe(ended);
      expect(transition(ended, { type: "spent", tokens: 5 })).toEqual({ ...ended, tokens: 5 });
    }
  });
});

describe("starting", () => {
  it("M108 the first no ends it, in order, with its reason and without a run", async () => {
    const all = { conditions: ["hasGithub"], setting: "features.x" };
    const cases: [string, ReturnType<typeof stage>, string][] = [
      ["off", stage([define(all)], { limits: { enabled: false } }), ASK],
      ["off", stage([define(all)], { limits: { off: ["helper"], isOn: () => false } }), ASK],
      ["setting", stage([define(all)], { limits: { isOn: () => false } }), ASK],
      ["hasGithub", stage([define(all)], { limits: { maxTokensPerTurn: 0 } }), "ok thanks"],
      ["trivial", stage([define()], { limits: { maxTokensPerTurn: 0 } }), "ok thanks"],
      ["over_budget", stage([define()], { limits: { maxTokensPerTurn: 0 } }), ASK],
      ["over_budget", stage([define()], { spentBefore: 5000 }), ASK],
    ];
    for (const [reason, { say, of, runs, schedule }, text] of cases) {
      await say(text);
      expect(of("sidekick.skipped")).toEqual([{ name: "helper", reason }]);
      expect(runs).toEqual([]);
      expect(schedule.recent()).toEqual([{ state: "skipped", name: "helper", reason }]);
    }
  });

  it("M5 M151 with memory off nothing is said at all", async () => {
    const { say, events } = stage([define()], { limits: { memory: false } });
    await say(ASK);
    expect(events).toEqual([]);
  });

  it("M112 a run has the user's request, an id of its own, and its events", async () => {
    const { say, one, of, schedule } = stage([define(), define({ name: "other" })]);
    await say(ASK);
    expect(one().request).toBe(ASK);
    expect(one().agentId).toMatch(/^sidekick-helper-\d{13}$/);
    expect(one(1).agentId).toMatch(/^sidekick-other-\d{13}$/);
    one().finish();
    one(1).finish();
    await schedule.settled();
    expect(of("sidekick.ended")[0]).toMatchObject({
      name: "helper",
      state: "silent",
      tokens: 0,
      sends: 0,
      durationMs: 0,
    });
  });

  it("M106 other events work on the newest request; a limit counts starts by its event", async () => {
    const triggers = ["user.message", { event: "session.memory_changed", limit: 1 }];
    const { schedule, say, runs, of } = stage([define({ triggers })]);
    await schedule.onEvent({ event: "session.memory_changed" });
    expect(of("sidekick.skipped")).toEqual([{ name: "helper", reason: "no_request" }]);
    await say(ASK);
    await schedule.onEvent({ event: "session.memory_changed" });
    await schedule.onEvent({ event: "session.memory_changed" });
    await schedule.onEvent({ event: "session.context_changed" });
    expect(runs.map((r) => r.request)).toEqual([ASK, ASK]);
    expect(of("sidekick.skipped")[1]).toEqual({ name: "helper", reason: "trigger_limit" });
  });

  it.each([
    ["ok thanks", true],
    ["yes, do it", true],
    ["fix it", true],
    ["", true],
    ["fix src/a.ts", false],
    ["rename getUserById", false],
    ['what is "frobnicate"?', false],
    ["explain the settings loader", false],
    ["修复设置解析器", false],
  ])("M109 %j is trivial: %s", (text, expected) => {
    expect(isTrivial(text, "user", undefined)).toBe(expected);
  });

  it("M109 what no person typed anew is trivial", () => {
    for (const source of ["command", "hook", "autopilot", "notification"] as const)
      expect(isTrivial(ASK, source, undefined)).toBe(true);
    expect(isTrivial(`${ASK} `, "user", ASK)).toBe(true);
    expect(isTrivial(ASK, "user", "something else before")).toBe(false);
  });

  it("M115 a sidekick of the board starts only when the request shares a content word with an item, or is near one", async () => {
    const items = [
      { name: "release-steps", description: "How to publish", content: "Run the changelog script first." },
    ];
    expect(sharesWord("who scripted this?", items)).toBe(true);
    expect(sharesWord("the first of the", items)).toBe(true);
    expect(sharesWord("how is it to be done", items)).toBe(false);
    const board = define({ tools: ["context_board", "send_inbox"] });
    const away = stage([board], { boardItems: async () => items });
    await away.say("explain windows colour themes");
    expect(away.of("sidekick.skipped")).toEqual([{ name: "helper", reason: "nothing_shared" }]);
    const near = stage([board], { boardItems: async () => items, nearness: async () => 0.35 });
    await near.say("explain windows colour themes");
    const shared = stage([board], { boardItems: async () => items });
    await shared.say("please publish version two of it");
    expect([near.runs.length, shared.runs.length]).toEqual([1, 1]);
  });
});

describe("ending", () => {
  it("M110 MB18 a newer turn cancels: the call is aborted, a late send fails and stores nothing", async () => {
    const { say, one, of, delivered, schedule } = stage([define()]);
    await say(ASK);
    await say("now something quite different please");
    expect(one().signal.aborted).toBe(true);
    expect(await one().send(draft)).toMatchObject({ ok: false, error: { code: "cancelled" } });
    expect(delivered).toEqual([]);
    expect(one(1).signal.aborted).toBe(false);
    one(1).finish();
    await schedule.settled();
    expect(of("sidekick.ended").map((e) => e["state"])).toEqual(["cancelled", "silent"]);
  });

  it("M110 a trivial answer supersedes too, a hook's continuation does not", async () => {
    const { say, one } = stage([define()]);
    await say(ASK);
    await say("go on with the work you were doing", "hook");
    expect(one().signal.aborted).toBe(false);
    await say("ok thanks");
    expect(one().signal.aborted).toBe(true);
  });

  it("M110 a turn that begins while conditions are looked at wins", async () => {
    let free = () => {};
    const gate = new Promise<void>((resolve) => {
      free = resolve;
    });
    const conditions = { hasMemories: () => true, memoryEnabled: () => true, hasGithub: () => true };
    const { say, runs, of } = stage([define({ conditions: ["hasBoardEntries"] })], {
      conditions: { ...conditions, hasBoardEntries: () => gate.then(() => true) },
    });
    const both = [say(ASK), say("now something quite different please")];
    free();
    await Promise.all(both);
    expect(runs.map((r) => r.request)).toEqual(["now something quite different please"]);
    expect(of("sidekick.skipped")).toEqual([{ name: "helper", reason: "superseded" }]);
  });

  it("M110 persistent keeps one run and only the newest trigger waits for it", async () => {
    const { say, runs, one, schedule } = stage([define({ behaviour: "persistent", cancelOnNewTurn: false })]);
    for (const text of [ASK, "second thing to look for", "third thing to look for"]) await say(text);
    expect(runs).toHaveLength(1);
    one().finish();
    await schedule.settled();
    expect(runs.map((r) => r.request)).toEqual([ASK, "third thing to look for"]);
  });

  it("M111 MB18 sends past the limit fail, also two at once; a new turn has its own", async () => {
    const { say, one, delivered } = stage([define({ cancelOnNewTurn: false })]);
    await say(ASK);
    const results = await Promise.all([one().send(draft), one().send(draft), one().send(draft)]);
    expect(results.map((r) => (r.ok ? r.value : r.error.code))).toEqual(["entry-1", "send_limit", "send_limit"]);
    await say("now something quite different please");
    expect(await one(1).send(draft)).toMatchObject({ ok: true });
    expect(delivered.map((d) => d.sender.interactionId)).toEqual(["m1", "m2"]);
  });

  it("M111 a send that is refused does not count", async () => {
    const board = define({ tools: ["context_board", "send_inbox"] });
    const items = [{ name: "parser", description: "d", content: "c" }];
    const { say, one, delivered } = stage([board], { boardItems: async () => items });
    await say(ASK);
    const run = one();
    expect(await run.send({ summary: "s", content: "my own words" })).toMatchObject({
      error: { code: "not_verbatim" },
    });
    run.fetched("the item's words\nand more");
    expect(await run.send({ summary: "s", content: "# parser\n\nthe item's words" })).toMatchObject({ ok: true });
    expect(delivered).toHaveLength(1);
  });

  it("M111 MB18 D10 a run that throws ends as failed, is told of, and nothing else is", async () => {
    const { say, schedule, of } = stage([define(), define({ name: "other" })], {
      run: async ({ definition }) => {
        if (definition.name === "helper") throw new Error("broken");
        return { type: "completed" };
      },
    });
    await say(ASK);
    await schedule.settled();
    expect(of("sidekick.ended").map((e) => [e["name"], e["state"], e["code"]])).toEqual([
      ["helper", "failed", "failed"],
      ["other", "silent", undefined],
    ]);
    expect(of("soft_failure")).toMatchObject([{ part: "sidekick helper", message: "broken" }]);
  });

  it("M111 a run that hangs and does not even stop is left behind at its limit", async () => {
    const { say, schedule, of } = stage([define({ timeoutSeconds: 1 })], { run: () => new Promise(() => undefined) });
    await say(ASK);
    await schedule.settled();
    expect(of("sidekick.ended")).toMatchObject([{ state: "failed", code: "timeout" }]);
  });

  it("M114 MB18 the tokens of a turn are shared; past them a run ends and the next is not begun", async () => {
    const { say, one, of, schedule } = stage([define(), define({ name: "other" })]);
    await say(ASK);
    one().spent(600);
    expect(one(1).cap()).toBeUndefined();
    one(1).spent(401);
    expect(one(1).signal.aborted).toBe(true);
    expect(await one(1).send(draft)).toMatchObject({ error: { code: "over_budget" } });
    expect(one().cap()).toMatchObject({ code: "over_budget" });
    await schedule.settled();
    expect(
      of("sidekick.ended")
        .map((e) => [e["state"], e["tokens"]])
        .sort(),
    ).toEqual([
      ["over_budget", 401],
      ["over_budget", 600],
    ]);
    await schedule.onEvent({ event: "user.message", messageId: "x", text: "go on", source: "hook" });
    await say("now something quite different please");
    expect(one(2).cap()).toBeUndefined();
  });

  it("M106 M114 its own maxTokens, and the session's sum over turns", async () => {
    const { say, one, of } = stage([define({ maxTokens: 100, cancelOnNewTurn: false })], {
      limits: { maxTokensPerSession: 150 },
    });
    await say(ASK);
    one().spent(100);
    expect(one().cap()).toMatchObject({ code: "over_budget" });
    await say("now something quite different please");
    one(1).spent(60);
    expect(one(1).signal.aborted).toBe(true);
    await say("and a third thing to look at");
    expect(of("sidekick.skipped").at(-1)).toEqual({ name: "helper", reason: "over_budget" });
  });

  it("O79 the end of a session cancels what runs and starts nothing any more", async () => {
    const { say, one, runs, schedule, of } = stage([define()]);
    await say(ASK);
    await schedule.end("the session ended");
    expect(one().signal.aborted).toBe(true);
    await say("now something quite different please");
    expect(runs).toHaveLength(1);
    expect(of("sidekick.ended")).toMatchObject([{ state: "cancelled" }]);
  });
});

describe("M115 the board", () => {
  it("only looking: other commands fail as read_only and do not reach it; what is fetched is remembered", async () => {
    const reached: unknown[] = [];
    const run = async (input: unknown) => {
      reached.push(input);
      return success("the text");
    };
    const board: Tool = { ...defineTool({} as Tool), run };
    const fetched: string[] = [];
    const reader = boardReader(board, (text) => void fetched.push(text));
    for (const command of ["add", "prune", "anything"])
      expect(await reader.run({ command }, {} as ToolContext)).toMatchObject({ type: "failure", code: "read_only" });
    await reader.run({ command: "get_board" }, {} as ToolContext);
    await reader.run({ command: "get", src: "agent", name: "a" }, {} as ToolContext);
    expect(reached).toHaveLength(2);
    expect(fetched).toEqual(["the text"]);
  });

  it("every line but headings must stand in something fetched", () => {
    const fetched = ["one\n  two\nthree", "four"];
    expect(notVerbatim("## from the board\n\none\n  two\n### b\nfour\n", fetched)).toBeUndefined();
    expect(notVerbatim("one\nand I think so", fetched)).toMatchObject({ code: "not_verbatim" });
    expect(notVerbatim("one", [])).toMatchObject({ code: "not_verbatim" });
  });
});
