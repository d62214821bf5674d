// An answer while it arrives: parts that are final are handed out once, the open rest is drawn again each time.
import { type BlockOf, itemsAfter } from "../../runtime/client/transcript.ts";
import type { Look } from "../theme/look.ts";
import { type AnswerPart, type AnswerText, emptyAnswer, extendAnswer, finishAnswer, openParts } from "./answer.ts";
import { afterLetters, letterCount } from "./letters.ts";

/** `settled`: new final parts. `open`: what comes after all settled ones, and may change. */
type StreamParts = { settled: AnswerPart[]; open: AnswerPart[] };

/** Letters are counted at a width that every part can have. */
const ANY_WIDTH = 80;

export class AnswerStream {
  readonly #look: Look;
  #answer: AnswerText = emptyAnswer;
  #pieces = 0;
  #parts = 0;
  /** Letters of what is open that are out already. */
  #out = 0;

  constructor(look: Look) {
    this.#look = look;
  }

  /** Whether anything of it is out. */
  get isBegun(): boolean {
    return this.#parts > 0 || this.#out > 0;
  }

  /** Costs what has arrived since the last call, and the open element. A block that is over settles all of it. */
  update(block: BlockOf<"assistant">): StreamParts {
    if (block.state !== "streaming") return { settled: this.#settle(this.#rest(block)), open: [] };
    const news = itemsAfter(block.pieces, this.#pieces).join("");
    this.#pieces = block.pieces?.count ?? 0;
    const [answer, parts] = extendAnswer(this.#answer, news, this.#look);
    this.#answer = answer;
    const settled = this.#settle(parts);
    const open = openParts(answer, this.#look);
    return { settled, open: this.#out === 0 ? open : this.#without(open)[0] };
  }

  /** The terminal has scrolled this much of the open part away: it cannot be drawn again. */
  scrolled(letters: number): void {
    // A table is only counted while it is open; nothing of it is out.
    if (this.#answer.segments.open.type !== "table") this.#out += letters;
  }

  /** Gives what brings it back to how it is now. */
  save(): () => void {
    const [answer, pieces, parts, out] = [this.#answer, this.#pieces, this.#parts, this.#out];
    return () => {
      [this.#answer, this.#pieces, this.#parts, this.#out] = [answer, pieces, parts, out];
    };
  }

  #settle(parts: AnswerPart[]): AnswerPart[] {
    this.#parts += parts.length;
    if (this.#out === 0 || parts.length === 0) return parts;
    const [rest, left] = this.#without(parts);
    this.#out = left;
    return rest;
  }

  #without(parts: AnswerPart[]): [AnswerPart[], left: number] {
    let left = this.#out;
    const rest = parts.map((part): AnswerPart => {
      if (left === 0) return part;
      const out = left;
      left = Math.max(0, left - letterCount(part(ANY_WIDTH)));
      return (width) => afterLetters(part(width), out);
    });
    return [rest, left];
  }

  /** What the whole answer has beyond the parts that were handed out. */
  #rest(block: Exclude<BlockOf<"assistant">, { state: "streaming" }>): AnswerPart[] {
    return finishAnswer(block, this.#look).slice(this.#parts);
  }
}
