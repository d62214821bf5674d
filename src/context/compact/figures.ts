// The numbers of a compaction: what the history was and what it is, so that the deltas always add up.
import type { ContextItem } from "../../schema/context-item.ts";
import type { EventData } from "../../schema/event/envelope.ts";
import type { Sizes } from "./budget.ts";
import { isMessage, tokensOf } from "./items.ts";

type StartData = EventData<"session.compaction_start">;
type CompleteData = EventData<"session.compaction_complete">;

type BucketSizes = Pick<StartData, "systemTokens" | "conversationTokens" | "toolDefinitionsTokens">;
/** The buckets are those after it. */
export type CompactionFigures = BucketSizes &
  Pick<CompleteData, "preCompactionTokens" | "postCompactionTokens" | "messagesRemoved" | "tokensRemoved"> &
  Pick<CompleteData, "preCompactionMessagesLength" | "postCompactionMessagesLength">;

export function figuresOf(
  before: readonly ContextItem[],
  after: readonly ContextItem[],
  sizes: Sizes,
): CompactionFigures {
  const [pre, post] = [bucketsOf(before, sizes), bucketsOf(after, sizes)];
  return {
    preCompactionTokens: pre.currentTokens,
    postCompactionTokens: post.currentTokens,
    preCompactionMessagesLength: pre.messagesLength,
    postCompactionMessagesLength: post.messagesLength,
    messagesRemoved: Math.max(0, pre.messagesLength - post.messagesLength),
    tokensRemoved: Math.max(0, pre.currentTokens - post.currentTokens),
    systemTokens: post.systemTokens,
    conversationTokens: post.conversationTokens,
    toolDefinitionsTokens: post.toolDefinitionsTokens,
  };
}

/** `sizes.systemTokens` holds system items too, so they are not counted again. */
export function bucketsOf(
  items: readonly ContextItem[],
  { systemTokens, toolDefinitionsTokens }: Sizes,
): BucketSizes & Pick<StartData, "currentTokens" | "messagesLength"> {
  const conversationTokens = tokensOf(items);
  return {
    systemTokens,
    conversationTokens,
    toolDefinitionsTokens,
    currentTokens: systemTokens + conversationTokens + toolDefinitionsTokens,
    messagesLength: items.filter(isMessage).length,
  };
}
