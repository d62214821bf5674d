// A task that runs on a server, as it is told to people: running or ended, and the one function that changes it.
import { optional } from "../../base/optional.ts";
import { clip } from "../../base/text.ts";
import type { ToolOutcome } from "../../tool/contract.ts";
import type { Progress, TaskReport, TaskStatus } from "../connection.ts";

/** `progress.mcpTask` of the registry's record. */
export type McpTaskReport = {
  server: string;
  tool: string;
  taskId: string;
  status: TaskStatus;
  message?: string;
  progress?: number;
  total?: number;
  /** The newest, oldest first. */
  streamWarnings: string[];
  createdAt: string;
  lastUpdatedAt: string;
};

type McpTaskFailure = "failed" | "task_lost" | "server_unreachable";
export type McpTaskEnd =
  | { type: "completed"; outcome: Extract<ToolOutcome, { type: "success" }> }
  | { type: "failed"; code: McpTaskFailure; message: string }
  | { type: "cancelled"; by: "client" | "server"; message?: string };

export type McpTaskState =
  | { phase: "running"; progress: McpTaskReport }
  | { phase: "ended"; progress: McpTaskReport; end: McpTaskEnd };

export type McpTaskEvent =
  | { type: "reported"; report: TaskReport }
  | { type: "progressed"; progress: Progress }
  | { type: "warned"; warning: string }
  | { type: "ended"; end: McpTaskEnd };

const MAX_WARNINGS = 20;
const TEXT_CHARS = 500;

export const isTerminal = (status: TaskStatus): boolean => status !== "working" && status !== "input_required";

/** An ended task never changes. A terminal report only announces the end: the end itself comes with the result. */
export function nextTaskState(state: McpTaskState, event: McpTaskEvent, now: string): McpTaskState {
  if (state.phase === "ended") return state;
  const before = state.progress;
  switch (event.type) {
    case "reported": {
      const { status, statusMessage } = event.report;
      const message = optional(
        "message",
        statusMessage === undefined ? before.message : clip(statusMessage, TEXT_CHARS),
      );
      const shown = isTerminal(status) ? before.status : status;
      return { phase: "running", progress: { ...before, ...message, status: shown, lastUpdatedAt: now } };
    }
    case "progressed": {
      const { progress, total, message } = event.progress;
      const words = optional("message", message === undefined ? before.message : clip(message, TEXT_CHARS));
      return {
        phase: "running",
        progress: { ...before, ...words, progress, ...optional("total", total ?? before.total), lastUpdatedAt: now },
      };
    }
    case "warned": {
      const streamWarnings = [...before.streamWarnings, clip(event.warning, TEXT_CHARS)].slice(-MAX_WARNINGS);
      return { phase: "running", progress: { ...before, streamWarnings } };
    }
    case "ended": {
      const { end } = event;
      return { phase: "ended", progress: { ...before, status: end.type, lastUpdatedAt: now }, end };
    }
  }
}
