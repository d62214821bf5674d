// Events that a person should see while prompt mode works, one line each, for stderr.
import { clip } from "../../base/text.ts";
import type { Envelope } from "../../schema/event/envelope.ts";

export function noticeLine(event: Envelope): string | undefined {
  switch (event.type) {
    case "session.warning":
      return `Warning: ${event.data.message}`;
    case "session.error":
      return [`Error: ${event.data.message}`, event.data.hint].filter(Boolean).join("\n");
    case "session.info":
      return event.data.message;
    case "session.resume": {
      const { recovered } = event.data;
      if (!recovered) return undefined;
      const { interruptedCalls: calls, damagedLines: lines, tornBytes: bytes } = recovered;
      return `Recovered after an unclean end: interrupted calls ${calls}, damaged lines ${lines}, torn bytes moved away ${bytes}.`;
    }
    case "session.damaged":
      return `Damaged record in the session's log: line ${event.data.line}, offset ${event.data.offset}, ${event.data.bytes} bytes${event.data.file ? `, kept in ${event.data.file}` : ", left in place and skipped"}.`;
    case "soft_failure":
      return `Warning: ${event.data.part} failed (${event.data.code}): ${event.data.message}`;
    case "model.call_failure": {
      const { message, willRetry, attempt, delayMs } = event.data;
      return willRetry
        ? `${clip(message, 300)} Trying again in ${((delayMs ?? 0) / 1000).toFixed(1)} s (retry ${attempt}).`
        : undefined;
    }
    case "tool.execution_start":
      return `• ${event.data.toolName} ${clip(JSON.stringify(event.data.arguments) ?? "", 160)}`;
    case "tool.execution_complete":
      if (event.data.resultType === "success") return undefined;
      return `  ${event.data.toolName ?? ""} ${event.data.resultType}: ${clip(event.data.error?.message ?? "", 300)}`;
    default:
      return undefined;
  }
}
