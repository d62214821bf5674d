// The size of a history that grows at its end: only what is new is looked at, however long it is.
import { textLength } from "../../base/json.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import { type Calibration, calibrated, uncalibrated } from "./calibrate.ts";
import { type TokenCounter, tokenCounter } from "./counter.ts";
import { EXACT_FROM, exactly, itemPart, type Measurable, type MeasuredPart, systemPart, toolPart } from "./measure.ts";

/** Characters to a token of the limit: text of any kind that is longer is over it. */
const FAR_CHARS = 16;

type Totals = {
  systemTokens: number;
  toolDefinitionsTokens: number;
  /** Sum of the items, each calibrated and rounded by itself, so that it equals the sum of their sizes. */
  conversationTokens: number;
  /** The whole request before calibration. */
  rawTokens: number;
};

/** For histories without system items. A history that did not only grow is measured anew. */
export class HistoryMeter {
  readonly #counter: TokenCounter;
  #parts: MeasuredPart[] = [];
  #raws: unknown[] = [];
  #tokens: number[] = [];
  #bound = 0;
  /** So many from the front are counted exactly. */
  #exact = 0;
  /** Sums of the first so many items, for the calibration of that time. */
  #summed = { length: 0, factor: 1, calibrated: 0, raw: 0 };

  constructor(counter: TokenCounter = tokenCounter) {
    this.#counter = counter;
  }

  /** Undefined for a history that is so far above the limit that only its newest part is worth counting. */
  async totals(
    request: Omit<Measurable, "signal">,
    calibration: Calibration = uncalibrated,
  ): Promise<Totals | undefined> {
    const { system, tools, items, limit, exactFrom = EXACT_FROM } = request;
    this.#keepIfGrown(items);
    if (this.#isFarOver(items, limit)) return undefined;
    this.#take(items);
    const fixed = [systemPart(system), ...tools.map(toolPart)];
    const bound = fixed.reduce((sum, { size }) => sum + size.bound, this.#bound);
    if (this.#counter.loaded || bound >= limit * exactFrom) {
      for (const part of fixed) await exactly(part, this.#counter);
      for (; this.#exact < this.#parts.length; this.#exact++) {
        const part = this.#parts[this.#exact];
        if (!part) continue;
        this.#tokens[this.#exact] = await exactly(part, this.#counter);
        if (this.#exact < this.#summed.length) this.#summed.length = 0;
      }
    }
    const [systemRaw = 0, ...toolRaw] = fixed.map(({ size }) => size.exact ?? size.estimate);
    const toolsRaw = toolRaw.reduce((a, b) => a + b, 0);
    const history = this.#sum(calibration);
    return {
      systemTokens: calibrated(systemRaw, calibration),
      toolDefinitionsTokens: calibrated(toolsRaw, calibration),
      conversationTokens: history.calibrated,
      rawTokens: systemRaw + toolsRaw + history.raw,
    };
  }

  #isFarOver(items: readonly ContextItem[], limit: number): boolean {
    let chars = 0;
    for (let at = items.length - 1; at >= this.#raws.length; at--) {
      const item = items[at];
      chars += item?.chars ?? textLength(item?.raw);
      if (chars > FAR_CHARS * limit) return true;
    }
    return false;
  }

  #sum(calibration: Calibration): { calibrated: number; raw: number } {
    const { factor } = calibration;
    if (this.#summed.factor !== factor || this.#summed.length === 0)
      this.#summed = { length: 0, factor, calibrated: 0, raw: 0 };
    for (; this.#summed.length < this.#tokens.length; this.#summed.length++) {
      const tokens = this.#tokens[this.#summed.length] ?? 0;
      this.#summed.calibrated += calibrated(tokens, calibration);
      this.#summed.raw += tokens;
    }
    return this.#summed;
  }

  #keepIfGrown(items: readonly ContextItem[]): void {
    const length = this.#raws.length;
    // Items are only ever added at the end, put in before the last, or replaced together with the last.
    const grew =
      length <= items.length &&
      (length === 0 || (items[length - 1]?.raw === this.#raws[length - 1] && items[0]?.raw === this.#raws[0]));
    if (grew) return;
    this.#parts = [];
    this.#raws = [];
    this.#tokens = [];
    this.#bound = 0;
    this.#exact = 0;
    this.#summed.length = 0;
  }

  #take(items: readonly ContextItem[]): void {
    for (let at = this.#raws.length; at < items.length; at++) {
      const item = items[at];
      if (!item) continue;
      const part = itemPart(item);
      this.#parts.push(part);
      this.#raws.push(item.raw);
      this.#tokens.push(part.size.exact ?? part.size.estimate);
      this.#bound += part.size.bound;
    }
  }
}
