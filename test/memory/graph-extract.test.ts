// The rules extractor on labelled messages: few wrong facts, most of the right ones, on messages that no rule is fitted to.
import { describe, expect, it } from "vitest";
import { precision, readLabelled, recall, score } from "../../bench/graph-extract/labelled.ts";
import { story } from "../../bench/graph-extract/story.ts";
import { extractFacts } from "../../src/memory/graph/extract/extract.ts";

describe("G9 labelled messages", () => {
  for (const half of ["development", "held-out"])
    it(`G9 G14 ${half}: precision at least 0.9 at a recall of at least 0.6, with the right times`, () => {
      const result = score(readLabelled(`bench/graph-extract/${half}.txt`));
      expect(precision(result), result.wrong.join("\n")).toBeGreaterThanOrEqual(0.9);
      expect(recall(result), result.missing.join("\n")).toBeGreaterThanOrEqual(0.6);
      expect(result.misdated).toEqual([]);
    });

  for (const set of ["natural", "prose"])
    it(`G9 ${set}, as people write to an agent: precision at least 0.9 at a recall of at least 0.6`, () => {
      const result = score(readLabelled(`bench/graph-extract/${set}.txt`));
      expect(precision(result), result.wrong.join("\n")).toBeGreaterThanOrEqual(0.9);
      expect(recall(result), result.missing.join("\n")).toBeGreaterThanOrEqual(0.6);
    });

  it("G9 a year of changing facts, told in many ways among questions and hearsay", () => {
    const result = score(story(7, 365));
    expect(result.wrong).toEqual([]);
    expect(recall(result)).toBeGreaterThanOrEqual(0.9);
    expect(result.right).toBeGreaterThan(150);
  });

  it("RI8 what a message states does not depend on the messages before it", () => {
    const messages = story(3, 200).map(({ message }) => message);
    const forwards = messages.map((message) => JSON.stringify(extractFacts(message)));
    const backwards = messages.toReversed().map((message) => JSON.stringify(extractFacts(message)));
    expect(backwards.toReversed()).toEqual(forwards);
  });
});
