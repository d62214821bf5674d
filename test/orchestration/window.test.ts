// A subagent that outgrows its window: the same pipeline as the main agent's, on its own conversation, without its files.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, onlySession, scene, systemOf, toolResults, until, userTexts } from "../agent/scene.ts";
import { checkLog, isSummary, SUMMARY } from "../context/stage.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { calls, contextLimit, hang, type Reply, text } from "../model-server/reply.ts";
import { logOf, only, type Place, run, start } from "../tool/everlong.ts";
import { eventsOf, task, tasks } from "./cast.ts";

const LIMIT = 24_000;
const ROUNDS = 16;
const JOB = "TASK-9 count the numbered blocks and report the total";

const isChild = (request: Recorded): boolean => systemOf(request).includes("You do one job for another agent");

/** Prints 10 KB of its own. */
const block = (name: string): Reply =>
  calls([bash(`echo ${name}-first-line; head -c 10000 /dev/zero | tr '\\0' 'x' | fold -w 60 | sed 's/$/ ${name}/'`)]);

type Part = (request: Recorded, step: number) => Reply | Promise<Reply>;

async function stage(main: Part, child: Part) {
  const steps = { main: 0, child: 0, summary: 0 };
  const made = await scene(
    (request) => {
      if (isSummary(request)) return text(SUMMARY);
      return isChild(request) ? child(request, steps.child++) : main(request, steps.main++);
    },
    { maxTokens: LIMIT * 1.3, env: { EVERLONG_MAX_PROMPT_TOKENS: String(LIMIT), EVERLONG_ALLOW_ALL: "1" } },
  );
  const children = () => made.server.requests.filter((r) => isChild(r) && !isSummary(r));
  return { ...made, children };
}

const filesOf = (place: Place, id: string): string[] => {
  const dir = join(place.home, "sessions", id, "checkpoints");
  return existsSync(dir) ? readdirSync(dir).filter((name) => name !== "index.md") : [];
};

describe("O64 a subagent in a small window", () => {
  it("O64 OI15 C127 CE14 it is compacted under its own name, stays within its limit, and leaves no checkpoint of the main agent's", async () => {
    const { server, place, children } = await stage(
      (_r, step) => (step === 0 ? tasks(task(JOB)) : text("noted")),
      (_r, step) => (step < ROUNDS ? block(`b${step}`) : text("TOTAL 16 blocks")),
    );
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout.trim()).toBe("noted");
    const id = onlySession(place);
    expect(toolResults(server.requests.at(-1)).at(-1)?.text).toBe("TOTAL 16 blocks");
    expect(server.requests.filter((r) => r.overLimit)).toEqual([]);
    checkLog(logOf(place, id));
    const complete = eventsOf(place, id, "session.compaction_complete");
    expect(complete.filter((e) => e["outcome"] === "applied").length).toBeGreaterThan(0);
    for (const type of ["session.compaction_start", "session.compaction_complete"])
      for (const event of eventsOf(place, id, type)) expect(event["envelopeAgentId"]).toBe("worker");
    for (const event of complete) expect(event).not.toHaveProperty("checkpointPath");
    for (const request of children()) expect(request.rawBody).toContain("TASK-9 count the numbered blocks");
    expect(children().at(-1)?.rawBody).toContain("Lexer done");
    expect(filesOf(place, id)).toEqual([]);
    expect((await run(place, ["--resume", id, "-p", "/checkpoints"])).stdout).not.toContain("Parser work");
    expect((await run(place, ["checkpoints", id])).stdout).not.toContain("Parser work");
  });

  it("N43 C147 C148 C93 what leaves its window comes back by its own refs", async () => {
    const recalls = calls([{ name: "recall", args: { id: "worker/t1.3" } }]);
    const { place, server, children } = await stage(
      (_r, step) => (step === 0 ? tasks(task(JOB)) : text("noted")),
      (_r, step) => (step < 12 ? block(`b${step}`) : step === 12 ? recalls : text("TOTAL")),
    );
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    const [summary] = userTexts(children().find((r) => r.rawBody.includes("compaction_notice")));
    expect(summary).toMatch(/call recall with id "worker\/t1", one turn "worker\/tN" or one item "worker\/tN\.k"/);
    expect(summary).toContain("TASK-9 count the numbered blocks");
    const back = toolResults(children().at(-1)).at(-1)?.text ?? "";
    expect(back).toMatch(/^\[worker\/t1\.3\]\nb0-first-line/);
    // The person gets them by the same ref, and the main conversation's refs are its own.
    const id = onlySession(place);
    const told = await run(place, ["recall", `${id}:worker/t1.3`]);
    expect(told.stdout).toContain("b0-first-line");
    expect((await run(place, ["recall", `${id}:t1.1`])).stdout.trim()).toBe("go");
    expect(server.rejected).toEqual([]);
  });

  it("O64 main's own checkpoints are numbered as if there were no agents, and its window holds nothing of theirs", async () => {
    const { server, place } = await stage(
      (_r, step) => {
        if (step === 0) return tasks(task(JOB));
        return step < 8 ? block(`m${step}`) : text("done");
      },
      (_r, step) => (step < 10 ? block(`b${step}`) : text("TOTAL 10 blocks")),
    );
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    const id = onlySession(place);
    const applied = eventsOf(place, id, "session.compaction_complete").filter((e) => e["outcome"] === "applied");
    const own = applied.filter((e) => e["envelopeAgentId"] === undefined);
    expect(own.length).toBeGreaterThan(0);
    expect(applied.length).toBeGreaterThan(own.length);
    expect(own.map((e) => e["checkpointNumber"])).toEqual(own.map((_, i) => i + 1));
    expect(filesOf(place, id)).toHaveLength(own.length);
    const mains = server.requests.filter((r) => !isChild(r) && !isSummary(r));
    for (const request of mains) expect(request.rawBody).not.toContain("b1-first-line");
    checkLog(logOf(place, id));
  });

  it("O64 a refusal as too large is tried again with less, and the agent's job ends", async () => {
    const { place, children } = await stage(
      (_r, step) => (step === 0 ? tasks(task(JOB)) : text("noted")),
      (_r, step) => {
        if (step < 4) return block(`b${step}`);
        return step === 4 ? contextLimit(30_000, 14_000) : text("TOTAL");
      },
    );
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout.trim()).toBe("noted");
    const [refused, again] = children().slice(4);
    expect(again?.rawBody.length).toBeLessThan(refused?.rawBody.length ?? 0);
    expect(eventsOf(place, onlySession(place), "subagent.completed")).toMatchObject([{ result: "TOTAL" }]);
    expect(only(logOf(place), "session.error")).toEqual([]);
  });

  it("O59 O64 a compacted agent goes on after a kill with its summary, not with what it stands for", async () => {
    const { server, place, children } = await stage(
      (_r, step) =>
        [
          tasks(task(JOB, { name: "long", mode: "background" })),
          calls([{ name: "read_agent", args: { agent_id: "long", wait: true, timeout: 60 } }]),
          hang(),
          calls([{ name: "write_agent", args: { agent_id: "long", message: "and again?" } }]),
          calls([{ name: "read_agent", args: { agent_id: "long", wait: true, timeout: 60 } }]),
        ][step] ?? text("resumed"),
      (_r, step) => (step < 10 ? block(`b${step}`) : text(`TOTAL ${step}`)),
    );
    const running = start(place, ["-p", "go"]);
    await until("main to hang", () => server.requests.filter((r) => !isChild(r) && !isSummary(r)).length >= 3);
    running.kill("SIGKILL");
    await running.done;
    const id = onlySession(place);
    expect(eventsOf(place, id, "session.compaction_complete").some((e) => e["outcome"] === "applied")).toBe(true);
    const before = children().at(-1);
    const done = await run(place, ["--resume", id, "-p", "go on"]);
    expect(done.code, done.stderr).toBe(0);
    const after = children().at(-1);
    expect(userTexts(after).at(-1)).toBe("and again?");
    expect(userTexts(after).slice(0, -1)).toEqual(userTexts(before));
    expect(after?.rawBody).not.toContain("b0-first-line");
  });
});
