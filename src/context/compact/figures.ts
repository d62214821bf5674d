// The numbers of a compaction: what the history was and what it is, so that the deltas always add up.
import type { ContextItem } from "../../schema/context-item.ts";
import type { Sizes } from "./budget.ts";
import { isMessage, tokensOf } from "./items.ts";

/** Fields of `session.compaction_complete`. */
export type CompactionFigures = {
  preCompactionTokens: number;
  postCompactionTokens: number;
  preCompactionMessagesLength: number;
  postCompactionMessagesLength: number;
  messagesRemoved: number;
  tokensRemoved: number;
  /** After it. */
  systemTokens: number;
  conversationTokens: number;
  toolDefinitionsTokens: number;
};

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

export type Buckets = {
  systemTokens: number;
  conversationTokens: number;
  toolDefinitionsTokens: number;
  /** The sum of the three. */
  currentTokens: number;
  messagesLength: number;
};

/** `sizes.systemTokens` holds system items too, so they are not counted again. */
export function bucketsOf(items: readonly ContextItem[], { systemTokens, toolDefinitionsTokens }: Sizes): Buckets {
  const conversationTokens = tokensOf(items);
  return {
    systemTokens,
    conversationTokens,
    toolDefinitionsTokens,
    currentTokens: systemTokens + conversationTokens + toolDefinitionsTokens,
    messagesLength: items.filter(isMessage).length,
  };
}
