// One item made smaller: its long texts lose their middles until the item is down to a size in tokens.
import type { ItemRules } from "../../model/wire/contract.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import { shortenText } from "./shorten-text.ts";
import { markerOf, type Originals } from "./words.ts";

export type Shaping<Raw = unknown> = Originals<Raw> & {
  rules: ItemRules<Raw>;
  /** Tokens of an item that was made here, in the same measure as the items' own `tokens`. Must not throw. */
  count: (item: ContextItem<Raw>) => Promise<number>;
};

const MOST_TRIES = 12;

/** Texts of people and tools may be shortened; what a model wrote, system text and unknown things never. */
export const isShortenable = ({ role, kind }: ContextItem): boolean =>
  (role === "user" || role === "tool") && kind !== "opaque";

/** A new item of at most `target` tokens, or as near as its markers and media allow; undefined when it would not shrink. */
export async function shortenItem<Raw>(
  item: ContextItem<Raw>,
  target: number,
  shaping: Shaping<Raw>,
): Promise<ContextItem<Raw> | undefined> {
  const { rules, count } = shaping;
  const marker = markerOf(item, shaping);
  const lengths = textLengths(item, rules);
  let chars = Math.floor((lengths.reduce((a, b) => a + b, 0) * target) / Math.max(1, item.tokens));
  let best = item;
  for (let tries = 0; tries < MOST_TRIES && best.tokens > target; tries++) {
    const most = shareOf(lengths, chars);
    const raw = rules.replaceTexts(item, (text) => shortenText(text, most, marker));
    if (raw === item.raw && chars === 0) break;
    const shorter = { ...item, raw };
    const tokens = raw === item.raw ? item.tokens : await count(shorter);
    if (tokens < best.tokens) best = { ...shorter, tokens };
    if (chars === 0) break;
    // Texts are not equally dense: step down by how far it missed, at last to the markers alone.
    chars = tries === MOST_TRIES - 2 ? 0 : Math.floor(chars * Math.min(0.9, target / tokens));
  }
  return best === item ? undefined : best;
}

/** The lengths of the texts that may be shortened. */
export function textLengths<Raw>(item: ContextItem<Raw>, rules: ItemRules<Raw>): number[] {
  const lengths: number[] = [];
  rules.replaceTexts(item, (text) => {
    lengths.push(text.length);
    return text;
  });
  return lengths;
}

/** The most that each text may keep so that all together keep `chars`: short ones stay whole, the long ones share. */
function shareOf(lengths: readonly number[], chars: number): number {
  let left = chars;
  const ascending = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (length > share) return share;
    left -= length;
  }
  return ascending.at(-1) ?? 0;
}
