// Defaults of settings that also hold where no setting was read, or where its value makes no sense.

/** Shares of the window. */
export const COMPACTION_THRESHOLDS = { "compaction.background": 0.8, "compaction.exhaustion": 0.95 } as const;

export const OLLAMA_ORIGIN = "http://127.0.0.1:11434";

/** Results of a search. */
export const RECALL_LIMIT = 10;
