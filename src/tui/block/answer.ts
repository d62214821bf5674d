// The lines of an answer: its head, then its Markdown, element by element as each ends.
import type { BlockOf } from "../../runtime/client/transcript.ts";
import { elementLines, proseLines, wrapCode } from "../markdown/element.ts";
import { feed, flush, type MarkdownPart, noSegments, openRows, type Segments } from "../markdown/segment.ts";
import { type SpanLine, span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { countText } from "./figure.ts";
import { headLines, INDENT, indented } from "./layout.ts";

const HEAD = { glyph: "assistant", word: "everlong", role: "accent" } as const;
/** Columns that code stands further in than prose. */
const CODE_INDENT = 2;

/** What stands above the next part: it decides about the space between them, and what colours the next line of code. */
type PartsAbove = { readonly before: MarkdownPart | undefined; readonly isHeading: boolean; readonly context: string };

/** What was read so far: the open element, and what was drawn above it. */
export type AnswerText = PartsAbove & { readonly segments: Segments };
export const emptyAnswer: AnswerText = { segments: noSegments, before: undefined, isHeading: false, context: "" };

/** One part of an answer: its lines at a width. */
export type AnswerPart = (width: number) => SpanLine[];

/** More text of the answer, and the parts that are final by it. */
export function extendAnswer(answer: AnswerText, text: string, look: Look): [AnswerText, AnswerPart[]] {
  const [segments, parts] = feed(answer.segments, text);
  const [above, drawn] = placeParts(answer, parts, look);
  return [{ ...above, segments }, drawn];
}

/** The open element as it stands; a table is drawn when it ends. */
export function openParts(answer: AnswerText, look: Look): AnswerPart[] {
  const rows = openRows(answer.segments);
  if (rows === undefined) return endParts(answer, look);
  const text = `table, ${countText(Math.max(0, rows), "row")}`;
  return placeParts(answer, [{ type: "text", source: text, isSpaced: true }], look)[1];
}

/** What the text ends with, if it ends here. */
function endParts(answer: AnswerText, look: Look): AnswerPart[] {
  const [above, parts] = placeParts(answer, flush(answer.segments), look);
  return above.before === undefined ? [(width) => headLines(HEAD, [], width, look)] : parts;
}

/** All parts of an answer that is over. The first of them are those that were final while it arrived. */
export function finishAnswer(block: Exclude<BlockOf<"assistant">, { state: "streaming" }>, look: Look): AnswerPart[] {
  const [answer, parts] = extendAnswer(emptyAnswer, block.text, look);
  const whole = [...parts, ...endParts(answer, look)];
  // Said in words: a text that simply stops looks whole.
  const ending = { complete: "", incomplete: "(incomplete)", discarded: "(interrupted, discarded)" }[block.state];
  return ending === "" ? whole : [...whole, () => [indented([span(ending, "dim")])]];
}

export const partLines = (parts: readonly AnswerPart[], width: number): SpanLine[] =>
  parts.flatMap((part) => part(width));

function placeParts(answer: PartsAbove, parts: readonly MarkdownPart[], look: Look): [PartsAbove, AnswerPart[]] {
  let above: PartsAbove = { before: answer.before, isHeading: answer.isHeading, context: answer.context };
  const placed: AnswerPart[] = [];
  for (const part of parts) {
    const here = above;
    const code = part.type === "code" ? look.highlight?.(part.language, here.context, part.text) : undefined;
    placed.push((width) => [
      ...(here.before === undefined ? headLines(HEAD, [], width, look) : []),
      ...(isSpaced(here.before, part, here.isHeading) ? [[]] : []),
      ...elementOf(part, code?.spans, width, look),
    ]);
    above = {
      before: part,
      isHeading: part.type === "text" && /^ {0,3}#/.test(part.source),
      context: isCode(part) ? (code?.context ?? "") : here.context,
    };
  }
  return [above, placed];
}

const isCode = ({ type }: MarkdownPart): boolean => type === "code" || type === "fence" || type === "fence-end";

function elementOf(part: MarkdownPart, code: SpanLine | undefined, width: number, look: Look): SpanLine[] {
  if (part.type === "fence" || part.type === "fence-end") return [];
  if (part.type === "code") {
    const indent = INDENT + CODE_INDENT;
    const lines = wrapCode(code ?? [span(part.text, "code")], part.language, width - indent);
    return lines.map((line) => indented(line, indent));
  }
  const number = part.type === "item" ? part.number : undefined;
  const room = width - INDENT;
  const lines = part.type === "more" ? proseLines(part.source, room) : elementLines(part.source, room, look, number);
  return lines.map((line) => (line.length === 0 ? line : indented(line)));
}

/** A line of space between elements; none within a list that has none, and none below a heading. */
function isSpaced(before: MarkdownPart | undefined, part: MarkdownPart, isHeading: boolean): boolean {
  if (before === undefined || part.type === "code" || part.type === "fence-end" || part.type === "more") return false;
  if (part.type === "item" && (before.type === "item" || before.type === "text")) return part.isSpaced && !isHeading;
  return !isHeading || part.type === "fence";
}
