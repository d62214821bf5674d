// A fleet over fake workers: order, slots, attempts, cancel, resume, rounds.
import { describe, expect, it } from "vitest";
import type { Todo } from "../../schema/todo.ts";
import { event } from "../event-fixture.ts";
import { Fleet, fleetFailure, unfinishedFleet } from "./fleet.ts";
import { fakeFleet, memoryBook } from "./fleet-fixture.ts";
import { heldUp, readyTodos } from "./ready.ts";
import { runFleet } from "./run-fleet.ts";

const signal = new AbortController().signal;
const DIAMOND: [string, string][] = [
  ["b", "a"],
  ["c", "a"],
  ["d", "b"],
  ["d", "c"],
];

describe("fleet", () => {
  it("O112 ready is pending with all dependencies done, oldest first", () => {
    const { book, set } = memoryBook(["a", "b", "c", "d"], DIAMOND);
    const ready = () => readyTodos(book.todos()).map((t) => t.id);
    expect(ready()).toEqual(["a"]);
    set("a", "in_progress");
    expect(ready()).toEqual([]);
    set("a", "done");
    expect(ready()).toEqual(["b", "c"]);
    const old: Todo[] = [
      { id: "new", title: "", status: "pending", created_at: "2026-02" },
      { id: "old", title: "", status: "pending", created_at: "2026-01" },
    ];
    expect(readyTodos({ todos: old, deps: [] }).map((t) => t.id)).toEqual(["old", "new"]);
  });

  it("O114 what depends on a blocked todo, directly or not, is held up by it", () => {
    const { book, set } = memoryBook(["a", "b", "c", "d", "e"], DIAMOND);
    set("a", "done");
    set("b", "blocked");
    expect([...heldUp(book.todos())]).toEqual([["d", ["b"]]]);
    set("a", "blocked");
    set("b", "pending");
    expect([...heldUp(book.todos()).keys()]).toEqual(["b", "c", "d"]);
  });

  it("O112 O113 a diamond under two slots: dependencies first, both middle ones at once, notes handed on", async () => {
    const { book, set } = memoryBook(["a", "b", "c", "d"], DIAMOND);
    const fleet = fakeFleet(book);
    const running = runFleet(fleet.parts, { signal });
    await fleet.calm();
    const settle = async (id: string) => {
      const worker = fleet.worker(id);
      set(id, "done");
      expect(worker.job.beforeEnd()).toBeUndefined();
      worker.end({ type: "completed", result: `note of ${id}` });
      await fleet.calm();
    };
    expect(fleet.started).toEqual(["a"]);
    expect(fleet.worker("a").job.prompt).toMatch(/id="a"[\s\S]*SET status = 'done' WHERE id = 'a'/);
    await settle("a");
    expect(fleet.started).toEqual(["a", "b", "c"]);
    expect(fleet.worker("b").job.prompt).toContain("## a: Title a\nnote of a");
    // "done" is said before the last word: d waits for the note of b as well.
    set("b", "done");
    await settle("c");
    expect(fleet.started).toHaveLength(3);
    await settle("b");
    expect(fleet.worker("d").job.prompt).toMatch(/note of b[\s\S]*note of c/);
    await settle("d");
    const end = await running;
    expect(end).toMatchObject({ done: 4, blocked: 0, notRun: 0, rounds: 1, open: [] });
    expect(fleetFailure(end)).toBeUndefined();
    expect(fleet.events.map((e) => e.type)).toEqual(["session.fleet_started", "session.fleet_completed"]);
    expect(fleet.prompts).toHaveLength(1);
    expect(fleet.prompts[0]).toMatch(/- d \[done\] Title d \(agent w4, attempt 1\)\n {2}note of d/);
    expect(fleet.listeners.size).toBe(0);
  });

  it("O114 ended without a report: one follow-up, then blocked with no_report; its dependants are not run", async () => {
    const { book } = memoryBook(["a", "b"], [["b", "a"]]);
    const fleet = fakeFleet(book);
    const running = runFleet(fleet.parts, { signal });
    await fleet.calm();
    const { job, end } = fleet.worker("a");
    expect(job.beforeEnd()).toMatch(/todo a is not settled/);
    expect(job.beforeEnd()).toBeUndefined();
    end({ type: "completed", result: "I think so" });
    const over = await running;
    expect(over).toMatchObject({ done: 0, blocked: 1, notRun: 1 });
    expect(fleet.started).toEqual(["a"]);
    expect(fleetFailure(over)?.message).toBe(
      "The fleet ended with open todos.\n  a [blocked] Title a: no_report: I think so\n  b [pending] Title b: depends on a, which is blocked",
    );
    expect(fleet.prompts[0]).toMatch(/not run: it depends on a, which is blocked/);
  });

  it("O114 a failed or cancelled worker is tried a second time, then its todo is blocked with the reason", async () => {
    const { book, runs } = memoryBook(["a"]);
    const fleet = fakeFleet(book);
    const running = runFleet(fleet.parts, { signal });
    await fleet.calm();
    fleet.worker("a").end({ type: "cancelled", reason: "user" });
    await fleet.calm();
    fleet.worker("a").end({ type: "failed", code: "stalled", message: "silent" });
    const end = await running;
    expect(end.open).toEqual([{ id: "a", title: "Title a", status: "blocked", why: "stalled: silent" }]);
    expect(runs.map((r) => [r.attempt, r.outcome])).toEqual([
      [1, "cancelled"],
      [2, "failed"],
    ]);
    expect(fleet.lines).toEqual([
      "fleet: a started (agent w1)",
      "fleet: a cancelled, to be tried again: cancelled: user",
      "fleet: a started (agent w2)",
      "fleet: a failed, blocked after 2 attempts: stalled: silent",
    ]);
  });

  it("O114 a worker that settled its todo and then failed leaves it settled", async () => {
    const { book, set } = memoryBook(["a"]);
    const fleet = fakeFleet(book);
    const running = runFleet(fleet.parts, { signal });
    await fleet.calm();
    set("a", "done");
    fleet.worker("a").end({ type: "failed", code: "cap_steps", message: "m" });
    expect(await running).toMatchObject({ done: 1, open: [] });
  });

  it("O112 an agent that cannot start counts as an attempt, so that the fleet ends", async () => {
    const { book } = memoryBook(["a"]);
    const fleet = fakeFleet(book);
    fleet.parts.startWorker = async () => ({ ok: false, error: { code: "model_too_expensive", message: "m" } });
    const end = await runFleet(fleet.parts, { signal });
    expect(end.open[0]).toMatchObject({ status: "blocked", why: "model_too_expensive: m" });
    expect(book.runs()).toHaveLength(2);
  });

  it("O112 slots that others hold are waited for", async () => {
    const { book, set } = memoryBook(["a"]);
    const fleet = fakeFleet(book, { limit: 1 });
    fleet.hold(1);
    const running = runFleet(fleet.parts, { signal });
    await fleet.calm();
    expect(fleet.started).toEqual([]);
    fleet.hold(0);
    await fleet.calm();
    expect(fleet.started).toEqual(["a"]);
    set("a", "done");
    fleet.worker("a").end({ type: "completed", result: "" });
    expect(await running).toMatchObject({ done: 1 });
  });

  it("O117 cancelling stops all workers; their todos are pending again and the attempts are not held against them", async () => {
    const { book, set, runs } = memoryBook(["a", "b", "c"]);
    const fleet = fakeFleet(book, { limit: 3 });
    const stop = new AbortController();
    const running = runFleet(fleet.parts, { signal: stop.signal });
    await fleet.calm();
    set("c", "done");
    stop.abort();
    expect(await running).toMatchObject({ reason: "cancelled", done: 1, blocked: 0, notRun: 2 });
    expect(fleet.live.size).toBe(0);
    expect(runs.map((r) => r.outcome)).toEqual(["cancelled", "cancelled", "done"]);
    expect(fleet.prompts).toEqual([]);
    for (let attempt = 0; attempt < 2; attempt++) {
      const again = fakeFleet(book, { limit: 3 });
      const second = new AbortController();
      const next = runFleet(again.parts, { signal: second.signal });
      await again.calm();
      expect(again.started).toEqual(["a", "b"]);
      second.abort();
      await next;
    }
    expect(book.todos().todos.map((t) => t.status)).toEqual(["pending", "pending", "done"]);
    const last = fakeFleet(book, { limit: 3 });
    void runFleet(last.parts, { signal });
    await last.calm();
    last.worker("a").end({ type: "failed", code: "stalled", message: "m" });
    await last.calm();
    expect(last.lines).toContain("fleet: a failed, to be tried again: stalled: m");
  });

  it("O116 after a crash: in_progress of a dead worker goes back to pending and the attempt counts; done is not run again", async () => {
    const { book, set } = memoryBook(["a", "b", "c", "d"]);
    for (const id of ["a", "b"]) await book.claim(id, `dead-${id}`);
    await book.record({ todo_id: "c", attempt: 1, agent_id: "x", started_at: "t", outcome: "done" }, "done");
    set("b", "done");
    set("d", "in_progress");
    const fleet = fakeFleet(book, { limit: 4 });
    const running = runFleet(fleet.parts, { signal, unfinished: { prompt: "build it" } });
    await fleet.calm();
    expect(fleet.cancelled).toEqual(["dead-a", "dead-b"]);
    expect(fleet.started).toEqual(["a", "d"]);
    expect(fleet.events[0]?.data).toEqual({ prompt: "build it" });
    fleet.worker("a").end({ type: "failed", code: "stalled", message: "again" });
    set("d", "done");
    fleet.worker("d").end({ type: "completed", result: "" });
    const end = await running;
    expect(end.open).toMatchObject([{ id: "a", status: "blocked" }]);
    expect(
      book
        .runs()
        .filter((r) => r.todo_id === "a" || r.todo_id === "b")
        .map((r) => r.outcome),
    ).toEqual(["interrupted", "done", "failed"]);
  });

  it("O116 a fleet that was cut off before its check only checks", async () => {
    const { book, set } = memoryBook(["a"]);
    set("a", "done");
    const fleet = fakeFleet(book);
    expect(await runFleet(fleet.parts, { signal, unfinished: {} })).toMatchObject({ done: 1, open: [], rounds: 1 });
    expect(fleet.prompts).toHaveLength(1);
    expect(fleet.prompts[0]).toContain("Check the result as a whole");
  });

  it("O111 without open todos the main agent plans; the second time it is told again, then the fleet fails clearly", async () => {
    const { book } = memoryBook([]);
    const fleet = fakeFleet(book);
    const end = await runFleet(fleet.parts, { signal, prompt: "make it fast" });
    expect(fleet.prompts).toHaveLength(2);
    expect(fleet.prompts[0]).toMatch(/<request>\nmake it fast\n<\/request>/);
    expect(fleet.prompts[1]).toContain("no todos yet");
    expect(end).toMatchObject({ reason: "no_todos", rounds: 0 });
    expect(fleetFailure(end)?.message).toContain("wrote no todos");
  });

  it("O111 the request is the prompt, else the plan", async () => {
    const fleet = fakeFleet(memoryBook([]).book);
    await runFleet(fleet.parts, { signal });
    expect(fleet.prompts[0]).toContain("<request>\nthe plan\n");
    fleet.parts.planText = () => "";
    await runFleet(fleet.parts, { signal });
    expect(fleet.prompts[2]).toContain("agreed on in this conversation");
  });

  it("O115 the check may add todos, for three rounds at most", async () => {
    const { book, set, add } = memoryBook(["t0"]);
    let made = 0;
    const turn = async () => {
      add(`t${++made}`);
      return { status: "done" } as const;
    };
    const fleet = fakeFleet(book, { turn });
    const running = runFleet(fleet.parts, { signal });
    for (let round = 0; round < 3; round++) {
      await fleet.calm();
      set(`t${round}`, "done");
      fleet.worker(`t${round}`).end({ type: "completed", result: "" });
    }
    expect(await running).toMatchObject({ rounds: 3, reason: "max_rounds", done: 3, notRun: 1 });
    expect(fleet.started).toEqual(["t0", "t1", "t2"]);
  });

  it("O115 a turn that fails ends the fleet as a failure", async () => {
    const fleet = fakeFleet(memoryBook([]).book, { turn: async () => ({ status: "failed", reason: "no network" }) });
    const end = await runFleet(fleet.parts, { signal });
    expect(end).toMatchObject({ reason: "turn_failed", message: "no network" });
    expect(fleetFailure(end)).toEqual({ code: "turn_failed", message: "no network" });
  });

  it("O109 one fleet in a session; a fleet that was cut off is known from the log", async () => {
    const { book } = memoryBook(["a"]);
    const fake = fakeFleet(book);
    const fleet = new Fleet(fake.parts, () => []);
    const ends: unknown[] = [];
    expect(fleet.start(undefined, (end) => ends.push(end))).toEqual({ started: true });
    expect(fleet.start("more", () => undefined)).toEqual({ started: false, reason: "already_running" });
    await fake.calm();
    await fleet.cancel();
    expect(fleet.isRunning).toBe(false);
    await fake.calm();
    expect(ends).toMatchObject([{ reason: "cancelled" }]);
    const began = event("session.fleet_started", { prompt: "p" });
    expect(unfinishedFleet([began])).toEqual({ prompt: "p" });
    expect(unfinishedFleet([began, event("session.fleet_completed", { done: 1 })])).toBeUndefined();
  });

  it("a log that cannot be written ends the fleet, with nothing left listening", async () => {
    const { book } = memoryBook(["a"]);
    const fake = fakeFleet(book);
    const ends: unknown[] = [];
    new Fleet(fake.parts, () => []).start(undefined, (end) => ends.push(end));
    await fake.calm();
    book.record = async () => Promise.reject(new Error("the disk is full"));
    fake.worker("a").end({ type: "completed", result: "" });
    await fake.calm();
    expect(ends).toMatchObject([{ broken: { message: "the disk is full" } }]);
    expect(fake.listeners.size).toBe(0);
  });
});
