// An answer while it arrives: lines that are final are handed out once, the open rest is drawn again each time.
import { type BlockOf, itemsAfter } from "../../runtime/client/transcript.ts";
import type { Look } from "../theme/look.ts";
import { paintAll } from "../theme/paint.ts";
import { type AnswerText, emptyAnswer, extendAnswer, finishAnswer, openLines } from "./answer.ts";

/** `settled`: new final lines. `open`: what comes after all settled ones, and may change. */
export type StreamLines = { settled: string[]; open: string[] };

/** For one answer at one width: after a resize, another one takes the same block from its beginning. */
export class AnswerStream {
  readonly #width: number;
  readonly #look: Look;
  #answer: AnswerText = emptyAnswer;
  #pieces = 0;
  #lines = 0;

  constructor(width: number, look: Look) {
    this.#width = width;
    this.#look = look;
  }

  /** Costs what has arrived since the last call, and the open element. A block that is over settles all of it. */
  update(block: BlockOf<"assistant">): StreamLines {
    if (block.state !== "streaming") return { settled: this.#rest(block), open: [] };
    const news = itemsAfter(block.pieces, this.#pieces).join("");
    this.#pieces = block.pieces?.count ?? 0;
    const [answer, lines] = extendAnswer(this.#answer, news, this.#width, this.#look);
    this.#answer = answer;
    this.#lines += lines.length;
    return {
      settled: paintAll(lines, this.#look),
      open: paintAll(openLines(answer, this.#width, this.#look), this.#look),
    };
  }

  /** What the whole answer has beyond the lines that were handed out. */
  #rest(block: Exclude<BlockOf<"assistant">, { state: "streaming" }>): string[] {
    const lines = finishAnswer(block, this.#width, this.#look).slice(this.#lines);
    this.#lines += lines.length;
    return paintAll(lines, this.#look);
  }
}
