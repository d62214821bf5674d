// A record: one run of an agent in the registry, as a union by status. What is stored; controllers and waiters are live parts.
import type { ExecutionMode, McpTaskProgress } from "../../schema/event/agent.ts";
import type { Usage } from "../../schema/model.ts";

export type AgentTurn = {
  turn: number;
  prompt: string;
  response: string;
  stopReason: string;
  usage: Usage;
  at: string;
};

export type AgentProgress = {
  turns: number;
  toolCalls: number;
  tokensIn: number;
  tokensOut: number;
  latestIntent?: string;
  latestTool?: string;
  stalled?: { since: string; reason: string };
  mcpTask?: McpTaskProgress;
};

/** A message that the agent has not begun to work on. */
export type AgentMessage = { messageId: string; from: string; message: string };

export type RecordCommon = {
  id: string;
  type: "agent";
  /** The session. */
  ownerId: string;
  parentId?: string;
  /** The call of the parent that started it. */
  toolCallId?: string;
  depth: number;
  name: string;
  /** Normalised name of its definition; "mcp-task" for a task of a server. */
  agentType: string;
  displayName: string;
  description: string;
  prompt: string;
  modelOverride?: string;
  model: string;
  reasoningEffort?: string;
  /** The first line of every result of an agent that runs on another model than the one asked for. */
  note?: string;
  executionMode: ExecutionMode;
  requestedMode: ExecutionMode;
  /** It may go idle and take follow-ups. */
  multiTurn: boolean;
  todoId?: string;
  /** A fleet's worker: only the fleet is told of it. */
  quiet: boolean;
  /** The latest boundary of its conversation. */
  boundary?: "start" | "end" | "failure";
  createdAt: string;
  turnHistory: readonly AgentTurn[];
  latestResponse?: string;
  progress: AgentProgress;
  telemetry: { durationMs: number; steps: number; cost?: number };
  /** Its newest change (idle, or its end) was announced to the main agent, or read by somebody. */
  told: boolean;
  /** Hidden from lists. */
  removed: boolean;
};

export type RunningRecord = RecordCommon & {
  status: "running";
  startedAt: string;
  /** Where a replay that finds nobody behind it lets it stand. */
  lastEventAt: string;
  messageQueue: readonly AgentMessage[];
};
type IdleRecord = RecordCommon & { status: "idle"; idleSince: string };
type CompletedRecord = RecordCommon & { status: "completed"; endedAt: string; result: string };
type FailedRecord = RecordCommon & {
  status: "failed";
  endedAt: string;
  error: { code: string; message: string };
};
type CancelledRecord = RecordCommon & { status: "cancelled"; endedAt: string; by: string; reason: string };
/** It was running when the process ended; it can be continued. */
type InterruptedRecord = RecordCommon & {
  status: "interrupted";
  lastEventAt: string;
  messageQueue: readonly AgentMessage[];
};

export type AgentRecord =
  | RunningRecord
  | IdleRecord
  | CompletedRecord
  | FailedRecord
  | CancelledRecord
  | InterruptedRecord;
export type AgentStatus = AgentRecord["status"];

export const isTerminal = (record: AgentRecord): record is CompletedRecord | FailedRecord | CancelledRecord =>
  record.status === "completed" || record.status === "failed" || record.status === "cancelled";

export const MCP_TASK = "mcp-task";
