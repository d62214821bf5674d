// What speaks for an item besides its words: who said it, when, and whether it was an order meant to last.
import type { IndexedItem } from "../store/read.ts";
import type { RankedPassage, RankInput } from "./input.ts";
import { type ScoreParts, WEIGHTS } from "./weights.ts";

const DAY = 86_400_000;
const STANDING =
  /\b(?:always|never|from now on|whenever|each time|every time|i(?:'d| would)? prefer|do not ever|don't ever|remember to|immer|niemals?|ab jetzt|toujours|jamais|siempre|nunca)\b|必ず|いつも|絶対に|今後は|总是|始终|从不|以后都|항상|앞으로는/i;

export function priorsOf(
  item: IndexedItem,
  passages: readonly RankedPassage[],
  { query, spans, now }: Pick<RankInput, "query" | "spans" | "now">,
): Pick<ScoreParts, "role" | "standing" | "recency" | "date"> {
  const { time } = item;
  const age = now === undefined || time === undefined ? undefined : Math.max(0, now - time) / DAY;
  const standing = item.role === "user" && passages.some((p) => p.own > 0 && STANDING.test(p.text));
  return {
    role: roleOf(item, query.speaker),
    standing: standing ? WEIGHTS.standing : 0,
    recency: age === undefined ? 0 : recencyOf(age, query.age),
    date: time !== undefined && spans.some((s) => time >= s.from && time < s.to) ? WEIGHTS.date : 0,
  };
}

function roleOf({ kind, role }: IndexedItem, asked: "user" | "assistant" | undefined): number {
  if (kind === "tool" || role === "tool") return WEIGHTS.tool;
  if (asked !== undefined) return role === asked ? WEIGHTS.speaker : 0;
  return role === "user" ? WEIGHTS.user : 0;
}

function recencyOf(days: number, asked: "newest" | "oldest" | undefined): number {
  const fresh = 2 ** (-days / WEIGHTS.recencyHalfDays);
  if (asked === undefined) return WEIGHTS.recency * fresh;
  return WEIGHTS.age * (asked === "newest" ? fresh : 1 - fresh);
}
