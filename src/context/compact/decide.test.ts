// Every row of the decision table, what counts as enough messages, and the life of cool-down and latch.
import { describe, expect, it } from "vitest";
import { type CompactionTrigger, compactionTrigger } from "../../schema/event/context.ts";
import { conversation, notice, prompt, said } from "./compact-fixture.ts";
import { type DecisionInput, decideCompaction, enoughMessages } from "./decide.ts";
import { type CompactionState, type CompactionStep, initialState, isLatched, nextState } from "./state.ts";
import { NEVER, parseThreshold } from "./threshold.ts";

const idle: CompactionState = { type: "idle", misses: 0 };
const running: CompactionState = { type: "running", misses: 0, trigger: "threshold" };
const ready: CompactionState = { type: "ready", misses: 0, trigger: "threshold" };
const cooling: CompactionState = { type: "cooling", misses: 1, historyTokens: 1_000 };

function decide(state: CompactionState, more: Partial<Omit<DecisionInput, "enough">> & { enough?: boolean } = {}) {
  const { enough = true, ...rest } = more;
  return decideCompaction(state, {
    mode: "on",
    u: 0.5,
    background: 0.8,
    exhaustion: 0.95,
    forced: false,
    enough: () => enough,
    ...rest,
  });
}

describe("decideCompaction", () => {
  it("C27 row 1: off and manual never compact, forced too, and what is under way is given up", () => {
    for (const mode of ["off", "manual"] as const) {
      for (const state of [idle, cooling]) expect(decide(state, { mode, u: 2, forced: true })).toBe("send");
      for (const state of [running, ready]) expect(decide(state, { mode, u: 2, forced: true })).toBe("discard");
    }
  });
  it("C27 row 1: cooling sends, forced too", () => {
    expect(decide(cooling, { u: 0.99 })).toBe("send");
    expect(decide(cooling, { u: 0.99, forced: true })).toBe("send");
  });
  it("C27 row 2: forced joins the running attempt or starts one, and waits", () => {
    expect(decide(running, { forced: true })).toBe("wait");
    expect(decide(idle, { forced: true, enough: false })).toBe("start_and_wait");
    expect(decide(ready, { forced: true })).toBe("apply");
  });
  it("C27 row 3: ready is applied, however full it is", () => {
    expect(decide(ready, { u: 0.1 })).toBe("apply");
  });
  it("C27 rows 4 and 5: running waits only at exhaustion", () => {
    expect(decide(running, { u: 0.95 })).toBe("wait");
    expect(decide(running, { u: 0.949 })).toBe("send");
  });
  it("C27 row 6: idle below the threshold, or with too few messages, sends", () => {
    expect(decide(idle, { u: 0.799 })).toBe("send");
    expect(decide(idle, { u: 0.99, enough: false })).toBe("send");
  });
  it("C27 row 7: idle at the threshold starts, and waits when exhausted already", () => {
    expect(decide(idle, { u: 0.8 })).toBe("start");
    expect(decide(idle, { u: 0.95 })).toBe("start_and_wait");
  });
  it("C28 a background threshold above 1 never starts; exhaustion alone starts nothing", () => {
    const { value } = parseThreshold("1.5", "compaction.background", 0.8);
    expect(decide(idle, { u: 3, background: value })).toBe("send");
  });
  it("CB2 background above exhaustion: starts when background is reached, and waits at once", () => {
    const order = { background: 0.9, exhaustion: 0.7 };
    expect(decide(idle, { ...order, u: 0.85 })).toBe("send");
    expect(decide(idle, { ...order, u: 0.9 })).toBe("start_and_wait");
  });
});

describe("enoughMessages", () => {
  const base = { minMessages: 4, u: 0.8, exhaustion: 0.95, effectiveLimit: 10_000 };
  it("C29 needs the minimum of messages; system items do not count", () => {
    const system = { ...notice("x", 0), role: "system" as const };
    const three = [prompt("a", 1), said("b", 1), prompt("c", 2)];
    expect(enoughMessages({ ...base, items: [system, system, ...three] })).toBe(false);
    expect(enoughMessages({ ...base, items: [...three, said("d", 2)] })).toBe(true);
  });
  it("C29 C105 needs two messages that came after the last compaction; what it kept is not new", () => {
    const items = conversation(2);
    expect(enoughMessages({ ...base, u: 0.99, items, marker: items.length - 1 })).toBe(false);
    expect(enoughMessages({ ...base, u: 0.99, items, marker: items.length - 2 })).toBe(true);
  });
  it("C29 CB10 after a compaction also 0.1 E of new text, unless exhausted", () => {
    const items = conversation(3);
    expect(enoughMessages({ ...base, items, marker: 4 })).toBe(false);
    expect(enoughMessages({ ...base, items, marker: 4, u: 0.95 })).toBe(true);
    expect(enoughMessages({ ...base, items, marker: 4, effectiveLimit: 4_000 })).toBe(true);
  });
});

describe("parseThreshold", () => {
  it.each([
    ["0.8", 0.8],
    [" .5 ", 0.5],
    ["80%", 0.8],
    ["100%", 1],
    [1, 1],
    ["1.01", NEVER],
    ["150%", NEVER],
    ["80", NEVER],
    ["OFF", NEVER],
  ])("C63 reads %j", (given, value) => {
    expect(parseThreshold(given, "compaction.background", 0.7)).toEqual({ value });
  });
  it.each(["abc", "-1", "0", "0%", "", "1e-1", "0x1", "Infinity", "NaN", "0.8 0.9"])("C63 CB1 refuses %j", (given) => {
    const { value, warning } = parseThreshold(given, "compaction.background", 0.8);
    expect(value).toBe(0.8);
    expect(warning).toContain("compaction.background");
  });
});

describe("cool-down and latch", () => {
  const run = (state: CompactionState, ...steps: CompactionStep[]) => steps.reduce(nextState, state);
  const miss: CompactionStep[] = [
    { type: "started", trigger: "threshold" },
    { type: "ended", outcome: "failed", historyTokens: 1_000 },
  ];
  const grown = (historyTokens: number): CompactionStep => ({ type: "measured", historyTokens });

  it("C104 after a miss nothing starts until the history has grown by a tenth", () => {
    const cooled = run(initialState, ...miss);
    expect(cooled).toEqual({ type: "cooling", misses: 1, historyTokens: 1_000 });
    expect(run(cooled, grown(1_099)).type).toBe("cooling");
    expect(run(cooled, grown(1_100))).toEqual({ type: "idle", misses: 1 });
  });
  it("C104 the third miss in a row latches until a switch, a manual success or a new process", () => {
    const latched = run(initialState, ...miss, grown(2_000), ...miss, grown(2_000), ...miss);
    expect(isLatched(latched)).toBe(true);
    expect(run(latched, grown(1e9)).type).toBe("cooling");
    const manual: CompactionStep = { type: "started", trigger: "manual" };
    expect(run(latched, manual, { type: "ended", outcome: "failed", historyTokens: 9 }).type).toBe("cooling");
    expect(run(latched, manual, { type: "ended", outcome: "applied", historyTokens: 9 })).toEqual(initialState);
    expect(run(latched, { type: "model_switched" })).toEqual(initialState);
  });
  it("C104 a manual run ends a cool-down even when it fails, and success clears the count", () => {
    const cooled = run(initialState, ...miss);
    const manual: CompactionStep = { type: "started", trigger: "manual" };
    expect(run(cooled, manual, { type: "ended", outcome: "failed", historyTokens: 9 })).toEqual({
      type: "idle",
      misses: 1,
    });
    const applied: CompactionStep = { type: "ended", outcome: "applied", historyTokens: 9 };
    expect(run(cooled, grown(5_000), { type: "started", trigger: "threshold" }, applied)).toEqual(initialState);
  });
  it.each(["superseded", "history_changed", "turned_off"] as const)("C104 %s does not count", (reason) => {
    const step: CompactionStep = { type: "ended", outcome: "cancelled", reason, historyTokens: 9 };
    expect(run(initialState, { type: "started", trigger: "threshold" }, step)).toEqual(initialState);
  });
  it.each(["user", "no_progress", "blocked_by_hook"] as const)("C104 %s counts", (reason) => {
    const step: CompactionStep = { type: "ended", outcome: "not_applicable", reason, historyTokens: 9 };
    expect(run(initialState, { type: "started", trigger: "memory_pressure" }, step).type).toBe("cooling");
  });
  it("C31 a summary that arrives after its attempt ended makes nothing ready", () => {
    expect(run(initialState, ...miss, { type: "summarised" }).type).toBe("cooling");
    expect(run(initialState, { type: "started", trigger: "manual" }, { type: "summarised" })).toEqual({
      type: "ready",
      misses: 0,
      trigger: "manual",
    });
  });
});

it("C66 the triggers are a closed set, and all but the manual one are automatic", () => {
  expect(compactionTrigger.options).toEqual([
    "manual",
    "threshold",
    "context_limit_retry",
    "model_switch",
    "memory_pressure",
  ]);
  const after = (trigger: CompactionTrigger) =>
    nextState(nextState(initialState, { type: "started", trigger }), {
      type: "ended",
      outcome: "failed",
      historyTokens: 9,
    });
  for (const trigger of compactionTrigger.options)
    expect([trigger, after(trigger).misses]).toEqual([trigger, trigger === "manual" ? 0 : 1]);
});
