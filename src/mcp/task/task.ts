// The bridge to a task on a server: started by a call, read as a stream of states, cancelled and steered.
import type { Clock } from "../../base/clock.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { ToolOutcome } from "../../tool/contract.ts";
import type { CallResult, Progress, TaskReport } from "../connection.ts";
import type { Server } from "../server.ts";
import { followTask } from "./follow.ts";
import { type McpTaskEnd, type McpTaskEvent, type McpTaskState, nextTaskState } from "./state.ts";

type SteerError = { code: "mcp_task_not_steerable" | "mcp_task_ended" | "failed"; message: string };

export type McpTask = {
  server: string;
  tool: string;
  /** What the call asked for. */
  args: Readonly<Record<string, unknown>>;
  taskId: string;
  state: () => McpTaskState;
  /** The newest state whenever it changed, the ended one last. States that nobody read in time are skipped. One reader. */
  updates: () => AsyncGenerator<McpTaskState, void, void>;
  ended: Promise<McpTaskEnd>;
  /** Resolves within 2 s, the task being `cancelled` whatever the server says. */
  cancel: (reason?: string) => Promise<void>;
  steer: (message: string, signal: AbortSignal) => Promise<Result<void, SteerError>>;
};

/** A task with what only the host may tell it. */
export type LiveTask = McpTask & {
  /** The server says that something has changed. */
  nudge: () => void;
  onProgress: (progress: Progress) => void;
};

type TaskParts = {
  server: Server;
  tool: string;
  args: Readonly<Record<string, unknown>>;
  clock: Clock;
  outcome: (result: CallResult) => Promise<ToolOutcome>;
  unreachableMs?: number;
};

const CANCEL_MS = 2000;

export function followedTask(first: TaskReport, parts: TaskParts): LiveTask {
  const { server, tool, clock } = parts;
  const { taskId } = first;
  const { name } = server.plan;
  const createdAt = clock.now();
  let state: McpTaskState = {
    phase: "running",
    progress: {
      server: name,
      tool,
      taskId,
      status: "working",
      streamWarnings: [],
      createdAt,
      lastUpdatedAt: createdAt,
    },
  };
  const following = new AbortController();
  let changed = Promise.withResolvers<void>();
  let nudged = new AbortController();
  const whole = Promise.withResolvers<McpTaskEnd>();
  let cancelling: Promise<void> | undefined;

  function tell(event: McpTaskEvent): void {
    const next = nextTaskState(state, event, clock.now());
    if (next === state) return;
    state = next;
    changed.resolve();
    changed = Promise.withResolvers<void>();
    if (next.phase === "ended") whole.resolve(next.end);
  }

  function freshNudge(): AbortSignal {
    if (nudged.signal.aborted) nudged = new AbortController();
    return nudged.signal;
  }

  async function* updates(): AsyncGenerator<McpTaskState, void, void> {
    for (let update: McpTaskState | undefined; update?.phase !== "ended"; ) {
      const waiting = changed.promise;
      if (update === state) await waiting;
      update = state;
      yield update;
    }
  }

  async function cancelled(reason?: string): Promise<void> {
    if (state.phase === "ended") return;
    // From here on the server's word no longer counts.
    following.abort();
    const { signal } = new AbortController();
    const until = clock.monotonic() + CANCEL_MS;
    const answer = await server.use({ signal, limitMs: CANCEL_MS, patient: true }, (c) =>
      c.cancelTask(taskId, { timeoutMs: Math.max(1, until - clock.monotonic()), signal }),
    );
    if (!answer.ok) tell({ type: "warned", warning: `tasks/cancel: ${answer.error.message}` });
    const message = reason === undefined ? {} : { message: reason };
    tell({ type: "ended", end: { type: "cancelled", by: "client", ...message } });
  }

  const task: LiveTask = {
    server: name,
    tool,
    args: parts.args,
    taskId,
    state: () => state,
    updates,
    ended: whole.promise,
    cancel: (reason) => {
      cancelling ??= cancelled(reason);
      return cancelling;
    },
    async steer(message, signal) {
      if (state.phase === "ended")
        return fail({ code: "mcp_task_ended", message: "mcp_task_ended: the task has ended. Start a new one." });
      const { timeoutMs } = server;
      const answer = await server.use<SteerError | undefined>({ signal, limitMs: timeoutMs }, async (connection) => {
        if (!connection.steering) return ok(NOT_STEERABLE);
        const steered = await connection.steerTask(taskId, message, { timeoutMs, signal });
        return steered.ok ? ok(undefined) : steered;
      });
      if (!answer.ok) return fail({ code: "failed", message: `MCP server "${name}": ${answer.error.message}.` });
      return answer.value ? fail(answer.value) : ok(undefined);
    },
    nudge: () => nudged.abort(),
    onProgress: (progress) => tell({ type: "progressed", progress }),
  };
  const { signal } = following;
  void followTask(first, { ...parts, signal, tell, nudge: freshNudge });
  return task;
}

const NOT_STEERABLE: SteerError = {
  code: "mcp_task_not_steerable",
  message:
    "mcp_task_not_steerable: this server takes no messages to a running task. Wait for it, or stop it and start a new task with the new wishes.",
};
