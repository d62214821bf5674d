// How full the window is: the data of `session.usage_info`.

export type EpochReason =
  | "start"
  | "resume"
  | "compaction"
  | "undo"
  | "rewind"
  | "model_switch"
  | "cut"
  | "tools_changed"
  | "system_changed";

export type UsageInfo = {
  /** L. */
  tokenLimit: number;
  /** Exactly system + conversation + tool definitions, as sent. */
  currentTokens: number;
  /** Without system items. */
  messagesLength: number;
  systemTokens: number;
  conversationTokens: number;
  toolDefinitionsTokens: number;
  isInitial: boolean;
  /** Part of the system text and the conversation, not on top of them. */
  memoryTokens: number;
  untruncatedTokens: number;
  shortenedItems: number;
  /** E. */
  effectiveLimit: number;
  /** The size at which compaction starts; absent when no size starts it. */
  compactionAt?: number;
  /** What the provider said it had cached of the latest answered request. */
  cachedTokens?: number;
  repairedItems: number;
  tokenAccountingBasis: "estimated" | "calibrated";
  model: string;
  epoch: { number: number; reason: EpochReason };
};

/** As `truncate` gives them; after compaction, undo or rewind the same figures of the new history. */
type Sent = {
  conversationTokens: number;
  messagesLength: number;
  untruncatedTokens: number;
  shortenedItems: number;
  repairedItems: number;
};

type Known = Pick<
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

export type UsageInput = Known & {
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
