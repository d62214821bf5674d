// Subagents in the transcript: each step of their life is an entry with what is known of them by then.
import { optional } from "../../base/optional.ts";
import type { Envelope, EventType } from "../../schema/event/envelope.ts";
import type { BlockOf, TaskPhase } from "./block.ts";
import { type AgentFacts, type Transcript, withBlock, withEntry } from "./transcript.ts";

type LifeType = Extract<EventType, `subagent.${string}`>;

/** Undefined: nothing is to be shown of it. */
export function agentChanged(transcript: Transcript, event: Envelope<LifeType>): Transcript | undefined {
  const begun = { id: event.id, at: event.timestamp };
  const task = (id: string, state: TaskPhase, more: Partial<BlockOf<"task">> = {}): Transcript => {
    const { name = id, ...facts } = transcript.agents.get(id) ?? {};
    return withBlock(transcript, { ...begun, kind: "task", state, name, agentId: id, ...facts, ...more });
  };
  switch (event.type) {
    case "subagent.started": {
      const { agentId, name, agentType, model, description } = event.data;
      const facts: AgentFacts = { name, agentType, model, turns: 0, toolCalls: 0, tokens: 0 };
      const agents = withEntry(transcript.agents, agentId, facts);
      const block = { ...begun, kind: "task", state: "started", name, agentId, agentType, model } as const;
      return withBlock({ ...transcript, agents }, { ...block, ...optional("detail", description || undefined) });
    }
    case "subagent.turn": {
      const { agentId, turn, usage } = event.data;
      const facts = transcript.agents.get(agentId);
      if (!facts) return transcript;
      const tokens = (facts.tokens ?? 0) + usage.inputTokens + usage.outputTokens;
      const cost = usage.cost === undefined ? {} : { cost: (facts.cost ?? 0) + usage.cost };
      return {
        ...transcript,
        agents: withEntry(transcript.agents, agentId, { ...facts, turns: turn, tokens, ...cost }),
      };
    }
    case "subagent.idle":
      return task(event.data.agentId, "idle", { detail: "answered, ready for a follow-up" });
    case "subagent.stalled":
      return task(event.data.agentId, "stalled", { detail: event.data.reason });
    case "subagent.completed":
      return task(event.data.agentId, "completed", totals(event.data));
    case "subagent.failed": {
      const { agentId, error } = event.data;
      const state = error.code === "interrupted" ? "interrupted" : "failed";
      return task(agentId, state, { ...totals(event.data), detail: error.message });
    }
    case "subagent.cancelled": {
      const { agentId, by, reason } = event.data;
      return task(agentId, "cancelled", { detail: `by ${by}: ${reason}` });
    }
    case "subagent.promoted":
      return withBlock(transcript, {
        ...begun,
        kind: "notice",
        level: "info",
        about: "task",
        text: `${transcript.agents.get(event.data.agentId)?.name ?? event.data.agentId} continues in the background.`,
      });
    case "subagent.model_changed": {
      const { agentId, requested, used, reason } = event.data;
      const agent = transcript.agents.get(agentId)?.name ?? agentId;
      return withBlock(transcript, { ...begun, kind: "model", before: requested, now: used, why: reason, agent });
    }
    case "subagent.selected":
      return withBlock(transcript, notice(begun, `Runs as ${event.data.agentDisplayName} now.`));
    case "subagent.deselected":
      return withBlock(transcript, notice(begun, `No longer runs as ${event.data.agentName}.`));
    default:
      return undefined;
  }
}

const notice = (begun: { id: string; at: string }, text: string): BlockOf<"notice"> => ({
  ...begun,
  kind: "notice",
  level: "info",
  about: "agent",
  text,
});

function totals(data: {
  model: string;
  turns: number;
  totalToolCalls: number;
  totalTokens: number;
  durationMs: number;
}): Partial<BlockOf<"task">> {
  const { model, turns, totalToolCalls: toolCalls, totalTokens: tokens, durationMs } = data;
  return { model, turns, toolCalls, tokens, durationMs };
}
