// The one reduction: an event of the session into what an editor is told. Live prompts and loaded sessions both go through it.
import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk";
import type { Envelope } from "../../schema/event/envelope.ts";
import type { Todo } from "../../schema/todo.ts";
import { isEditorMode } from "../mode.ts";
import { conversationUpdates } from "./conversation.ts";
import { callUpdates } from "./result.ts";
import type { Reduced, UpdateState } from "./state.ts";

/** Pure. What a client shows after all events of a session is the same whether it saw them live or from the log. */
export function updatesOf(state: UpdateState, event: Envelope): Reduced {
  const nothing: Reduced = { state, updates: [] };
  if (event.type === "assistant.usage") return spend(state, event.data.cost);
  // Other agents work behind the call that started them.
  if (event.agentId !== undefined && !event.type.startsWith("subagent.")) return nothing;
  switch (event.type) {
    case "session.start":
    case "session.resume":
    case "session.context_changed":
      return { state: { ...state, cwd: event.data.context.cwd }, updates: [] };
    case "session.title_changed":
      return { state, updates: [{ sessionUpdate: "session_info_update", title: event.data.title }] };
    case "session.mode_changed":
      return isEditorMode(event.data.newMode)
        ? { state, updates: [{ sessionUpdate: "current_mode_update", currentModeId: event.data.newMode }] }
        : nothing;
    case "session.todos_changed": {
      const todos = changedTodos(state.todos, event.data);
      return {
        state: { ...state, todos },
        updates: [{ sessionUpdate: "plan", entries: [...todos.values()].map(entry) }],
      };
    }
    case "session.usage_info": {
      const cost = state.cost === undefined ? {} : { cost: { amount: state.cost, currency: "USD" } };
      const { currentTokens: used, tokenLimit: size } = event.data;
      return { state, updates: [{ sessionUpdate: "usage_update", used, size, ...cost }] };
    }
    case "session.compaction_start":
      return { state, updates: [compaction(event.data.compactionAttemptId, "in_progress")] };
    case "session.compaction_complete": {
      const { compactionAttemptId: id, outcome, error } = event.data;
      const status = outcome === "applied" ? "completed" : outcome === "failed" ? "failed" : "cancelled";
      return { state, updates: [compaction(id, status, error)] };
    }
    case "session.error":
    case "session.warning":
    case "session.info":
      return { state, updates: [notice(event.type.slice("session.".length), event.data.message, event.data.hint)] };
    case "soft_failure":
      return { state, updates: [notice("warning", `${event.data.part} failed: ${event.data.message}`)] };
    case "model.call_failure":
      // The last one is the turn's error.
      return event.data.willRetry ? { state, updates: [notice("info", event.data.message, "Trying again.")] } : nothing;
    default:
      return conversationUpdates(state, event) ?? callUpdates(state, event) ?? nothing;
  }
}

const spend = (state: UpdateState, cost: number | undefined): Reduced => ({
  state: cost === undefined ? state : { ...state, cost: (state.cost ?? 0) + cost },
  updates: [],
});

const notice = (severity: string, title: string, description?: string): SessionUpdate => ({
  sessionUpdate: "notice",
  severity,
  title,
  ...(description ? { description } : {}),
});

const compaction = (compactionId: string, status: string, error?: string): SessionUpdate => ({
  sessionUpdate: "compaction_update",
  compactionId,
  status,
  ...(error ? { error } : {}),
});

function changedTodos(
  before: UpdateState["todos"],
  { todos, removedTodos }: { todos: readonly Todo[]; removedTodos: readonly string[] },
): UpdateState["todos"] {
  const after = new Map(before);
  for (const id of removedTodos) after.delete(id);
  for (const todo of todos) after.set(todo.id, todo);
  return after;
}

const STATUS = { pending: "pending", blocked: "pending", in_progress: "in_progress", done: "completed" } as const;

const entry = ({ title, status }: Todo): PlanEntry => ({
  content: status === "blocked" ? `${title} (blocked)` : title,
  priority: "medium",
  status: STATUS[status],
});
