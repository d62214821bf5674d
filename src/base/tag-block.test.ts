// Blocks in tags are taken out whole, and nothing else is.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockRemover } from "./tag-block.ts";

const withoutNotes = blockRemover([{ name: "note" }]);

describe("blockRemover", () => {
  it.each([
    ["<note>a</note>", ""],
    ["before\n\n<note>a</note>\n\nafter", "before\nafter"],
    ["<note kind='x'>a</note>tail", "tail"],
    ["a <note>1</note> b <note>2</note>", "a\nb"],
    ["<notes>a</notes> stays", "<notes>a</notes> stays"],
    ["<note>never closed", "<note>never closed"],
    ["a</note> b", "a</note> b"],
    ["<notes><note>a</note></notes>", "<notes>\n</notes>"],
  ])("X22 %j leaves %j", (text, left) => {
    expect(withoutNotes(text)).toBe(left);
  });

  it("X22 takes out only the blocks that are meant", () => {
    const withoutOurs = blockRemover([{ name: "note", isMeant: (inside) => inside === "ours" }]);
    expect(withoutOurs("<note>theirs</note> <note>ours</note>")).toBe("<note>theirs</note>");
  });

  it("X22 a text without a closed block is the very same, and no text grows", () => {
    const text = fc
      .array(fc.constantFrom("<note>", "</note>", "<note", ">", "a", "\n", " "))
      .map((all) => all.join(""));
    fc.assert(
      fc.property(text, (one) => {
        const left = withoutNotes(one);
        if (!one.includes("</note>")) expect(left).toBe(one);
        expect(left.length).toBeLessThanOrEqual(one.length);
      }),
    );
  });

  it("X22 very many tags that stay open cost no more than reading the text", () => {
    for (const text of ["<note>".repeat(200_000), `${"<notes>".repeat(200_000)}</note>`, "<note ".repeat(200_000)]) {
      expect(withoutNotes(text)).toBe(text);
    }
  });
});
