// What people and models say: the person's message, the answer, and the thoughts before it.
import { type BlockOf, textOf } from "../../runtime/client/transcript.ts";
import { type SpanLine, span, textLines } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { emptyAnswer, extendAnswer, finishAnswer, openParts, partLines } from "./answer.ts";
import { countText } from "./figure.ts";
import { foldText, hanging, headLines, INDENT, indented } from "./layout.ts";

/** Who wrote a message that enters as the user's. */
const SENDERS: Readonly<Record<BlockOf<"user">["source"], string>> = {
  user: "you",
  command: "you",
  autopilot: "autopilot",
  notification: "notice",
  hook: "hook",
  agent: "agent",
};

/** More of a message is pasted text: it was seen when it was pasted, and is in the transcript panel. */
const MOST_LINES = 20;

export function userLines(block: BlockOf<"user">, width: number, look: Look): SpanLine[] {
  const [first = span(""), ...more] = textLines(block.text);
  const head = headLines({ glyph: "user", word: SENDERS[block.source], role: "user" }, [first], width, look);
  const body = more.flatMap((line) => inner([line], width));
  const attached = block.attachments.flatMap((path) => inner([span(`attached ${path}`, "dim")], width));
  const lines = [...head, ...body];
  if (look.isWhole || look.isPlain || lines.length <= MOST_LINES) return [...lines, ...attached];
  const shown = lines.slice(0, MOST_LINES - 1);
  const fold = span(foldText(countText(lines.length - shown.length, "line"), look), "fold");
  return [...shown, indented([fold]), ...attached];
}

/** One that still arrives is drawn as far as it has come. */
export const answerLines = (block: BlockOf<"assistant">, width: number, look: Look): SpanLine[] => {
  if (block.state !== "streaming") return partLines(finishAnswer(block, look), width);
  const [answer, parts] = extendAnswer(emptyAnswer, textOf(block), look);
  return partLines([...parts, ...openParts(answer, look)], width);
};

export function reasoningLines(block: BlockOf<"reasoning">, width: number, look: Look): SpanLine[] {
  if (look.reasoning === "hide" && !look.isWhole) return [];
  const lines = textLines(textOf(block).trim(), "dim");
  const head = { glyph: "reasoning", word: "reasoning", role: "dim" } as const;
  if (look.reasoning === "line" && !look.isWhole)
    return headLines(head, [span(foldText(countText(lines.length, "line"), look).slice(1), "fold")], width, look);
  return [...headLines(head, [], width, look), ...lines.flatMap((line) => inner([line], width))];
}

const inner = (line: SpanLine, width: number): SpanLine[] =>
  hanging(line, width - INDENT, 0).map((one) => indented(one));
