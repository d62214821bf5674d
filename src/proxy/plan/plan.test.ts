// One lane through its life: pass, insert, cut, new epochs, and what each kind of request gets.
import { describe, expect, it } from "vitest";
import { newIssued } from "../../../test/model-server/issued.ts";
import { findViolation } from "../../../test/model-server/strict/check.ts";
import { isRecord } from "../../base/json.ts";
import { wireNames } from "../../schema/model.ts";
import type { PromptQuestion, RequestPlanInput } from "./contract.ts";
import { budget, LaneRun, rawsAt, type Sent, settings, strictRequest, type Turn, words } from "./plan-fixture.ts";
import type { QuotedSnippet } from "./recall-block.ts";

const turn = (index: number, tokens = 150, steps = 3): Turn => ({
  prompt: `prompt ${index}`,
  steps: Array.from({ length: steps }, (_, k) => ({
    reasoning: true,
    calls: [{ text: `${words(tokens, `t${index}s${k}`)}` }, { text: "ok" }],
  })),
  answer: `answer ${index}`,
});
const history = (turns: number, tokens?: number): Turn[] => Array.from({ length: turns }, (_, i) => turn(i, tokens));
const whole = (turns: readonly Turn[]) => ({ turn: turns.length - 1, step: turns.at(-1)?.steps.length ?? 0 });
const raws = (wire: Sent["body"]["wire"], turns: readonly Turn[]) => rawsAt(wire, turns, whole(turns));
const STATE = "<everlong_state>\n<todo>\n- go on\n</todo>\n</everlong_state>";
const stateOf = (text: string): string => STATE.replace("go on", text);
const snippet = (text: string): QuotedSnippet => ({ text, ref: "s1:t1.1", role: "tool", score: 2, from: "session" });
const isValid = ({ body, bytes }: Sent): void =>
  expect(findViolation(strictRequest(body.wire, bytes), newIssued())).toBeUndefined();
const count = (sent: Sent, text: string): number => JSON.stringify(sent.history).split(text).length - 1;

/** A lane that has a cut: small steps until the mark is passed once. */
async function cutLane(wire: Sent["body"]["wire"], more: Partial<RequestPlanInput> = {}) {
  const run = new LaneRun(wire);
  for (let turns = 1; ; turns++) {
    const sent = await run.send(raws(wire, history(turns)), more);
    if (sent.newEpoch) return { run, sent, turns };
  }
}

describe("a lane", () => {
  it.each(wireNames)("XI3 below the mark with nothing to add it goes out as the very bytes (%s)", async (wire) => {
    const sent = await new LaneRun(wire).send(raws(wire, history(2)));
    expect(sent.bytes).toBe(sent.body.bytes);
    expect(sent).toMatchObject({ action: "pass", dropped: [], tokensIn: sent.tokensSent, lane: { epoch: 0 } });
  });

  it.each(wireNames)(
    "X37 X38 passing the mark makes one cut down to the low-water mark, which then stays (%s)",
    async (wire) => {
      const { run, sent, turns } = await cutLane(wire);
      expect(sent).toMatchObject({ action: "trim", newEpoch: "high-water", lane: { epoch: 1, reason: "high-water" } });
      expect(sent.tokensSent).toBeLessThanOrEqual(0.55 * budget.high + 200);
      expect(sent.dropped.length).toBeGreaterThan(5);
      isValid(sent);
      const next = await run.send(raws(wire, history(turns + 1)));
      expect(next.newEpoch).toBeUndefined();
      expect(next.dropped.map(({ id }) => id)).toEqual(sent.dropped.map(({ id }) => id));
      expect(next.tokensIn).toBeGreaterThan(budget.high);
    },
  );

  it.each(wireNames)("X46 the gap says how many messages are missing and under which refs, once (%s)", async (wire) => {
    const { sent } = await cutLane(wire);
    const { dropped } = sent;
    const range = `s1:t1.${dropped[0]?.at} to s1:t1.${dropped.at(-1)?.at}`;
    expect(count(sent, `${dropped.length} earlier messages, ${range}, are left out`)).toBe(1);
    // It stands in the first user message where formats want turns, before everything that is left.
    expect(JSON.stringify(sent.history.slice(0, 3))).toContain("earlier messages");
  });

  it("X46 tool output above the threshold is shortened before anything is dropped, with size and ref; the newest group is spared", async () => {
    const turns: Turn[] = [
      {
        prompt: "go",
        steps: [{ reasoning: false, calls: [{ text: words(5_600, "big") }] }, turn(1, 2_400, 1).steps[0]!],
        answer: "",
      },
    ];
    const sent = await new LaneRun("openai-chat").send(raws("openai-chat", turns));
    expect(sent.dropped).toEqual([]);
    expect(sent.shortened.map(({ at }) => at)).toEqual([3]);
    const content = String((sent.history[3] as { content: string }).content);
    expect(content).toMatch(
      /\[\.\.\. \d+ characters left out here\. The full text is s1:t1\.3 in the Everlong gateway's store/,
    );
    expect(content.length).toBeLessThanOrEqual(settings.toolOutputMaxChars + 200);
    expect(sent.lane.cut?.shortened[sent.shortened[0]!.id]).toBe(JSON.stringify(sent.history[3]));
  });

  it("X39 another model plans anew: items return if they fit", async () => {
    const { run, sent, turns } = await cutLane("anthropic");
    const same = await run.send(raws("anthropic", history(turns)));
    expect(same.dropped).toHaveLength(sent.dropped.length);
    const wide = { ...budget, usable: 80_000, high: 64_000 };
    const other = await run.send(raws("anthropic", history(turns)), { model: "wide", budget: wide });
    expect(other).toMatchObject({ newEpoch: "model", dropped: [], action: "pass", lane: { epoch: 2, model: "wide" } });
    const back = await run.send(raws("anthropic", history(turns)), { model: "m" });
    expect(back.newEpoch).toBe("high-water");
  });

  it("X39 XB24 a past rewritten by the client before the cut ends the epoch; one rewound behind the cut does not", async () => {
    const { run, turns } = await cutLane("openai-responses");
    const { lane } = run;
    const grown = history(turns + 1);
    const rewound = await run.send(raws("openai-responses", [...grown.slice(0, -1), { ...turn(99), steps: [] }]));
    expect(rewound.newEpoch).toBeUndefined();
    const edited = [{ ...turn(0), prompt: "another start" }, ...grown.slice(1)];
    const sent = await run.send(raws("openai-responses", edited), { lane });
    expect(sent.newEpoch).toBe("rewritten");
    isValid(sent);
    // Back to a prompt that the cut had taken out: it has to be there.
    const early = await run.send(rawsAt("openai-responses", grown, { turn: 1, step: 0 }), { lane });
    expect(early).toMatchObject({ newEpoch: "rewritten", dropped: [] });
  });

  it("X22 reasoning that a client leaves out on resume changes nothing about the cut", async () => {
    const { run, turns } = await cutLane("openai-responses");
    const isReasoning = (raw: unknown): boolean => isRecord(raw) && raw["type"] === "reasoning";
    const { lane } = run;
    const without = raws("openai-responses", history(turns + 1)).filter((raw) => !isReasoning(raw));
    const resumed = await run.send(without);
    expect(resumed.newEpoch).toBeUndefined();
    isValid(resumed);
    // And back again, from a lane whose cut was made without it.
    const sent = await run.send(raws("openai-responses", history(turns + 1)), {
      lane: { ...lane, cut: { dropped: resumed.dropped.map(({ id }) => id), shortened: {} } },
    });
    expect(sent.newEpoch).toBeUndefined();
    isValid(sent);
  });

  it("X42 X53 what may not be stored stays whole", async () => {
    const { sent } = await cutLane("openai-chat");
    const own = sent.dropped[2]?.own ?? "";
    const again = await new LaneRun("openai-chat").send(
      sent.items.slice(1).map(({ raw }) => raw),
      {
        untouched: new Set([own]),
      },
    );
    expect(again.newEpoch).toBe("high-water");
    expect([...again.dropped, ...again.shortened].map((item) => item.own)).not.toContain(own);
    isValid(again);
  });

  it("N33 X38 a request planned again keeps its cut while the anchor fits beside it, and is cut anew when it does not", async () => {
    const turns = raws("openai-chat", history(30));
    let refsWanted = 0;
    const more = { beforeCut: async () => void refsWanted++ };
    const first = await new LaneRun("openai-chat").send(turns, more);
    const { madeCut } = first;
    if (!madeCut) throw new Error("no cut was made");
    const again = await new LaneRun("openai-chat").send(turns, { ...more, madeCut, state: STATE });
    expect(again.madeCut).toBe(madeCut);
    expect(again.lane.cut).toEqual(first.lane.cut);
    expect(count(again, "go on")).toBe(1);
    expect(refsWanted).toBe(1);
    const room = budget.high - first.tokensSent;
    const long = await new LaneRun("openai-chat").send(turns, { ...more, madeCut, state: stateOf(words(2 * room)) });
    expect(long.dropped.length).toBeGreaterThan(first.dropped.length);
    expect(long.tokensSent).toBeLessThanOrEqual(budget.high);
    expect(refsWanted).toBe(2);
    isValid(again);
    isValid(long);
  });

  it("X55 on hold what is in force is applied, and nothing new", async () => {
    const { run, turns } = await cutLane("gemini", { state: STATE });
    const { lane } = run;
    const held = await run.send(raws("gemini", history(turns + 20)), {
      mode: "hold",
      state: stateOf("new"),
      model: "x",
    });
    expect(held.lane).toEqual(lane);
    expect(held.dropped.map(({ id }) => id)).toEqual(lane.cut?.dropped);
    expect([count(held, "go on"), count(held, "new")]).toEqual([1, 0]);
    expect(held.tokensSent).toBeGreaterThan(budget.high);
  });

  it("X38 a request that stays above the mark whatever is left out is not cut anew at each step", async () => {
    const run = new LaneRun("openai-chat");
    const start: Turn = { prompt: words(6_600, "long task"), steps: [], answer: "" };
    const epochs: number[] = [];
    for (let steps = 0; steps < 5; steps++) {
      const at = { ...start, steps: turn(0, 60, steps).steps };
      const sent = await run.send(raws("openai-chat", [at]));
      expect(sent.tokensSent).toBeGreaterThan(budget.high);
      epochs.push(sent.lane.epoch);
    }
    expect(epochs).toEqual([0, 0, 0, 0, 0]);
  });

  it("X91 a refused request comes out smaller even if the count says that it fits by far", async () => {
    const run = new LaneRun("openai-chat");
    const wide = { ...budget, usable: 80_000, high: 64_000 };
    const first = await run.send(raws("openai-chat", history(5)), { budget: wide });
    expect(first.action).toBe("pass");
    const second = await run.send(raws("openai-chat", history(5)), { budget: wide, mode: "context-error" });
    expect(second.newEpoch).toBe("context-error");
    expect(second.tokensSent).toBeLessThan(0.6 * first.tokensSent);
  });

  it("XB14 X41 a head that alone exceeds the window loses its middle, with a ref, and is sent", async () => {
    const turns: Turn[] = [{ prompt: `START ${words(20_000)} END`, steps: turn(0, 20, 2).steps, answer: "" }];
    const sent = await new LaneRun("anthropic").send(raws("anthropic", turns));
    expect(sent.shortened.map(({ at }) => at)).toEqual([0]);
    expect(sent.tokensSent).toBeLessThanOrEqual(budget.usable);
    expect(JSON.stringify(sent.history[0])).toMatch(/START [\s\S]*s1:t1\.0[\s\S]* END/);
    isValid(sent);
    // The system text and tools are never touched: what cannot fit is sent as small as it gets.
    const hopeless = await new LaneRun("anthropic").send(raws("anthropic", turns), { fixedTokens: 50_000 });
    expect(hopeless.tokensSent).toBeGreaterThan(budget.usable);
    expect(hopeless.newEpoch).toBe("high-water");
    isValid(hopeless);
  });
});

describe("kinds", () => {
  it("X26 agents are trimmed only above usable and get no block", async () => {
    const run = new LaneRun("openai-chat");
    let asked = 0;
    const recall = async () => ({ snippets: [snippet(`found ${++asked}`)] });
    const more = { kind: "agent" as const, state: STATE, recall };
    const between = { ...budget, high: 2_000 };
    const sent = await run.send(raws("openai-chat", history(4)), { ...more, budget: between });
    expect(sent.tokensIn).toBeGreaterThan(2_000);
    expect(sent.bytes).toBe(sent.body.bytes);
    const above = await run.send(raws("openai-chat", history(16)), more);
    expect(above).toMatchObject({ newEpoch: "high-water", recalled: [] });
    expect([asked, count(above, "everlong_")]).toEqual([0, 0]);
  });

  it("X28 a compaction request that fits usable passes unchanged; else it gets the cut and the blocks in force, and no new ones", async () => {
    const { run, turns } = await cutLane("anthropic", { state: STATE });
    const { lane } = run;
    const asking = (n: number): Turn[] => [
      ...history(n),
      { prompt: "Summarise the conversation", steps: [], answer: "" },
    ];
    const small = await run.send(raws("anthropic", asking(2)), { kind: "compaction", lane, state: stateOf("new") });
    expect(small.bytes).toBe(small.body.bytes);
    const large = await run.send(raws("anthropic", asking(turns + 2)), {
      kind: "compaction",
      lane,
      state: stateOf("new"),
    });
    expect(large.dropped.map(({ id }) => id)).toEqual(lane.cut?.dropped);
    expect([count(large, "go on"), count(large, "new")]).toEqual([1, 0]);
    expect(large.lane).toEqual(lane);
    isValid(large);
    const uncut = new LaneRun("anthropic");
    const first = await uncut.send(raws("anthropic", asking(20)), { kind: "compaction" });
    expect(first).toMatchObject({ newEpoch: "compaction", lane: { epoch: 0 } });
    expect(first.tokensSent).toBeLessThanOrEqual(budget.usable);
    isValid(first);
  });

  it("X28 a flattened history loses its middle", async () => {
    const flat: Turn[] = [{ prompt: `FIRST ${words(12_000)} LAST`, steps: [], answer: "" }];
    const sent = await new LaneRun("gemini").send(raws("gemini", flat), { kind: "compaction" });
    expect(sent.tokensSent).toBeLessThanOrEqual(budget.usable);
    expect(JSON.stringify(sent.history)).toMatch(/FIRST[\s\S]*LAST/);
  });
});

describe("repairs", () => {
  const chat = (more: unknown[]) => [{ role: "user", content: "go" }, ...more];
  const call = (id: string) => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "bash", arguments: "{}" } }],
  });

  it("X47 XB13 orphans are repaired only in a request that is changed anyway", async () => {
    const orphaned = chat([
      call("a"),
      { role: "tool", tool_call_id: "lost", content: "?" },
      { role: "user", content: "x" },
    ]);
    const passed = await new LaneRun("openai-chat").send(orphaned);
    expect(passed.bytes).toBe(passed.body.bytes);
    const changed = await new LaneRun("openai-chat").send(orphaned, { state: STATE });
    expect(changed.action).toBe("insert");
    isValid(changed);
  });

  it("X44 XB13 a message of ours never stands between a call and the result that was made up for it", async () => {
    const steps = rawsAt("openai-chat", history(12), { turn: 11, step: 0 }).slice(1);
    const sent = await new LaneRun("openai-chat").send(chat([call("open"), ...steps]), { state: STATE });
    expect(sent.newEpoch).toBe("high-water");
    expect(sent.lane.insertions.find(({ kind }) => kind === "notice")?.place).toBe("after");
    isValid(sent);
  });

  it("XB13 50 parallel calls and unknown items stay or go with their group", async () => {
    const many: Turn = {
      prompt: "many",
      steps: [{ reasoning: true, calls: Array.from({ length: 50 }, () => ({ text: words(40) })) }],
      answer: "done",
    };
    for (const wire of wireNames) {
      const sent = await new LaneRun(wire).send(raws(wire, [turn(0), many, ...history(8)]));
      expect(sent.newEpoch).toBe("high-water");
      isValid(sent);
    }
    const strange = [{ type: "novel_item", data: "x".repeat(400) }];
    const items = raws("openai-responses", history(16));
    const sent = await new LaneRun("openai-responses").send([...items.slice(0, 5), ...strange, ...items.slice(5)]);
    expect(sent.dropped.some(({ kind }) => kind === "opaque")).toBe(true);
  });
});

describe("blocks", () => {
  const asks: PromptQuestion[] = [];
  const recall = async (ask: PromptQuestion) => {
    asks.push(ask);
    return { snippets: [snippet(`answer to ${asks.length}`)] };
  };

  it("X57 X79 a lane with a cut is searched at a new prompt and when an epoch begins; in between the block stays", async () => {
    asks.length = 0;
    const { run, turns } = await cutLane("openai-responses", {
      recall,
      settings: { ...settings, semantic: { ...settings.semantic, enabled: false } },
    });
    const more = { recall, settings: { ...settings, semantic: { ...settings.semantic, enabled: false } } };
    expect(asks).toHaveLength(1);
    expect(asks[0]?.session).toBe(true);
    const grown = history(turns + 2);
    const again = await run.send(rawsAt("openai-responses", grown, { turn: turns - 1, step: 3 }), more);
    expect([asks.length, count(again, "answer to 1")]).toEqual([1, 1]);
    const asked = await run.send(rawsAt("openai-responses", grown, { turn: turns, step: 0 }), more);
    expect(asks).toHaveLength(2);
    expect(asked.recalled).toHaveLength(1);
    const later = await run.send(rawsAt("openai-responses", grown, { turn: turns, step: 2 }), more);
    expect([asks.length, count(later, "answer to 1"), count(later, "answer to 2")]).toEqual([2, 1, 1]);
    expect(later.recalled).toEqual([]);
  });

  it("N22 a search that is lost is named, and the next request of that prompt gets the block", async () => {
    const off = { settings: { ...settings, semantic: { ...settings.semantic, enabled: false } } };
    const lose = async () => ({ snippets: [], lost: "timeout" });
    const { run, sent, turns } = await cutLane("openai-responses", { recall: lose, ...off });
    expect([sent.recallLost, sent.recalled, sent.lane.recalledFor]).toEqual(["timeout", [], undefined]);
    asks.length = 0;
    const grown = history(turns + 2);
    const next = await run.send(rawsAt("openai-responses", grown, { turn: turns - 1, step: 3 }), { recall, ...off });
    expect([next.newEpoch, next.recallLost, count(next, "answer to 1")]).toEqual([undefined, undefined, 1]);
    expect(asks.map(({ session, takesAway }) => [session, takesAway])).toEqual([[true, false]]);
    await run.send(rawsAt("openai-responses", grown, { turn: turns - 1, step: 5 }), { recall, ...off });
    expect(asks).toHaveLength(1);
  });

  it("N22 a search knows whether a cut takes text away with its request", async () => {
    asks.length = 0;
    const { run, turns } = await cutLane("openai-chat", { recall });
    const cut = asks.at(-1);
    await run.send(rawsAt("openai-chat", history(turns + 1), { turn: turns, step: 0 }), { recall });
    expect([cut?.takesAway, asks.at(-1)?.takesAway]).toEqual([true, false]);
  });

  it("X61 what stands in the request is named to the search, what was dropped is not", async () => {
    asks.length = 0;
    const { sent } = await cutLane("openai-chat", { recall });
    const standing = asks.at(-1)?.standing ?? new Set();
    for (const { own } of sent.dropped) expect(standing.has(own ?? "")).toBe(false);
    expect(standing.has(sent.items.at(-1)?.own ?? "")).toBe(true);
  });

  it("X61 what an earlier block quotes is not quoted again", async () => {
    const same = async () => ({ snippets: [snippet(`the <todo> port is 4711 ${words(50)}`)] });
    const { run, sent, turns } = await cutLane("openai-chat", { recall: same });
    expect(count(sent, "port is 4711")).toBe(1);
    const next = await run.send(rawsAt("openai-chat", history(turns + 1), { turn: turns, step: 0 }), { recall: same });
    expect([next.recalled, count(next, "port is 4711")]).toEqual([[], 1]);
  });

  it("X80 without a cut only the namespace is searched, once a prompt; nothing found is no block", async () => {
    asks.length = 0;
    const run = new LaneRun("openai-chat");
    const none = async (ask: PromptQuestion) => {
      asks.push(ask);
      return { snippets: [] };
    };
    const more = { recall: none };
    for (const moment of [
      { turn: 0, step: 0 },
      { turn: 0, step: 1 },
      { turn: 1, step: 0 },
    ]) {
      const sent = await run.send(rawsAt("openai-chat", history(2), moment), more);
      expect(sent.bytes).toBe(sent.body.bytes);
    }
    expect(asks.map(({ session, namespace }) => [session, namespace])).toEqual([
      [false, true],
      [false, true],
    ]);
  });

  it("X73 the state goes in once and stays; again when it changed or much came after it", async () => {
    const run = new LaneRun("anthropic");
    const at = (turns: number, text: string) =>
      run.send(raws("anthropic", history(turns, 40)), { state: stateOf(text) });
    expect((await at(1, "one")).newState).toBe(true);
    const second = await at(2, "one");
    expect([second.newState, count(second, "- one")]).toEqual([false, 1]);
    const third = await at(3, "two");
    expect([third.newState, count(third, "- one"), count(third, "- two")]).toEqual([true, 1, 1]);
    const much = await at(8, "two");
    expect(much.newEpoch).toBeUndefined();
    expect([much.newState, count(much, "- two")]).toEqual([true, 2]);
  });

  it("X73 a TODO that was emptied is taken back, since the earlier block still stands there", async () => {
    const run = new LaneRun("anthropic");
    await run.send(raws("anthropic", history(1)), { state: STATE });
    const sent = await run.send(raws("anthropic", history(2)), { state: "" });
    expect([count(sent, "go on"), count(sent, "Nothing is kept for this session now")]).toEqual([1, 1]);
    const still = await run.send(raws("anthropic", history(2)), { state: "" });
    expect(count(still, "Nothing is kept for this session now")).toBe(1);
    const fresh = await new LaneRun("anthropic").send(raws("anthropic", history(1)), { state: "" });
    expect(fresh.bytes).toBe(fresh.body.bytes);
  });

  it("X74 eight blocks in an epoch; the ninth folds them into one", async () => {
    const run = new LaneRun("openai-chat");
    for (let i = 1; i <= 8; i++) {
      const sent = await run.send(raws("openai-chat", history(i, 5)), { state: stateOf(`edit ${i}.`) });
      expect(sent.newEpoch).toBeUndefined();
      expect(count(sent, "<todo>")).toBe(i);
    }
    const folded = await run.send(raws("openai-chat", history(9, 5)), { state: stateOf("edit 9.") });
    expect(folded).toMatchObject({ newEpoch: "fold", lane: { epoch: 1 } });
    expect([count(folded, "<todo>"), count(folded, "edit 9.")]).toEqual([1, 1]);
    const cut = await cutLane("openai-chat");
    const lane = {
      ...cut.run.lane,
      insertions: [
        ...cut.run.lane.insertions,
        ...folded.lane.insertions.flatMap((one) => Array(8).fill({ ...one, anchor: cut.sent.items.at(-1)?.id })),
      ],
    };
    const after = await cut.run.send(raws("openai-chat", history(cut.turns)), { lane, state: stateOf("last") });
    expect(after.newEpoch).toBe("fold");
    expect(after.dropped).toHaveLength(cut.sent.dropped.length);
    expect([count(after, "earlier messages"), count(after, "<todo>")]).toEqual([1, 1]);
  });

  it("X35 the state is never what does not fit", async () => {
    const long = stateOf(words(1_500, "todo"));
    const sent = await new LaneRun("openai-chat").send(raws("openai-chat", history(30)), { state: long });
    expect(count(sent, "todo line number 150")).toBe(1);
    expect(sent.tokensSent).toBeLessThanOrEqual(budget.high);
  });

  it("XI6 the state is there again when the client rewound to before its block", async () => {
    const run = new LaneRun("openai-chat");
    await run.send(raws("openai-chat", history(1)), { state: stateOf("old") });
    await run.send(raws("openai-chat", history(2)), { state: STATE });
    const back = await run.send(rawsAt("openai-chat", [turn(0), turn(7)], { turn: 1, step: 0 }), { state: STATE });
    expect([count(back, "- old"), count(back, "go on")]).toEqual([1, 1]);
  });
});

describe("the tail", () => {
  const blocks = { state: STATE, recall: async () => ({ snippets: [snippet("found")] }) };
  const order = (value: unknown): [number, number] => {
    const text = JSON.stringify(value);
    return [text.indexOf("everlong_recall"), text.indexOf("everlong_state")];
  };

  it.each(wireNames)(
    "X78 recall, then state, where the format has its tail: after a prompt and after results (%s)",
    async (wire) => {
      for (const step of [0, 1]) {
        const before = rawsAt(wire, [turn(0)], { turn: 0, step });
        const { history: sent } = await new LaneRun(wire).send(before, blocks);
        const last = sent.at(-1) as Record<string, unknown>;
        const [recalled, state] = order(last);
        expect(recalled).toBeGreaterThan(-1);
        expect(state).toBeGreaterThan(recalled);
        const system = wire === "openai-chat" ? 1 : 0;
        const isOwn = wire === "openai-responses" || (wire === "openai-chat" && step === 1);
        expect(sent).toHaveLength(before.length + system + (isOwn ? 1 : 0));
        expect(last["role"]).toBe("user");
      }
    },
  );

  it("X78 a text that stands for the whole input stays one", async () => {
    const { history: sent } = await new LaneRun("openai-responses").send("just a text" as unknown as unknown[], blocks);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatch(/^just a text\n\n<everlong_recall>[\s\S]*\n\n<everlong_state>/);
  });

  it("X78 a request that ends with the assistant gets them in the newest user item before it", async () => {
    for (const wire of ["anthropic", "gemini", "openai-chat"] as const) {
      const before = [
        ...rawsAt(wire, [turn(0)], { turn: 0, step: 0 }),
        ...rawsAt(wire, [turn(1, 5, 0), turn(2)], { turn: 1, step: 0 }).slice(1, 2),
      ];
      const sent = await new LaneRun(wire).send(before, blocks);
      const user = sent.history.findLast((item) => isRecord(item) && item["role"] === "user");
      expect(order(user)[0]).toBeGreaterThan(-1);
      expect(sent.history.at(-1)).toEqual(before.at(-1));
    }
  });

  it("X74 without append-only the blocks stand before the user's text", async () => {
    const own = { ...settings, state: { ...settings.state, appendOnly: false } };
    for (const wire of wireNames) {
      const sent = await new LaneRun(wire).send(rawsAt(wire, [turn(0)], { turn: 0, step: 0 }), {
        ...blocks,
        settings: own,
      });
      expect(JSON.stringify(sent.history)).toMatch(/everlong_recall[\s\S]*everlong_state[\s\S]*prompt 0/);
      isValid(sent);
      const results = await new LaneRun(wire).send(rawsAt(wire, [turn(0)], { turn: 0, step: 1 }), {
        ...blocks,
        settings: own,
      });
      isValid(results);
    }
  });

  it("X78 with the role system the state is a trailing entry of its own, where the format has one; quotes never are", async () => {
    const own = { ...settings, state: { ...settings.state, role: "system" as const } };
    const roles = { "openai-chat": "system", "openai-responses": "developer", anthropic: "user", gemini: "user" };
    for (const wire of wireNames) {
      const sent = await new LaneRun(wire).send(raws(wire, [turn(0)]), { ...blocks, settings: own });
      const last = sent.history.at(-1) as Record<string, unknown>;
      expect(last["role"]).toBe(roles[wire]);
      expect(JSON.stringify(last)).toContain("<everlong_state>");
      if (roles[wire] !== "user") expect(JSON.stringify(last)).not.toContain("everlong_recall");
    }
  });

  it("X62 the seed's tag setting gives the seed's names", async () => {
    const own = { ...settings, state: { ...settings.state, tag: "proxypilot_state" as const } };
    const sent = await new LaneRun("openai-chat").send(raws("openai-chat", [turn(0)]), { ...blocks, settings: own });
    expect(count(sent, "<memory>")).toBe(1);
  });
});
