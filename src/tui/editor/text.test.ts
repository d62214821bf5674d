// The mark of a long paste: what it counts, and from where on a paste becomes one.
import { expect, it } from "vitest";
import { emptyText, markLabel, paste } from "./text.ts";

const label = (pasted: string): string | undefined => Object.values(paste(emptyText, pasted).marks).map(markLabel)[0];

it("F32 a line break at the end of a paste is no line more: 10 lines stay as they are, 40 are 40", () => {
  const lines = (count: number): string => "line\n".repeat(count);
  expect(label(lines(10))).toBeUndefined();
  expect(paste(emptyText, lines(10)).text).toBe(lines(10));
  expect(label(lines(11))).toBe("[Pasted text #1, 11 lines]");
  expect(label(lines(40))).toBe("[Pasted text #1, 40 lines]");
  expect(label(lines(40).trimEnd())).toBe("[Pasted text #1, 40 lines]");
});
