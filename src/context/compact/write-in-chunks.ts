// A summary of more than one call can read: parts summarised one by one, then merged, two by two if need be.
import type { ModelRequest } from "../../model/contract.ts";
import type { SummaryReply, SummaryRequester } from "./ask.ts";
import { summaryShare } from "./budget.ts";
import { splitIntoChunks } from "./chunk.ts";
import { clipTo } from "./clip.ts";
import { extractSummary } from "./extract.ts";
import { askForPart, askToMerge, SUMMARISER_SYSTEM } from "./instructions.ts";
import { type SessionItem, tokensOf } from "./items.ts";
import { reduceItems } from "./reduce.ts";
import { renderWithin } from "./summary.ts";
import type { Summary, SummaryEnd, SummaryInput } from "./summary-input.ts";
import { FULL, ITEM_TOKENS, outputReserve, requestOf } from "./summary-request.ts";
import { LABEL_TOKENS, transcript } from "./transcript.ts";

const PART_OF_LIMIT = 0.6;
/** With less room than this for a part no call is worth making. */
const LEAST_PART = 500;

/** As text, each message and call with its label. */
const cost = (item: SessionItem): number => item.tokens + LABEL_TOKENS * (1 + item.toolCallIds.length);

type Chunked = {
  input: SummaryInput;
  asker: SummaryRequester;
  /** Tokens of the record that one call reads. */
  partRoom: number;
  /** Tokens of all summaries that one merge reads. */
  mergeRoom: number;
  /** Tokens of one such summary: two always fit. */
  summaryRoom: number;
  /** The prompt tokens of any of these calls. */
  promptTokens: number;
};

export async function summariseInChunks(
  items: readonly SessionItem[],
  limit: number,
  input: SummaryInput,
  asker: SummaryRequester,
): Promise<SummaryEnd> {
  const work = chunkedWork(limit, input, asker);
  const chunks = splitIntoChunks(await reduceItems(items, 0, limit, input), work.partRoom, cost);
  const allowed = work.partRoom < LEAST_PART ? 0 : input.maxChunks;
  const recentChunks = chunks.slice(Math.max(0, chunks.length - allowed));
  const tooMany = chunks.slice(0, chunks.length - recentChunks.length).flat();
  const oldest = tooMany.length > 0 ? await extractSummary(tooMany, input) : undefined;
  const summaries = oldest?.type === "summary" ? [oldest] : [];
  for (const [at, chunk] of recentChunks.entries()) {
    const request = requestFor(work, partQuestion(work, chunk, at + 1, recentChunks.length));
    const end = endOf(await asker.ask(request, { replaced: tokensOf(chunk), share: work.summaryRoom }));
    if (end.type !== "summary") return end;
    summaries.push(end);
  }
  const merged = await mergeAll(summaries, work);
  return merged.type === "summary" ? { ...merged, chunks: recentChunks.length } : merged;
}

function partQuestion(
  { input, partRoom, summaryRoom }: Chunked,
  chunk: readonly SessionItem[],
  part: number,
  of: number,
): string {
  const text = transcript(chunk);
  const tokens = chunk.reduce((sum, item) => sum + cost(item), 0);
  const fitting = tokens > partRoom ? clipTo(text, partRoom, input.count) : text;
  return askForPart({ share: summaryRoom, focus: input.focus }, fitting, part, of);
}

/** One merge when all fit together, else a round of pairs. Never more merges than there are summaries, less one. */
async function mergeAll(summaries: readonly Summary[], work: Chunked): Promise<SummaryEnd> {
  const { input, asker, mergeRoom, summaryRoom } = work;
  if (summaries.length < 2) return summaries[0] ?? extractSummary([], input);
  const texts = summaries.map(({ parts }) => renderWithin(parts, summaryRoom, input.count));
  const together = texts.reduce((sum, text) => sum + input.count(text) + LABEL_TOKENS, 0) <= mergeRoom;
  const size = together ? summaries.length : 2;
  const share = together ? summaryShare(input.budget) : summaryRoom;
  const next: Summary[] = [];
  for (let at = 0; at < summaries.length; at += size) {
    const group = texts.slice(at, at + size);
    const question = askToMerge({ share, focus: input.focus }, group);
    const alone = group.length === 1 ? summaries[at] : undefined;
    const replaced = group.reduce((sum, text) => sum + input.count(text), 0);
    const end = alone ?? endOf(await asker.ask(requestFor(work, question), { replaced, share }));
    if (end.type !== "summary") return end;
    next.push(end);
  }
  const end = await mergeAll(next, work);
  const truncated = summaries.some((one) => one.truncated);
  return end.type === "summary" && truncated ? { ...end, truncated } : end;
}

function chunkedWork(limit: number, input: SummaryInput, asker: SummaryRequester): Chunked {
  const { count, focus, budget } = input;
  const share = summaryShare(budget);
  const promptTokens = Math.floor(FULL * limit) - outputReserve(share);
  const room = promptTokens - count(SUMMARISER_SYSTEM) - 2 * ITEM_TOKENS;
  const mergeRoom = room - count(askToMerge({ share, focus }, []));
  return {
    input,
    asker,
    partRoom: Math.floor(Math.min(PART_OF_LIMIT * limit, room - count(askForPart({ share, focus }, "", 1, 1)))),
    mergeRoom,
    summaryRoom: Math.max(0, Math.min(share, Math.floor(mergeRoom / 2) - LABEL_TOKENS)),
    promptTokens,
  };
}

function requestFor({ input, promptTokens }: Chunked, text: string): ModelRequest {
  return requestOf(input, { system: SUMMARISER_SYSTEM, tools: [], items: [], text, promptTokens });
}

export function endOf(reply: SummaryReply): SummaryEnd {
  if (reply.type === "too_large") return reply.failure;
  return reply.type === "summary" ? { ...reply, chunks: 1 } : reply;
}
