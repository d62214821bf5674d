// A larger cut for a request that does not fit: the passes, from what costs a reader least to what costs most.
import type { ContextItem } from "../../schema/context-item.ts";
import type { Applied, Cut } from "./cut.ts";
import { isSystem } from "./cut.ts";
import { type Plan, planDrops } from "./drop-order.ts";
import { lowWaterMark } from "./limit.ts";
import { isShortenable, type Shaping, shortenItem } from "./shorten-item.ts";
import { noticeText } from "./words.ts";

export type Fit<Raw = unknown> = Shaping<Raw> & {
  items: readonly ContextItem<Raw>[];
  fixedTokens: number;
  effectiveLimit: number;
  target: number;
  cut: Cut<Raw> | undefined;
};

const HUGE = 0.3;
const LONG = 0.05;
const LEAST_LONG = 1_000;
const FLOOR = 200;

/** A cut in the making. `current`: what would be sent of each item, by id, in order. */
class Draft<Raw> {
  total: number;
  readonly current: Map<string, ContextItem<Raw>>;
  readonly shortened: Map<string, ContextItem<Raw>>;
  dropped: ReadonlySet<string>;
  gap: Cut<Raw>["gap"];
  readonly #originals: Map<string, ContextItem<Raw>>;

  constructor(
    readonly fit: Fit<Raw>,
    readonly applied: Applied<Raw>,
  ) {
    this.total = fit.fixedTokens + applied.conversationTokens;
    this.current = new Map(applied.kept.map((item) => [item.id, item]));
    this.shortened = new Map(fit.cut?.shortened);
    this.dropped = fit.cut?.dropped ?? new Set();
    this.gap = fit.cut?.gap;
    this.#originals = new Map(fit.items.map((item) => [item.id, item]));
  }
}
