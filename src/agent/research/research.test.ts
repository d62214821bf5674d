// Research: the run folded from events, what is refused, the check of citations, and the end of a run.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import { event } from "../event-fixture.ts";
import { afterTurn } from "./after-turn.ts";
import { beginResearch } from "./begin.ts";
import { citationProblems } from "./citations.ts";
import { refuse } from "./refuse.ts";
import { type ResearchRun, researchRun, topicSlug } from "./run.ts";

const place = { cwd: "/work", sessionDir: "/home/sessions/s1" };
const path = "/home/sessions/s1/research/caching-1.md";
const begin = (research = { topic: "caching", path }) =>
  event("session.mode_changed", { previousMode: "autopilot", newMode: "research", research });
const end = () => event("session.mode_changed", { previousMode: "research", newMode: "autopilot" });

let calls = 0;
const started = (toolCallId: string) => event("subagent.started", { toolCallId }, `agent-${toolCallId}`);
/** One message with `count` dispatches, the agents that came of them, and their ends. */
function round(count: number, how: "success" | "failure" | "interrupted" | "open" = "success"): DurableEnvelope[] {
  const toolRequests = Array.from({ length: count }, () => ({
    toolCallId: `c${++calls}`,
    name: "task",
    arguments: { agent_type: "research", name: "n", description: "d", prompt: "p" },
  }));
  const ends = toolRequests.map(({ toolCallId }) =>
    event("tool.execution_complete", {
      toolCallId,
      toolName: "task",
      success: how === "success",
      ...(how === "open" ? {} : { resultType: how }),
      ...(how === "failure" ? { error: { code: "stalled", message: "m" } } : {}),
    }),
  );
  const agents = toolRequests.map(({ toolCallId }) => started(toolCallId));
  return [
    event("assistant.message", { messageId: `m${calls}`, toolRequests }),
    ...(how === "open" ? [] : [...agents, ...ends]),
  ];
}
const callsOf = (asked: DurableEnvelope | undefined): string[] =>
  asked?.type === "assistant.message" ? asked.data.toolRequests.map((r) => r.toolCallId) : [];
const refused = (toolName: string, code: string, toolCallId = "x") =>
  event("tool.execution_complete", { toolCallId, toolName, success: false, error: { code, message: "m" } });
const wrote = () => event("tool.execution_complete", { toolName: "create", success: true, resultType: "success" });

function runOf(...events: DurableEnvelope[]): ResearchRun {
  const run = researchRun(events);
  if (!run) throw new Error("no run");
  return run;
}
const REPORT =
  "# R\nIt caches [1]; it evicts [2, 3].\n\n## Sources\n[1] a.ts:1-2\n- [2] https://x\n3. b.ts:4-5\n\n## Gaps\nNone.";
const create = (run: ResearchRun, file_text = REPORT, to = path) =>
  refuse("create", { path: to, file_text }, run, place)?.code;
const dispatch = { agent_type: "research", name: "n", description: "d", prompt: "p" };

describe("research", () => {
  it("O104 OB21 tools of other kinds are refused, whatever their arguments", () => {
    const run = runOf(begin());
    for (const name of ["grep", "glob", "web_fetch", "github-search", "read_agent", "ask_user", "bash"])
      expect(refuse(name, { pattern: "x" }, run, place)).toMatchObject({ code: "not_allowed_in_research" });
    expect(refuse("report_intent", { intent: "x" }, run, place)).toBeUndefined();
  });

  it("O104 task only with research and sync, view only in the session's folder, create only the report", () => {
    const run = runOf(begin(), ...round(3), ...round(3));
    const task = (more: object) => refuse("task", { ...dispatch, ...more }, run, place)?.code;
    expect(task({})).toBeUndefined();
    expect(task({ agent_type: " Research ", mode: "sync" })).toBeUndefined();
    expect(task({ mode: "background" })).toBe("not_allowed_in_research");
    expect(task({ agent_type: "explore" })).toBe("not_allowed_in_research");
    expect(refuse("task", "nonsense", run, place)?.code).toBe("not_allowed_in_research");
    const view = (to: string) => refuse("view", { path: to }, run, place)?.code;
    expect(view("/home/sessions/s1/outputs/1.txt")).toBeUndefined();
    expect(view("/home/sessions/s1")).toBeUndefined();
    expect(view("/home/sessions/s1/..config/x")).toBeUndefined();
    for (const to of ["src/a.ts", "/home/sessions/s2/plan.md", "/home/sessions/s1/../s2/x", "/home/sessions/s10/x"])
      expect(view(to), to).toBe("not_allowed_in_research");
    expect(create(run)).toBeUndefined();
    expect(create(run, REPORT, "../home/sessions/s1/research/caching-1.md")).toBeUndefined();
    expect(create(run, REPORT, "/home/sessions/s1/research/other.md")).toBe("not_allowed_in_research");
  });

  it("O105 four rounds and twenty dispatches, then research_limit", () => {
    const four = [begin(), ...round(3), ...round(3), ...round(3)];
    expect(refuse("task", dispatch, runOf(...four, ...round(1, "open")), place)).toBeUndefined();
    const fifth = runOf(...four, ...round(1), ...round(1, "open"));
    expect(refuse("task", dispatch, fifth, place)).toMatchObject({
      code: "research_limit",
      message: expect.stringContaining(path),
    });
    expect(refuse("task", dispatch, runOf(begin(), ...round(21, "open")), place)?.code).toBe("research_limit");
    expect(refuse("task", dispatch, runOf(begin(), ...round(20, "open")), place)).toBeUndefined();
  });

  it.each(["research_limit", "invalid_inputs", "concurrency_limit", "spawn_limit", "unknown_model", "interrupted"])(
    "O105 O106 a call that is answered %s with no agent started is no dispatch, no round, and settles nothing",
    (code) => {
      const late = Array.from({ length: 4 }, () => round(5, "open"));
      const ends = late.flatMap(([asked]) => callsOf(asked).map((id) => refused("task", code, id)));
      const run = runOf(begin(), ...round(2), ...late.flat(), ...ends);
      expect(run.dispatches).toHaveLength(2);
      expect(create(run)).toBe("research_incomplete");
      expect(refuse("task", dispatch, run, place)).toBeUndefined();
    },
  );

  it("O105 property: however a model dispatches, what passes stays within both limits", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 30 }), (counts) => {
        const events: DurableEnvelope[] = [begin()];
        let passed = 0;
        const rounds = new Set<string>();
        for (const count of counts) {
          const [asked, ...rest] = round(count);
          if (asked?.type !== "assistant.message") continue;
          events.push(asked);
          const ends = rest.slice(count);
          for (const [at, complete] of ends.entries()) {
            const refusal = refuse("task", dispatch, runOf(...events), place);
            const toolCallId = asked.data.toolRequests[at]?.toolCallId ?? "";
            events.push(...(refusal ? [refused("task", refusal.code, toolCallId)] : [started(toolCallId), complete]));
            if (!refusal) {
              passed++;
              rounds.add(asked.data.messageId);
            }
          }
        }
        expect(passed).toBeLessThanOrEqual(20);
        expect(rounds.size).toBeLessThanOrEqual(4);
        expect(runOf(...events).dispatches).toHaveLength(passed);
      }),
      { numRuns: 60 },
    );
  });

  it("O106 a report before six settled dispatches is sent back once; failed ones are settled, interrupted ones are not", () => {
    const early = [begin(), ...round(4), ...round(2, "interrupted")];
    expect(refuse("create", { path, file_text: REPORT }, runOf(...early), place)?.message).toContain("Only 4 research");
    expect(create(runOf(...early))).toBe("research_incomplete");
    expect(create(runOf(...early, refused("create", "research_incomplete")))).toBeUndefined();
    expect(create(runOf(begin(), ...round(4), ...round(2, "failure")))).toBeUndefined();
  });

  it("O107 citations without a source are told once", () => {
    const covered = [begin(), ...round(5), ...round(3)];
    const bad = REPORT.replace("[2, 3]", "[2-4]");
    const refusal = refuse("create", { path, file_text: bad }, runOf(...covered), place);
    expect(refusal).toMatchObject({ code: "report_citations", message: expect.stringContaining("[4]") });
    expect(create(runOf(...covered, refused("create", "report_citations")), bad)).toBeUndefined();
  });

  it.each([
    [REPORT, []],
    ["Claim.[^1]\n\n[^1]: https://x\n\n## Gaps\n-", []],
    ["A [1].\n## References\n1) x\n## Open questions\n", []],
    ["See [1](https://x) and it caches[2].\n## Sources\n[1] x\n[2] y\n## Gaps\n", []],
    ["Use `a[0]` and\n```\nb[7]\n```\nA [1].\n**Sources**\n* [1] x\n**Gaps**\n", []],
    ["A [1] B [2].\n## Sources\n[1] x\n[2]\n## Gaps\n", ["these citations have no entry under Sources: [2]"]],
    ["Plain.\n## Gaps\n", ["no claim has a numbered citation such as [1]", 'there is no section "Sources"']],
    ["A [1].\n## Sources\n[1] x", ['there is no section "Gaps"']],
    [
      "A [1].\n## Unreachable sources\n[1] x\n## Gaps\n",
      ['there is no section "Sources"', "these citations have no entry under Sources: [1]"],
    ],
  ])("O107 citations of %j", (report, problems) => {
    expect(citationProblems(report)).toEqual(problems);
  });

  it("O107 any text is checked without a throw, in bounded time", () => {
    fc.assert(fc.property(fc.string({ maxLength: 400 }), (s) => Array.isArray(citationProblems(s))));
    expect(citationProblems(`[1-999]\n${"[".repeat(50_000)}${"1,".repeat(50_000)}`).length).toBeGreaterThan(0);
  });

  it("O108 the report ends the run; without one there is one reminder, then failure", () => {
    const done = { status: "done" } as const;
    expect(afterTurn(runOf(begin(), ...round(6), wrote()), done)).toEqual({ type: "done", path });
    expect(afterTurn(runOf(begin(), ...round(6)), done)).toMatchObject({
      type: "remind",
      prompt: expect.stringContaining(path),
    });
    const reminded = event("user.message", { source: "notification", hidden: true, content: "c" });
    expect(afterTurn(runOf(begin(), ...round(6), reminded), done)).toMatchObject({
      type: "failed",
      reason: expect.stringContaining("6 agents are kept"),
    });
    expect(afterTurn(runOf(begin(), reminded, wrote()), done)).toEqual({ type: "done", path });
    expect(afterTurn(runOf(begin()), { status: "failed", reason: "no network." })).toMatchObject({
      type: "failed",
      reason: expect.stringContaining("without a report: no network. "),
    });
  });

  it("O108 a broken run is taken up again with its settled dispatches", () => {
    const broken = [begin(), ...round(4), ...round(2, "interrupted")];
    const again = beginResearch("Caching!", "/home/sessions/s1", researchRun(broken), []);
    expect(again.research.path).toBe(path);
    expect(again.prompt).toContain("The answers of 4 agents are in this conversation");
    const run = runOf(...broken, begin(again.research), ...round(2));
    expect(run).toMatchObject({ open: true, previousMode: "autopilot", reminders: 0 });
    expect(create(run)).toBeUndefined();
    const killed = event("session.mode_changed", {
      previousMode: "research",
      newMode: "research",
      research: { topic: "caching", path },
    });
    expect(runOf(...broken, killed).previousMode).toBe("autopilot");
    expect(runOf(...broken, end()).open).toBe(false);
  });

  it("O108 a report that the run does not know of is left alone: the run goes on with its dispatches, to another file", () => {
    const broken = [begin(), ...round(4)];
    const again = beginResearch("caching", "/home/sessions/s1", researchRun(broken), ["caching-1.md"]);
    expect(again.research.path).toBe("/home/sessions/s1/research/caching-2.md");
    expect(again.prompt).toContain("The answers of 4 agents are in this conversation");
    const run = runOf(...broken, begin(again.research), ...round(2));
    expect(create(run, REPORT, again.research.path)).toBeUndefined();
    expect(create(run)).toBe("not_allowed_in_research");
  });

  it("O103 the path is named by the topic and a free number, and stands in the prompt", () => {
    const finished = researchRun([begin(), ...round(6), wrote(), end()]);
    const next = beginResearch("caching", "/home/sessions/s1", finished, ["caching-1.md", "caching-3.md"]);
    expect(next.research.path).toBe("/home/sessions/s1/research/caching-2.md");
    expect(next.prompt).toContain(next.research.path);
    expect(next.prompt).not.toMatch(/\{\{|begun before/);
    expect(beginResearch("$& {{path}}", "/s", undefined, []).prompt).toContain("\n$& {{path}}\n");
    expect(topicSlug("  How does ../../etc/passwd work? ")).toBe("how-does-etc-passwd-work");
    expect(topicSlug("缓存 怎么 工作")).toBe("缓存-怎么-工作");
    expect(topicSlug("???")).toBe("topic");
    expect(topicSlug("x".repeat(300))).toHaveLength(40);
  });

  it("O71 what research agents do themselves counts for nothing", () => {
    const [asked] = round(3);
    const child = { ...asked, agentId: "r-1" } as DurableEnvelope;
    expect(runOf(begin(), child).dispatches).toEqual([]);
  });
});
