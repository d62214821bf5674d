// A block of text that we put into a request: one tag, one bound, and nothing inside can break out of it.
import { escapeTags, inTag, NOTICE_TAG, type OwnTag } from "../../base/tag.ts";
import { cutAt } from "../../base/text.ts";

export type Fragment = {
  /** The tag around the text; without one the text stands bare. */
  tag?: OwnTag;
  attributes?: Record<string, string>;
  text: string;
  maxTokens: number;
};

/** Tokens by bytes, an upper bound for ordinary text: bounding must not need the tokenizer. */
export function boundTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

/** The longest beginning of the text that stays within the bound, cut at a line, with a note of what is missing. */
export function fitTokens(text: string, maxTokens: number, note: string): string {
  if (boundTokens(text) <= maxTokens) return text;
  const room = Math.max(0, maxTokens - boundTokens(note) - 2) * 3;
  let cut = cutAt(text, room);
  while (Buffer.byteLength(cut) > room) cut = cutAt(cut, Math.floor((cut.length * room) / Buffer.byteLength(cut)));
  const line = cut.lastIndexOf("\n");
  if (line > cut.length / 2) cut = cut.slice(0, line);
  return `${cut}\n${note}`;
}

const CUT = "[cut here: the block is longer than its bound]";

export function renderFragment({ tag, attributes, text, maxTokens }: Fragment): string {
  const body = fitTokens(tag ? escapeTags(text) : text, maxTokens, CUT);
  return tag ? inTag(tag, body, attributes) : body;
}

const BETWEEN = new RegExp(`\\n</${NOTICE_TAG}>\\s*<${NOTICE_TAG}>\\n`, "g");

/** Two notifications that follow each other become one block. */
export function joinNotifications(before: string, next: string): string {
  return `${before}\n${next}`.replace(BETWEEN, "\n\n");
}

/**
 * A notification reaches the model as user-role text in its own tag. `isBlock`: it holds a block of ours, and all that
 * is not ours is escaped in it already.
 */
export function notification(text: string, maxTokens = 1000, isBlock = false): string {
  return inTag(NOTICE_TAG, fitTokens(isBlock ? text : escapeTags(text), maxTokens, CUT));
}
