// What an attempt will replace and how small the result must be; decided before anything is started.
import type { CompactionTrigger } from "../../schema/event/context.ts";
import { boundaryAt, recentStart, unansweredTail } from "./boundary.ts";
import {
  type BudgetSettings,
  fixedTokens,
  isHopeless,
  LEAST_BUDGET,
  messageBudget,
  type Sizes,
  targetTokens,
} from "./budget.ts";
import { type SessionItem, tokensOf } from "./items.ts";

type CompactionPlanInput = {
  items: readonly SessionItem[];
  /** Sizes for the model that will go on with the history. */
  sizes: Sizes;
  settings: BudgetSettings;
  trigger: CompactionTrigger;
};

export type CompactionPlan = {
  /** The items that the message will stand for, in order, from the first of the history. */
  replaced: readonly SessionItem[];
  /** T. */
  targetTokens: number;
  /** B as it looks now: what is asked of the summariser follows from it. */
  budget: number;
};

type PlannedCompaction =
  | { type: "planned"; plan: CompactionPlan }
  /** Too few items, or for a trigger that can wait too little text to gain anything. */
  | { type: "nothing_to_compact"; targetTokens: number }
  /** The fixed part alone is too large: no attempt, no event, only the warning. */
  | { type: "unreclaimable"; targetTokens: number };

/** Recent groups may not starve the summary: they get at most this part of the room. */
const RECENT_OF_ROOM = 1 / 3;
/** Below this the message would hardly be smaller: an attempt would only count as one more that led nowhere. */
const LEAST_GAIN = 2 * LEAST_BUDGET;
const CAN_WAIT: ReadonlySet<CompactionTrigger> = new Set(["threshold", "memory_pressure"]);

export function planAttempt({ items, sizes, settings, trigger }: CompactionPlanInput): PlannedCompaction {
  const automatic = trigger !== "manual";
  const tail = unansweredTail(items);
  let start = tail.start;
  let target = targetTokens(sizes, settings, tokensOf(items.slice(start)));
  if (isHopeless(target, sizes)) {
    start = tail.afterStep;
    target = targetTokens(sizes, settings, tokensOf(items.slice(start)));
    if (automatic && isHopeless(target, sizes)) return { type: "unreclaimable", targetTokens: target };
  }
  const room = target - fixedTokens(sizes) - tokensOf(items.slice(start));
  const recent = automatic ? Math.min(settings.keepRecent * sizes.effectiveLimit, room * RECENT_OF_ROOM) : 0;
  const wanted = automatic ? [recentStart(items, start, recent), start] : [start];
  const boundary = boundaryAt(items, wanted, tail.afterStep);
  const replaced = items.slice(0, boundary ?? 0);
  const gain = tokensOf(replaced);
  if (boundary === undefined || (CAN_WAIT.has(trigger) && gain < LEAST_GAIN))
    return { type: "nothing_to_compact", targetTokens: target };
  const left = target - fixedTokens(sizes) - tokensOf(items.slice(boundary));
  return { type: "planned", plan: { replaced, targetTokens: target, budget: messageBudget(left, gain, automatic) } };
}
