// What the status line knows of the session: a reduction of its events.
import type { Envelope } from "../../schema/event/envelope.ts";
import type { AgentMode } from "../../schema/permission.ts";

/** How full the window is, from `session.usage_info`. */
export type WindowFacts = { tokens: number; limit: number; compactsAt: number | undefined; effectiveLimit: number };

export type SessionFacts = {
  mode: AgentMode;
  allowAll: boolean;
  model: string;
  window: WindowFacts | undefined;
  compacting: "no" | "background" | "blocking";
  tasks: { running: readonly string[]; idle: readonly string[] };
  inbox: readonly string[];
  /** Permission questions that wait, the one on the screen included. */
  asking: number;
  memory: boolean;
  branch: string | undefined;
  cost: number | undefined;
  tokens: number;
  /** How often it went on by itself since the last message, and how often it may. */
  autopilot: { used: number; limit: number };
  intent: string;
  consolidation: string | undefined;
};

export const noFacts: SessionFacts = {
  mode: "interactive",
  allowAll: false,
  model: "",
  window: undefined,
  compacting: "no",
  tasks: { running: [], idle: [] },
  inbox: [],
  asking: 0,
  memory: true,
  branch: undefined,
  cost: undefined,
  tokens: 0,
  autopilot: { used: 0, limit: 0 },
  intent: "",
  consolidation: undefined,
};

const without = (list: readonly string[], one: string): string[] => list.filter((id) => id !== one);
const withOne = (list: readonly string[], one: string): string[] => [...without(list, one), one];

export function reduceFacts(facts: SessionFacts, event: Envelope): SessionFacts {
  switch (event.type) {
    case "session.start":
      return { ...facts, mode: event.data.mode, model: event.data.model, branch: event.data.context.branch };
    case "session.resume":
      return { ...facts, model: event.data.model, branch: event.data.context.branch };
    case "session.context_changed":
      return { ...facts, branch: event.data.context.branch };
    case "session.mode_changed":
      return { ...facts, mode: event.data.newMode, autopilot: { ...facts.autopilot, used: 0 } };
    case "user.message": {
      if (event.agentId !== undefined || event.data.source === "notification") return facts;
      const used = event.data.source === "autopilot" ? facts.autopilot.used + 1 : 0;
      return { ...facts, autopilot: { ...facts.autopilot, used } };
    }
    case "session.model_change":
      return { ...facts, model: event.data.newModel };
    case "permission.rules_changed":
      return { ...facts, allowAll: event.data.allowAll };
    case "permission.waiting":
      return { ...facts, asking: event.data.count };
    case "session.usage_info": {
      if (event.agentId !== undefined) return facts;
      const { currentTokens: tokens, tokenLimit: limit, compactionAt: compactsAt, effectiveLimit } = event.data;
      return { ...facts, window: { tokens, limit, compactsAt, effectiveLimit } };
    }
    case "session.compaction_start":
      return event.agentId === undefined
        ? { ...facts, compacting: event.data.mode === "blocking" ? "blocking" : "background" }
        : facts;
    case "session.compaction_complete":
      return event.agentId === undefined ? { ...facts, compacting: "no" } : facts;
    case "assistant.usage": {
      const { cost, inputTokens, outputTokens } = event.data;
      return {
        ...facts,
        tokens: facts.tokens + inputTokens + outputTokens,
        cost: cost === undefined ? facts.cost : (facts.cost ?? 0) + cost,
      };
    }
    case "assistant.intent":
      return event.agentId === undefined ? { ...facts, intent: event.data.intent } : facts;
    case "session.memory_switched":
      return { ...facts, memory: event.data.enabled };
    case "inbox.sent":
      return { ...facts, inbox: withOne(facts.inbox, event.data.entryId) };
    // A short entry is read with its announcement.
    case "inbox.notified":
      return event.data.inline ? { ...facts, inbox: without(facts.inbox, event.data.entryId) } : facts;
    case "inbox.read":
      return { ...facts, inbox: without(facts.inbox, event.data.entryId) };
    case "consolidation.gate":
      return { ...facts, consolidation: event.data.model };
    default:
      return reduceTasks(facts, event);
  }
}

function reduceTasks(facts: SessionFacts, event: Envelope): SessionFacts {
  const { running, idle } = facts.tasks;
  const set = (tasks: SessionFacts["tasks"]): SessionFacts => ({ ...facts, tasks });
  switch (event.type) {
    case "subagent.started": {
      const { agentId } = event.data;
      return set({ running: withOne(running, agentId), idle: without(idle, agentId) });
    }
    case "subagent.message":
      return idle.includes(event.data.agentId)
        ? set({ running: withOne(running, event.data.agentId), idle: without(idle, event.data.agentId) })
        : facts;
    case "subagent.idle":
      return set({ running: without(running, event.data.agentId), idle: withOne(idle, event.data.agentId) });
    case "subagent.completed":
    case "subagent.failed":
    case "subagent.cancelled":
    case "subagent.removed": {
      const { agentId } = event.data;
      return set({ running: without(running, agentId), idle: without(idle, agentId) });
    }
    default:
      return facts;
  }
}
