// A place in a transcript of any length: a block and a line of it. Only blocks near the place are ever drawn.
import type { TranscriptBlock } from "../../runtime/client/transcript.ts";
import { blockLines, spaceAbove } from "../block/render.ts";
import type { SpanLine } from "../text/span.ts";
import type { Look } from "../theme/look.ts";

export type TranscriptPlace = { readonly block: number; readonly line: number };
type DrawnBlocks = { count: number; lines(block: number): readonly SpanLine[] };

const cache = new WeakMap<TranscriptBlock, { width: number; look: Look; lines: readonly SpanLine[] }>();

/** Blocks as lines, each with the space above it; drawn once for a width and a look. */
export function drawnBlocks(blocks: readonly TranscriptBlock[], width: number, look: Look): DrawnBlocks {
  return {
    count: blocks.length,
    lines(at) {
      const block = blocks[at];
      if (!block) return [];
      const entry = cache.get(block);
      if (entry && entry.width === width && entry.look === look) return entry.lines;
      const own = blockLines(block, width, look);
      const lines = own.length > 0 && spaceAbove(blocks[at - 1], block) ? [[], ...own] : own;
      cache.set(block, { width, look, lines });
      return lines;
    },
  };
}

/** So many lines further down, or up; it stops at the first line and at the last screen. */
export function moved(drawn: DrawnBlocks, place: TranscriptPlace, by: number, rows: number): TranscriptPlace {
  let { block, line } = place;
  line += by;
  for (; line < 0 && block > 0; line += drawn.lines(block).length) block--;
  for (
    let size = drawn.lines(block).length;
    line >= size && block < drawn.count - 1;
    size = drawn.lines(block).length
  ) {
    line -= size;
    block++;
  }
  const last = lastScreen(drawn, rows);
  const isBehind = block > last.block || (block === last.block && line > last.line);
  return isBehind ? last : { block, line: Math.max(0, line) };
}

/** The place from which the last lines fill the screen. */
export function lastScreen(drawn: DrawnBlocks, rows: number): TranscriptPlace {
  let room = rows;
  for (let block = drawn.count - 1; block >= 0; block--) {
    const size = drawn.lines(block).length;
    if (size >= room) return { block, line: size - room };
    room -= size;
  }
  return { block: 0, line: 0 };
}

export function linesFrom(drawn: DrawnBlocks, { block, line }: TranscriptPlace, rows: number): SpanLine[] {
  const lines: SpanLine[] = [];
  for (let at = block; at < drawn.count && lines.length < rows; at++)
    lines.push(...drawn.lines(at).slice(at === block ? line : 0, (at === block ? line : 0) + rows - lines.length));
  return lines;
}
