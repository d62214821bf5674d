// The transcript as lines: those that are final, each handed out once, and those of blocks that still change.
import { type BlockOf, itemsAfter, type Transcript, type TranscriptBlock } from "../../runtime/client/transcript.ts";
import { AnswerStream } from "../block/answer-stream.ts";
import { renderBlock, spaceAbove } from "../block/render.ts";
import { span } from "../text/span.ts";
import type { Look } from "../theme/look.ts";
import { paint } from "../theme/paint.ts";

export type TranscriptPrinter = {
  /** Lines of our own, before what comes next. */
  print(lines: readonly string[]): void;
  /** Of what is settled only the last `most` blocks are handed out. */
  skipTo(transcript: Transcript, most: number): void;
  lines(transcript: Transcript, width: number, now: number): { settled: string[]; live: string[] };
};

/** An answer that arrives: some of its lines are out already. */
type OpenAnswer = { id: string; width: number; stream: AnswerStream; letters: number };

export function transcriptPrinter(look: Look): TranscriptPrinter {
  let printed = 0;
  let waiting: string[] = [];
  let last: TranscriptBlock | undefined;
  let answer: OpenAnswer | undefined;

  /** What an answer has to hand out; at another width it is read again, and what is out already is passed over. */
  const answerLines = (block: BlockOf<"assistant">, width: number): { settled: string[]; open: string[] } => {
    if (answer?.id === block.id && answer.width === width) {
      const lines = answer.stream.update(block);
      answer.letters += lettersOf(lines.settled);
      return lines;
    }
    const letters = answer?.id === block.id ? answer.letters : 0;
    const isBegun = answer?.id === block.id && letters > 0;
    const stream = new AnswerStream(width, look);
    const { settled, open } = stream.update(block);
    const rest = isBegun ? afterLetters(settled, letters) : settled;
    answer = { id: block.id, width, stream, letters: letters + lettersOf(rest) };
    return { settled: rest, open };
  };

  const space = (block: TranscriptBlock): string[] => {
    const isBegun = answer?.id === block.id && answer.letters > 0;
    return isBegun || spaceAbove(last, block) === 0 ? [] : [""];
  };

  return {
    print(lines) {
      waiting.push(...lines);
    },
    skipTo({ settled }, most) {
      const count = settled?.count ?? 0;
      if (count - printed <= most) return;
      const skipped = count - most;
      waiting.push(paint([span(`${look.glyphs.ellipsis} ${skipped} earlier entries: ctrl+o`, "dim")], look), "");
      printed = skipped;
    },
    lines(transcript, width, now) {
      const settled = waiting;
      waiting = [];
      for (const block of itemsAfter(transcript.settled, printed)) {
        const above = space(block);
        const lines =
          block.kind === "assistant" && answer?.id === block.id
            ? answerLines(block, width).settled
            : renderBlock(block, width, look);
        if (lines.length === 0) continue;
        settled.push(...above, ...lines);
        last = block;
      }
      printed = transcript.settled?.count ?? 0;
      const live: string[] = [];
      let before = last;
      for (const [at, block] of transcript.live.entries()) {
        // Only the first may hand out lines: those behind it wait.
        if (at === 0 && block.kind === "assistant") {
          const above = space(block);
          const lines = answerLines(block, width);
          if (lines.settled.length > 0) {
            settled.push(...above, ...lines.settled);
            last = block;
            live.push(...lines.open);
          } else live.push(...above, ...lines.open);
        } else {
          const lines = renderBlock(block, width, { ...look, now });
          if (lines.length > 0) live.push(...(before && spaceAbove(before, block) > 0 ? [""] : []), ...lines);
        }
        before = block;
      }
      return { settled, live };
    },
  };
}

const LETTER = /[\p{L}\p{N}]/gu;
const SEQUENCE = /\u001b\[[0-9;]*m/g;

/** Rules and bars change with the width; letters and digits do not. */
const lettersOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + (line.replace(SEQUENCE, "").match(LETTER)?.length ?? 0), 0);

function afterLetters(lines: readonly string[], letters: number): string[] {
  let rest = letters;
  let at = 0;
  while (at < lines.length && rest > 0) rest -= lettersOf([lines[at++] ?? ""]);
  return lines.slice(at);
}
