// The summary of the old items: one call when it fits, parts and a merge when it does not, extracts for the offline model.
import { SummaryRequester } from "./ask.ts";
import { summaryShare } from "./budget.ts";
import { extractSummary } from "./extract.ts";
import { askForSummary, turnTable } from "./instructions.ts";
import { isMessage, type SessionItem, tokensOf } from "./items.ts";
import { reduceItems } from "./reduce.ts";
import type { Summarised, SummaryEnd, SummaryInput } from "./summary-input.ts";
import { FULL, ITEM_TOKENS, outputReserve, requestOf } from "./summary-request.ts";
import { endOf, summariseInChunks } from "./write-in-chunks.ts";

/** The table of turns takes at most this part of the summariser's limit. */
const TURN_TABLE = 0.05;
/** A refusal for size that names no limit: our count is off by more than a little. */
const AFTER_REFUSAL = 0.5;

/** Ends with the signal. Calls: at most 2; with parts at most 2 × parts + 1. Failing twice, the built-in summary is taken. */
export async function writeSummary(input: SummaryInput): Promise<Summarised> {
  const asker = new SummaryRequester({ ...input, model: input.target.id });
  const items = input.items.filter(isMessage);
  const offline = input.target.provider === "offline";
  const end = await (offline ? extractSummary(items, input) : summarise(items, input, asker));
  const hasFailedTwice = end.type === "failed" && asker.failures + (input.failedBefore ? 1 : 0) >= 2;
  const builtIn = hasFailedTwice ? await extractSummary(items, input) : undefined;
  if (end.type !== "failed" || builtIn?.type !== "summary")
    return { end, used: asker.used, requestId: asker.requestId };
  return { end: { ...builtIn, insteadOf: end }, used: asker.used, requestId: asker.requestId };
}

async function summarise(
  items: readonly SessionItem[],
  input: SummaryInput,
  asker: SummaryRequester,
): Promise<SummaryEnd> {
  const { count, effectiveLimit, fixedTokens, system, tools, budget, focus } = input;
  const share = summaryShare(budget);
  const text = askForSummary({ share, focus }, turnTable(items, effectiveLimit * TURN_TABLE, count));
  const around = fixedTokens + count(text) + ITEM_TOKENS;
  const room = FULL * effectiveLimit - around - outputReserve(share);
  const fitting = await reduceItems(items, room, effectiveLimit, input);
  if (tokensOf(fitting) > room) return summariseInChunks(items, effectiveLimit, input, asker);
  const promptTokens = around + tokensOf(fitting);
  const request = requestOf(input, { system, tools, items: fitting, text, promptTokens });
  const reply = await asker.ask(request, { replaced: tokensOf(items), share });
  if (reply.type !== "too_large") return endOf(reply);
  if (!asker.takeRetry()) return reply.failure;
  const lowered = Math.min(reply.reportedLimit ?? effectiveLimit * AFTER_REFUSAL, effectiveLimit);
  return summariseInChunks(items, lowered, input, asker);
}
