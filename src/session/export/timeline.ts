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
    const shown = event.agentId === undefined ? entryOf(event) : agentEntry(event);
    return shown ? [{ ...shown, timestamp: event.timestamp }] : [];
  });
}

type Shown = Omit<TimelineEntry, "timestamp">;

const entry = (kind: Shown["kind"], title: string, text: string): Shown => ({ kind, title, text });

/** Of a subagent only that it ran and how it ended: its conversation is its own, and what came of it stands in the main one. */
function agentEntry(event: DurableEnvelope): Shown | undefined {
  switch (event.type) {
    case "subagent.started": {
      const { agentId, agentType, description, model } = event.data;
      return entry("notice", `Agent ${agentId} started`, `${agentType}, ${model}: ${description}`);
    }
    case "subagent.idle":
      return entry("notice", `Agent ${event.data.agentId} answered`, "It waits for a follow-up.");
    case "subagent.completed": {
      const { agentId, turns, totalTokens } = event.data;
      return entry("notice", `Agent ${agentId} completed`, `${turns} turns, ${totalTokens} tokens`);
    }
    case "subagent.failed": {
      const { agentId, error } = event.data;
      return entry("notice", `Agent ${agentId} failed`, `${error.code}: ${error.message}`);
    }
    case "subagent.cancelled":
      return entry("notice", `Agent ${event.data.agentId} was cancelled`, `by ${event.data.by}: ${event.data.reason}`);
    default:
      return undefined;
  }
}

function entryOf(event: DurableEnvelope): Shown | undefined {
  switch (event.type) {
    case "user.message": {
      const { hidden, ref, source, display, content } = event.data;
      return hidden ? undefined : entry("user", ref ? `User (${ref})` : `Message from ${source}`, display ?? content);
    }
    case "assistant.message": {
      const { content, complete } = event.data;
      return content === ""
        ? undefined
        : entry("assistant", `Assistant${complete === false ? " (incomplete)" : ""}`, content);
    }
    case "tool.execution_start":
      return entry("tool", `Tool ${event.data.toolName}`, JSON.stringify(event.data.arguments, undefined, 2) ?? "");
    case "tool.execution_complete": {
      const { toolName, toolCallId, resultType, result } = event.data;
      return entry("tool", `Result of ${toolName ?? toolCallId}: ${resultType}`, result.content);
    }
    case "permission.requested":
      return entry("permission", "Permission asked", JSON.stringify(event.data.request));
    case "permission.completed":
      return entry("permission", `Permission ${event.data.result}`, event.data.reason ?? event.data.scope ?? "");
    case "session.compaction_complete": {
      const { outcome, outcomeReason, failureReason, trigger, preCompactionTokens, postCompactionTokens } = event.data;
      const { compactedTurns, checkpointNumber, summaryContent } = event.data;
      const why = outcomeReason ?? failureReason ?? outcome;
      if (outcome !== "applied") return entry("compaction", "Compaction not applied", `${trigger}: ${why}`);
      const turns = compactedTurns ? `, t${compactedTurns.from}-t${compactedTurns.to}` : "";
      const head = `${trigger}, ${preCompactionTokens} → ${postCompactionTokens} tokens${turns}, checkpoint ${checkpointNumber ?? "none"}`;
      return entry("compaction", "Conversation Compacted", `${head}\n\n${summaryContent ?? ""}`);
    }
    case "session.compaction_undone": {
      const { checkpointNumber, messagesRestored } = event.data;
      const text = `checkpoint ${checkpointNumber ?? "none"}, ${messagesRestored} messages restored`;
      return entry("compaction", "Compaction undone", text);
    }
    case "session.warning":
      return entry("notice", "Warning", event.data.message);
    case "session.error":
      return entry("notice", "Error", event.data.message);
    case "session.model_change": {
      const { previousModel, newModel, cause } = event.data;
      return entry("notice", "Model", `${previousModel ?? ""} → ${newModel} (${cause})`);
    }
    case "abort":
      return entry("notice", "Interrupted", event.data.reason);
    default:
      return undefined;
  }
}
