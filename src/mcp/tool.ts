// An MCP tool as a tool of ours: its schema, the leave it needs, its call and its outcome.
import * as z from "zod";
import type { Clock } from "../base/clock.ts";
import { isRecord } from "../base/json.ts";
import { escapeTags } from "../base/tag.ts";
import { clip } from "../base/text.ts";
import { defineTool, failure, type Tool, type ToolContext, type ToolOutcome } from "../tool/contract.ts";
import type { CallError, CallResult, ListedTool, Progress } from "./connection.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { displayName, type ToolKey } from "./name.ts";
import { outcomeOf } from "./result.ts";
import type { Server } from "./server.ts";
import type { McpTask } from "./task/task.ts";

type Arguments = Record<string, unknown>;

export type McpTool = Tool & { mcp: ToolKey & { readOnly: boolean; fingerprint: string; task: boolean } };

export type McpToolParts = {
  clock: Clock;
  /** What becomes of a call that the server runs as a task; absent = such tools are not offered. */
  runTask?: (task: McpTask, context: ToolContext) => Promise<ToolOutcome>;
  startTask: (server: Server, tool: string, args: Arguments, context: ToolContext) => Promise<McpTask | ToolOutcome>;
};

/** Progress starts the time-out anew ten times; before that the server may have to start. */
const MOST_TIMEOUTS = 11;
const SLACK_MS = 5000;

export function adaptTool(server: Server, listed: ListedTool, name: string, parts: McpToolParts): McpTool {
  const key: ToolKey = { server: server.plan.name, tool: listed.name };
  const source = displayName(key);
  const { runTask } = parts;
  const isTask = listed.taskSupport === "required";
  const { readOnly } = listed;

  async function call(input: Arguments, context: ToolContext): Promise<ToolOutcome> {
    const progress = throttled(parts.clock, ({ progress: done, total, message }: Progress) => {
      const count = total === undefined ? `${done}` : `${done}/${total}`;
      context.progress(message === undefined ? count : `${count} ${clip(message, 500)}`);
    });
    const options = { timeoutMs: server.timeoutMs, signal: context.signal, onProgress: progress };
    const send = () =>
      server.use<CallResult>({ signal: context.signal, limitMs: server.timeoutMs }, (connection) =>
        connection.callTool(listed.name, input, options),
      );
    let answer = await send();
    if (!answer.ok && answer.error.code === "closed" && readOnly) answer = await send();
    return answer.ok ? outcomeOf(answer.value, source, context) : callFailure(key, answer.error, readOnly);
  }

  const tool = defineTool<Arguments>({
    name,
    description: escapeTags(listed.description) || `Tool ${listed.name} of the MCP server ${key.server}.`,
    input: inputOf(listed.inputSchema),
    permissions: () => [{ kind: "mcp", ...key, readOnly }],
    planMode: readOnly,
    limitMs: isTask ? Number.POSITIVE_INFINITY : server.timeoutMs * MOST_TIMEOUTS + SLACK_MS,
    async run(input, context) {
      if (!isTask) return call(input, context);
      if (!runTask) return failure("failed", `${source} runs only as a task, and features.mcpTasks is off.`);
      const started = await parts.startTask(server, listed.name, input, context);
      return "taskId" in started ? runTask(started, context) : started;
    },
  });
  return { ...tool, mcp: { ...key, readOnly, fingerprint: fingerprintOf(listed), task: isTask } };
}

/** The text names the server; a call that may have had its effect says so. */
export function callFailure({ server, tool }: ToolKey, error: CallError, readOnly: boolean): ToolOutcome {
  if (error.code === "aborted") return failure("interrupted", `The call of ${tool} was cancelled.`);
  const code = error.code === "timeout" ? "timeout" : "failed";
  return failure(
    code,
    `MCP server "${server}", tool "${clip(tool, 100)}": ${error.message}.${effect(error, readOnly)}`,
  );
}

function effect({ code }: CallError, readOnly: boolean): string {
  if (readOnly || code === "refused") return "";
  return code === "unavailable" ? " The call was not sent." : " It may have worked anyway.";
}

/**
 * The server's own schema reaches the model unchanged, and the server judges the values. Here only what needs no schema
 * language: a missing argument, and an unknown one where none is allowed.
 */
function inputOf(schema: Record<string, unknown>): z.ZodType<Arguments> {
  const required = Array.isArray(schema["required"]) ? schema["required"].filter((k) => typeof k === "string") : [];
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const isClosed = schema["additionalProperties"] === false && !isRecord(schema["patternProperties"]);
  const described = z.custom<Arguments>(isRecord, "is not an object");
  const shown = harmless(schema);
  described._zod.toJSONSchema = () => shown;
  const checked = z.custom<Arguments>().superRefine((value, context) => {
    for (const key of required)
      if (!Object.hasOwn(value, key)) context.addIssue({ code: "custom", path: [key], message: "is missing" });
    const unknown = Object.keys(value).filter((key) => isClosed && !Object.hasOwn(properties, key));
    if (unknown.length > 0) context.addIssue({ code: "unrecognized_keys", keys: unknown, input: value });
  });
  return described.pipe(checked);
}

/** What a schema says in words has our tags escaped; names and values stay as the server has them. */
function harmless<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(harmless) as T;
  if (!isRecord(schema)) return schema;
  const entries = Object.entries(schema).map(([key, value]) => {
    const isWords = typeof value === "string" && (key === "description" || key === "title");
    return [key, isWords ? escapeTags(value) : harmless(value)];
  });
  return Object.fromEntries(entries) as T;
}

/** A call reports at most four times a second. */
const REPORT_MS = 250;

function throttled<T>(clock: Clock, report: (value: T) => void): (value: T) => void {
  let next = Number.NEGATIVE_INFINITY;
  return (value) => {
    const now = clock.monotonic();
    if (now < next) return;
    next = now + REPORT_MS;
    report(value);
  };
}
