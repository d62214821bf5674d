// How full the window is: the data of `session.usage_info`.
import type { EventData } from "../../schema/event/envelope.ts";

export type UsageInfo = EventData<"session.usage_info">;
export type EpochReason = UsageInfo["epoch"]["reason"];

/** What `truncate` gives; after compaction, undo or rewind the same figures of the new history. */
type Sent = Pick<
  UsageInfo,
  "conversationTokens" | "messagesLength" | "untruncatedTokens" | "shortenedItems" | "repairedItems"
>;

type UsageBasis = Pick<
  UsageInfo,
  | "tokenLimit"
  | "effectiveLimit"
  | "systemTokens"
  | "toolDefinitionsTokens"
  | "memoryTokens"
  | "isInitial"
  | "tokenAccountingBasis"
  | "model"
  | "epoch"
>;

export type UsageInput = UsageBasis & {
  sent: Sent;
  /** `compaction.background`; undefined when the mode is not `on` or the threshold is off. */
  background: number | undefined;
  cachedTokens?: number | undefined;
};

export function usageInfo({ sent, background, cachedTokens, ...known }: UsageInput): UsageInfo {
  const fixed = known.systemTokens + known.toolDefinitionsTokens;
  const at = background === undefined || background > 1 ? undefined : Math.ceil(background * known.effectiveLimit);
  return {
    ...known,
    currentTokens: fixed + sent.conversationTokens,
    messagesLength: sent.messagesLength,
    conversationTokens: sent.conversationTokens,
    untruncatedTokens: fixed + sent.untruncatedTokens,
    shortenedItems: sent.shortenedItems,
    repairedItems: sent.repairedItems,
    ...(at === undefined ? {} : { compactionAt: at }),
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
  };
}
