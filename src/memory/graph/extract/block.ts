// A message as blocks: prose cut into sentences, numbered steps, and lines of code or output, which are nobody's words.
import { OWN_TAGS } from "../../../base/tag.ts";
import { blockRemover } from "../../../base/tag-block.ts";
import { stripAnsi } from "../../../base/text.ts";
import { CLIENT_BLOCKS } from "../../../model/wire/client-blocks.ts";

type Block =
  | { kind: "sentence"; text: string }
  | { kind: "steps"; title: string; steps: string[] }
  | { kind: "output"; lines: string[] };

/** A longer sentence is a list, a dump or an attack; no rule reads it. */
const MAX_SENTENCE = 600;
const MIN_SENTENCE = 6;
/** Most of a message that is read: a longer one is a file that somebody pasted. */
const MAX_TEXT = 262_144;

const withoutInsertions = blockRemover([...OWN_TAGS.map((name) => ({ name })), ...CLIENT_BLOCKS]);

/** How long the lines of a text are that was broken to fit a page. */
const PAGE = [66, 100] as const;

const FENCE = /^\s{0,3}(?:```|~~~)/;
const STEP = /^\s{0,6}(\d{1,3})[.)]\s+(\S.*)$/;
const BULLET = /^\s{0,8}(?:[-*•+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
/** Quotations, indented code, tables, markup, prompts, traces, logs and diffs, lists of commits, boxes to be ticked. */
const NOT_PROSE =
  /^(?:\s*(?:[-*+] )?(?:\\?\[{1,2}`?[0-9a-f]{7,40}`?\\?\]|\[ \])|\s*>|\t|[ ]{4}|\s*\||\s*<\/?[a-zA-Z]|\s*[$%] |\s*at \S+ ?\(|\s*(?:\/\/|\/\*|\*\/)|[+-]{3} |@@ |\s*\S+:\d+:|\s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S* (?:\[|[A-Z]{4,5}\b))|[{};]\s*$|=>|&&|\|\|/;
const HEADING = /^\s{0,3}#{1,6}\s+/;

/** The text that somebody wrote, without what we and other clients put into it and what a terminal adds. */
export function plainText(text: string): string {
  const head = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT).toWellFormed() : text;
  return withoutInsertions(stripAnsi(head)).replaceAll("\r\n", "\n");
}

/** `isOutput` names the lines that were read as output already. */
export function readBlocks(lines: readonly string[], isOutput: (at: number) => boolean = () => false): Block[] {
  const blocks: Block[] = [];
  let fenced: string[] | undefined;
  let paragraph = "";
  let title = "";
  let steps: string[] = [];
  const endParagraph = (): void => {
    if (paragraph !== "") for (const text of sentences(paragraph)) blocks.push({ kind: "sentence", text });
    paragraph = "";
  };
  const endSteps = (): void => {
    if (steps.length > 1) blocks.push({ kind: "steps", title, steps });
    else for (const step of steps) for (const text of sentences(step)) blocks.push({ kind: "sentence", text });
    steps = [];
  };
  for (const [at, line] of lines.entries()) {
    if (FENCE.test(line)) {
      endParagraph();
      if (fenced) {
        blocks.push({ kind: "output", lines: fenced });
        fenced = undefined;
      } else fenced = [];
      continue;
    }
    if (fenced) {
      fenced.push(line);
      continue;
    }
    const [, number, step = ""] = STEP.exec(line.slice(0, 2 * MAX_SENTENCE)) ?? [];
    if (number !== undefined && Number(number) === steps.length + 1) {
      endParagraph();
      steps.push(step.trim());
      continue;
    }
    if (line.trim() === "") {
      endParagraph();
      continue;
    }
    endSteps();
    if (isOutput(at) || NOT_PROSE.test(line.slice(0, 4 * MAX_SENTENCE))) {
      endParagraph();
      title = "";
      continue;
    }
    const starts = BULLET.test(line) || HEADING.test(line);
    const text = line.replace(HEADING, "").replace(BULLET, "").trim();
    // A line that fills the width of a page was broken by it, so the next one goes on even with a capital.
    const full =
      line.length <= PAGE[1] && (lines[at - 1]?.length ?? 0) >= PAGE[0] && (lines[at - 1]?.length ?? 0) <= PAGE[1];
    const continues =
      !starts && paragraph.length > 40 && (full || /^[\p{Ll}`"(]/u.test(text)) && !/[.!?:]$/.test(paragraph);
    if (!continues) endParagraph();
    paragraph = continues && paragraph.length < 4 * MAX_SENTENCE ? `${paragraph} ${text}` : text;
    title = text.slice(0, MAX_SENTENCE);
  }
  endParagraph();
  endSteps();
  if (fenced && fenced.length > 0) blocks.push({ kind: "output", lines: fenced });
  return blocks;
}

const END = /[.!?…]+["'”)\]]*\s+|[。！？]/g;
/** A link is read as its text. */
const LINK = /\[([^[\]\n]{1,200})\](?:\([^()\s]{1,400}\)|\[[^[\]\n]{0,100}\])/g;
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|Dr|Mr|Mrs|Ms|St|No|Nr|Fig|\p{Lu})\.$/u;

/** Each a piece of the paragraph as it stands. */
export function sentences(paragraph: string): string[] {
  const list: string[] = [];
  let from = 0;
  const push = (to: number): void => {
    if (to - from <= MAX_SENTENCE) {
      const text = paragraph.slice(from, to).trim();
      if (text.length >= MIN_SENTENCE) list.push(text.replace(LINK, "$1").replace(/\*\*|__/g, ""));
    }
    from = to;
  };
  for (const end of paragraph.matchAll(END)) {
    const stop = end.index + end[0].trimEnd().length;
    if (ABBREVIATION.test(paragraph.slice(Math.max(from, stop - 8), stop))) continue;
    push(end.index + end[0].length);
  }
  push(paragraph.length);
  return list;
}
