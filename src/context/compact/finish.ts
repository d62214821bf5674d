// The end of an attempt whose summary is there: does it still fit the history, is there room, is it progress?
import type { CompactionReason, CompactionTrigger } from "../../schema/event/context.ts";
import { turnsOf } from "../truncate/words.ts";
import { applyCompaction, compactionItem } from "./apply.ts";
import { unansweredTail } from "./boundary.ts";
import {
  type BudgetSettings,
  fixedTokens,
  highestTarget,
  messageBudget,
  type Sizes,
  targetNow,
  targetTokens,
} from "./budget.ts";
import type { Carried } from "./carried.ts";
import { type CompactionFigures, figuresOf } from "./figures.ts";
import { type Count, type SessionItem, tokensOf } from "./items.ts";
import { buildMessage } from "./message.ts";
import type { CompactionPlan } from "./plan.ts";
import type { SummaryParts } from "./tags.ts";
import { TAG } from "./tags.ts";

export type FinishInput = {
  plan: CompactionPlan;
  summary: SummaryParts;
  isExtract?: boolean;
  trigger: CompactionTrigger;
  /** The history now: what arrived since the start follows the message. */
  items: readonly SessionItem[];
  sizes: Sizes;
  settings: BudgetSettings;
  carried: Carried;
  count: Count;
  /** Exact tokens of an item, in the same measure as the items' own. */
  countItem: (item: SessionItem) => Promise<number>;
};

export type Applicable = {
  type: "applied";
  replacementContent: string;
  boundaryEventId: string;
  /** The turns of the items that this attempt replaces; earlier ones were compacted before. */
  compactedTurns: { from: number; to: number };
  targetTokens: number;
  figures: CompactionFigures;
};
type GivenUp = {
  type: "not_applicable" | "cancelled";
  reason: CompactionReason;
  targetTokens: number;
  figures: CompactionFigures;
};
type CompactionResult = Applicable | GivenUp;

/** Pieces are counted one by one and their sum may differ a little from the whole: so often is the message built again. */
const MOST_BUILDS = 4;
const SPARE = 0.01;
const CANDIDATE = "compaction";

export async function finishAttempt(input: FinishInput): Promise<CompactionResult> {
  const { plan, items, sizes, settings, trigger } = input;
  const tail = tokensOf(items.slice(unansweredTail(items).start));
  const wanted = targetNow(plan.targetTokens, targetTokens(sizes, settings, tail), sizes);
  const giveUp = (type: GivenUp["type"], reason: CompactionReason): GivenUp => ({
    type,
    reason,
    targetTokens: wanted,
    figures: figuresOf(items, items, sizes),
  });
  const boundary = plan.replaced.at(-1);
  if (!boundary || !startsWith(items, plan.replaced)) return giveUp("cancelled", "history_changed");
  const newer = items.slice(plan.replaced.length);
  const stays = fixedTokens(sizes) + tokensOf(newer);
  // What came since the start may have taken the room: a summary that is there is used all the same, and the rest truncated.
  const room = Math.max(wanted - stays, Math.min(plan.budget, highestTarget(sizes) - stays));
  const budget = messageBudget(room, tokensOf(plan.replaced), trigger !== "manual");
  const target = Math.max(wanted, stays + budget);
  const message = await buildWithin(input, budget, newer, boundary.turn);
  const replacement = { id: CANDIDATE, replacementContent: message.content, boundaryEventId: boundary.id };
  const after = (applyCompaction(items, replacement) ?? []).map((item) =>
    item.id === CANDIDATE ? { ...item, tokens: message.tokens } : item,
  );
  const figures = figuresOf(items, after, sizes);
  const total = fixedTokens(sizes) + tokensOf(after);
  const before = fixedTokens(sizes) + tokensOf(items);
  const smaller = trigger === "manual" ? total <= Math.max(target, before) : total <= target && total < before;
  if (!smaller || !message.content.includes(`<${TAG.summary}>`)) return giveUp("not_applicable", "no_progress");
  return {
    type: "applied",
    replacementContent: message.content,
    boundaryEventId: boundary.id,
    compactedTurns: compactedTurns(plan.replaced),
    targetTokens: target,
    figures,
  };
}

/** Items are compared by id: those read again from the log are other objects. */
function startsWith(items: readonly SessionItem[], replaced: readonly SessionItem[]): boolean {
  return replaced.length <= items.length && replaced.every((item, at) => items[at]?.id === item.id);
}

async function buildWithin(
  { summary, isExtract, carried, count, countItem }: FinishInput,
  budget: number,
  newer: readonly SessionItem[],
  turn: number,
): Promise<{ content: string; tokens: number }> {
  const standing = new Set(newer.map((item) => item.id));
  const prompts = carried.prompts.filter((prompt) => !standing.has(prompt.id));
  const inView = new Set(carried.prompts.filter(({ id }) => standing.has(id)).map((prompt) => prompt.turn));
  const ledger = carried.ledger?.filter(({ section, turn: said }) => section !== "words" || !inView.has(said));
  const turns = turnsOf([{ turn: prompts[0]?.turn ?? turn }, { turn }]);
  let room = budget;
  for (let build = 1; ; build++) {
    const content = buildMessage({
      summary,
      isExtract,
      carried: { ...carried, prompts, ledger },
      turns,
      budget: room,
      count,
    });
    const tokens = await countItem(compactionItem({ id: CANDIDATE, replacementContent: content }, turn));
    if (tokens <= budget || build === MOST_BUILDS) return { content, tokens };
    // A little more each time: a room that is only the excess smaller may give the very same text.
    room -= tokens - budget + Math.ceil(build * SPARE * budget);
  }
}

function compactedTurns(replaced: readonly SessionItem[]): { from: number; to: number } {
  const turns = replaced.filter((item) => item.kind !== "compaction").map((item) => item.turn);
  return { from: turns[0] ?? 0, to: turns.at(-1) ?? 0 };
}
