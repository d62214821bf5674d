// Text counted by its letters and digits: whatever the width, they are the same, while rules, indents and breaks are not.
import type { SpanLine } from "../text/span.ts";

const LETTER = /[\p{L}\p{N}]/gu;

export const lettersIn = (text: string): number => text.match(LETTER)?.length ?? 0;

export const letterCount = (lines: readonly SpanLine[]): number =>
  lines.reduce((sum, line) => sum + line.reduce((own, { text }) => own + lettersIn(text), 0), 0);

/** The lines behind so many letters; one that is cut keeps its indent. */
export function afterLetters(lines: readonly SpanLine[], letters: number): SpanLine[] {
  let left = letters;
  let at = 0;
  for (; at < lines.length; at++) {
    const own = letterCount([lines[at] ?? []]);
    if (own > left) break;
    left -= own;
  }
  const [line, ...rest] = lines.slice(at);
  if (line === undefined || left === 0) return lines.slice(at);
  return [cutLine(line, left), ...rest];
}

function cutLine(line: SpanLine, letters: number): SpanLine {
  let left = letters;
  return line.flatMap((one) => {
    if (left === 0 || /^ *$/.test(one.text)) return [one];
    let from = 0;
    for (const match of one.text.matchAll(LETTER)) {
      if (left === 0) break;
      left--;
      from = match.index + match[0].length;
    }
    if (left > 0 || from === one.text.length) return [];
    return [{ ...one, text: one.text.slice(from) }];
  });
}
