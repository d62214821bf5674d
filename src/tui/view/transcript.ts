// The transcript panel: every block whole, older ones too, with search. What stays folded on the screen is seen here.

import { entryOf } from "../../base/own-entry.ts";
import type { TranscriptBlock } from "../../runtime/client/transcript.ts";
import { countText } from "../block/figure.ts";
import type { PanelView } from "../panel/contract.ts";
import type { KeyPress } from "../terminal/input.ts";
import { type SpanLine, span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { paint } from "../theme/paint.ts";
import { fitLine } from "./line.ts";
import { drawnBlocks, lastScreen, linesFrom, moved, type TranscriptPlace } from "./transcript-place.ts";
import { blockHolds, markedLine } from "./transcript-search.ts";

export type TranscriptPanel = {
  blocks: readonly TranscriptBlock[];
  /** Undefined: the end, wherever that is. */
  place: TranscriptPlace | undefined;
  query: string;
  isTyping: boolean;
  /** What the last search said. */
  message: string;
  /** How it was drawn last: keys move by what is on the screen. */
  drawn: { width: number; rows: number; look: Look } | undefined;
};

export const transcriptPanel = (blocks: readonly TranscriptBlock[], before?: TranscriptPanel): TranscriptPanel =>
  before
    ? { ...before, blocks }
    : { blocks, place: undefined, query: "", isTyping: false, message: "", drawn: undefined };

const wholeLooks = new WeakMap<Look, Look>();

/** One look for each: lines are drawn once for it. */
function wholeLook(look: Look): Look {
  const whole = wholeLooks.get(look) ?? { ...look, isWhole: true };
  wholeLooks.set(look, whole);
  return whole;
}

export const transcriptView: PanelView<TranscriptPanel> = {
  render(state, width, look, rows) {
    const whole = wholeLook(look);
    const room = Math.max(1, rows - 1);
    state.drawn = { width, rows: room, look: whole };
    const drawn = drawnBlocks(state.blocks, width, whole);
    const lines = linesFrom(drawn, moved(drawn, placeOf(state, room, width, whole), 0, room), room);
    const query = state.query.toLowerCase();
    const shown = query === "" ? lines : lines.map((line) => markedLine(line, query));
    return [...shown.map((line) => paint(line, look)), fitLine(footLine(state), width, look)];
  },
  handle(key, state) {
    if (state.isTyping) return { type: "show", state: typed(key, state) };
    if (key.id === "ctrl+o" || key.id === "q") return { type: "close" };
    const next = moving(key, state) ?? searching(key, state);
    return next ? { type: "show", state: next } : undefined;
  },
};

const placeOf = ({ blocks, place }: TranscriptPanel, rows: number, width: number, look: Look): TranscriptPlace =>
  place ?? lastScreen(drawnBlocks(blocks, width, look), rows);

function footLine({ isTyping, query, message, blocks, place }: TranscriptPanel): SpanLine {
  if (isTyping)
    return [span(`/${query}`, "accent"), span("▏", "accent"), span("  enter searches upwards, esc leaves", "dim")];
  const where = place ? `entry ${place.block + 1} of ${blocks.length}` : `end of ${countText(blocks.length, "entry")}`;
  const hint = query === "" ? "/ searches" : "n older, N newer";
  return [span([message || where, hint, "esc closes"].join(" · "), "dim")];
}

function moving(key: KeyPress, state: TranscriptPanel): TranscriptPanel | undefined {
  const { drawn: size } = state;
  if (!size) return undefined;
  const { rows, width, look } = size;
  if (key.id === "home" || key.id === "g") return { ...state, place: { block: 0, line: 0 }, message: "" };
  if (key.id === "end" || key.id === "G" || key.id === "shift+g") return { ...state, place: undefined, message: "" };
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    down: 1,
    k: -1,
    j: 1,
    pageUp: 1 - rows,
    pageDown: rows - 1,
    b: 1 - rows,
    space: rows - 1,
  };
  const by = entryOf(steps, key.id);
  if (by === undefined) return undefined;
  const drawn = drawnBlocks(state.blocks, width, look);
  const place = moved(drawn, placeOf(state, rows, width, look), by, rows);
  const last = lastScreen(drawn, rows);
  const isEnd = place.block === last.block && place.line === last.line;
  return { ...state, place: isEnd ? undefined : place, message: "" };
}

function searching(key: KeyPress, state: TranscriptPanel): TranscriptPanel | undefined {
  if (key.text === "/" || key.id === "ctrl+f") return { ...state, isTyping: true, query: "", message: "" };
  if (state.query === "") return undefined;
  if (key.text === "n" || key.id === "enter") return search(state, -1);
  return key.text === "N" ? search(state, 1) : undefined;
}

function typed(key: KeyPress, state: TranscriptPanel): TranscriptPanel {
  if (key.id === "escape") return { ...state, isTyping: false, query: "" };
  if (key.id === "enter") return search({ ...state, isTyping: false }, -1);
  if (key.id === "backspace") return { ...state, query: [...state.query].slice(0, -1).join("") };
  return key.text === undefined ? state : { ...state, query: state.query + key.text };
}

/** The next block that holds the words, upwards or downwards from here. */
function search(state: TranscriptPanel, way: -1 | 1): TranscriptPanel {
  const { blocks, place, drawn: size } = state;
  const query = state.query.toLowerCase();
  if (query === "" || !size) return state;
  const from = place?.block ?? blocks.length;
  for (let block = from + way; block >= 0 && block < blocks.length; block += way) {
    const one = blocks[block];
    if (!one || !blockHolds(one, query)) continue;
    const lines = drawnBlocks(blocks, size.width, size.look).lines(block);
    const line = lines.findIndex((spans) =>
      spans
        .map(({ text }) => text)
        .join("")
        .toLowerCase()
        .includes(query),
    );
    return { ...state, place: { block, line: Math.max(0, line) }, message: `entry ${block + 1} of ${blocks.length}` };
  }
  return { ...state, message: `no ${way < 0 ? "older" : "newer"} entry has "${state.query}"` };
}
