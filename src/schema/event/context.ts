// Events of the context window: compaction, what a provider compacted itself, and what one request left out.
import * as z from "zod";

export const compactionTrigger = z.enum([
  "manual",
  "threshold",
  "context_limit_retry",
  "model_switch",
  "memory_pressure",
]);
export type CompactionTrigger = z.infer<typeof compactionTrigger>;

const compactionOutcome = z.enum(["applied", "not_applicable", "failed", "cancelled"]);
export type CompactionOutcome = z.infer<typeof compactionOutcome>;

/** Why an attempt that did not fail was not applied. */
const compactionReason = z.enum([
  "nothing_to_compact",
  "no_progress",
  "no_room",
  "blocked_by_hook",
  "history_changed",
  "user",
  "superseded",
  "shutdown",
  "turned_off",
]);
export type CompactionReason = z.infer<typeof compactionReason>;

const compactionFailure = z.enum([
  "empty_summary",
  /** Too little to stand for what it replaces. */
  "useless_summary",
  "refused",
  "model_error",
  "timeout",
  "interrupted",
  "store_error",
]);
export type CompactionFailure = z.infer<typeof compactionFailure>;

const figure = z.number().min(0);
const buckets = {
  tokenLimit: figure,
  systemTokens: figure,
  conversationTokens: figure,
  toolDefinitionsTokens: figure,
};
const modelSwitch = { switchTargetModel: z.string().optional(), targetPromptTokenLimit: figure.optional() };

const compactionTokensUsed = z.looseObject({
  inputTokens: figure,
  outputTokens: figure,
  cacheReadTokens: figure,
  cacheWriteTokens: figure,
  cost: figure.optional(),
  /** The duration in milliseconds. */
  duration: figure,
  model: z.string(),
  requestCount: figure,
});
export type CompactionTokensUsed = z.infer<typeof compactionTokensUsed>;

export const contextEvents = {
  "session.compaction_start": () =>
    z.looseObject({
      compactionAttemptId: z.string().min(1),
      trigger: compactionTrigger,
      model: z.string(),
      currentTokens: figure,
      ...buckets,
      ...modelSwitch,
      mode: z.enum(["background", "blocking"]),
      messagesLength: figure,
      targetTokens: figure,
      customInstructions: z.string().optional(),
    }),
  "session.compaction_complete": () =>
    z.looseObject({
      success: z.boolean(),
      outcome: compactionOutcome,
      outcomeReason: compactionReason.optional(),
      failureReason: compactionFailure.optional(),
      error: z.string().optional(),
      statusCode: z.number().optional(),
      compactionAttemptId: z.string().min(1),
      trigger: compactionTrigger,
      model: z.string(),
      preCompactionTokens: figure,
      postCompactionTokens: figure,
      preCompactionMessagesLength: figure,
      postCompactionMessagesLength: figure,
      messagesRemoved: figure,
      tokensRemoved: figure,
      tokenAccountingBasis: z.enum(["estimated", "calibrated"]),
      customInstructions: z.string().optional(),
      /** As the model wrote it, unclipped, the title included. */
      summaryContent: z.string().optional(),
      checkpointNumber: z.number().int().positive().optional(),
      checkpointPath: z.string().optional(),
      compactionTokensUsed: compactionTokensUsed.optional(),
      requestId: z.string().optional(),
      ...buckets,
      ...modelSwitch,
      targetTokens: figure,
      /** The compaction message; replay needs nothing else. */
      replacementContent: z.string().optional(),
      /** The last item that the message replaces. */
      boundaryEventId: z.string().optional(),
      compactedTurns: z.looseObject({ from: figure, to: figure }).optional(),
      chunks: figure.optional(),
      summaryTruncated: z.boolean().optional(),
      /** Why the model's summaries could not be used, when the built-in one was taken instead. */
      builtInBecause: compactionFailure.optional(),
      initialModel: z.string().optional(),
    }),
  "session.compaction_undone": () =>
    z.looseObject({
      compactionAttemptId: z.string().min(1),
      checkpointNumber: z.number().int().positive().optional(),
      messagesRestored: figure,
      tokensRestored: figure,
    }),
  "session.provider_compaction": () =>
    z.looseObject({
      provider: z.string(),
      kind: z.string(),
      /** The provider's own object, sent back to it as it is. */
      opaque: z.unknown(),
      tokensCleared: figure.optional(),
      itemsCleared: figure.optional(),
      requestId: z.string().optional(),
    }),
};

const compactionStage = z.enum(["hooks", "summarising", "checking", "writing"]);
export type CompactionStage = z.infer<typeof compactionStage>;

export const ephemeralContextEvents = {
  "session.compaction_progress": () =>
    z.looseObject({
      compactionAttemptId: z.string().min(1),
      stage: compactionStage,
      /** What the summary is to stand for. */
      summarisedTokens: figure,
      /** Written by the model so far. */
      receivedTokens: figure,
    }),
  "session.truncation": () =>
    z.looseObject({
      tokenLimit: figure,
      preTruncationTokensInMessages: figure,
      postTruncationTokensInMessages: figure,
      preTruncationMessagesLength: figure,
      postTruncationMessagesLength: figure,
      tokensRemovedDuringTruncation: z.number().positive(),
      messagesRemovedDuringTruncation: z.number().positive(),
      performedBy: z.literal("BasicTruncator"),
      toolDefinitionsTokens: figure.optional(),
      omittedMessages: figure.optional(),
      shortenedItems: figure.optional(),
      cutId: z.string().optional(),
      newCut: z.boolean().optional(),
      lowWater: figure.optional(),
    }),
};
