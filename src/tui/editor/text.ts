// The text being written: its characters, the cursor, and pastes that stand in it as one mark each. Pure.

/** A paste that is shown as a mark; its whole text is sent. */
export type PasteMark = { number: number; text: string };

export type EditorText = {
  /** A mark is one character of the private planes. */
  text: string;
  cursor: number;
  marks: Readonly<Record<string, PasteMark>>;
};

export const emptyText: EditorText = { text: "", cursor: 0, marks: {} };

const FIRST_MARK = 0xf0000;
const LAST_MARK = 0xffffd;
const LONG_LINES = 10;
const LONG_CHARS = 1000;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export const textOf = (text: string, marks: EditorText["marks"] = {}): EditorText => ({
  text,
  cursor: text.length,
  marks,
});

/** What is sent: every mark as the text that it stands for. */
export const expanded = ({ text, marks }: EditorText): string =>
  Object.keys(marks).length === 0 ? text : Array.from(text, (char) => marks[char]?.text ?? char).join("");

export function insert(state: EditorText, added: string): EditorText {
  const { text, cursor, marks } = state;
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length, marks };
}

/** A long paste becomes a mark; so does one that holds the very character of a mark. */
export function paste(state: EditorText, pasted: string): EditorText {
  const clashes = Object.keys(state.marks).some((mark) => pasted.includes(mark));
  if (lineCount(pasted) <= LONG_LINES && pasted.length <= LONG_CHARS && !clashes) return insert(state, pasted);
  const char = freeMark(state);
  if (char === undefined) return insert(state, pasted);
  const number = Math.max(0, ...Object.values(state.marks).map((mark) => mark.number)) + 1;
  const next = insert(state, char);
  return { ...next, marks: { ...state.marks, [char]: { number, text: pasted } } };
}

function freeMark({ text, marks }: EditorText): string | undefined {
  for (let code = FIRST_MARK; code <= LAST_MARK; code++) {
    const char = String.fromCodePoint(code);
    if (!(char in marks) && !text.includes(char)) return char;
  }
  return undefined;
}

/** The mark right before the cursor. */
export function markBefore({ text, cursor, marks }: EditorText): string | undefined {
  const before = [...text.slice(0, cursor)].at(-1);
  return before !== undefined && before in marks ? before : undefined;
}

/** The same paste again, right behind its mark, shows it whole. */
export function unfold(state: EditorText, pasted: string): EditorText | undefined {
  const before = markBefore(state);
  if (before === undefined || state.marks[before]?.text !== pasted) return undefined;
  const start = state.cursor - before.length;
  const { [before]: _shown, ...marks } = state.marks;
  return {
    text: state.text.slice(0, start) + pasted + state.text.slice(state.cursor),
    cursor: start + pasted.length,
    marks,
  };
}

/** A line break at the end ends the last line and begins none. */
const lineCount = (text: string): number => text.replace(/\n$/, "").split("\n").length;

export const markLabel = ({ number, text }: PasteMark): string => {
  const lines = lineCount(text);
  return `[Pasted text #${number}, ${lines === 1 ? "1 line" : `${lines} lines`}]`;
};

export const removeRange = (state: EditorText, from: number, to: number): EditorText => ({
  ...state,
  text: state.text.slice(0, from) + state.text.slice(to),
  cursor: from,
});

/** One whole character to the left or right. */
export function step(text: string, at: number, by: -1 | 1): number {
  if (by > 0) {
    const next = graphemes
      .segment(text.slice(at, at + 64))
      [Symbol.iterator]()
      .next();
    return next.done ? text.length : at + next.value.segment.length;
  }
  // Far enough back for the longest cluster that occurs in practice.
  const start = Math.max(0, at - 64);
  const before = [...graphemes.segment(text.slice(start, at))].at(-1);
  return before ? start + before.index : 0;
}

const isWord = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}_]/u.test(char);

export function wordLeft(text: string, from: number): number {
  let at = from;
  while (at > 0 && !isWord(text[at - 1])) at--;
  while (at > 0 && isWord(text[at - 1])) at--;
  return at;
}

export function wordRight(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isWord(text[at])) at++;
  while (at < text.length && isWord(text[at])) at++;
  return at;
}

export const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
