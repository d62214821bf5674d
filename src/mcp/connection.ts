// What the host needs of a connected server, without the SDK: every request is bounded and answers with a value.
import type { Result } from "../base/result.ts";

/**
 * `unavailable`: nothing was sent, for there is no server to send it to; `refused`: the server answered with an error;
 * `closed`: it went away before it answered; `bad_answer`: not what MCP asks for.
 */
export type CallErrorCode = "unavailable" | "timeout" | "aborted" | "closed" | "refused" | "bad_answer";
export type CallError = {
  code: CallErrorCode;
  message: string;
  /** The JSON-RPC code of a refusal. */
  rpc?: number;
  /** The HTTP status, when the answer was not MCP at all. */
  http?: number;
};
export type McpAnswer<T> = Promise<Result<T, CallError>>;

export type Progress = { progress: number; total?: number; message?: string };

export type McpCallOptions = {
  timeoutMs: number;
  signal: AbortSignal;
  /** Each report starts the time-out anew, up to ten times its length in all. Must not throw. */
  onProgress?: (progress: Progress) => void;
};

type TaskSupport = "required" | "optional" | "forbidden";

export type ListedTool = {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  readOnly: boolean;
  taskSupport: TaskSupport;
};
/** `warnings` name what was left out of a list. */
export type ToolList = { tools: ListedTool[]; warnings: string[] };

/** Parts of a result as MCP has them; what we do not know is shown as its type. */
export type ContentPart = { type: string; [key: string]: unknown };
export type CallResult = { content: ContentPart[]; structuredContent?: unknown; isError: boolean };

const TASK_STATUSES = ["working", "input_required", "completed", "failed", "cancelled"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];
/** A task as the server reports it. */
export type TaskReport = {
  taskId: string;
  status: TaskStatus;
  statusMessage?: string;
  pollInterval?: number;
};

export type Connection = {
  instructions: string | undefined;
  /** It runs tool calls as tasks. */
  tasks: boolean;
  /** It takes messages to running tasks. */
  steering: boolean;
  listTools: (options: McpCallOptions) => McpAnswer<ToolList>;
  callTool: (name: string, args: Record<string, unknown>, options: McpCallOptions) => McpAnswer<CallResult>;
  createTask: (name: string, args: Record<string, unknown>, options: McpCallOptions) => McpAnswer<TaskReport>;
  getTask: (taskId: string, options: McpCallOptions) => McpAnswer<TaskReport>;
  taskResult: (taskId: string, options: McpCallOptions) => McpAnswer<CallResult>;
  cancelTask: (taskId: string, options: McpCallOptions) => McpAnswer<TaskReport>;
  steerTask: (taskId: string, message: string, options: McpCallOptions) => McpAnswer<void>;
  /** Resolves with the reason when the connection is gone, by whatever cause. */
  closed: Promise<string>;
  /** Ends the server's process or session, within bounded time. Never rejects. */
  close: () => Promise<void>;
};

/** Questions of a server to us. Absent = not advertised. */
export type Answers = {
  /** The server's `sampling` and leave for `mcp(server:sampling)` are the caller's to check; undefined declines. */
  sample?: (server: string, request: unknown, signal: AbortSignal) => Promise<Record<string, unknown> | undefined>;
  /** A form for the person at the terminal; undefined declines. */
  elicit?: (
    server: string,
    request: { message: string; requestedSchema: Record<string, unknown> },
    signal: AbortSignal,
  ) => Promise<Record<string, string | number | boolean | string[]> | undefined>;
};
