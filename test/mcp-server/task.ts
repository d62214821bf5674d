// A server whose one tool runs only as a task: with progress, and with every way in which a task can go wrong. Options: JSON in argv.
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  CancelTaskRequestSchema,
  ErrorCode,
  GetTaskPayloadRequestSchema,
  GetTaskRequestSchema,
  ListToolsRequestSchema,
  McpError,
  type Result,
  type Task,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";

export type TaskOptions = {
  journal?: string;
  steering?: boolean;
  refuseCancel?: boolean;
  /** The tool says that it needs tasks, but the server does not run any. */
  noCapability?: boolean;
};

/** Arguments of `work`. */
export type Work = {
  steps?: number;
  stepMs?: number;
  poll?: number;
  /** How it ends. */
  end?: "fail-in-result" | "fail-with-status" | "fail-bare" | "cancel" | "forget" | "ask";
  /** Never creates the task. */
  never?: boolean;
  /** The process exits after that many steps. */
  exitAt?: number;
  /** Sends so many progress notifications at once. */
  flood?: number;
};

type Running = { task: Task; result?: Result };

export function taskServer(options: TaskOptions = {}): Server {
  const running = new Map<string, Running>();
  const journal = (line: string): void => {
    if (options.journal) appendFileSync(options.journal, `${line}\n`);
  };
  const server = new Server(
    { name: "task", version: "1" },
    {
      capabilities: {
        tools: {},
        ...(options.noCapability ? {} : { tasks: { cancel: {}, requests: { tools: { call: {} } } } }),
        ...(options.steering ? { experimental: { "tasks/steer": {} } } : {}),
      },
    },
  );
  const find = (taskId: string): Running => {
    const found = running.get(taskId);
    if (!found) throw new McpError(ErrorCode.InvalidParams, "Failed to retrieve task: Task not found");
    return found;
  };
  const update = (one: Running, change: Partial<Task>): void => {
    one.task = { ...one.task, ...change, lastUpdatedAt: new Date().toISOString() };
  };

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      { name: "work", inputSchema: { type: "object" }, execution: { taskSupport: "required" } },
      { name: "maybe", inputSchema: { type: "object" }, execution: { taskSupport: "optional" } },
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { _meta }): Promise<Result> => {
    journal(`call ${params.name} ${params.task ? "as task" : "plain"}`);
    if (params.name === "maybe") return { content: [{ type: "text", text: "plain" }] };
    const work = (params.arguments ?? {}) as Work;
    if (work.never) return new Promise<Result>(() => undefined);
    const now = new Date().toISOString();
    const taskId = `task-${running.size + 1}`;
    const one: Running = {
      task: {
        taskId,
        status: "working",
        ttl: null,
        createdAt: now,
        lastUpdatedAt: now,
        ...(work.poll === undefined ? {} : { pollInterval: work.poll }),
      },
    };
    running.set(taskId, one);
    void carryOut(one, work, _meta?.progressToken);
    return { task: one.task };
  });

  async function carryOut(one: Running, work: Work, progressToken: string | number | undefined): Promise<void> {
    const { steps = 2, stepMs = 20, flood = 0 } = work;
    const report = async (progress: number): Promise<void> => {
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total: steps, message: `step ${progress}` };
      await server.notification({ method: "notifications/progress", params }).catch(() => undefined);
    };
    for (let n = 0; n < flood; n++) await report(n);
    for (let step = 1; step <= steps; step++) {
      await wait(stepMs);
      if (one.task.status === "cancelled") return;
      if (work.exitAt === step) process.exit(7);
      await report(step);
    }
    const { taskId } = one.task;
    switch (work.end) {
      case "forget":
        running.delete(taskId);
        return;
      case "cancel":
        return update(one, { status: "cancelled", statusMessage: "the operator said stop" });
      case "fail-in-result":
        one.result = { isError: true, content: [{ type: "text", text: "the disk is full" }] };
        return update(one, { status: "failed" });
      case "fail-with-status":
        return update(one, { status: "failed", statusMessage: "the status says why" });
      case "fail-bare":
        one.result = { content: [] };
        return update(one, { status: "failed" });
      case "ask":
        return update(one, { status: "input_required" });
      default:
        one.result = { content: [{ type: "text", text: `done ${taskId}` }] };
        update(one, { status: "completed" });
        await server
          .notification({ method: "notifications/tasks/status", params: { ...one.task } })
          .catch(() => undefined);
    }
  }

  if (options.noCapability) return server;
  server.setRequestHandler(GetTaskRequestSchema, ({ params }) => {
    journal("tasks/get");
    return find(params.taskId).task;
  });
  server.setRequestHandler(GetTaskPayloadRequestSchema, async ({ params }): Promise<Result> => {
    journal("tasks/result");
    const one = find(params.taskId);
    if (one.task.status === "input_required") {
      const answer = await server.elicitInput({
        mode: "form",
        message: "Which one?",
        requestedSchema: { type: "object", properties: { which: { type: "string" } } },
      });
      one.result = { content: [{ type: "text", text: JSON.stringify(answer) }] };
      update(one, { status: "completed" });
    }
    if (!one.result) throw new McpError(ErrorCode.InternalError, "there is no result");
    return one.result;
  });
  server.setRequestHandler(CancelTaskRequestSchema, ({ params }) => {
    journal("tasks/cancel");
    if (options.refuseCancel) throw new McpError(ErrorCode.InvalidRequest, "I do not stop");
    const one = find(params.taskId);
    update(one, { status: "cancelled" });
    return one.task;
  });
  const steer = z.object({
    method: z.literal("tasks/steer"),
    params: z.looseObject({ taskId: z.string(), message: z.string() }),
  });
  if (options.steering)
    server.setRequestHandler(steer, ({ params }) => {
      journal(`steered ${params.message}`);
      return {};
    });
  return server;
}

if (import.meta.main) await taskServer(JSON.parse(process.argv[2] ?? "{}")).connect(new StdioServerTransport());
