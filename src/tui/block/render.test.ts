// Blocks as lines: every kind, any text, any width.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stripAnsi } from "../../base/text.ts";
import type { TranscriptBlock } from "../../runtime/client/transcript.ts";
import { widthOf } from "../text/width.ts";
import { lookOf } from "../theme/look.ts";
import { sampleBlocks } from "./block-fixture.ts";
import { renderBlock } from "./render.ts";

/** All that may be in a line: text, and our own colours. */
const CLEAN = /^(?:[^\p{Control}\p{Surrogate}\u202a-\u202e\u2066-\u2069\u2028\u2029]|\u001b\[[\d;]+m)*$/u;

const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("constructor", "toString", "__proto__"),
  fc
    .array(
      fc.constantFrom(
        ...[
          "\u001b[2J",
          "\u001b]0;t\u0007",
          "\u202e",
          "\u200d",
          "👩‍👩‍👧‍👦",
          "漢字",
          "e\u0301",
          "\t",
          "\n",
          "\r",
          "\0",
          "\ud83d",
          "🇩🇪",
          "ｱﾞ",
        ],
        ...[
          "```js\n",
          "| a | b |\n|---|---|\n",
          "- item\n",
          "# head\n",
          "word ",
          "\u0e33",
          "\u115f",
          "\ufe0f",
          "![x](y)",
        ],
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join("")),
);

describe("renderBlock", () => {
  it("F16 every kind begins with a glyph and a word", () => {
    for (const look of [lookOf(), lookOf({ isAscii: true, depth: 0 })])
      for (const block of sampleBlocks())
        expect(stripAnsi(renderBlock(block, 80, look)[0] ?? ""), block.kind).toMatch(/^\S{1,2} [A-Za-z/]\S*/);
  });

  it("F32 a message with a long paste shows its beginning; the transcript panel and plain lines show all of it", () => {
    const [sample] = sampleBlocks().filter(({ kind }) => kind === "user");
    const text = Array.from({ length: 300 }, (_, at) => `line ${at}`).join("\n");
    const block = { ...sample, text, attachments: [] } as unknown as TranscriptBlock;
    const lines = (look: object): string[] => renderBlock(block, 80, { ...lookOf({ depth: 0 }), ...look });
    expect(lines({})).toHaveLength(20);
    expect(lines({}).slice(-2)).toEqual(["  line 18", "  +281 lines (ctrl+o)"]);
    expect(lines({ isWhole: true })).toHaveLength(300);
    expect(lines({ isPlain: true })).toHaveLength(300);
  });

  it("F24 what went wrong with a call is said once, whatever the model was told", () => {
    const card = (state: "failure" | "denied", code: string, message: string): string => {
      const [sample] = sampleBlocks().filter(({ kind }) => kind === "tool");
      const output = `Error (${code}): ${message}`;
      const block = {
        ...sample,
        tool: "view",
        args: {},
        state,
        error: { code, message },
        output,
        durationMs: 1,
        files: [],
      };
      return renderBlock(block as TranscriptBlock, 80, lookOf({ depth: 0 }))
        .slice(1)
        .join("\n");
    };
    expect(card("failure", "not_found", "There is no x.ts.").trim()).toBe("Failed: There is no x.ts.");
    expect(card("denied", "guard", "Denied: write x.").trim()).toBe("Denied: write x.");
  });

  it("F66 with ASCII glyphs a block of plain text has no other byte", () => {
    const look = lookOf({ isAscii: true, depth: 0 });
    for (const block of sampleBlocks())
      for (const line of renderBlock(block, 80, look)) expect(stripAnsi(line), block.kind).toMatch(/^[\x20-\x7e]*$/);
  });

  it("F14 F15 FI1 FB2 whatever the text, no line is wider and no control byte is ours to blame", () => {
    const looks = [lookOf(), lookOf({ isAscii: true, depth: 16 }), lookOf({ depth: 256, isWhole: true })];
    fc.assert(
      fc.property(nasty, nasty, fc.integer({ min: 40, max: 130 }), fc.constantFrom(...looks), (a, b, width, look) => {
        for (const block of sampleBlocks(a, b))
          for (const line of renderBlock(block as TranscriptBlock, width, look)) {
            expect(line, block.kind).toMatch(CLEAN);
            expect(widthOf(line), `${block.kind}: ${JSON.stringify(line)}`).toBeLessThanOrEqual(width);
          }
      }),
      { numRuns: 300 },
    );
  });
});
