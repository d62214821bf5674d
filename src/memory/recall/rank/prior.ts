// What speaks for an item besides its words: who said it, when, and whether it was an order meant to last.
import { remembering } from "../../../base/remember.ts";
import { isName } from "../item.ts";
import type { IndexedItem } from "../store/indexed-item.ts";
import { speakerOf } from "../text/speaker.ts";
import type { RankedPassage, RankInput } from "./input.ts";
import { foldText, type Query } from "./query.ts";
import { type ScoreParts, WEIGHTS } from "./weights.ts";

const DAY = 86_400_000;
const STANDING =
  /\b(?:always|never|from now on|whenever|each time|every time|i(?:'d| would)? prefer|do not ever|don't ever|remember to|immer|niemals?|ab jetzt|toujours|jamais|siempre|nunca)\b|必ず|いつも|絶対に|今後は|总是|始终|从不|以后都|항상|앞으로는/i;

export function addPriors(
  parts: ScoreParts,
  item: IndexedItem,
  passages: readonly RankedPassage[],
  { query, spans, now }: Pick<RankInput, "query" | "spans" | "now">,
): void {
  const { time } = item;
  const age = now === undefined || time === undefined ? undefined : Math.max(0, now - time) / DAY;
  const standing = item.role === "user" && passages.some((p) => p.own > 0 && isStanding(p.text));
  parts.role = roleOf(item, speakerOf(item.role, passages.find((p) => p.start === 0)?.text ?? ""), query);
  parts.standing = standing ? WEIGHTS.standing : 0;
  parts.recency = age === undefined ? 0 : recencyOf(age, query.age);
  parts.date = time !== undefined && spans.some((s) => time >= s.from && time < s.to) ? WEIGHTS.date : 0;
}

const isStanding = remembering(4_000, (text) => STANDING.test(text));
const foldedName = remembering(1_000, foldText);

function roleOf({ kind, role }: IndexedItem, speaker: string, { speaker: asked, folded }: Query): number {
  if (kind === "tool" || role === "tool") return WEIGHTS.tool;
  if (isName(speaker) && ` ${folded} `.includes(` ${foldedName(speaker)} `)) return WEIGHTS.speaker;
  if (asked !== undefined) return role === asked ? WEIGHTS.speaker : 0;
  return role === "user" ? WEIGHTS.user : 0;
}

function recencyOf(days: number, order: "newest" | "oldest" | undefined): number {
  const fresh = 2 ** (-days / WEIGHTS.recencyHalfDays);
  if (order === undefined) return WEIGHTS.recency * fresh;
  return WEIGHTS.age * (order === "newest" ? fresh : 1 - fresh);
}
