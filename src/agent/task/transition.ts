// The life of a record: one pure function. What no row allows is ignored, and a record that has ended never changes.
import { type AgentMessage, type AgentRecord, MCP_TASK, type RecordCommon, type RunningRecord } from "./record.ts";

export type Change =
  | { type: "message"; message: AgentMessage; at: string }
  | { type: "taken"; messageId: string }
  | { type: "idle"; at: string }
  | { type: "completed"; result: string; at: string }
  | { type: "failed"; error: { code: string; message: string }; at: string }
  | { type: "cancelled"; by: string; reason: string; told: boolean; at: string }
  /** A replay found nobody behind it. */
  | { type: "interrupted" };

export function transition(record: AgentRecord, change: Change): AgentRecord | "ignored" {
  switch (record.status) {
    case "running":
      return fromRunning(record, change);
    case "idle": {
      const { status: _, idleSince: __, ...common } = record;
      // The call that waited for a sync agent has returned: a later answer is told.
      if (change.type === "message")
        return running({ ...common, executionMode: "background" }, [change.message], change.at);
      // Its answer was announced when it went idle, and nothing is new.
      if (change.type === "completed")
        return { ...common, status: "completed", endedAt: change.at, result: change.result };
      return change.type === "cancelled" ? cancelled(common, change) : "ignored";
    }
    case "interrupted": {
      const { status: _, lastEventAt: __, messageQueue, ...common } = record;
      // Whoever waited for it, a fleet too, is gone with the old process: it goes on in the background, undelivered
      // messages first, and its end is told like any other's.
      if (change.type === "message") {
        const goesOn = { ...common, executionMode: "background", quiet: false } as const;
        return running(goesOn, [...messageQueue, change.message], change.at);
      }
      return change.type === "cancelled" ? cancelled(common, change) : "ignored";
    }
    case "completed":
    case "failed":
    case "cancelled":
      return "ignored";
  }
}

function fromRunning(record: RunningRecord, change: Change): AgentRecord | "ignored" {
  const { messageQueue } = record;
  switch (change.type) {
    case "message":
      // A server's task is steered: it has no turns that would take a message out of a queue.
      if (record.agentType === MCP_TASK) return "ignored";
      return { ...record, messageQueue: [...messageQueue, change.message] };
    case "taken": {
      const rest = messageQueue.filter((message) => message.messageId !== change.messageId);
      return rest.length === messageQueue.length ? "ignored" : { ...record, messageQueue: rest };
    }
    case "idle":
      return { ...stopped(record, change.at), status: "idle", idleSince: change.at };
    case "completed":
      return { ...stopped(record, change.at), status: "completed", endedAt: change.at, result: change.result };
    case "failed":
      return { ...stopped(record, change.at), status: "failed", endedAt: change.at, error: change.error };
    case "cancelled":
      return cancelled(stopped(record, change.at), change);
    case "interrupted": {
      const { lastEventAt } = record;
      return { ...stopped(record, lastEventAt), status: "interrupted", lastEventAt, messageQueue };
    }
  }
}

function running(common: RecordCommon, messageQueue: readonly AgentMessage[], at: string): RunningRecord {
  return { ...common, status: "running", startedAt: at, lastEventAt: at, messageQueue };
}

function cancelled(
  common: RecordCommon,
  { by, reason, told, at }: Extract<Change, { type: "cancelled" }>,
): AgentRecord {
  return { ...common, status: "cancelled", endedAt: at, by, reason, told };
}

/** What is left of a running record when it stops running: its time is added up, its news is untold. */
function stopped(record: RunningRecord, at: string): RecordCommon {
  const { status: _, startedAt, lastEventAt: __, messageQueue: ___, ...common } = record;
  const { stalled: ____, ...progress } = common.progress;
  const durationMs = common.telemetry.durationMs + msBetween(startedAt, at);
  return { ...common, progress, telemetry: { ...common.telemetry, durationMs }, told: false };
}

/** Wall clocks go back; durations do not. */
export const msBetween = (from: string, to: string): number => Math.max(0, Date.parse(to) - Date.parse(from)) || 0;
