import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { NumberMap } from "./number-map.ts";

const keyOf = (text: string): number => Number.parseInt(hash("sha1", text).slice(0, 13), 16);

test("a map of numbers gives what a Map gives, also when it grew and when keys share their lowest bits", () => {
  const [ours, theirs] = [new NumberMap(), new Map<number, number>()];
  const set = (key: number, value: number): void => {
    ours.set(key, value);
    theirs.set(key, value);
  };
  for (let i = 0; i < 5000; i++) set(keyOf(`event ${i % 4000}`), i);
  for (let i = 0; i < 100; i++) set(i * 2 ** 40, i);
  set(2 ** 52 - 1, -1);
  expect(ours.size).toBe(theirs.size);
  for (const [key, value] of theirs) expect(ours.get(key)).toBe(value);
  expect(ours.has(0)).toBe(true);
  expect(ours.get(1)).toBeUndefined();
  for (let i = 0; i < 1000; i++) expect(ours.has(keyOf(`never ${i}`))).toBe(false);
});
