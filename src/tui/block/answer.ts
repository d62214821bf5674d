// The lines of an answer: its head, then its Markdown, element by element as each ends.
import type { BlockOf } from "../../runtime/client/transcript.ts";
import { elementLines } from "../markdown/element.ts";
import { feed, flush, type MarkdownPart, noSegments, openRows, type Segments } from "../markdown/segment.ts";
import { type SpanLine, span } from "../text/span.ts";
import { wrapCells } from "../text/wrap.ts";
import type { Look } from "../theme/look.ts";
import { countText } from "./figure.ts";
import { headLines, INDENT, indented } from "./layout.ts";

const HEAD = { glyph: "assistant", word: "everlong", role: "accent" } as const;
/** Columns that code stands further in than prose. */
const CODE_INDENT = 2;

/** What was read so far: the open element, the last that was drawn, and what colours the next line of code. */
export type AnswerText = {
  readonly segments: Segments;
  readonly before: MarkdownPart | undefined;
  readonly isHeading: boolean;
  readonly context: string;
};
export const emptyAnswer: AnswerText = { segments: noSegments, before: undefined, isHeading: false, context: "" };

/** More text of the answer, and the lines that are final by it. */
export function extendAnswer(answer: AnswerText, text: string, width: number, look: Look): [AnswerText, SpanLine[]] {
  const [segments, parts] = feed(answer.segments, text);
  return drawParts({ ...answer, segments }, parts, width, look);
}

/** The open element as it stands; a table is drawn when it ends. */
export function openLines(answer: AnswerText, width: number, look: Look): SpanLine[] {
  const rows = openRows(answer.segments);
  if (rows === undefined) return endLines(answer, width, look);
  const text = `table, ${countText(Math.max(0, rows), "row")}`;
  const placeholder = { type: "text", source: text, isSpaced: true } as const;
  return drawParts(answer, [placeholder], width, { ...look })[1];
}

/** What the text ends with, if it ends here. */
const endLines = (answer: AnswerText, width: number, look: Look): SpanLine[] => {
  const [drawn, lines] = drawParts(answer, flush(answer.segments), width, look);
  return drawn.before === undefined ? headLines(HEAD, [], width, look) : lines;
};

/** All lines of an answer that is over. The first of them are those that were final while it arrived. */
export function finishAnswer(
  block: Exclude<BlockOf<"assistant">, { state: "streaming" }>,
  width: number,
  look: Look,
): SpanLine[] {
  const [answer, lines] = extendAnswer(emptyAnswer, block.text, width, look);
  const whole = [...lines, ...endLines(answer, width, look)];
  // Said in words: a text that simply stops looks whole.
  const ending = { complete: "", incomplete: "(incomplete)", discarded: "(broken off, discarded)" }[block.state];
  return ending === "" ? whole : [...whole, indented([span(ending, "dim")])];
}

function drawParts(
  answer: AnswerText,
  parts: readonly MarkdownPart[],
  width: number,
  look: Look,
): [AnswerText, SpanLine[]] {
  let { before, isHeading, context } = answer;
  const lines: SpanLine[] = [];
  for (const part of parts) {
    if (before === undefined) lines.push(...headLines(HEAD, [], width, look));
    let own: SpanLine[] = [];
    if (part.type === "code") {
      const coloured = look.highlight?.(part.language, context, part.text);
      context = coloured?.context ?? "";
      const room = width - INDENT - CODE_INDENT;
      own = wrapCells(coloured?.spans ?? [span(part.text, "code")], { first: room, rest: room }).map((line) =>
        indented(line, INDENT + CODE_INDENT),
      );
    } else if (part.type === "fence" || part.type === "fence-end") context = "";
    else {
      const number = part.type === "item" ? part.number : undefined;
      own = elementLines(part.source, width - INDENT, look, number).map((line) =>
        line.length === 0 ? line : indented(line),
      );
    }
    if (isSpaced(before, part, isHeading)) lines.push([]);
    for (const line of own) lines.push(line);
    isHeading = part.type === "text" && /^ {0,3}#/.test(part.source);
    before = part;
  }
  return [{ ...answer, before, isHeading, context }, lines];
}

/** A line of space between elements; none within a list that has none, and none below a heading. */
function isSpaced(before: MarkdownPart | undefined, part: MarkdownPart, isHeading: boolean): boolean {
  if (before === undefined || part.type === "code" || part.type === "fence-end") return false;
  if (part.type === "item" && (before.type === "item" || before.type === "text")) return part.isSpaced && !isHeading;
  return !isHeading || part.type === "fence";
}
