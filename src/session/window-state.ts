// What a process knows of a conversation's window: the cut in force, the running compaction, the epoch of the provider's cache.
import type { CompactionAttempt } from "../context/compact/events.ts";
import type { CompactionPlan } from "../context/compact/plan.ts";
import { type CompactionState, initialState } from "../context/compact/state.ts";
import type { Summarised } from "../context/compact/summary-input.ts";
import type { Cut } from "../context/truncate/cut.ts";
import type { EpochReason } from "../context/usage/usage-info.ts";
import type { EventData } from "../schema/event/envelope.ts";
import type { Message } from "../schema/message.ts";

export type RunningAttempt = {
  attempt: CompactionAttempt;
  plan: CompactionPlan;
  abort: AbortController;
  /** The summary is there, or the attempt has been given up. Never rejects. */
  done: Promise<void>;
  summarised: Summarised | undefined;
  /** The tokens of the model's answers so far, all calls together. */
  receivedTokens: number;
  /** L that the result must fit. */
  limit: number;
};

/** What is known of the window in this process only; a resume starts it anew from the log. */
export class WindowState {
  compaction: CompactionState = initialState;
  attempt: RunningAttempt | undefined;
  /** A result is being put in place; nothing can cancel it any more. */
  applying: Promise<void> | undefined;
  /** A person waits for the attempt: an interrupt ends it and not the turn. */
  blocking = false;
  cut: Cut<Message> | undefined;
  retryBuffer = 0;
  /**
   * Of this turn: how large the refused request was, how often one was refused, whether one was answered by compaction.
   * `isShort`: the first one, far below the limit: then it is not the limit that is in the way.
   */
  refused: { tokens: number; times: number; compacted: boolean; isShort: boolean } | undefined;
  epoch: { number: number; reason: EpochReason };
  /** The fixed part that a warning was given for. */
  warnedAt: number | undefined;
  cachedTokens: number | undefined;
  lastCompleted: EventData<"session.compaction_complete"> | undefined;
  /** The tokens of the last request. */
  currentTokens = 0;
  usageShown = false;
  /** The tools of the last request, so that a change of them is told. */
  offeredNames = "";

  constructor(reason: EpochReason) {
    this.epoch = { number: 1, reason };
  }
}
