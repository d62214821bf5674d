// The transcript as labelled lines, each printed once and never again changed.
import {
  type BlockOf,
  emptyTranscript,
  isOver,
  itemsAfter,
  reduceBlocks,
  type Transcript,
  type TranscriptBlock,
} from "../../runtime/client/transcript.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import { partLines } from "../block/answer.ts";
import { AnswerStream } from "../block/answer-stream.ts";
import { renderBlock } from "../block/render.ts";
import { type Look, PLAIN_WIDTH } from "../theme/look.ts";
import { paintAll } from "../theme/paint.ts";

type PlainPrinter = {
  /** What an event adds to the lines. */
  add(event: Envelope): string[];
  /** Shows only the last `most` blocks of what was so far. */
  past(events: readonly Envelope[], most: number): string[];
};

export function plainPrinter(look: Look): PlainPrinter {
  let transcript: Transcript = emptyTranscript();
  let printed = 0;
  let answer: { id: string; stream: AnswerStream } | undefined;
  /** Printed while something before them still ran: lines that only follow each other need not wait. */
  const early = new Set<string>();

  const linesOf = (block: TranscriptBlock): string[] => {
    // What the person typed stands there already.
    if (block.kind === "user" && block.source === "user") return [];
    // What a command says is taken as it is: it may be copied.
    if (block.kind === "notice" && block.about.startsWith("/")) return block.text.split("\n");
    if (block.kind === "assistant" && answer?.id === block.id) return answerLines(block);
    return renderBlock(block, PLAIN_WIDTH, look);
  };

  const answerLines = (block: BlockOf<"assistant">): string[] => {
    if (answer?.id !== block.id) answer = { id: block.id, stream: new AnswerStream(look) };
    return paintAll(partLines(answer.stream.update(block).settled, PLAIN_WIDTH), look);
  };

  return {
    add(event) {
      const before = transcript;
      transcript = reduceBlocks(transcript, event);
      if (transcript === before) return [];
      const lines = itemsAfter(transcript.settled, printed).flatMap((block) =>
        early.delete(block.id) ? [] : linesOf(block),
      );
      printed = transcript.settled?.count ?? 0;
      for (const block of transcript.live) {
        if (block.kind === "assistant") lines.push(...answerLines(block));
        else if (isOver(block) && !early.has(block.id)) {
          early.add(block.id);
          lines.push(...linesOf(block));
        }
      }
      return lines;
    },
    past(events, most) {
      for (const event of events) transcript = reduceBlocks(transcript, event);
      const count = transcript.settled?.count ?? 0;
      const from = Math.max(0, count - most);
      printed = count;
      const shown = itemsAfter(transcript.settled, from).flatMap((block) => renderBlock(block, PLAIN_WIDTH, look));
      return from === 0 ? shown : [`notice: ${from} earlier entries are not shown.`, ...shown];
    },
  };
}
