// What counts for a whole log, whatever becomes of its chain: totals, counters, the queue, the title.
import { basename } from "node:path";
import { firstLine } from "../base/text.ts";
import type { DurableEnvelope } from "../schema/event/envelope.ts";
import { addUsage, noUsage, usageLine } from "../schema/model.ts";
import { sourceOf } from "./ref.ts";
import type { SessionState } from "./state.ts";

/** What counts for the session, whichever agent did it. */
export function applyToTotals(state: SessionState, event: DurableEnvelope): void {
  switch (event.type) {
    case "session.model_limit":
      state.modelLimits.set(
        event.data.model,
        Math.min(event.data.limit, state.modelLimits.get(event.data.model) ?? Infinity),
      );
      break;
    case "assistant.usage": {
      const line = usageLine(event.data);
      state.usage.set(line, addUsage(state.usage.get(line) ?? noUsage, event.data));
      state.apiDurationMs += event.data.durationMs;
      break;
    }
    case "tool.execution_complete":
      for (const f of event.data.filesChanged ?? []) {
        if (f.operation === "view") continue;
        const before = state.changedFiles.get(f.path) ?? { added: 0, removed: 0 };
        state.changedFiles.set(f.path, {
          added: before.added + (f.added ?? 0),
          removed: before.removed + (f.removed ?? 0),
        });
      }
      break;
    case "subagent.started":
      state.agentIds.add(event.data.agentId);
      break;
  }
}

/** What counts for the whole log, whatever becomes of the chain. */
export function applyToLog(state: SessionState, event: DurableEnvelope): void {
  if (sourceOf(event)) state.refs.add(event.id, state.refCounter.next(event));
  switch (event.type) {
    case "session.title_changed":
      state.title = event.data.title;
      state.userNamed = event.data.userNamed;
      break;
    case "session.compaction_start":
      state.openCompaction = event.data;
      break;
    case "session.compaction_complete":
      state.openCompaction = undefined;
      state.checkpointCount = Math.max(state.checkpointCount, event.data.checkpointNumber ?? 0);
      if (event.data.checkpointPath) state.checkpointFiles.push(basename(event.data.checkpointPath));
      break;
    case "session.start":
      state.sessionId = event.data.sessionId;
      state.version = event.data.version;
      state.context = event.data.context;
      state.createdAt = event.data.startTime;
      break;
    case "session.resume":
    case "session.context_changed":
      state.context = event.data.context;
      break;
    case "message.queued":
      state.queue.push(event.data);
      break;
    case "message.dequeued":
      state.queue = state.queue.filter((m) => m.messageId !== event.data.messageId);
      break;
    case "user.message":
      state.queue = state.queue.filter((m) => m.messageId !== event.data.messageId);
      if (state.title === "" && event.data.source === "user") {
        state.title = firstLine(event.data.display ?? event.data.content, 60);
      }
      if (event.data.ref) state.promptCount = Math.max(state.promptCount, Number(event.data.ref.slice(1)));
      break;
  }
}
