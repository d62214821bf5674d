// Events that a person should see while prompt mode works, one line each, for stderr.
import { withCode } from "../../base/failure.ts";
import { clip } from "../../base/text.ts";
import { compactionReasonText } from "../../schema/compaction-reason.ts";
import type { Envelope } from "../../schema/event/envelope.ts";
import { SIDEKICK_ID } from "../../schema/event/memory.ts";
import { damageText } from "../../schema/session.ts";
import { toolLine } from "./tool-line.ts";

/** `redact` is the secret filter: stderr is kept in build logs. It comes before any cut: half a key is still a key. */
export function noticeLine(event: Envelope, redact: (text: string) => string): string | undefined {
  // They work in silence: what they find is told when the main agent is told.
  if (event.agentId !== undefined && SIDEKICK_ID.test(event.agentId)) return undefined;
  const line = lineOf(event, redact);
  const isOwn = event.agentId === undefined || event.type.startsWith("subagent.");
  return line === undefined || isOwn ? line : `[${event.agentId}] ${line}`;
}

function lineOf(event: Envelope, redact: (text: string) => string): string | undefined {
  switch (event.type) {
    case "subagent.started": {
      const { agentId, agentType, description, model } = event.data;
      return `Agent ${agentId} (${agentType}, ${model}) started: ${clip(redact(description), 120)}`;
    }
    case "subagent.completed":
      return `Agent ${event.data.agentId} completed: ${event.data.turns} turns, ${event.data.totalTokens} tokens, ${(event.data.durationMs / 1000).toFixed(1)} s.`;
    case "subagent.idle":
      return `Agent ${event.data.agentId} answered and is ready for a follow-up.`;
    case "subagent.failed":
      return `Agent ${event.data.agentId} failed: ${clip(redact(event.data.error.message), 300)}`;
    case "subagent.cancelled":
      return `Agent ${event.data.agentId} was cancelled by ${event.data.by}: ${clip(redact(event.data.reason), 200)}`;
    case "subagent.stalled":
      return `Agent ${event.data.agentId} is stalled: ${event.data.reason}`;
    case "subagent.model_changed":
      return `Agent ${event.data.agentId} runs on ${event.data.used} instead of ${event.data.requested}: ${event.data.reason}`;
    case "system.notification": {
      const { kind, senderName, summary, entryId } = event.data;
      if (kind !== "new_inbox_message") return undefined;
      return `Inbox: ${clip(redact(`${senderName}: ${summary}`), 200)} (${entryId})`;
    }
    case "session.mode_changed":
      return event.data.newMode === "research"
        ? "Research mode: the agent only starts other agents and writes the report."
        : undefined;
    case "hook.block_limit":
      return `Stop hooks blocked ${event.data.blocks} times; the agent stops anyway.`;
    case "session.autopilot_stopped":
      return `Autopilot stopped (${event.data.reason}) after ${event.data.continuations} continuations.`;
    case "session.fleet_completed":
      return `Fleet: ${event.data.done} done, ${event.data.blocked} blocked, ${event.data.notRun} not run, ${event.data.rounds} rounds.`;
    case "session.warning":
      return `Warning: ${redact(event.data.message)}`;
    case "session.error":
      return withCode(
        [`Error: ${redact(event.data.message)}`, event.data.hint].filter(Boolean).join("\n"),
        event.data.code ?? event.data.errorType,
      );
    case "session.info":
      return redact(event.data.message);
    case "session.resume": {
      const { recovered } = event.data;
      if (!recovered) return undefined;
      const { interruptedCalls: calls, damagedLines: lines, tornBytes: bytes } = recovered;
      return `Recovered after a crash. Interrupted calls: ${calls}, damaged lines: ${lines}, incomplete bytes moved away: ${bytes}.`;
    }
    case "session.damaged":
      return withCode(damageText(event.data), "log_damaged");
    case "store.rebuilt":
      return redact(event.data.message);
    case "soft_failure":
      return `Warning: ${event.data.part} failed (${event.data.code}): ${redact(event.data.message)}`;
    case "model.call_failure": {
      const { message, willRetry, attempt, delayMs = 0 } = event.data;
      if (!willRetry) return undefined;
      const when = delayMs > 0 ? `in ${(delayMs / 1000).toFixed(1)} s` : "now";
      return `${clip(redact(message), 300)} Trying again ${when} (retry ${attempt}).`;
    }
    case "session.compaction_start":
      return event.data.mode === "blocking" ? "Compacting conversation history…" : undefined;
    case "session.compaction_complete": {
      const { outcome, preCompactionTokens, postCompactionTokens, checkpointNumber, outcomeReason, failureReason } =
        event.data;
      if (outcome !== "applied")
        return `The conversation was not compacted: ${compactionReasonText(outcomeReason ?? failureReason ?? outcome)}.`;
      return `Conversation compacted: ${preCompactionTokens} → ${postCompactionTokens} tokens, checkpoint ${checkpointNumber ?? "none"}.`;
    }
    case "session.truncation": {
      const { newCut, omittedMessages, tokensRemovedDuringTruncation } = event.data;
      return newCut
        ? `Request trimmed: ${omittedMessages} messages, ${tokensRemovedDuringTruncation} tokens left out; the log keeps them.`
        : undefined;
    }
    case "tool.execution_start":
      return toolLine(event.data.toolName, event.data.arguments, redact);
    case "tool.execution_complete":
      if (event.data.resultType === "success") return undefined;
      return `  ${event.data.toolName ?? ""} ${event.data.resultType}: ${clip(redact(event.data.error?.message ?? ""), 300)}`;
    default:
      return undefined;
  }
}
