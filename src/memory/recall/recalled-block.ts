// What is remembered, as one bounded block before a request: pins first, then facts, then quotes, each with its ref, date and source.
import { inTag } from "../../base/tag.ts";
import { clip } from "../../base/text.ts";
import { recalledLine } from "../../context/fragment/recalled.ts";
import intro from "./recalled.md";

/** One thing that is remembered. */
export type RecalledLine = {
  text: string;
  /** By which a reader finds it again. */
  ref: string;
  /** ISO time. */
  at?: string;
  /** It is true from `at` on, and to this time when there is one. */
  holds?: { until?: string };
  /** From whom. */
  source: string;
};
type RecalledParts = {
  pins: readonly RecalledLine[];
  facts: readonly RecalledLine[];
  quotes: readonly RecalledLine[];
};

type Bound = { lines: number; chars: number };
export const RECALLED_BOUNDS = {
  pins: { lines: 12, chars: 1500 },
  facts: { lines: 10, chars: 2000 },
  quotes: { lines: 4, chars: 3000 },
} as const satisfies Record<keyof RecalledParts, Bound>;
/** No more of one text. */
const LONGEST = 600;

const HEADS: Readonly<Record<keyof RecalledParts, string>> = {
  pins: "Pins in force (one that is not listed here has ended):",
  facts: "Facts:",
  quotes: "Quotes:",
};

/** So much is set aside for the count of what is left out. */
const MORE_CHARS = 16;

/**
 * Undefined: nothing is to be said. A text that stands in the request, or in an earlier section, is not repeated.
 * `maxChars`: of the whole block; where it is less than the sections may have, the first ones go first.
 */
export function recalledBlock(
  parts: RecalledParts,
  request = "",
  maxChars = Number.POSITIVE_INFINITY,
): string | undefined {
  const seen = [folded(request)];
  let room = maxChars - inTag("everlong_recall", intro.trim()).length;
  const section = (name: keyof RecalledParts): string[] => {
    const fresh = parts[name].filter(({ text }) => {
      const words = folded(text);
      const isNew =
        words !== "" && !seen.some((block) => block === words || (block === seen[0] && block.includes(words)));
      if (isNew) seen.push(words);
      return isNew;
    });
    const { lines: most, chars } = RECALLED_BOUNDS[name];
    const left = room - HEADS[name].length - 1 - MORE_CHARS;
    const lines = bounded(fresh.map(lineOf), { lines: most, chars: Math.min(chars, left) });
    const missing = fresh.length - lines.length;
    if (fresh.length === 0 || left < MORE_CHARS) return [];
    const text = [HEADS[name], ...lines, ...(missing > 0 ? [`(${missing} more)`] : [])];
    room -= text.join("\n").length + 1;
    return text;
  };
  const body = [...section("pins"), ...section("facts"), ...section("quotes")];
  return body.length === 0 ? undefined : inTag("everlong_recall", [intro.trim(), ...body].join("\n"));
}

/** The section of pins alone, for a block that is not ours; empty when none is in force. */
export function pinSection(pins: readonly RecalledLine[], maxChars: number): string {
  if (pins.length === 0) return "";
  const { lines: most, chars } = RECALLED_BOUNDS.pins;
  const room = Math.min(chars, maxChars - HEADS.pins.length - 1 - MORE_CHARS);
  const lines = bounded(pins.map(lineOf), { lines: most, chars: room });
  if (lines.length === 0) return "";
  const missing = pins.length - lines.length;
  return [HEADS.pins, ...lines, ...(missing > 0 ? [`(${missing} more)`] : [])].join("\n");
}

/** Whether a text has such a section. */
export const hasPinSection = (text: string): boolean => text.includes(HEADS.pins);

export const NO_PINS = `${HEADS.pins}\n(none)`;

const folded = (text: string): string =>
  recalledLine(text)
    .toLowerCase()
    .replace(/[.!\s]+$/, "");

function lineOf({ text, ref, at, holds, source }: RecalledLine): string {
  const day = at?.slice(0, 10);
  const dates = holds && day ? `since ${day}${holds.until ? ` until ${holds.until.slice(0, 10)}` : ""}` : day;
  const about = [ref, dates, source].filter(Boolean).join(", ");
  return `- ${clip(recalledLine(text), LONGEST)} (${recalledLine(about)})`;
}

function bounded(lines: readonly string[], { lines: most, chars }: Bound): string[] {
  let room = chars;
  return lines.slice(0, most).filter((line) => {
    if (line.length + 1 > room) return false;
    room -= line.length + 1;
    return true;
  });
}
