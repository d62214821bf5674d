// The transcript as lines: those that are final, each handed out once, and those of blocks that still change.
import { type BlockOf, itemsAfter, type Transcript, type TranscriptBlock } from "../../runtime/client/transcript.ts";
import { type AnswerPart, partLines } from "../block/answer.ts";
import { AnswerStream } from "../block/answer-stream.ts";
import { lettersIn } from "../block/letters.ts";
import { renderBlock, spaceAbove } from "../block/render.ts";
import { type PrintUnit, printUnit } from "../terminal/printed.ts";
import { span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { paint, paintAll } from "../theme/paint.ts";
import type { Picture } from "./picture.ts";

export type TranscriptPrinter = {
  /** Lines of our own, before what comes next. */
  print(lines: (width: number) => readonly string[]): void;
  /** Hands out only the last `most` blocks of what is settled. */
  skipTo(transcript: Transcript, most: number): void;
  /** `open`: how many of the first live lines begin the answer that settles next. */
  lines(
    transcript: Transcript,
    width: number,
    liveWidth: number,
    now: number,
  ): Omit<Picture, "live" | "isRaised"> & { live: string[] };
  /** The terminal scrolled this beginning of the open answer away. */
  scrolled(text: string): void;
};

export function transcriptPrinter(look: Look): TranscriptPrinter {
  let printed = 0;
  let waiting: PrintUnit["at"][] = [];
  let last: TranscriptBlock | undefined;
  /** An answer that arrives: some of its parts are out already. */
  let answer: { id: string; stream: AnswerStream } | undefined;

  const saved = (): (() => void) => {
    const before = { printed, waiting, last, answer };
    const restore = answer?.stream.save();
    return () => {
      ({ printed, waiting, last, answer } = before);
      restore?.();
    };
  };
  const streamOf = (block: BlockOf<"assistant">): AnswerStream => {
    if (answer?.id !== block.id) answer = { id: block.id, stream: new AnswerStream(look) };
    return answer.stream;
  };
  const hasSpace = (block: TranscriptBlock, stream?: AnswerStream): boolean =>
    !stream?.isBegun && spaceAbove(last, block) > 0;
  const partUnit = (part: AnswerPart, width: number, isSpaced: boolean): PrintUnit =>
    printUnit(width, (columns) => [...(isSpaced ? [""] : []), ...paintAll(part(columns), look)]);

  const settledUnits = (block: TranscriptBlock, width: number): PrintUnit[] => {
    if (block.kind === "assistant" && answer?.id === block.id) {
      const isSpaced = hasSpace(block, answer.stream);
      return answer.stream.update(block).settled.map((part, at) => partUnit(part, width, isSpaced && at === 0));
    }
    const isSpaced = hasSpace(block);
    const unit = printUnit(width, (columns) => renderBlock(block, columns, look));
    if (unit.lines.length === 0 || !isSpaced) return unit.lines.length === 0 ? [] : [unit];
    return [{ width, lines: ["", ...unit.lines], at: (columns) => ["", ...unit.at(columns)] }];
  };

  return {
    print(lines) {
      waiting.push(lines);
    },
    skipTo({ settled }, most) {
      const count = settled?.count ?? 0;
      if (count - printed <= most) return;
      const skipped = count - most;
      const line = paint([span(`${look.glyphs.ellipsis} ${skipped} earlier entries: ctrl+o`, "dim")], look);
      waiting.push(() => [line, ""]);
      printed = skipped;
    },
    lines(transcript, width, liveWidth, now) {
      const undo = saved();
      const settled = waiting.map((at) => printUnit(width, at));
      waiting = [];
      for (const block of itemsAfter(transcript.settled, printed)) {
        const units = settledUnits(block, width);
        if (units.length === 0) continue;
        settled.push(...units);
        last = block;
      }
      printed = transcript.settled?.count ?? 0;
      const live: string[] = [];
      let open = 0;
      let before = last;
      for (const [at, block] of transcript.live.entries()) {
        // Only the first may hand out lines: those behind it wait.
        if (at === 0 && block.kind === "assistant") {
          const stream = streamOf(block);
          const isSpaced = hasSpace(block, stream);
          const parts = stream.update(block);
          settled.push(...parts.settled.map((part, index) => partUnit(part, width, isSpaced && index === 0)));
          if (parts.settled.length > 0) last = block;
          else if (isSpaced) live.push("");
          live.push(...paintAll(partLines(parts.open, liveWidth), look));
          open = live.length;
        } else {
          const lines = renderBlock(block, liveWidth, { ...look, now });
          if (lines.length > 0) live.push(...(before && spaceAbove(before, block) > 0 ? [""] : []), ...lines);
        }
        before = block;
      }
      return { settled, live, open, undo };
    },
    scrolled: (text) => answer?.stream.scrolled(lettersIn(text)),
  };
}
