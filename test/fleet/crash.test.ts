// OE12: a fleet that is killed goes on where it was.
import { describe, expect, it } from "vitest";
import { onlySession, scene } from "../agent/scene.ts";
import { logOf, only, run, start } from "../tool/everlong.ts";
import { add, fleet, outcomes, report, SLOTS, statuses } from "./stage.ts";

describe("OE12 fleet", () => {
  it("OE12 O116 kill -9 in the middle, resume: done ones are not run again, the interrupted one is, and its attempt counts", async () => {
    let hold = true;
    const held = Promise.withResolvers<void>();
    const { answer, seen } = fleet(
      add(
        ["a", "b", "c"],
        [
          ["b", "a"],
          ["c", "b"],
        ],
      ),
      {
        b: async (request) => {
          if (!hold) return report("b")(request);
          held.resolve();
          return new Promise(() => undefined);
        },
      },
    );
    const { place } = await scene(answer, { env: SLOTS });
    const first = start(place, ["-p", "/fleet build it"]);
    await held.promise;
    first.kill("SIGKILL");
    await first.done;
    hold = false;
    const before = seen.length;
    const again = await run(place, ["--resume", onlySession(place), "-p", "/fleet"]);
    expect(again.code, again.stderr).toBe(0);
    expect(new Set(seen.slice(before).map((s) => s.todo))).toEqual(new Set(["b", "c"]));
    expect(outcomes(place)).toEqual(["a 1 done", "b 1 interrupted", "b 2 done", "c 1 done"]);
    expect(statuses(place)).toEqual({ a: "done", b: "done", c: "done" });
    const starts = only(logOf(place), "subagent.started").map((e) => e.data);
    expect(new Set(starts.map((s) => s.agentId)).size).toBe(starts.length);
    // The worker that was cut off is not the main agent's to continue beside its successor.
    expect(only(logOf(place), "system.notification")).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7])(
    "O116 OI12 kill -9 at request %i of seven: the resumed fleet ends it, and nothing that was done is started again",
    async (at) => {
      const { answer } = fleet(add(["a", "b"], [["b", "a"]]), {});
      let count = 0;
      const reached = Promise.withResolvers<void>();
      const { place } = await scene((request, index) => {
        if (++count !== at) return answer(request, index);
        reached.resolve();
        return new Promise(() => undefined);
      });
      const first = start(place, ["-p", "/fleet build it"]);
      await reached.promise;
      first.kill("SIGKILL");
      await first.done;
      const again = await run(place, ["--resume", onlySession(place), "-p", "/fleet"]);
      expect(again.code, again.stderr).toBe(0);
      expect(statuses(place)).toEqual({ a: "done", b: "done" });
      const finished = new Set<string>();
      for (const event of logOf(place)) {
        if (event.type === "subagent.started") expect(finished.has(event.data.todoId ?? "")).toBe(false);
        if (event.type === "session.todos_changed")
          for (const t of event.data.todos) if (t.status === "done") finished.add(t.id);
      }
      const runs = new Map(
        only(logOf(place), "session.todo_run").map((e) => [`${e.data.todo_id} ${e.data.attempt}`, e.data]),
      );
      expect([...runs.values()].every((r) => r.outcome !== undefined)).toBe(true);
      expect(only(logOf(place), "session.fleet_completed")).toHaveLength(1);
    },
  );
});
