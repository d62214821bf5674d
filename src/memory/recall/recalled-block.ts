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
  /** From whom. */
  source: string;
};
export type RecalledParts = {
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

/** Undefined: nothing is to be said. A text that stands in the request, or in an earlier section, is not repeated. */
export function recalledBlock(parts: RecalledParts, request = ""): string | undefined {
  const seen = [folded(request)];
  const section = (name: keyof RecalledParts): string[] => {
    const fresh = parts[name].filter(({ text }) => {
      const words = folded(text);
      const isNew = words !== "" && !seen.some((held) => held === words || (held === seen[0] && held.includes(words)));
      if (isNew) seen.push(words);
      return isNew;
    });
    const lines = bounded(fresh.map(lineOf), RECALLED_BOUNDS[name]);
    const missing = fresh.length - lines.length;
    if (fresh.length === 0) return [];
    return [HEADS[name], ...lines, ...(missing > 0 ? [`(${missing} more)`] : [])];
  };
  const body = [...section("pins"), ...section("facts"), ...section("quotes")];
  return body.length === 0 ? undefined : inTag("everlong_recall", [intro.trim(), ...body].join("\n"));
}

const folded = (text: string): string =>
  recalledLine(text)
    .toLowerCase()
    .replace(/[.!\s]+$/, "");

function lineOf({ text, ref, at, source }: RecalledLine): string {
  const about = [ref, at?.slice(0, 10), source].filter(Boolean).join(", ");
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
