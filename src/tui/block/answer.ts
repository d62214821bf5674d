// The lines of an answer: its head, then its Markdown, element by element as each ends.
import type { BlockOf } from "../../runtime/client/transcript.ts";
import { type SpanLine, span, textLines } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { hanging, headLines, INDENT, indented } from "./layout.ts";

const HEAD = { glyph: "assistant", word: "everlong", role: "accent" } as const;

/** What was read so far: whether anything was, and the open rest. */
export type AnswerText = { hasBegun: boolean; open: string };
export const emptyAnswer: AnswerText = { hasBegun: false, open: "" };

/** More text of the answer, and the lines that are final by it. */
export function extendAnswer(answer: AnswerText, text: string, width: number, look: Look): [AnswerText, SpanLine[]] {
  const open = answer.open + text;
  const end = open.lastIndexOf("\n") + 1;
  const lines = end === 0 ? [] : bodyLines(open.slice(0, end), width);
  const hasBegun = answer.hasBegun || lines.length > 0;
  const head = hasBegun && !answer.hasBegun ? headLines(HEAD, [], width, look) : [];
  return [{ hasBegun, open: open.slice(end) }, [...head, ...lines]];
}

export function openLines(answer: AnswerText, width: number, look: Look): SpanLine[] {
  const head = answer.hasBegun ? [] : headLines(HEAD, [], width, look);
  return answer.open === "" ? head : [...head, ...bodyLines(answer.open, width)];
}

/** All lines of an answer that is over. The first of them are those that were final while it arrived. */
export function finishAnswer(
  block: Exclude<BlockOf<"assistant">, { state: "streaming" }>,
  width: number,
  look: Look,
): SpanLine[] {
  const [answer, lines] = extendAnswer(emptyAnswer, block.text, width, look);
  const whole = [...lines, ...openLines(answer, width, look)];
  // Said in words: a text that simply stops looks whole.
  const ending = { complete: "", incomplete: "(incomplete)", discarded: "(broken off, discarded)" }[block.state];
  return ending === "" ? whole : [...whole, indented([span(ending, "dim")])];
}

const bodyLines = (text: string, width: number): SpanLine[] =>
  textLines(text).flatMap((line) => hanging([line], width - INDENT, 0).map((one) => indented(one)));
