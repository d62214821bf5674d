// A fleet's invariants over random graphs of todos, random workers and random slots.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeFleet, memoryBook } from "./fleet-fixture.ts";
import { heldUp, readyTodos } from "./ready.ts";
import { runFleet } from "./run-fleet.ts";

const { signal } = new AbortController();

describe("fleet", () => {
  it("OI12 random graphs, workers and slots: order, one worker each, done never again, slots used and never passed", async () => {
    const how = fc.constantFrom("done", "done", "done", "blocked", "silent", "fail", "cancel");
    const plan = fc.record({
      size: fc.integer({ min: 1, max: 9 }),
      edges: fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 14 }),
      limit: fc.integer({ min: 1, max: 4 }),
      steps: fc.array(fc.record({ pick: fc.nat(), how, hold: fc.nat(4) }), { minLength: 60, maxLength: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ size, edges, limit, steps }) => {
        const ids = Array.from({ length: size }, (_, i) => `t${i}`);
        // From higher to lower: no cycle.
        const deps = edges
          .filter(([a, b]) => a < size && b < size && a !== b)
          .map(([a, b]): [string, string] => [`t${Math.max(a, b)}`, `t${Math.min(a, b)}`]);
        const { book, set } = memoryBook(ids, deps);
        const fleet = fakeFleet(book, { limit });
        const statusOf = (id: string) => book.todos().todos.find((t) => t.id === id)?.status;
        const begin = fleet.parts.startWorker;
        const wasDone = new Set<string>();
        fleet.parts.startWorker = async (job) => {
          for (const [a, b] of deps) if (a === job.todo.id) expect(statusOf(b)).toBe("done");
          expect(wasDone.has(job.todo.id)).toBe(false);
          expect([...fleet.live.values()].map((w) => w.job.todo.id)).not.toContain(job.todo.id);
          return begin(job);
        };
        let over = false;
        const running = runFleet(fleet.parts, { signal }).finally(() => {
          over = true;
        });
        for (const step of steps) {
          await fleet.calm();
          if (over) break;
          const free = fleet.parts.freeSlots();
          const waiting = readyTodos(book.todos()).length;
          // Never fewer workers than could run: what is ready waits only while no slot is free.
          expect(Math.min(waiting, Math.max(0, free))).toBe(0);
          expect(fleet.live.size).toBeLessThanOrEqual(limit);
          const workers = [...fleet.live.values()];
          fleet.hold(workers.length === 0 ? 0 : Math.min(step.hold, limit - workers.length));
          const worker = workers[step.pick % Math.max(1, workers.length)];
          if (!worker) continue;
          const { id } = worker.job.todo;
          if (step.how === "done" || step.how === "blocked") set(id, step.how);
          if (step.how === "done") wasDone.add(id);
          if (step.how === "fail") worker.end({ type: "failed", code: "stalled", message: "m" });
          else if (step.how === "cancel") worker.end({ type: "cancelled", reason: "r" });
          else worker.end({ type: "completed", result: "r" });
        }
        const end = await running;
        expect(end.done).toBe(wasDone.size);
        expect(end.done + end.blocked + end.notRun).toBe(size);
        expect(book.runs().every((r) => r.outcome !== undefined)).toBe(true);
        for (const id of ids) expect(book.runs().filter((r) => r.todo_id === id).length).toBeLessThanOrEqual(2);
        const held = heldUp(book.todos());
        for (const t of book.todos().todos) if (t.status === "pending") expect(held.has(t.id)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
