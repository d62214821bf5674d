// Compactions in the transcript: what was summarised, or why the history is unchanged.
import { optional } from "../../base/optional.ts";
import { compactionReasonText } from "../../schema/compaction-reason.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import type { TranscriptBlock } from "./block.ts";

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
    const reason = [compactionReasonText(code), error].filter(Boolean).join(": ");
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
