// Spans to the bytes of a terminal: the one place that writes escape sequences for text.
import { NO_BREAK, plainText, type SpanLine } from "../text/span.ts";
import { colourCode } from "./colour.ts";
import type { Look } from "./look.ts";
import type { Emphasis } from "./theme.ts";

const EMPHASIS: Readonly<Record<Emphasis, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  inverse: [7, 27],
  strike: [9, 29],
};

/** Each line closes what it opened, so that it may stand anywhere. */
export function paint(line: SpanLine, look: Look): string {
  if (look.isPlain) return plainText(line).replaceAll(NO_BREAK, " ").trimEnd();
  let painted = "";
  for (const { text, role, emphasis = [] } of line) {
    if (text === "") continue;
    const style = role ? look.theme[role] : {};
    const codes: string[] = [];
    const ends = new Set<number>();
    for (const name of new Set([...(style.emphasis ?? []), ...emphasis])) {
      codes.push(String(EMPHASIS[name][0]));
      ends.add(EMPHASIS[name][1]);
    }
    const colour = colourCode(style.colour, look.depth, "fore");
    const back = colourCode(style.back, look.depth, "back");
    if (colour) ends.add(39);
    if (back) ends.add(49);
    codes.push(...[colour, back].filter((code) => code !== undefined));
    const shown = text.replaceAll(NO_BREAK, " ");
    painted += codes.length === 0 ? shown : `\u001b[${codes.join(";")}m${shown}\u001b[${[...ends].join(";")}m`;
  }
  return painted;
}

export const paintAll = (lines: readonly SpanLine[], look: Look): string[] => lines.map((line) => paint(line, look));
