// Cuts Markdown into its elements as it arrives, line by line. Where it cuts depends on the text alone, not on how it came.
import { cutAt } from "../../base/text.ts";
import {
  fenceOf,
  isBlank,
  isDelimiter,
  isFenceEnd,
  isHeading,
  isRule,
  isUnderline,
  type ListMark,
  markOf,
} from "./line.ts";

/** `isSpaced`: a blank line stands before it. */
export type MarkdownPart =
  /** Elements that a parser reads as a whole: paragraphs, headings, quotes. */
  | { type: "text"; source: string; isSpaced: boolean }
  | { type: "item"; source: string; isSpaced: boolean; number?: number }
  /** What a long line goes on with. */
  | { type: "more"; source: string }
  | { type: "table"; source: string }
  | { type: "fence"; language: string }
  | { type: "code"; text: string; language: string }
  | { type: "fence-end" };

type Open =
  | { type: "none" }
  | { type: "text" | "table"; source: string; lines: number }
  | { type: "item"; source: string; mark: ListMark; number?: number; fence?: string; hasBlank: boolean }
  | { type: "fence"; mark: string; indent: number; language: string }
  /** The beginning of a long line has ended; the rest is still coming. */
  | { type: "more" };

export type Segments = { readonly open: Open; readonly line: string; readonly isSpaced: boolean };
export const noSegments: Segments = { open: { type: "none" }, line: "", isSpaced: false };

/** An element that grows without end is cut, so that what is open stays small. */
const MOST_CHARS = 8192;
const MOST_TABLE_CHARS = 4 * 1024 * 1024;

/** More text: what is open now, and the elements that have ended. */
export function feed(before: Segments, text: string): [Segments, MarkdownPart[]] {
  const parts: MarkdownPart[] = [];
  const lines = text.split("\n");
  let state: Segments = before;
  for (const [at, piece] of lines.entries()) {
    let line = at === 0 ? state.line + piece : piece;
    for (; line.length > MOST_CHARS && state.open.type !== "table"; ) {
      const cut = longLineCut(line);
      state = takeBeginning(state, line.slice(0, cut), parts);
      line = line.slice(cut);
    }
    if (at === lines.length - 1) return [{ ...state, line }, parts];
    state = { ...takeLine(state, line.endsWith("\r") ? line.slice(0, -1) : line, parts), line: "" };
  }
  return [state, parts];
}

/** What the open element would be if the text ended here. */
export function flush(state: Segments): MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  const { open, isSpaced } = state.line === "" ? state : takeLine(state, state.line, parts);
  end(open, isSpaced, parts);
  return parts;
}

/** The rows of a table that is open. */
export const openRows = ({ open, line }: Segments): number | undefined =>
  open.type === "table" ? open.lines - 2 + (line.includes("|") ? 1 : 0) : undefined;

/** A line that goes on: what it begins with is all that is known of it. */
function takeBeginning(state: Segments, piece: string, parts: MarkdownPart[]): Segments {
  const after = state.open.type === "fence" ? takeCode(state, state.open, piece, parts) : takeLine(state, piece, parts);
  if (after.open.type === "fence" || after.open.type === "table") return after;
  end(after.open, after.isSpaced, parts);
  return { open: { type: "more" }, line: "", isSpaced: false };
}

function longLineCut(line: string): number {
  const space = line.lastIndexOf(" ", MOST_CHARS);
  return space > MOST_CHARS / 2 ? space + 1 : cutAt(line, MOST_CHARS).length;
}

function end(open: Open, isSpaced: boolean, parts: MarkdownPart[]): void {
  if (open.type === "text") parts.push({ type: "text", source: open.source, isSpaced });
  if (open.type === "table") parts.push({ type: "table", source: open.source });
  if (open.type === "item")
    parts.push({
      type: "item",
      source: open.source,
      isSpaced,
      ...(open.number === undefined ? {} : { number: open.number }),
    });
}

function takeCode(
  state: Segments,
  { indent, language }: Open & { type: "fence" },
  line: string,
  parts: MarkdownPart[],
) {
  parts.push({ type: "code", text: withoutIndent(line, indent), language });
  return state;
}

function takeLine(state: Segments, line: string, parts: MarkdownPart[]): Segments {
  const { open, isSpaced } = state;
  const close = (isNextSpaced: boolean): Segments => {
    end(open, isSpaced, parts);
    return { open: { type: "none" }, line: "", isSpaced: isNextSpaced };
  };
  switch (open.type) {
    case "fence":
      if (isFenceEnd(line, open.mark)) {
        parts.push({ type: "fence-end" });
        return { open: { type: "none" }, line: "", isSpaced: true };
      }
      return takeCode(state, open, line, parts);
    case "more":
      if (line !== "") parts.push({ type: "more", source: line });
      return { open: { type: "none" }, line: "", isSpaced: false };
    case "none":
      return begin(state, line, parts);
    case "table":
      if (line.includes("|") && open.source.length < MOST_TABLE_CHARS)
        return { ...state, open: { ...open, source: `${open.source}\n${line}`, lines: open.lines + 1 } };
      return begin(close(isBlank(line)), line, parts);
    case "text": {
      if (isBlank(line)) return close(true);
      const mark = markOf(line);
      const interrupts = mark && !mark.isEmpty && (mark.number ?? 1) === 1 && !isUnderline(line);
      if (fenceOf(line) || isHeading(line) || interrupts) return begin(close(false), line, parts);
      const source = `${open.source}\n${line}`;
      if (open.lines === 1 && isDelimiter(line, open.source))
        return { ...state, open: { type: "table", source, lines: 2 } };
      const longer: Segments = { ...state, open: { type: "text", source, lines: open.lines + 1 } };
      if (!isUnderline(line) && source.length <= MOST_CHARS) return longer;
      end(longer.open, isSpaced, parts);
      return { open: { type: "none" }, line: "", isSpaced: false };
    }
    case "item":
      return takeItemLine(state, open, line, parts);
  }
}

function begin(state: Segments, line: string, parts: MarkdownPart[]): Segments {
  const { isSpaced } = state;
  const fence = fenceOf(line);
  const mark = isRule(line) ? undefined : markOf(line);
  if (isBlank(line)) return { ...state, isSpaced: true };
  if (fence) {
    parts.push({ type: "fence", language: fence.language });
    return { open: { type: "fence", ...fence }, line: "", isSpaced: false };
  }
  if (isHeading(line) || isRule(line)) {
    parts.push({ type: "text", source: line, isSpaced });
    return { open: { type: "none" }, line: "", isSpaced: false };
  }
  if (mark) return { open: item(line, mark, mark.number), line: "", isSpaced };
  return { open: { type: "text", source: line, lines: 1 }, line: "", isSpaced };
}

const item = (source: string, mark: ListMark, number: number | undefined): Open => {
  const fence = fenceOf(source.slice(mark.content));
  const more = { ...(number === undefined ? {} : { number }), ...(fence ? { fence: fence.mark } : {}) };
  return { type: "item", source, mark, hasBlank: false, ...more };
};

function takeItemLine(state: Segments, open: Open & { type: "item" }, line: string, parts: MarkdownPart[]): Segments {
  const longer = (more: Partial<typeof open>): Segments => ({
    ...state,
    open: { ...open, source: `${open.source}\n${line}`, ...more },
  });
  const close = (): Segments => {
    end(open, state.isSpaced, parts);
    return { open: { type: "none" }, line: "", isSpaced: open.hasBlank };
  };
  if (open.fence !== undefined) {
    const { fence: _, ...rest } = open;
    return isFenceEnd(line.trimStart(), open.fence)
      ? { ...state, open: { ...rest, source: `${open.source}\n${line}` } }
      : longer({});
  }
  if (isBlank(line)) return longer({ hasBlank: true });
  const indent = line.length - line.trimStart().length;
  const mark = isRule(line) ? undefined : markOf(line);
  if (mark && indent < open.mark.content) {
    const number = open.number === undefined || mark.number === undefined ? mark.number : open.number + 1;
    return { ...close(), open: item(line, mark, number) };
  }
  const isInside = indent >= open.mark.content;
  const isLazy = !open.hasBlank && !fenceOf(line) && !isHeading(line) && !isRule(line);
  // Of a list that never ends, what is there is drawn; the rest begins anew.
  if ((!isInside && !isLazy) || open.source.length > MOST_CHARS * 8) return begin(close(), line, parts);
  const fence = isInside ? fenceOf(line.trimStart()) : undefined;
  return longer({ hasBlank: false, ...(fence ? { fence: fence.mark } : {}) });
}

function withoutIndent(line: string, indent: number): string {
  let at = 0;
  while (at < indent && line.charCodeAt(at) === 32) at++;
  return line.slice(at);
}
