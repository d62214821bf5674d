// OE12: a fleet through the program: order, slots, overlap, workers that fail or say nothing, rounds, cancel.
import { describe, expect, it } from "vitest";
import { messagesOf, oneCall, scene, until, userTexts } from "../agent/scene.ts";
import type { Recorded } from "../model-server/recorded.ts";
import { type Reply, text } from "../model-server/reply.ts";
import { logOf, only, run, sessionsOf, start } from "../tool/everlong.ts";
import {
  add,
  DIAMOND,
  fleet,
  mostAtOnce,
  outcomes,
  report,
  results,
  SLOTS,
  set,
  sql,
  statuses,
  type Worker,
} from "./stage.ts";

describe("OE12 fleet", () => {
  it("OE12 O111 O112 O113 O115 a diamond with two slots: order, overlap, notes handed on, exit 0", async () => {
    const both = { b: Promise.withResolvers<void>(), c: Promise.withResolvers<void>() };
    const meet =
      (mine: "b" | "c", other: "b" | "c"): Worker =>
      async (request) => {
        both[mine].resolve();
        // Neither goes on before the other has begun: only workers that overlap can finish.
        await both[other].promise;
        return report(mine)(request);
      };
    const { answer, seen, checks } = fleet(add(["a", "b", "c", "d", "e"], DIAMOND), {
      b: meet("b", "c"),
      c: meet("c", "b"),
    });
    const { place } = await scene(answer, { env: SLOTS });
    const done = await run(place, ["-p", "/fleet build the thing"]);
    expect(done.code, done.stderr).toBe(0);
    expect(mostAtOnce(place)).toBe(2);
    expect(statuses(place)).toEqual({ a: "done", b: "done", c: "done", d: "done", e: "done" });
    const started = only(logOf(place), "subagent.started").map((e) => e.data);
    expect(started.map((s) => s.todoId).sort()).toEqual(["a", "b", "c", "d", "e"]);
    expect(new Set(started.map((s) => s.agentType))).toEqual(new Set(["general-purpose"]));
    const firstOf = (todo: string) => seen.findIndex((s) => s.todo === todo);
    const lastOf = (todo: string) => seen.findLastIndex((s) => s.todo === todo);
    for (const [after, before] of DIAMOND)
      expect(lastOf(before), `${before} before ${after}`).toBeLessThan(firstOf(after));
    expect(userTexts(seen[firstOf("d")]?.request)[0]).toMatch(/note of b[\s\S]*note of c/);
    expect(checks).toHaveLength(1);
    expect(userTexts(checks[0]).at(-1)).toMatch(/- d \[done\] Title d \(agent d, attempt 1\)\n {2}note of d/);
    expect(done.stdout).toContain("Checked.");
    // Workers are not announced one by one.
    expect(only(logOf(place), "system.notification")).toEqual([]);
    expect(only(logOf(place), "session.fleet_completed").map((e) => e.data)).toMatchObject([
      { done: 5, blocked: 0, notRun: 0, rounds: 1 },
    ]);
  });

  it("OE12 O114 one worker does not report, one fails twice: blocked, dependants not run, exit 1 names them", async () => {
    const refused: Reply = { kind: "error", status: 400, message: "worker e cannot", detail: {}, headers: {} };
    const { answer, seen, checks } = fleet(add(["a", "b", "c", "d", "e"], DIAMOND), {
      c: () => text("I looked at it."),
      e: () => refused,
    });
    const { place } = await scene(answer, { env: SLOTS });
    const done = await run(place, ["-p", "/fleet build the thing"]);
    expect(done.code).toBe(1);
    expect(statuses(place)).toEqual({ a: "done", b: "done", c: "blocked", d: "pending", e: "blocked" });
    expect(outcomes(place).sort()).toEqual(["a 1 done", "b 1 done", "c 1 blocked", "e 1 failed", "e 2 failed"]);
    // One follow-up, and no more.
    expect(seen.filter((s) => s.todo === "c")).toHaveLength(2);
    expect(userTexts(seen.findLast((s) => s.todo === "c")?.request).at(-1)).toContain("todo c is not settled");
    expect(seen.filter((s) => s.todo === "d")).toEqual([]);
    const table = userTexts(checks[0]).at(-1);
    expect(table).toMatch(/- c \[blocked\][\s\S]*no_report[\s\S]*not run: it depends on c[\s\S]*- e \[blocked\]/);
    for (const open of [/c \[blocked\]/, /d \[pending\]/, /e \[blocked\]/]) expect(done.stderr).toMatch(open);
    expect(only(logOf(place), "session.fleet_completed")[0]?.data).toMatchObject({ done: 2, blocked: 2, notRun: 1 });
  });

  it("OB20 O113 a worker that changes another's todo is refused, and the table is unchanged", async () => {
    const { answer, seen } = fleet(add(["a", "b"]), {
      a: (request) => {
        const tries = [set("b", "done"), set("a", "done")];
        return tries[results(request).length] ?? text("note of a");
      },
    });
    const { place } = await scene(answer, { env: { EVERLONG_SUBAGENT_MAX_CONCURRENT: "1" } });
    const done = await run(place, ["-p", "/fleet go"]);
    expect(done.code, done.stderr).toBe(0);
    const second = seen.filter((s) => s.todo === "a")[1];
    expect(second && results(second.request)[0]).toMatch(/not_your_todo/);
    expect(outcomes(place)).toEqual(["a 1 done", "b 1 done"]);
  });

  it("OB20 O113 nor can an agent that the worker starts", async () => {
    const { answer, seen } = fleet(add(["a", "b"]), {
      a: (request) => {
        const helper = { agent_type: "general-purpose", name: "helper", description: "d", prompt: "HELPER" };
        return [oneCall("task", helper), set("a", "done")][results(request).length] ?? text("note of a");
      },
    });
    const { place } = await scene((request, index) => {
      if (!userTexts(request)[0]?.startsWith("HELPER")) return answer(request, index);
      const steal = sql("UPDATE todos SET title = 'mine' WHERE id = 'b'");
      return results(request).length === 0 ? steal : text(results(request).join());
    });
    const done = await run(place, ["-p", "/fleet go"]);
    expect(done.code, done.stderr).toBe(0);
    expect(seen.filter((s) => s.todo === "b").length).toBeGreaterThan(0);
    const second = seen.filter((s) => s.todo === "a")[1];
    expect(second && results(second.request)[0]).toMatch(/not_your_todo/);
  });

  it("O109 O115 the check adds todos: another round, and idle only after it", async () => {
    let turns = 0;
    const { answer, checks } = fleet(add(["a"]), {}, (request) => {
      const last = messagesOf(request).at(-1);
      if (last?.role === "user") turns++;
      return turns === 1 && last?.role === "user" ? sql(add(["fix"])) : text(`Checked ${turns}.`);
    });
    const { place } = await scene(answer);
    const done = await run(place, ["-p", "/fleet go", "--output-format", "stream-json"]);
    expect(done.code, done.stderr).toBe(0);
    // O109 idle is the end of the fleet, not of any of its turns.
    const order = done.events.map((e) => e.type).filter((t) => t === "session.idle" || t.startsWith("session.fleet_"));
    expect(order).toEqual(["session.fleet_started", "session.fleet_completed", "session.idle"]);
    expect(checks).toHaveLength(3);
    expect(only(logOf(place), "session.fleet_completed")[0]?.data).toMatchObject({ done: 2, rounds: 2 });
  });

  it("O111 no todos after two tries: a clear failure, exit 1", async () => {
    const { place, server } = await scene(() => text("I would rather not."));
    const done = await run(place, ["-p", "/fleet go"]);
    expect(done.code).toBe(1);
    expect(done.stderr).toContain("wrote no todos");
    expect(server.requests).toHaveLength(2);
  });

  it("O117 SIGINT cancels all workers and their todos are pending again; exit 130", async () => {
    const { answer, seen } = fleet(add(["a", "b"]), {
      a: () => new Promise(() => undefined),
      b: () => new Promise(() => undefined),
    });
    const { place } = await scene(answer, { env: SLOTS });
    const running = start(place, ["-p", "/fleet go"]);
    await until("both workers", () => seen.length === 2);
    running.kill("SIGINT");
    const done = await running.done;
    expect(done.code).toBe(130);
    expect(statuses(place)).toEqual({ a: "pending", b: "pending" });
    expect(only(logOf(place), "subagent.cancelled")).toHaveLength(2);
    expect(only(logOf(place), "subagent.started")).toHaveLength(2);
  });

  it("O113 a task call with todo_id makes its agent the worker; a todo that is not ready is todo_not_ready", async () => {
    const task = (todo: string) =>
      oneCall("task", {
        agent_type: "general-purpose",
        name: `on-${todo}`,
        description: "d",
        prompt: `CHILD ${todo}`,
        todo_id: todo,
      });
    const { place, server } = await scene((request) => {
      const isChild = userTexts(request)[0]?.startsWith("CHILD");
      const count = results(request).length;
      if (isChild) return [set("b", "done"), set("a", "done")][count] ?? text("did a");
      return [sql(add(["a", "b"], [["b", "a"]])), task("b"), task("a")][count] ?? text("over");
    });
    const done = await run(place, ["-p", "go"]);
    expect(done.code, done.stderr).toBe(0);
    const [, notReady, result] = results(server.requests.at(-1) as Recorded);
    expect(notReady).toContain("todo_not_ready");
    expect(result).toBe("did a");
    expect(outcomes(place)).toEqual(["a 1 done"]);
    expect(statuses(place)).toEqual({ a: "done", b: "pending" });
  });

  it("O117 one line on stderr for each change, none with --silent", async () => {
    const { answer } = fleet(add(["a"]), {});
    const loud = await scene(answer);
    const told = await run(loud.place, ["-p", "/fleet go"]);
    expect(told.stderr).toMatch(/fleet: a started \(agent a\)[\s\S]*fleet: a done/);
    const quiet = await scene(fleet(add(["a"]), {}).answer);
    const silent = await run(quiet.place, ["-p", "/fleet go", "--silent"]);
    expect(silent.code).toBe(0);
    expect(silent.stderr).toBe("");
  });

  it("OB25 the offline model: exit 1, nothing started", async () => {
    const { place } = await scene([]);
    const done = await run(place, ["-p", "/fleet go", "--model", "offline"]);
    expect(done.code).toBe(1);
    expect(done.stderr).toContain("needs a model provider");
    for (const id of sessionsOf(place)) expect(only(logOf(place, id), "session.fleet_started")).toEqual([]);
  });
});
