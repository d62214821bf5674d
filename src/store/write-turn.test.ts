import { expect, it } from "vitest";
import { WriteTurn } from "./write-turn.ts";

const sides = (): { front: WriteTurn; back: WriteTurn } => {
  const front = new WriteTurn("front");
  return { front, back: new WriteTurn("back", front.memory) };
};

it("D8 X120 one side at a time; who waits is told, and one side may have it several times over", async () => {
  const { front, back } = sides();
  expect([back.tryTake(), front.tryTake()]).toEqual([true, false]);
  const waiting = front.take(10_000);
  back.give();
  expect(await waiting).toBe(true);
  expect([front.tryTake(), back.tryTake()]).toEqual([true, false]);
  front.give();
  expect(back.tryTake()).toBe(false);
  front.give();
  expect(back.tryTake()).toBe(true);
});

it("D8 the back leaves it to a front that waits", async () => {
  const { front, back } = sides();
  back.tryTake();
  const waiting = front.take(10_000);
  back.give();
  expect(back.tryTake()).toBe(false);
  const next = back.take(10_000);
  expect(await waiting).toBe(true);
  front.give();
  expect(await next).toBe(true);
});

it("D8 nobody waits for ever, and the turn of a thread that ended is free", async () => {
  const { front, back } = sides();
  back.tryTake();
  expect(await front.take(20)).toBe(false);
  front.free();
  expect(front.tryTake()).toBe(true);
});
