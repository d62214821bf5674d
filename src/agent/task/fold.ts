// Records from events: the only thing that changes them, live and on replay alike, so that the two cannot drift.
import { isRecord } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import { clip } from "../../base/text.ts";
import type { DurableEnvelope, DurableType, Envelope, EventData } from "../../schema/event/envelope.ts";
import { SIDEKICK_ID } from "../../schema/event/memory.ts";
import { factsOf } from "../../schema/own-tool.ts";
import { MAIN } from "./contract.ts";
import { type AgentProgress, type AgentRecord, isTerminal, type RunningRecord } from "./record.ts";
import { type Change, transition } from "./transition.ts";

export type AgentRecords = Map<string, AgentRecord>;

const INTENT_CHARS = 100;

/** Events of the main agent that change records; of its own events each agent has one. */
const OF_MAIN: ReadonlySet<string> = new Set<DurableType>([
  "subagent.started",
  "session.snapshot_rewind",
  "session.resume",
  "system.notification",
  "subagent.read",
  "subagent.removed",
]);

export function foldAgents(records: AgentRecords, event: DurableEnvelope, sessionId: string): void {
  if (event.agentId === undefined && !OF_MAIN.has(event.type)) return;
  const put = (id: string | undefined, change: (record: AgentRecord) => AgentRecord | "ignored") => {
    const record = id === undefined ? undefined : records.get(id);
    if (!record) return;
    const changed = change(record);
    const next = changed === "ignored" ? record : changed;
    const seen = next.status === "running" ? { ...next, lastEventAt: event.timestamp } : next;
    if (seen !== record) records.set(record.id, seen);
  };
  switch (event.type) {
    case "subagent.started":
      // Sidekicks are nobody's agents: they hold no slot, and nobody waits for them.
      if (SIDEKICK_ID.test(event.data.agentId)) return;
      if (!records.has(event.data.agentId)) records.set(event.data.agentId, startedRecord(event, sessionId));
      return;
    case "session.snapshot_rewind":
      // Those that were there before the target keep all they did: their work is not the main agent's to take back.
      for (const id of event.data.withdrawnAgents ?? []) records.delete(id);
      for (const id of event.data.untoldAgents ?? [])
        put(id, (record) => (record.status === "running" ? record : { ...record, told: false }));
      return;
    case "session.resume":
      for (const [id, record] of records) {
        const changed = transition(record, { type: "interrupted" });
        if (changed !== "ignored") records.set(id, changed);
      }
      return;
    case "system.notification":
      // That an agent is stalled says nothing of its result.
      if (event.data.kind !== "agent_stalled")
        for (const id of event.data.agentIds ?? []) put(id, (record) => ({ ...record, told: true }));
      return;
    case "subagent.read":
      return put(event.data.agentId, (record) => ({ ...record, told: true }));
    case "subagent.removed":
      return put(event.data.agentId, (record) => (isTerminal(record) ? { ...record, removed: true } : "ignored"));
  }
  if (event.agentId === undefined) return;
  const change = changeOf(event);
  if (change) put(event.agentId, (record) => transition(record, change));
  else put(event.agentId, (record) => (isTerminal(record) ? "ignored" : grown(record, event)));
}

/** The change of status that an event makes, if it makes one. */
function changeOf(event: DurableEnvelope): Change | undefined {
  const at = event.timestamp;
  switch (event.type) {
    case "subagent.message": {
      const { messageId, from, message } = event.data;
      return { type: "message", message: { messageId, from, message }, at };
    }
    case "user.message":
      return { type: "taken", messageId: event.data.messageId };
    case "subagent.idle":
      return { type: "idle", at };
    case "subagent.completed":
      return { type: "completed", result: event.data.result, at };
    case "subagent.failed": {
      const { code, message } = event.data.error;
      return { type: "failed", error: { code, message }, at };
    }
    case "subagent.cancelled": {
      const { by, reason } = event.data;
      // The main agent knows what it cancelled itself.
      return { type: "cancelled", by, reason, told: by === MAIN, at };
    }
  }
  return undefined;
}

/** What an event that leaves the status as it is adds: what the agent has done and said. */
function grown(record: AgentRecord, event: DurableEnvelope): AgentRecord | "ignored" {
  const { progress, telemetry } = record;
  switch (event.type) {
    case "subagent.turn": {
      const { turn, prompt, response, stopReason, usage } = event.data;
      const turnHistory = [...record.turnHistory, { turn, prompt, response, stopReason, usage, at: event.timestamp }];
      const counted = { ...moving(progress), turns: turnHistory.length };
      return { ...record, turnHistory, latestResponse: response, progress: counted };
    }
    case "subagent_session_boundary":
      return { ...record, boundary: event.data.phase };
    case "subagent.promoted":
      return { ...record, executionMode: "background" };
    case "subagent.model_changed":
      return { ...record, model: event.data.used, ...optional("note", event.data.note) };
    case "subagent.stalled":
      return {
        ...record,
        progress: { ...progress, stalled: { since: event.timestamp, reason: event.data.reason } },
      };
    case "subagent.mcp_task":
      return { ...record, progress: { ...moving(progress), mcpTask: event.data.mcpTask } };
    case "assistant.usage": {
      const { inputTokens, outputTokens, cost, interaction } = event.data;
      const tokens = { tokensIn: progress.tokensIn + inputTokens, tokensOut: progress.tokensOut + outputTokens };
      const steps = telemetry.steps + (interaction === "conversation-compaction" ? 0 : 1);
      const spent = cost === undefined ? telemetry.cost : (telemetry.cost ?? 0) + cost;
      return {
        ...record,
        progress: { ...moving(progress), ...tokens },
        telemetry: { ...telemetry, steps, ...optional("cost", spent) },
      };
    }
    case "tool.execution_start": {
      const latestIntent = intentOf(event.data);
      const counted = { ...progress, toolCalls: progress.toolCalls + 1, latestTool: event.data.toolName };
      return { ...record, progress: { ...counted, ...optional("latestIntent", latestIntent) } };
    }
    case "tool.execution_complete":
      return progress.stalled ? { ...record, progress: moving(progress) } : "ignored";
  }
  return "ignored";
}

function moving(progress: AgentProgress): AgentProgress {
  const { stalled: _, ...rest } = progress;
  return rest;
}

function intentOf({ toolName, arguments: args }: EventData<"tool.execution_start">): string | undefined {
  if (!factsOf(toolName)?.saysIntent || !isRecord(args) || typeof args["intent"] !== "string") return undefined;
  return clip(args["intent"].replace(/\s+/g, " ").trim(), INTENT_CHARS);
}

function startedRecord({ data, timestamp }: Envelope<"subagent.started">, sessionId: string): RunningRecord {
  return {
    id: data.agentId,
    type: "agent",
    ownerId: sessionId,
    ...optional("parentId", data.parentId),
    ...optional("toolCallId", data.toolCallId),
    depth: data.depth,
    name: data.name,
    agentType: data.agentType,
    displayName: data.agentDisplayName,
    description: data.description,
    prompt: data.prompt,
    ...optional("modelOverride", data.modelOverride),
    model: data.model,
    ...optional("reasoningEffort", data.reasoningEffort),
    ...optional("note", data.note),
    executionMode: data.executionMode,
    requestedMode: data.requestedMode,
    multiTurn: data.multiTurn,
    ...optional("todoId", data.todoId),
    quiet: data.quiet ?? false,
    createdAt: timestamp,
    turnHistory: [],
    progress: { turns: 0, toolCalls: 0, tokensIn: 0, tokensOut: 0, ...optional("mcpTask", data.mcpTask) },
    telemetry: { durationMs: 0, steps: 0 },
    told: false,
    removed: false,
    status: "running",
    startedAt: timestamp,
    lastEventAt: timestamp,
    messageQueue: [],
  };
}
