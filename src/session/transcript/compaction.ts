// Compactions in the transcript: what was summarised, or why the history is unchanged.
import { optional } from "../../base/optional.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import type { TranscriptBlock } from "./block.ts";

/** Why an attempt changed nothing, as people read it. */
const REASONS: Readonly<Record<string, string>> = {
  nothing_to_compact: "nothing to compact yet",
  no_progress: "the summary would not be shorter",
  no_room: "what must stay leaves no room",
  blocked_by_hook: "a hook blocked it",
  history_changed: "the history changed meanwhile",
  user: "you cancelled it",
  superseded: "another one took its place",
  shutdown: "the session ended",
  turned_off: "compaction was turned off",
  empty_summary: "the summary was empty",
  useless_summary: "the summary said too little",
  refused: "the model refused",
  model_error: "the model failed",
  timeout: "it took too long",
  interrupted: "it was interrupted",
  store_error: "the checkpoint could not be written",
};

type CompactionEvent = Envelope<
  "session.compaction_complete" | "session.compaction_undone" | "session.provider_compaction"
>;

export function compactionBlock(event: CompactionEvent): TranscriptBlock[] {
  const begun = { id: event.id, at: event.timestamp, kind: "compaction" } as const;
  if (event.type === "session.compaction_undone") {
    const { checkpointNumber, messagesRestored: messages, tokensRestored: tokens } = event.data;
    return [{ ...begun, state: "undone", ...optional("checkpoint", checkpointNumber), messages, tokens }];
  }
  if (event.type === "session.provider_compaction") {
    const { provider, tokensCleared, itemsCleared } = event.data;
    const sizes = { ...optional("tokens", tokensCleared), ...optional("items", itemsCleared) };
    return [{ ...begun, state: "provider", provider, ...sizes }];
  }
  const { outcome, outcomeReason, failureReason, error, trigger, model, summaryContent, checkpointNumber } = event.data;
  if (outcome !== "applied") {
    const code = outcomeReason ?? failureReason ?? outcome;
    const reason = [REASONS[code] ?? code, error].filter(Boolean).join(": ");
    return [{ ...begun, state: outcome, trigger, model, reason }];
  }
  return [
    {
      ...begun,
      state: "applied",
      trigger,
      model,
      before: { tokens: event.data.preCompactionTokens, messages: event.data.preCompactionMessagesLength },
      after: { tokens: event.data.postCompactionTokens, messages: event.data.postCompactionMessagesLength },
      ...optional("turns", event.data.compactedTurns),
      ...optional("checkpoint", checkpointNumber),
      ...optional("title", titleOf(event.data.checkpointPath, summaryContent)),
      ...optional("durationMs", event.data.compactionTokensUsed?.duration),
      ...optional("summary", summaryContent),
    },
  ];
}

/** A checkpoint's file is named after its title. */
function titleOf(path: string | undefined, summary: string | undefined): string | undefined {
  const heading = /^\s*(?:#+\s*|<(?:checkpoint_)?title>)\s*([^\n<]{1,80})/.exec(summary ?? "")?.[1]?.trim();
  return heading ?? /(?:^|\/)\d+-([^/]+)\.md$/.exec(path ?? "")?.[1]?.replaceAll("-", " ");
}
