// What is remembered holds nothing else in memory.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { ownText } from "./own-text.ts";
import { remembering } from "./remember.ts";

it("N33 a word that is remembered does not hold the text that it was cut from", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const lengthOf = remembering(1_000, (key) => key.length);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 50; n++) {
    const [, word = ""] = /(word\d+)$/.exec(`${"a line of text ".repeat(100_000)} word${10_000_000_000 + n}`) ?? [];
    expect(lengthOf(word)).toBe(15);
  }
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20e6);
});

it("N33 a text of one's own reads as before, whatever its signs", () => {
  for (const text of [
    "short",
    "a longer text of more than a few signs",
    '"quoted\\n"\u2028',
    "half of a pair \ud83d alone",
  ])
    expect(ownText(text)).toBe(text);
});
