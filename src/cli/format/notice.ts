// Events that a person should see while prompt mode works, one line each, for stderr.
import { clip } from "../../base/text.ts";
import type { Envelope } from "../../schema/event/envelope.ts";

/** `redact` is the secret filter: stderr is kept in build logs. It comes before any cut: half a key is still a key. */
export function noticeLine(event: Envelope, redact: (text: string) => string): string | undefined {
  switch (event.type) {
    case "session.warning":
      return `Warning: ${redact(event.data.message)}`;
    case "session.error":
      return [`Error: ${redact(event.data.message)}`, event.data.hint].filter(Boolean).join("\n");
    case "session.info":
      return redact(event.data.message);
    case "session.resume": {
      const { recovered } = event.data;
      if (!recovered) return undefined;
      const { interruptedCalls: calls, damagedLines: lines, tornBytes: bytes } = recovered;
      return `Recovered after an unclean end: interrupted calls ${calls}, damaged lines ${lines}, torn bytes moved away ${bytes}.`;
    }
    case "session.damaged":
      return `Damaged record in the session's log: line ${event.data.line}, offset ${event.data.offset}, ${event.data.bytes} bytes${event.data.file ? `, kept in ${event.data.file}` : ", left in place and skipped"}.`;
    case "soft_failure":
      return `Warning: ${event.data.part} failed (${event.data.code}): ${redact(event.data.message)}`;
    case "model.call_failure": {
      const { message, willRetry, attempt, delayMs } = event.data;
      return willRetry
        ? `${clip(redact(message), 300)} Trying again in ${((delayMs ?? 0) / 1000).toFixed(1)} s (retry ${attempt}).`
        : undefined;
    }
    case "session.compaction_start":
      return event.data.mode === "blocking" ? "Compacting conversation history…" : undefined;
    case "session.compaction_complete": {
      const { outcome, preCompactionTokens, postCompactionTokens, checkpointNumber, outcomeReason, failureReason } =
        event.data;
      if (outcome !== "applied")
        return `Compaction not applied (${outcomeReason ?? failureReason ?? outcome}); the history is unchanged.`;
      return `Conversation compacted: ${preCompactionTokens} → ${postCompactionTokens} tokens, checkpoint ${checkpointNumber ?? "none"}.`;
    }
    case "session.truncation": {
      const { newCut, omittedMessages, tokensRemovedDuringTruncation } = event.data;
      return newCut
        ? `Request trimmed: ${omittedMessages} messages, ${tokensRemovedDuringTruncation} tokens left out; the log keeps them.`
        : undefined;
    }
    case "tool.execution_start": {
      const clean = (_key: string, value: unknown): unknown => (typeof value === "string" ? redact(value) : value);
      return `• ${event.data.toolName} ${clip(JSON.stringify(event.data.arguments, clean) ?? "", 160)}`;
    }
    case "tool.execution_complete":
      if (event.data.resultType === "success") return undefined;
      return `  ${event.data.toolName ?? ""} ${event.data.resultType}: ${clip(redact(event.data.error?.message ?? ""), 300)}`;
    default:
      return undefined;
  }
}
