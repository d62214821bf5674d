// Connecting to one server: its line opened, the protocol begun, and the SDK's client behind our own bounded requests.

import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolResultSchema,
  type ClientCapabilities,
  GetTaskResultSchema,
  ListRootsRequestSchema,
  type Task,
  TaskStatusNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { errorText } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { ChildEnvironment } from "../../host/environment.ts";
import type { Owner } from "../../host/process.ts";
import { serverEnvironment } from "../config/environment.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { Answers, CallResult, Connection, McpCallOptions, TaskReport } from "../connection.ts";
import type { ServerLog } from "../server-log.ts";
import { answerQuestions, questionCapabilities } from "./answer.ts";
import { ask } from "./ask.ts";
import { HttpTransport } from "./http-transport.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { readToolList } from "./tool-list.ts";

export type ConnectParts = {
  owner: Owner;
  /** The session's; also the server's only root. */
  cwd: string;
  environment: ChildEnvironment;
  version: string;
  log: ServerLog;
  answers: Answers;
  onToolsChanged: () => void;
  onTaskStatus: (report: TaskReport) => void;
};

type ConnectFailure = { code: "needs-auth" | "failed"; reason: string };

/** `reason` says why it is over, unless we ended it. */
type Line = Transport & { reason?: string };

export async function connect(
  config: ServerConfig,
  parts: ConnectParts,
  options: McpCallOptions,
): Promise<Result<Connection, ConnectFailure>> {
  const capabilities: ClientCapabilities = { roots: {}, ...questionCapabilities(config, parts.answers) };
  const client = new Client({ name: "everlong", version: parts.version }, { capabilities });
  const root = { uri: pathToFileURL(parts.cwd).href, name: "workspace" };
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [root] }));
  client.setNotificationHandler(ToolListChangedNotificationSchema, parts.onToolsChanged);
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => parts.onTaskStatus(reportOf(params)));
  answerQuestions(client, config, parts.answers);
  client.onerror = (error) => parts.log.note(errorText(error).slice(0, 500));

  const line = await openLine(config, parts);
  const closed = new Promise<string>((resolve) => {
    client.onclose = () => resolve(line.reason ?? "it was stopped");
  });
  const begun = await ask((o) => client.connect(line, o), options);
  if (begun.ok) return ok(connectionOf(client, line, closed));
  await line.close();
  if (begun.error.http === 401) return fail({ code: "needs-auth", reason: authText(config.name) });
  return fail({ code: "failed", reason: line.reason ?? begun.error.message });
}

const authText = (name: string): string =>
  `it answered 401: set \`headers\` of "${name}" to what it wants, usually {"Authorization": "Bearer \${TOKEN}"}`;

async function openLine({ line }: ServerConfig, parts: ConnectParts): Promise<Line> {
  if (line.type !== "stdio")
    return line.type === "http" ? new HttpTransport(line) : (await import("./sse-transport.ts")).sseTransport(line);
  const { owner, log, environment, cwd } = parts;
  const env = serverEnvironment(environment, line.env);
  return new StdioTransport(line, { owner, log, env, cwd: line.cwd ?? cwd });
}

const nothing = z.looseObject({});

function connectionOf(client: Client, line: Line, closed: Promise<string>): Connection {
  const { tasks, experimental } = client.getServerCapabilities() ?? {};
  const experiments: Record<string, unknown> = experimental ?? {};
  const request = <T extends z.ZodObject>(
    method: string,
    params: Record<string, unknown>,
    schema: T,
    o: McpCallOptions,
  ) => ask((options) => client.request({ method, params }, schema, options), o);
  const report = async (method: string, taskId: string, options: McpCallOptions) =>
    mapped(await request(method, { taskId }, GetTaskResultSchema, options), reportOf);
  return {
    instructions: client.getInstructions(),
    tasks: tasks?.requests?.tools?.call !== undefined,
    steering: experiments["tasks/steer"] !== undefined,
    listTools: (options) => readToolList(client, options),
    // Not client.callTool: that would check results against schemas that it forgets with every page of a list.
    callTool: async (name, args, options) =>
      mapped(await request("tools/call", { name, arguments: args }, CallToolResultSchema, options), resultOf),
    createTask: (name, args, options) => createTask(client, name, args, options),
    getTask: (taskId, options) => report("tasks/get", taskId, options),
    cancelTask: (taskId, options) => report("tasks/cancel", taskId, options),
    taskResult: async (taskId, options) =>
      mapped(await request("tasks/result", { taskId }, CallToolResultSchema, options), resultOf),
    steerTask: async (taskId, message, options) =>
      mapped(await request("tasks/steer", { taskId, message }, nothing, options), () => undefined),
    closed,
    close: () => line.close(),
  };
}

/**
 * Only the beginning of the SDK's stream is used: it would go on to wait as long as the server's poll interval says,
 * be that a day, and not hear of a cancel meanwhile. The bridge follows the task itself.
 */
async function createTask(client: Client, name: string, args: Record<string, unknown>, options: McpCallOptions) {
  return ask(async (o) => {
    const stream = client.experimental.tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, {
      ...o,
      task: {},
    });
    for await (const message of stream) {
      if (message.type === "taskCreated") return reportOf(message.task);
      if (message.type === "error") throw message.error;
    }
    throw new Error("it ended the call without a task");
  }, options);
}

const mapped = <T, U, E>(result: Result<T, E>, map: (value: T) => U): Result<U, E> =>
  result.ok ? ok(map(result.value)) : result;

const reportOf = ({ taskId, status, statusMessage, pollInterval }: Task): TaskReport => ({
  taskId,
  status,
  ...optional("statusMessage", statusMessage),
  ...optional("pollInterval", pollInterval),
});

const resultOf = ({ content, structuredContent, isError }: z.infer<typeof CallToolResultSchema>): CallResult => ({
  content: content.map((part) => ({ ...part })),
  ...optional("structuredContent", structuredContent),
  isError: isError === true,
});
