// How blocks are drawn on this terminal: theme, colours it can show, glyphs, and what the person chose to see.
import type { Highlighter } from "../markdown/highlight.ts";
import { asciiGlyphs, type Glyphs, unicodeGlyphs } from "./glyph.ts";
import { type Theme, themes } from "./theme.ts";

/** How many colours the terminal shows; 0: none, bold and reverse stay. */
export type ColourDepth = 0 | 16 | 256 | 16_777_216;

export type Look = {
  theme: Theme;
  depth: ColourDepth;
  glyphs: Glyphs;
  isAscii: boolean;
  /** How thoughts are shown: one line, all of it, or not at all. */
  reasoning: "line" | "full" | "hide";
  /** Lines of a tool's output in its card. */
  toolLines: number;
  /** Everything is drawn, nothing folded: the transcript panel. */
  isWhole?: boolean;
  /** For readers of one line after another: labels for glyphs, no escape sequence, no drawn line, tables as lists. */
  isPlain?: boolean;
  /** Milliseconds since 1970, for what still runs; absent where time stands still. */
  now?: number;
  /** Absent until it is loaded: code is then drawn in one colour. */
  highlight?: Highlighter;
};

export function lookOf({ isAscii = false, ...choice }: Partial<Omit<Look, "glyphs">> = {}): Look {
  return {
    theme: themes.dark,
    depth: 16_777_216,
    reasoning: "line",
    toolLines: 8,
    ...choice,
    isAscii,
    glyphs: isAscii ? asciiGlyphs : unicodeGlyphs,
  };
}

/** Wider than any line: whoever reads plain lines wraps them. */
export const PLAIN_WIDTH = 1_000_000;

export const plainLook = (choice: Partial<Pick<Look, "reasoning" | "toolLines">> = {}): Look =>
  lookOf({ ...choice, depth: 0, isAscii: true, isPlain: true });
