// A cut holds: the same bytes request after request, until the high-water mark is passed again.
import { describe, expect, it } from "vitest";
import type { ContextItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import { afterCompaction } from "./cut.ts";
import { boundHuge } from "./shorten-pass.ts";
import type { TruncateInput } from "./truncate.ts";
import { answer, ownInput, prompt, type Sent, send, sizeOf, step, textOf } from "./truncate-fixture.ts";

describe("a cut in force", () => {
  const turns = (n: number, from = 0) =>
    Array.from({ length: n }, (_, i) => [
      prompt(`prompt ${from + i}`),
      ...step(`s${from + i}`, textOf(120)),
      answer("done"),
    ]).flat();

  it("C46 is applied unchanged until the high-water mark is passed again, then it grows", async () => {
    const all = turns(60);
    let cut: TruncateInput<Message>["cut"];
    let previous: Sent | undefined;
    let cuts = 0;
    for (let n = 4; n <= all.length; n += 4) {
      const sent: Sent = await send(ownInput(all.slice(0, n), { cut }));
      if (sent.newCut) cuts++;
      else if (previous)
        expect(sent.items.slice(0, previous.items.length).map((i) => i.raw)).toEqual(previous.items.map((i) => i.raw));
      for (const id of cut?.dropped ?? []) expect(sent.cut?.dropped.has(id)).toBe(true);
      cut = sent.cut;
      previous = sent;
    }
    expect(cuts).toBeGreaterThan(1);
    expect(cuts).toBeLessThan(8);
  });

  it("C46 a shortened item keeps its object and bytes, and its size follows the calibration", async () => {
    const messages = [prompt("p"), ...step("a", textOf(5_000)), ...step("b", "r")];
    const first = await send(ownInput(messages));
    const raw = first.items.find(({ id }) => id === "2")?.raw;
    const factor = 1.2;
    const input = ownInput([...messages, answer("more")], {
      cut: first.cut,
      count: async (item) => Math.round(sizeOf(item) * factor),
    });
    const next = await send({
      ...input,
      items: input.items.map((item) => ({ ...item, tokens: Math.round(item.tokens * factor) })),
    });
    expect(next.newCut).toBe(false);
    expect(next.items.find(({ id }) => id === "2")?.raw).toBe(raw);
    expect(next.items.find(({ id }) => id === "2")?.tokens).toBe(
      Math.round(first.cut!.shortened.get("2")!.tokens * factor),
    );
  });

  it("C46 u counts what is dropped, and shortened items at their size", async () => {
    const input = ownInput([prompt("p"), ...step("a", textOf(5_000)), ...turns(40)]);
    const { cut } = await send(input);
    const { applied } = await boundHuge({ ...input, cut });
    const sizes = input.items.map((item) => cut?.shortened.get(item.id)?.tokens ?? item.tokens);
    expect(applied.historyTokens).toBe(sizes.reduce((a, b) => a + b, 0));
    expect(applied.omitted.length).toBeGreaterThan(0);
    expect(applied.history.map(({ tokens }) => tokens)).toEqual(sizes);
    expect(applied.history.map(({ id }) => id)).toEqual(input.items.map(({ id }) => id));
  });

  it("C46 after a compaction only the shortened items stay in it", async () => {
    const { cut } = await send(ownInput([prompt("p"), ...step("a", textOf(5_000)), ...turns(40)]));
    const kept = afterCompaction(cut);
    expect(kept?.dropped.size).toBe(0);
    expect(kept?.shortened).toBe(cut?.shortened);
    expect(afterCompaction(undefined)).toBeUndefined();
  });

  it("C47 computed anew it is the same cut with the same id", async () => {
    const input = ownInput(turns(40));
    expect((await send(input)).cut).toEqual((await send(ownInput(turns(40)))).cut);
  });

  it("C56 C17 a smaller limit cuts harder", async () => {
    const input = ownInput(turns(40));
    const { cut, conversationTokens } = await send(input);
    const harder = await send({ ...input, cut, effectiveLimit: 2_000 });
    expect(harder.newCut).toBe(true);
    expect(harder.conversationTokens).toBeLessThan(conversationTokens / 1.5);
  });

  it("CB13 a result that comes after its call was dropped is left out", async () => {
    const [call] = step("slow", "x") as [Message];
    const history = [prompt("first"), call, ...turns(40)];
    const { cut } = await send(ownInput(history));
    expect(cut?.dropped.has("1")).toBe(true);
    const late = step("slow", "late").slice(1);
    const next = await send(ownInput([...history, ...late], { cut }));
    expect(next.items.some(({ raw }) => raw.content === "late")).toBe(false);
    expect(next.repairedItems).toBe(1);
  });

  it("C10 with a cut in force only what is new to it is counted", async () => {
    const history = [prompt("p"), ...step("a", textOf(5_000)), ...turns(2_000)];
    const { cut } = await send(ownInput(history, { effectiveLimit: 40_000 }));
    let counts = 0;
    const input = ownInput([...history, answer("one more")], { cut, effectiveLimit: 40_000 });
    const count = async (item: ContextItem<Message>) => {
      counts++;
      return sizeOf(item);
    };
    await send({ ...input, count });
    // The one shortened item and the notice, both counted before and cached by the counter.
    expect(counts).toBeLessThanOrEqual(2);
  });
});

describe("three hundred turns", () => {
  it("C153 the prefix breaks only where a cut is made, at most once in 20 requests, and 0.95 of each request is shared", async () => {
    const all = Array.from({ length: 300 }, (_, i) => [
      prompt(`prompt ${i}`),
      ...step(`s${i}`, textOf(150 + ((i * 37) % 200))),
      answer(textOf(40)),
    ]);
    let cut: TruncateInput<Message>["cut"];
    let before: string[] = [];
    let [cuts, breaks, shared] = [0, 0, 0];
    for (let n = 1; n <= all.length; n++) {
      const sent: Sent = await send(
        ownInput(all.slice(0, n).flat(), { cut, effectiveLimit: 24_000, fixedTokens: 2_000 }),
      );
      const now = sent.items.map(({ raw }) => JSON.stringify(raw));
      const same = before.findIndex((text, at) => text !== now[at]);
      const prefix = same === -1 ? before : before.slice(0, same);
      const bytes = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0);
      shared += before.length === 0 ? 1 : bytes(prefix) / bytes(before);
      if (same !== -1) breaks++;
      if (sent.newCut) cuts++;
      cut = sent.cut;
      before = now;
    }
    expect(cuts).toBeGreaterThan(2);
    expect(breaks).toBe(cuts);
    expect(cuts).toBeLessThanOrEqual(300 / 20);
    expect(shared / 300).toBeGreaterThanOrEqual(0.95);
  });
});
