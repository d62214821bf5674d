// The truncator's rules one by one: what goes first, what stays, and what is told.
import { describe, expect, it } from "vitest";
import { toItems } from "../../model/wire/own-fixture.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import { planDrops } from "./drop-order.ts";
import { boundHuge } from "./shorten-pass.ts";
import { truncate } from "./truncate.ts";
import { answer, NOTICE, ownInput, prompt, send, sizeOf, step, textOf } from "./truncate-fixture.ts";

const ids = (items: readonly ContextItem[]): string[] => items.map(({ id }) => id);
const textAt = (items: readonly ContextItem<Message>[], id: string) =>
  items.find((item) => item.id === id)?.raw.content;
const MARKER = "characters left out here";
const summary = (text: string): ContextItem<Message> => ({
  ...toItems([prompt(text)])[0]!,
  id: "summary",
  kind: "compaction",
  isPrompt: false,
  turn: 0,
});

describe("what fits", () => {
  it("C35 is sent as it is: no cut, no report, the same list", async () => {
    const input = ownInput([prompt("a"), ...step("s", "ok"), answer("b")]);
    const sent = await send(input);
    expect(sent).toMatchObject({
      cut: undefined,
      newCut: false,
      report: undefined,
      shortenedItems: 0,
      repairedItems: 0,
    });
    expect(sent.items).toBe(input.items);
  });

  it("C7 C35 CB13 still has its orphans repaired, and counts them", async () => {
    const input = ownInput([prompt("a"), ...step("s", undefined), ...step("lost", "x").slice(1), answer("b")]);
    const sent = await send(input);
    expect(sent.repairedItems).toBe(2);
    expect(sent.items.map(({ raw }) => raw.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(sent.conversationTokens).toBe(sent.items.reduce((sum, item) => sum + sizeOf(item), 0));
    expect(sent.messagesLength).toBe(4);
    expect(sent.report).toBeUndefined();
  });

  it("C35 exactly E is not too much", async () => {
    const input = ownInput([prompt("a"), answer(textOf(500)), prompt("b")]);
    const whole = input.items.reduce((sum, { tokens }) => sum + tokens, 0);
    const at = (effectiveLimit: number) => send({ ...input, fixedTokens: 0, effectiveLimit });
    expect((await at(whole)).cut).toBeUndefined();
    expect((await at(whole - 1)).cut).toBeDefined();
  });
});

describe("the order", () => {
  const turn = (n: number) => [prompt(`p${n}`), ...step(`s${n}`, "r"), answer(`a${n}`)];

  it("C37 C38 steps before the newest prompt; older prompts with their notices, the first last; steps after it but the newest", () => {
    const items = toItems([
      ...turn(1),
      ...turn(2),
      prompt(NOTICE),
      ...turn(3),
      prompt("new"),
      ...step("x", "r"),
      ...step("y", "r"),
    ]);
    const { units, newestPrompt, newestGroup } = planDrops(items);
    expect(units).toEqual([[1, 2], [3], [5, 6], [7], [10, 11], [12], [4, 8], [9], [0], [14, 15]]);
    expect(newestPrompt).toBe(13);
    expect(newestGroup).toEqual([16, 17]);
  });

  it("C38 after a compaction no prompt is the first of the session", () => {
    const items = [summary("s"), ...toItems([...turn(1), ...turn(2), prompt("new")])];
    expect(planDrops(items).units).toEqual([[2, 3], [4], [6, 7], [8], [1], [5]]);
  });

  it("C38 a notice that nobody has answered yet is kept, answered ones after the newest prompt go", () => {
    const items = toItems([
      prompt("p"),
      prompt(NOTICE),
      ...step("x", "r"),
      prompt(NOTICE),
      ...step("y", "r"),
      prompt(NOTICE),
    ]);
    expect(planDrops(items).units).toEqual([[1], [2, 3], [4]]);
  });

  it("C38 a step whose result stands behind the newest prompt is not older than it", () => {
    const [call, result] = step("x", "late") as [Message, Message];
    const items = toItems([
      prompt("p"),
      ...step("s", "r"),
      call,
      prompt("steer"),
      result,
      ...step("y", "r"),
      answer("z"),
    ]);
    expect(planDrops(items).units).toEqual([[1, 2], [0], [3, 5], [6, 7]]);
  });

  it("C37 C40 pass 1 stops at the low-water mark and leaves prompts alone", async () => {
    const turns = Array.from({ length: 12 }, (_, i) => [prompt(`prompt ${i}`), answer(textOf(350))]).flat();
    const sent = await send(ownInput([...turns, prompt("new")]));
    const dropped = [...(sent.cut?.dropped ?? [])];
    expect(dropped).toEqual(["1", "3", "5", "7", "9"]);
    expect(100 + sent.conversationTokens).toBeLessThanOrEqual(0.7 * 4_000);
    // One step more than needed would be a step too many.
    expect(100 + sent.conversationTokens + 354).toBeGreaterThan(0.7 * 4_000);
  });

  it("C38 C40 pass 2 takes older prompts, the first of the session last", async () => {
    const prompts = Array.from({ length: 9 }, (_, i) => prompt(textOf(480, `p${i}`)));
    const sent = await send(ownInput(prompts));
    expect([...(sent.cut?.dropped ?? [])]).toEqual(["1", "2", "3", "4"]);
    expect(ids(sent.items)).toEqual(["0", "truncation-notice", "5", "6", "7", "8"]);
  });

  it("C38 C26 within one long turn older groups go, the newest stays", async () => {
    const steps = Array.from({ length: 15 }, (_, i) => step(`s${i}`, textOf(300))).flat();
    const sent = await send(ownInput([prompt("do it all"), ...steps]));
    expect(ids(sent.items).slice(0, 2)).toEqual(["0", "truncation-notice"]);
    expect(ids(sent.items).slice(-2)).toEqual(["29", "30"]);
    expect(sent.shortenedItems).toBe(0);
  });
});

describe("shortening passes", () => {
  it("C36 pass 0 shortens old results and pastes above 1,000 tokens before anything is dropped; newest are spared", async () => {
    const messages = [
      prompt(textOf(1_500)),
      ...step("a", textOf(1_500)),
      answer("ok"),
      prompt(textOf(1_500)),
      ...step("b", textOf(1_500)),
    ];
    const sent = await send(ownInput(messages, { effectiveLimit: 6_000, target: 0.9 }));
    expect([...(sent.cut?.shortened.keys() ?? [])]).toEqual(["0", "2"]);
    expect(sent.report).toBeUndefined();
    expect(sent.shortenedItems).toBe(2);
    expect(sent.untruncatedTokens).toBeGreaterThan(sent.conversationTokens);
    for (const id of ["0", "2"]) expect(sent.cut?.shortened.get(id)?.tokens).toBeLessThanOrEqual(1_000);
  });

  it("C36 with a large window the bound is 0.05 E", async () => {
    const results = Array.from({ length: 12 }, (_, i) => step(`s${i}`, textOf(9_000))).flat();
    const sent = await send(ownInput([prompt("p"), ...results], { effectiveLimit: 100_000, fixedTokens: 0 }));
    expect(sent.cut?.dropped.size).toBe(0);
    for (const { tokens } of sent.cut?.shortened.values() ?? []) {
      expect(tokens).toBeLessThanOrEqual(5_000);
      expect(tokens).toBeGreaterThan(4_500);
    }
  });

  it("C36 CB11 huge items are bounded at 0.3 E first, oldest first, only until it fits; older turns stay", async () => {
    const messages = [prompt("old"), answer("older answer"), ...step("a", textOf(20_000)), prompt(textOf(1_500))];
    const input = ownInput(messages);
    const { cut, applied } = await boundHuge(input);
    expect([...(cut?.shortened.keys() ?? [])]).toEqual(["3"]);
    expect(cut?.shortened.get("3")?.tokens).toBeLessThanOrEqual(1_200);
    expect(applied.historyTokens).toBe(applied.conversationTokens);
    const sent = await send({ ...input, cut });
    expect(sent.newCut).toBe(false);
    expect(ids(sent.items)).toEqual(["0", "1", "2", "3", "4"]);
    expect(await boundHuge({ ...input, cut })).toMatchObject({ cut });
  });

  it("C36 CI2 the newest prompt is included when it is huge", async () => {
    const sent = await send(ownInput([prompt("old"), answer("a"), prompt(textOf(20_000))]));
    expect(ids(sent.items)).toEqual(["0", "1", "2"]);
    const text = textAt(sent.items, "2") ?? "";
    expect(text).toContain(MARKER);
    expect(text).toContain("t2.2");
    expect(text.startsWith("word 0.")).toBe(true);
    expect(text.endsWith(textOf(20_000).slice(-100))).toBe(true);
    expect(sent.conversationTokens).toBeLessThan(1_300);
  });

  it("C39 pass 3 shortens the newest results in proportion, then the compaction message, then the newest prompt", async () => {
    const newest = step("x", textOf(1_100), textOf(550), "tiny");
    const items = [summary(textOf(1_100)), ...toItems([prompt(textOf(1_150)), ...newest])];
    const at = (fixedTokens: number) => send({ ...ownInput([]), items: ownItems(items), target: 0.9, fixedTokens });
    const first = await at(200);
    expect([...(first.cut?.shortened.keys() ?? [])].toSorted()).toEqual(["2", "3"]);
    const [a = 0, b = 0] = ["2", "3"].map((id) => first.cut?.shortened.get(id)?.tokens);
    expect(a / b).toBeGreaterThan(1.7);
    expect(a / b).toBeLessThan(2.3);
    const second = await at(1_400);
    expect([...(second.cut?.shortened.keys() ?? [])].toSorted()).toEqual(["2", "3", "summary"]);
    const third = await at(2_900);
    expect([...(third.cut?.shortened.keys() ?? [])].toSorted()).toEqual(["0", "2", "3", "summary"]);
    expect(third.items).toHaveLength(items.length);
  });

  it("C40 CI2 pass 3 is not used when what is left fits E, even above the low-water mark", async () => {
    const sent = await send(
      ownInput([prompt("p"), answer(textOf(900)), prompt(textOf(1_100)), ...step("x", textOf(1_150), textOf(1_150))]),
    );
    expect(sent.shortenedItems).toBe(0);
    expect(100 + sent.conversationTokens).toBeGreaterThan(0.7 * 4_000);
  });

  it("C40 CB8 what cannot fit is not sent, and the figures are given", async () => {
    const input = ownInput([prompt("p"), ...step("x", "r")], { fixedTokens: 4_001 });
    expect(await truncate(input)).toMatchObject({ type: "cannot_fit", fixedTokens: 4_001, effectiveLimit: 4_000 });
  });
});

const ownItems = (items: ContextItem<Message>[]) => items.map((item) => ({ ...item, tokens: sizeOf(item) }));

describe("the notice", () => {
  const turns = Array.from({ length: 12 }, (_, i) => [prompt(`prompt ${i}`), answer(textOf(350))]).flat();

  it("C45 stands once in the first gap, is no prompt, and lengths and deltas are net of it", async () => {
    const sent = await send(ownInput([...turns, prompt("new")]));
    const at = sent.items.findIndex(({ kind }) => kind === "notice");
    expect(at).toBe(1);
    expect(sent.items[at]).toMatchObject({ role: "user", isPrompt: false });
    expect(sent.items[at]?.raw.content).toContain("5 earlier messages of t1-t5");
    expect(toItems([sent.items[at]!.raw])[0]).toMatchObject({ kind: "notice", isPrompt: false });
    expect(sent.report).toMatchObject({ omittedMessages: 5, messagesRemovedDuringTruncation: 4, newCut: true });
  });

  it("C45 one dropped message has no notice", async () => {
    const sent = await send(
      ownInput([answer(textOf(1_500)), prompt(textOf(1_100)), ...step("x", textOf(1_150), textOf(900))]),
    );
    expect(ids(sent.items)).toEqual(["1", "2", "3", "4"]);
    expect(sent.report).toMatchObject({ omittedMessages: 1, messagesRemovedDuringTruncation: 1 });
  });

  it("C45 a cut that would save less than its notice is not made", async () => {
    const small = [prompt("a"), answer("b"), prompt("c"), answer("d")];
    const messages = [...small, prompt(textOf(1_150)), ...step("x", textOf(1_150), textOf(1_150), textOf(800))];
    const sent = await send(ownInput(messages));
    expect(sent.cut?.dropped.size).toBe(0);
    expect(ids(sent.items)).toHaveLength(messages.length);
    expect(sent.report).toBeUndefined();
  });

  it("C45 CI1 a gap inside a kept group is told of before that group", async () => {
    const [call, result] = step("x", "late") as [Message, Message];
    const filler = Array.from({ length: 9 }, () => prompt(textOf(450)));
    const sent = await send(ownInput([prompt("p"), call, ...filler, result]));
    expect(ids(sent.items).slice(0, 3)).toEqual(["0", "truncation-notice", "1"]);
  });
});

describe("switched off", () => {
  it("C49 nothing is dropped or shortened, pairs are still whole", async () => {
    const messages = [prompt(textOf(9_000)), ...step("a", undefined), prompt("b")];
    const { cut } = await send(ownInput(messages));
    expect(cut).toBeDefined();
    const sent = await send(ownInput(messages, { mode: "off", cut }));
    expect(sent.cut).toBeUndefined();
    expect(sent.items).toHaveLength(4);
    expect(sent.repairedItems).toBe(1);
    expect(textAt(sent.items, "0")).toBe(textOf(9_000));
  });
});
