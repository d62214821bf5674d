// What an export shows: the chain as turns with messages, tools, permissions and notices, independent of the format.
import type { DurableEnvelope } from "../../schema/event/envelope.ts";

export type TimelineEntry = {
  kind: "user" | "assistant" | "tool" | "permission" | "notice" | "compaction";
  title: string;
  text: string;
  timestamp: string;
};

export function timeline(chain: readonly DurableEnvelope[]): TimelineEntry[] {
  return chain.flatMap((event) => {
    const entry = event.agentId === undefined ? entryOf(event) : agentEntry(event);
    return entry ? [{ ...entry, timestamp: event.timestamp }] : [];
  });
}

/** Of a subagent only that it ran and how it ended: its conversation is its own, and what came of it stands in the main one. */
function agentEntry(event: DurableEnvelope): Omit<TimelineEntry, "timestamp"> | undefined {
  const notice = (title: string, text: string) => ({ kind: "notice" as const, title, text });
  switch (event.type) {
    case "subagent.started": {
      const { agentId, agentType, description, model } = event.data;
      return notice(`Agent ${agentId} started`, `${agentType}, ${model}: ${description}`);
    }
    case "subagent.idle":
      return notice(`Agent ${event.data.agentId} answered`, "It waits for a follow-up.");
    case "subagent.completed":
      return notice(
        `Agent ${event.data.agentId} completed`,
        `${event.data.turns} turns, ${event.data.totalTokens} tokens`,
      );
    case "subagent.failed":
      return notice(`Agent ${event.data.agentId} failed`, `${event.data.error.code}: ${event.data.error.message}`);
    case "subagent.cancelled":
      return notice(`Agent ${event.data.agentId} was cancelled`, `by ${event.data.by}: ${event.data.reason}`);
    default:
      return undefined;
  }
}

function entryOf(event: DurableEnvelope): Omit<TimelineEntry, "timestamp"> | undefined {
  switch (event.type) {
    case "user.message": {
      if (event.data.hidden) return undefined;
      const { ref, source, display, content } = event.data;
      return { kind: "user", title: ref ? `User (${ref})` : `Message from ${source}`, text: display ?? content };
    }
    case "assistant.message":
      if (event.data.content === "") return undefined;
      return {
        kind: "assistant",
        title: event.data.complete === false ? "Assistant (incomplete)" : "Assistant",
        text: event.data.content,
      };
    case "tool.execution_start":
      return {
        kind: "tool",
        title: `Tool ${event.data.toolName}`,
        text: JSON.stringify(event.data.arguments, undefined, 2) ?? "",
      };
    case "tool.execution_complete":
      return {
        kind: "tool",
        title: `Result of ${event.data.toolName ?? event.data.toolCallId}: ${event.data.resultType}`,
        text: event.data.result.content,
      };
    case "permission.requested":
      return { kind: "permission", title: "Permission asked", text: JSON.stringify(event.data.request) };
    case "permission.completed":
      return {
        kind: "permission",
        title: `Permission ${event.data.result}`,
        text: event.data.reason ?? event.data.scope ?? "",
      };
    case "session.compaction_complete": {
      const { outcome, outcomeReason, failureReason, trigger, preCompactionTokens, postCompactionTokens } = event.data;
      const { compactedTurns, checkpointNumber, summaryContent } = event.data;
      if (outcome !== "applied") {
        return {
          kind: "compaction",
          title: "Compaction not applied",
          text: `${trigger}: ${outcomeReason ?? failureReason ?? outcome}`,
        };
      }
      const turns = compactedTurns ? `, t${compactedTurns.from}-t${compactedTurns.to}` : "";
      const head = `${trigger}, ${preCompactionTokens} → ${postCompactionTokens} tokens${turns}, checkpoint ${checkpointNumber ?? "none"}`;
      return { kind: "compaction", title: "Conversation Compacted", text: `${head}\n\n${summaryContent ?? ""}` };
    }
    case "session.compaction_undone":
      return {
        kind: "compaction",
        title: "Compaction undone",
        text: `checkpoint ${event.data.checkpointNumber ?? "none"}, ${event.data.messagesRestored} messages restored`,
      };
    case "session.warning":
      return { kind: "notice", title: "Warning", text: event.data.message };
    case "session.error":
      return { kind: "notice", title: "Error", text: event.data.message };
    case "session.model_change":
      return {
        kind: "notice",
        title: "Model",
        text: `${event.data.previousModel ?? ""} → ${event.data.newModel} (${event.data.cause})`,
      };
    case "abort":
      return { kind: "notice", title: "Interrupted", text: event.data.reason };
    default:
      return undefined;
  }
}
