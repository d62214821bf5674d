// What is to be seen, and the frame that brings a terminal there.

import type { TerminalSize } from "../terminal/adapter.ts";
import type { PrintUnit } from "../terminal/printed.ts";

/** What is to be seen now. `settled` gives each unit once; the first `open` live lines are the beginning of what settles next. */
export type Picture = {
  settled: readonly PrintUnit[];
  live: readonly string[];
  open: number;
  /** A panel, a question or a list stands there for a while: what is visible makes room for it and comes back. */
  isRaised: boolean;
  /** It was not drawn: the next picture has all of it. */
  undo(): void;
};

/** What a frame is drawn on, when that is not the region as it was left. */
export type FrameGround = {
  erase: string;
  /** Rows up from the cursor to where it draws. */
  up: number;
  /** The lines that it takes away. */
  before: readonly string[];
  again: readonly PrintUnit[];
  /** How many of these count as printed. */
  printed: number;
  /** How many of the lines, from the first on, are theirs. */
  kept: number;
  /** The frame only erases them and has a small live region: they are printed when the terminal has said what it erased. */
  waits: boolean;
  top: number | undefined;
};

/** A frame on its way to the terminal, which may have another size by then. */
export type SentFrame = {
  size: TerminalSize;
  before: readonly string[];
  up: number;
  isCut: boolean;
  /** Lines that it writes from there on; undefined: that row stays. The first `wrapping` ones may be wrapped. */
  drawn: readonly (string | undefined)[];
  wrapping: number;
  /** All lines of the new region with those that settle above it. */
  settled: number;
  total: number;
  units: readonly PrintUnit[];
  isRaised: boolean;
  isAnew: boolean;
  kept: number;
};

export type FramePlan = { bytes: string; commit(): SentFrame };
