// An answer that arrives in pieces: final lines never change, and all of them together are the whole answer's.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stripAnsi } from "../../base/text.ts";
import type { BlockOf } from "../../runtime/client/transcript.ts";
import { linked } from "../../session/transcript/chain.ts";
import { loadHighlighter } from "../markdown/highlight.ts";
import { plainText } from "../text/span.ts";
import { type Look, lookOf } from "../theme/look.ts";
import { paintAll } from "../theme/paint.ts";
import { type AnswerPart, partLines } from "./answer.ts";
import { AnswerStream } from "./answer-stream.ts";
import { renderBlock } from "./render.ts";

const begun = { kind: "assistant", id: "m.assistant", at: "2026-01-01T00:00:00.000Z", messageId: "m" } as const;
const whole = (text: string): BlockOf<"assistant"> => ({ ...begun, state: "complete", text });
const drawn = (text: string, width = 60, look = lookOf()): string[] =>
  renderBlock(whole(text), width, look).map((line) => stripAnsi(line).trimEnd());

/** All that was handed out as final, piece by piece, and what was open after each. */
function streamed(pieces: readonly string[], width: number, look: Look): { settled: string[]; open: string[][] } {
  const stream = new AnswerStream(look);
  const lines = (parts: readonly AnswerPart[]): string[] => paintAll(partLines(parts, width), look);
  const settled: string[] = [];
  const open: string[][] = [];
  let chain: ReturnType<typeof linked<string>> | undefined;
  for (const piece of pieces) {
    chain = linked(chain, piece);
    const parts = stream.update({ ...begun, state: "streaming", pieces: chain });
    settled.push(...lines(parts.settled));
    open.push(lines(parts.open).map((line) => stripAnsi(line)));
  }
  settled.push(...lines(stream.update(whole(pieces.join(""))).settled));
  return { settled, open };
}

const SAMPLE = [
  "# Result",
  "The port is set in **src/main.js**, see [the docs](https://example.org/port) or <https://example.org>.",
  "",
  "```js",
  "const port = 8080; // default",
  "/* more",
  "of it */ listen(port);",
  "```",
  "",
  "| name | value |",
  "|------|------:|",
  "| port | 8080 |",
  "| host | `localhost` |",
  "",
  "- first point",
  "- second point with a rather long line that has to wrap somewhere near the right edge",
  "  1. nested",
  "  2. also nested",
  "- [x] a task",
  "",
  "> quoted words",
  "",
  "1. one",
  "1. two",
].join("\n");

describe("an answer", () => {
  it("F9 Markdown is drawn, its marks are not shown, lists hang, links show another address", () => {
    expect(drawn(SAMPLE)).toEqual([
      "● everlong",
      "  Result",
      "  The port is set in src/main.js, see the docs",
      "  (https://example.org/port) or https://example.org.",
      "",
      "    const port = 8080; // default",
      "    /* more",
      "    of it */ listen(port);",
      "",
      "  ┌──────┬───────────┐",
      "  │ name │     value │",
      "  ├──────┼───────────┤",
      "  │ port │      8080 │",
      "  │ host │ localhost │",
      "  └──────┴───────────┘",
      "",
      "  • first point",
      "  • second point with a rather long line that has to wrap",
      "    somewhere near the right edge",
      "    1. nested",
      "    2. also nested",
      "  • [x] a task",
      "",
      "  │ quoted words",
      "",
      "  1. one",
      "  2. two",
    ]);
  });

  it("F9 an open table is only counted, a fence is final line by line", () => {
    const table = streamed(["| a | b |\n|---|---|\n", "| 1 | 2 |\n", "| 3 | 4 |\n"], 60, lookOf());
    expect(table.open.map((lines) => lines.at(-1)?.trim())).toEqual(["table, 0 rows", "table, 1 row", "table, 2 rows"]);
    const stream = new AnswerStream(lookOf());
    const pieces = linked(linked(undefined, "```ts\nconst a = 1;\ncon"), "st b");
    const { settled } = stream.update({ ...begun, state: "streaming", pieces });
    expect(partLines(settled, 60).map(plainText)).toEqual(["● everlong", "    const a = 1;"]);
  });

  it("F9 a fence without a language breaks between words, code where the row is full", () => {
    const line = "hello, I prefer tabs, and the gateway is deployed on Tuesdays";
    expect(drawn(`\`\`\`\n${line}\n\`\`\`\n\n- a\n  \`\`\`\n  ${line}\n  \`\`\``, 50)).toEqual([
      "● everlong",
      "    hello, I prefer tabs, and the gateway is",
      "    deployed on Tuesdays",
      "",
      "  • a",
      "",
      "      hello, I prefer tabs, and the gateway is",
      "      deployed on Tuesdays",
    ]);
    expect(drawn(`\`\`\`js\n${line}\n\`\`\``, 50)[1]).toBe(`    ${line.slice(0, 46)}`.trimEnd());
  });

  it("F9 FI1 FI2 however it is cut, what was final is the beginning of the whole answer", async () => {
    const highlight = await loadHighlighter();
    const looks = [lookOf(), lookOf({ highlight, isAscii: true })];
    const piece = fc.constantFrom(
      ...[
        "word ",
        "**bold** ",
        "`code` ",
        "\n",
        "\n\n",
        "- item\n",
        "  - nested\n",
        "1. one\n",
        "# Head\n",
        "> quote\n",
        "---\n",
        "===\n",
      ],
      ...[
        "```ts\n",
        "```\n",
        "~~~\n",
        "const a = `x\n",
        "| a | b |\n",
        "|---|---|\n",
        "| 1 | 2 |\n",
        "    indented\n",
        "👩‍👩‍👧",
        "漢字",
        "\r\n",
      ],
      ...[
        "[a](b)",
        "<br>",
        "<b>",
        "\\*",
        "&amp;",
        "x".repeat(50),
        "\u001b[31m",
        "\t",
        "* * *\n",
        "- ```\n",
        "10) ten\n",
      ],
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }),
        fc.array(fc.nat(7), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 40, max: 100 }),
        fc.constantFrom(...looks),
        (parts, sizes, width, look) => {
          const text = parts.join("");
          const pieces: string[] = [];
          for (let at = 0, turn = 0; at < text.length; turn++) {
            const size = 1 + (sizes[turn % sizes.length] ?? 0) * 3;
            pieces.push(text.slice(at, at + size));
            at += size;
          }
          expect(streamed(pieces, width, look).settled).toEqual(renderBlock(whole(text), width, look));
        },
      ),
      { numRuns: 400 },
    );
  });

  it("FB1 a megabyte without a newline, and a fence with one, end in lines that fit", () => {
    for (const text of ["x".repeat(1_000_000), `\`\`\`\n${"y".repeat(1_000_000)}\n\`\`\``, "word ".repeat(200_000)]) {
      const lines = renderBlock(whole(text), 80, lookOf()).map(stripAnsi);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
      expect(
        lines.join("").replaceAll(/[^xy]|word/g, "").length + lines.join(" ").split("word").length,
      ).toBeGreaterThan(200_000);
    }
  });

  it("FB1 F9 a line without end has no empty row in it, whatever its middle looks like, and comes the same in pieces", () => {
    const middles = ["word ", "# no heading ", "- no item ", "| no | table ", "1. no number ", "``` no fence "];
    const text = `before\n\n${middles.map((middle) => middle.repeat(3000)).join("")}end\n\nafter`;
    const lines = drawn(text, 80);
    expect(lines.slice(0, 3)).toEqual(["● everlong", "  before", ""]);
    expect(lines.slice(-3)).toEqual([expect.stringMatching(/ end$/), "", "  after"]);
    expect(lines.slice(3, -2)).not.toContain("");
    const letters = (all: string): string => all.replaceAll(/[\s`]/g, "");
    expect(letters(lines.slice(1).join(""))).toBe(letters(text));
    expect(streamed(text.match(/[\s\S]{1,999}/g) ?? [], 80, lookOf()).settled.map(stripAnsi)).toEqual(
      renderBlock(whole(text), 80, lookOf()).map(stripAnsi),
    );
  });

  it("FB2 marks that nest without end do not break the reader", () => {
    for (const mark of ["> ", "- ", "**", "[", "`", "1. ", "~~", "<", "![", "|"]) {
      const lines = renderBlock(whole(mark.repeat(5000)), 80, lookOf());
      expect(lines.length).toBeGreaterThan(0);
    }
  });

  it("F9 documents of this repository are drawn without a mark of a fence or a heading", () => {
    for (const name of ["architecture.md", "commands.md"]) {
      const text = readFileSync(`${import.meta.dirname}/../../../docs/${name}`, "utf8");
      const lines = drawn(text, 100);
      expect(lines.filter((line) => /^ {2}(?:```|#{1,6} )/.test(line))).toEqual([]);
    }
  });
});
