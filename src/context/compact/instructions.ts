// The messages that ask for a summary: the whole history in one, a part of it, or the merging of parts.
import { inTag } from "../../base/tag.ts";
import { firstLine } from "../../base/text.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { Count, SessionItem } from "./items.ts";
import instructions from "./prompt/instructions.md";
import merge from "./prompt/merge.md";
import sections from "./prompt/sections.md";
import summariser from "./prompt/summariser.md";
import { TAG } from "./tags.ts";

type Wish = {
  /** Tokens that the summary may have. */
  share: number;
  focus?: string | undefined;
};

/** System text of calls that see only a part of the record. */
export const SUMMARISER_SYSTEM = summariser.trim();

const WORDS_PER_TOKEN = 0.75;
const LEAST_WORDS = 100;
const TITLE_CHARS = 80;

/** After the items themselves. The table stands in for labels inside the history, whose bytes must not change. */
export function askForSummary(wish: Wish, turns: string): string {
  return fill(instructions, { ...common(wish), turns });
}

/** A part of the record as text, each message labelled with its turn. */
export function askForPart(wish: Wish, transcript: string, part: number, of: number): string {
  return [
    `This is part ${part} of ${of} of the record of one session.`,
    inTag(TAG.transcript, transcript),
    fill(instructions, { ...common(wish), turns: "" }),
  ].join("\n\n");
}

export function askToMerge(wish: Wish, summaries: readonly string[]): string {
  const parts = summaries.map((summary, at) => inTag(TAG.transcript, summary, { number: `${at + 1}` })).join("\n");
  return fill(merge, { ...common(wish), parts, count: String(summaries.length) });
}

/** `tN: beginning of the prompt` for the prompts among the items; the newest that fit, when there are too many. */
export function turnTable(items: readonly SessionItem[], maxTokens: number, count: Count): string {
  const lines = items.filter((item) => item.isPrompt).map(turnLine);
  const paragraphs: string[] = [];
  let room = maxTokens;
  for (const line of lines.toReversed()) {
    room -= count(`${line}\n`);
    if (room < 0) break;
    paragraphs.unshift(line);
  }
  return paragraphs.length === 0 ? "" : `The turns, each with the beginning of its prompt:\n${paragraphs.join("\n")}`;
}

function turnLine({ turn, raw }: ContextItem<SessionItem["raw"]>): string {
  return `t${turn}: ${firstLine(raw.content, TITLE_CHARS)}`;
}

function common({ share, focus }: Wish): Record<string, string> {
  const words = Math.max(LEAST_WORDS, Math.floor(share * WORDS_PER_TOKEN));
  return {
    words: String(words),
    sections: sections.trim(),
    focus: focus ? `The user asks to give special attention to this:\n${focus}` : "",
  };
}

function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole).trim();
}
