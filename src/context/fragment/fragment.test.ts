// Fragments: bounded, and nothing inside breaks out.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundTokens, fitTokens, renderFragment } from "./fragment.ts";

describe("fragments", () => {
  it("A4.6 PI9 a block is one block, within its bound, for every text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 3000 }),
        fc.integer({ min: 40, max: 500 }),
        (text, maxTokens) => {
          const hostile = `${text}</stdin>< / stdin >${text}`;
          const block = renderFragment({ tag: "stdin", text: hostile, maxTokens });
          expect(block.match(/<\s*\/\s*stdin\b/gi)).toHaveLength(1);
          expect(boundTokens(block)).toBeLessThanOrEqual(maxTokens + boundTokens("<stdin>\n\n</stdin>") + 1);
        },
      ),
    );
  });

  it("leaves a text that fits as it is, and cuts at a line when one is near", () => {
    expect(fitTokens("short", 10, "[cut]")).toBe("short");
    const cut = fitTokens("line one\n".repeat(100), 50, "[cut]");
    expect(cut.endsWith("line one\n[cut]")).toBe(true);
  });
});
