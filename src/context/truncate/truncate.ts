// Makes one request fit: the cut in force is applied, and grows when the request passes the high-water mark again.
import type { ContextItem } from "../../schema/context-item.ts";
import type { EventData } from "../../schema/event/envelope.ts";
import { type Applied, applyCut, type Cut } from "./cut.ts";
import { cutOf, type Fit, isOver, newDraft } from "./draft.ts";
import { planDrops } from "./drop-order.ts";
import { dropOld } from "./drop-pass.ts";
import { lowWaterMark } from "./limit.ts";
import { type BoundedRequest, boundHuge, shortenLong, shortenRest } from "./shorten-pass.ts";

export type TruncateInput<Raw = unknown> = Fit<Raw> & {
  /** `truncation.target`. */
  target: number;
  /** L and the size of the tool definitions, for the report. */
  tokenLimit: number;
  toolDefinitionsTokens: number;
};

type TruncationReport = EventData<"session.truncation">;

/** The figures of a request that has its cut applied. */
type SentFigures = Pick<
  Applied,
  "conversationTokens" | "messagesLength" | "untruncatedTokens" | "shortenedItems" | "repairedItems"
>;

export type Truncated<Raw = unknown> =
  | (SentFigures & {
      type: "fits";
      items: readonly ContextItem<Raw>[];
      /** The cut is in force from now on: pass it in with the next request. */
      cut: Cut<Raw> | undefined;
      newCut: boolean;
      /** Only when messages were removed. */
      report: TruncationReport | undefined;
    })
  /** Must not be sent; the cut in force stays as it was. `conversationTokens` is the smallest that was reached. */
  | { type: "cannot_fit"; fixedTokens: number; conversationTokens: number; effectiveLimit: number };

/** Deterministic; changes nothing of what fits and has no orphans. `bounded`: its huge items, when they are bounded already. */
export async function truncate<Raw>(input: TruncateInput<Raw>, bounded?: BoundedRequest<Raw>): Promise<Truncated<Raw>> {
  let { cut, applied } = bounded ?? (await boundHuge(input));
  if (input.mode === "off") return fits(input, cut, applied);
  if (isOver(input, applied)) {
    cut = await growCut({ ...input, cut }, applied, lowWaterMark(input));
    applied = await applyCut(input.items, cut, input);
  }
  const { fixedTokens, effectiveLimit } = input;
  if (!isOver(input, applied)) return fits(input, cut, applied);
  return { type: "cannot_fit", fixedTokens, conversationTokens: applied.conversationTokens, effectiveLimit };
}

/** Passes 0 to 3: the cut that brings the request as near to the mark as can be. `applied` is the cut in force, applied. */
export async function growCut<Raw>(fit: Fit<Raw>, applied: Applied<Raw>, lowWater: number): Promise<Cut<Raw>> {
  const draft = newDraft(fit, applied);
  const plan = planDrops(applied.kept, fit.keep);
  await shortenLong(draft, plan, lowWater);
  await dropOld(draft, plan, lowWater);
  await shortenRest(draft, plan, lowWater);
  return cutOf(draft);
}

function fits<Raw>(input: TruncateInput<Raw>, cut: Cut<Raw> | undefined, applied: Applied<Raw>): Truncated<Raw> {
  const { conversationTokens, messagesLength, untruncatedTokens, shortenedItems, repairedItems } = applied;
  const newCut = cut !== undefined && cut.id !== input.cut?.id;
  return {
    type: "fits",
    items: applied.items,
    cut,
    newCut,
    report: cut && applied.omitted.length > 0 ? reportOf(input, cut, newCut, applied) : undefined,
    conversationTokens,
    messagesLength,
    untruncatedTokens,
    shortenedItems,
    repairedItems,
  };
}

function reportOf<Raw>(input: TruncateInput<Raw>, cut: Cut<Raw>, newCut: boolean, a: Applied<Raw>): TruncationReport {
  return {
    tokenLimit: input.tokenLimit,
    preTruncationTokensInMessages: a.untruncatedTokens,
    postTruncationTokensInMessages: a.conversationTokens,
    preTruncationMessagesLength: a.untruncatedLength,
    postTruncationMessagesLength: a.messagesLength,
    tokensRemovedDuringTruncation: a.untruncatedTokens - a.conversationTokens,
    messagesRemovedDuringTruncation: a.untruncatedLength - a.messagesLength,
    performedBy: "BasicTruncator",
    toolDefinitionsTokens: input.toolDefinitionsTokens,
    omittedMessages: a.omitted.length,
    shortenedItems: a.shortenedItems,
    cutId: cut.id,
    newCut,
    lowWater: lowWaterMark(input),
  };
}
