// OE13: research through the program: what the orchestrator may not do, two rounds, the report and its end.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { offeredTools, oneCall, onlySession, scene, toolResults, until, userTexts } from "../agent/scene.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { type Call, calls, type Reply, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run, start } from "../tool/everlong.ts";

const isChild = (request: Recorded): boolean => userTexts(request).some((t) => t.startsWith("QUESTION"));

/** The path that the orchestrator was given last. */
function reportPath(request: Recorded): string {
  const found = [
    ...userTexts(request)
      .join("\n")
      .matchAll(/^ *(\/.*\/research\/.*\.md)$/gm),
  ].at(-1);
  if (!found?.[1]) throw new Error("the prompt names no report");
  return found[1];
}

let asked = 0;
const question = (more: object = {}): Call => ({
  name: "task",
  args: {
    agent_type: "research",
    name: `q${++asked}`,
    description: "one question",
    prompt: `QUESTION ${asked}`,
    mode: "sync",
    ...more,
  },
});
const dispatch = (count: number, more?: object): Reply => calls(Array.from({ length: count }, () => question(more)));

const REPORT = [
  "# Retries",
  "They wait longer each time [1], up to a bound [2].",
  "## Sources",
  "[1] src/retry.ts:1-9",
  "[2] https://example.org/retry",
  "## Gaps",
  "None.",
].join("\n");

type Step = (request: Recorded) => Reply;
const write =
  (report = REPORT): Step =>
  (request) =>
    oneCall("create", { path: reportPath(request), file_text: report });

/** Main answers by the steps, one a request; research agents answer at once. */
async function orchestrated(
  steps: Step[],
  child: (request: Recorded) => Reply | Promise<Reply> = () => text("Findings: src/retry.ts:1-9"),
) {
  const main: Recorded[] = [];
  const staged = await scene((request) => {
    if (isChild(request)) return child(request);
    main.push(request);
    return (steps[main.length - 1] ?? (() => text("The report is written.")))(request);
  });
  return { ...staged, main };
}

const results = (request: Recorded | undefined): string[] => toolResults(request).map((r) => r.text);
const modes = (place: Place): string[] => only(logOf(place), "session.mode_changed").map((e) => e.data.newMode);

/** Four answers have come and as many as `second` says are waited for when it is killed; those asked later come. */
async function killedInSecondRound(second: number) {
  let hold = true;
  let held = 0;
  const scene = await orchestrated(
    [() => dispatch(4), () => dispatch(second), () => dispatch(2), write()],
    async () => {
      if (hold && ++held > 4) await new Promise(() => undefined);
      return text("Findings: a.ts:1-2");
    },
  );
  const first = start(scene.place, ["-p", "/research retries"]);
  await until("the second round", () => held >= 5);
  first.kill("SIGKILL");
  await first.done;
  hold = false;
  return scene;
}

describe("OE13 research", () => {
  it("OE13 O104 O106 grep refused, 4 + 3 dispatches, create too early refused once, report written, path printed", async () => {
    const { server, place, main } = await orchestrated([
      () => oneCall("grep", { pattern: "retry" }),
      () => dispatch(4),
      write(),
      () => dispatch(3),
      write(),
    ]);
    const done = await run(place, ["-p", "/research how retries work"]);
    expect(done.code, done.stderr).toBe(0);
    const path = reportPath(main[0] as Recorded);
    expect(path).toBe(join(place.home, "sessions", onlySession(place), "research", "how-retries-work-1.md"));
    expect(readFileSync(path, "utf8")).toBe(REPORT);
    expect(done.stdout + done.stderr).toContain(path);
    expect(results(main[1])[0]).toContain("not_allowed_in_research");
    expect(results(main[2]).slice(1)).toEqual(Array(4).fill("Findings: src/retry.ts:1-9"));
    expect(results(main[3])[5]).toMatch(/research_incomplete.*Only 4/);
    expect(existsSync(path)).toBe(true);
    expect(results(main[4])).toHaveLength(9);
    expect(offeredTools(main[0])).toEqual(["create", "report_intent", "task", "view"]);
    expect(server.requests.filter(isChild)).toHaveLength(7);
    expect(modes(place)).toEqual(["research", "interactive"]);
    expect(only(logOf(place), "permission.requested")).toEqual([]);
  });

  it("O107 a citation without a source is told once", async () => {
    const bad = REPORT.replace("[2],", "[7],").replace("bound [2]", "bound [7]");
    const { place, main } = await orchestrated([() => dispatch(5), () => dispatch(2), write(bad), write(bad)]);
    expect((await run(place, ["-p", "/research retries"])).code).toBe(0);
    expect(results(main[3]).at(-1)).toMatch(/report_citations.*\[7\]/);
    expect(readFileSync(reportPath(main[0] as Recorded), "utf8")).toBe(bad);
  });

  it("O105 the fifth round is research_limit, and the report still comes", async () => {
    const { server, place, main } = await orchestrated([
      ...Array.from({ length: 5 }, () => () => dispatch(2)),
      write(),
    ]);
    expect((await run(place, ["-p", "/research retries"])).code).toBe(0);
    expect(server.requests.filter(isChild)).toHaveLength(8);
    expect(results(main[5]).slice(8).join()).toMatch(/research_limit.*research_limit/s);
  });

  it("O108 a failed dispatch is told and does not end the run", async () => {
    const { place, main } = await orchestrated([() => dispatch(3), () => dispatch(3), write()], (request) =>
      userTexts(request).some((t) => t.startsWith(`QUESTION ${asked}`))
        ? { kind: "error", status: 400, message: "no such thing", detail: {}, headers: {} }
        : text("Findings: a.ts:1-2"),
    );
    const done = await run(place, ["-p", "/research retries"]);
    expect(done.code, done.stderr).toBe(0);
    expect(results(main[2]).filter((r) => r.includes("Error"))).not.toEqual([]);
  });

  it("O108 no report: one reminder, then failure and exit 1", async () => {
    const { place, main } = await orchestrated([() => text("I have nothing to say."), () => text("Still nothing.")]);
    const done = await run(place, ["-p", "/research retries"]);
    expect(done.code).toBe(1);
    expect(done.stderr).toContain("without a report");
    expect(main).toHaveLength(2);
    expect(userTexts(main[1]).at(-1)).toContain("no report yet");
    expect(modes(place)).toEqual(["research", "interactive"]);
  });

  it("O108 kill -9 in the second round: the same topic goes on with the settled dispatches and the same report", async () => {
    const { place, main } = await killedInSecondRound(3);
    const again = await run(place, ["--resume", onlySession(place), "-p", "/research retries"]);
    expect(again.code, again.stderr).toBe(0);
    expect(userTexts(main[2]).join("\n")).toContain("The answers of 4 agents are in this conversation");
    expect(reportPath(main[3] as Recorded)).toMatch(/retries-1\.md$/);
    expect(existsSync(reportPath(main[3] as Recorded))).toBe(true);
    expect(only(logOf(place), "session.mode_changed").at(-1)?.data.newMode).toBe("interactive");
  });

  it("O108 kill -9 just after the report was written: the same topic ends with a report of its own", async () => {
    const { place, main } = await killedInSecondRound(1);
    const path = reportPath(main[0] as Recorded);
    // What a kill between the write and its event leaves.
    writeFileSync(path, "the first report");
    const again = await run(place, ["--resume", onlySession(place), "-p", "/research retries"]);
    expect(again.code, again.stderr).toBe(0);
    expect(readFileSync(path, "utf8")).toBe("the first report");
    expect(readFileSync(path.replace("-1.md", "-2.md"), "utf8")).toBe(REPORT);
    // The four that had answered count: the report passes after two more.
    expect(results(main[4]).join("\n")).not.toContain("research_incomplete");
  });

  it("O108 A8.16 after /undo of a finished research the same topic can be researched again", async () => {
    const steps = [() => dispatch(6), write(), () => text("Written.")];
    const { place, main } = await orchestrated([...steps, ...steps]);
    expect((await run(place, ["-p", "/research retries"])).code).toBe(0);
    expect((await run(place, ["--resume", onlySession(place), "-p", "/undo"])).code).toBe(0);
    const again = await run(place, ["--resume", onlySession(place), "-p", "/research retries"]);
    expect(again.code, again.stderr).toBe(0);
    expect(reportPath(main[3] as Recorded)).toMatch(/retries-2\.md$/);
    expect(existsSync(reportPath(main[3] as Recorded))).toBe(true);
  });

  it("O105 O106 calls that start no agent are no dispatches: the report is sent back, and the limits are not used up", async () => {
    const wrong = () => dispatch(6, { reasoning_effort: "huge" });
    const { server, place, main } = await orchestrated([
      wrong,
      wrong,
      wrong,
      wrong,
      write(),
      () => dispatch(6),
      write(),
    ]);
    const done = await run(place, ["-p", "/research retries"]);
    expect(done.code, done.stderr).toBe(0);
    expect(results(main[5]).at(-1)).toMatch(/research_incomplete.*Only 0/);
    expect(server.requests.filter(isChild)).toHaveLength(6);
  });

  it("OB21 without a topic: usage, exit 2; OB25 with the offline model: exit 1, nothing started", async () => {
    const { server, place } = await scene([]);
    const bare = await run(place, ["-p", "/research"]);
    expect(bare.code).toBe(2);
    expect(bare.stderr).toContain("needs a topic");
    const offline = await run(place, ["-p", "/research retries", "--model", "offline"]);
    expect(offline.code).toBe(1);
    expect(offline.stderr).toContain("needs a model provider");
    expect(server.requests).toEqual([]);
  });
});
