// What the tests keep of a program's output: all of it, and of very much the end, in whole lines.
import { expect, it } from "vitest";
import { OutputTail } from "./output-tail.ts";

it("L10 an output within the bound is kept as it is", () => {
  const tail = new OutputTail(100);
  for (const part of ["one\ntw", "o\nth", "ree"]) tail.add(Buffer.from(part));
  expect(tail.text()).toBe("one\ntwo\nthree");
});

it("L10 of an output beyond the bound the last lines are kept", () => {
  const tail = new OutputTail(100);
  for (let n = 0; n < 100_000; n++) tail.add(Buffer.from(n % 2 === 0 ? `line ` : `${n}\n`));
  const lines = tail.text().trimEnd().split("\n");
  expect(lines.at(-1)).toBe("line 99999");
  expect(lines.every((line) => /^line \d+$/.test(line))).toBe(true);
  expect(tail.text().length).toBeLessThanOrEqual(100);
});
