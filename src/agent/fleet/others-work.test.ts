// A fleet beside agents that are not its own: todos that a `task` call has handed out are waited for.
import { describe, expect, it } from "vitest";
import { fakeFleet, memoryBook } from "./fleet-fixture.ts";
import { runFleet } from "./run-fleet.ts";

const { signal } = new AbortController();

describe("fleet", () => {
  it("O109 O113 a todo that the check hands to a background task is waited for, then checked", async () => {
    const { book, set, add } = memoryBook(["a"]);
    const others = new Set<string>();
    const fleet = fakeFleet(book, {
      turn: async () => {
        if (fleet.prompts.length === 1) {
          add("b");
          others.add("helper");
          await book.claim("b", "helper");
        }
        return { status: "done" };
      },
    });
    const { isRunning } = fleet.parts;
    fleet.parts.isRunning = (id) => others.has(id) || isRunning(id);
    let ended = false;
    const running = runFleet(fleet.parts, { signal }).finally(() => {
      ended = true;
    });
    await fleet.calm();
    set("a", "done");
    fleet.worker("a").end({ type: "completed", result: "" });
    await fleet.calm();
    expect({ ended, checks: fleet.prompts.length }).toEqual({ ended: false, checks: 1 });
    const run = book.runs().find((r) => r.agent_id === "helper");
    if (run) await book.record({ ...run, outcome: "done", note: "note of b" }, "done");
    others.clear();
    fleet.hold(0);
    expect(await running).toMatchObject({ rounds: 2, done: 2, open: [] });
    expect(fleet.prompts[1]).toContain("note of b");
    expect(fleet.started).toEqual(["a"]);
  });
});
