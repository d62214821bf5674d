// A task that runs on an MCP server, as a record of the registry: started by a tool call, followed to its end.
import type { Clock } from "../../base/clock.ts";
import { canonicalJson } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import { displayName } from "../../mcp/name.ts";
import type { McpTaskEnd, McpTaskReport } from "../../mcp/task/state.ts";
import type { McpTask } from "../../mcp/task/task.ts";
import { failure, success, type ToolContext, type ToolOutcome } from "../../tool/contract.ts";
import type { AgentEnd, AgentSpec, Executor, Registry } from "../task/contract.ts";
import { type AgentRecord, MCP_TASK } from "../task/record.ts";

type McpTaskParts = {
  registry: Pick<Registry, "startAgent" | "getAgentResult" | "updateMcpTask" | "cancelRecursive">;
  clock: Clock;
};

/** A server may report progress all the time; the log keeps one state a second. */
const REPORT_MS = 1000;

/** What an MCP host does with a task: the main agent goes on at once, a subagent gets the result. */
export function mcpTaskRunner(parts: McpTaskParts): (task: McpTask, context: ToolContext) => Promise<ToolOutcome> {
  const { registry } = parts;
  return async (task, { agentId, toolCallId, signal }) => {
    const never = new AbortController().signal;
    const started = await registry.startAgent(specOf(task, toolCallId, agentId), mcpTaskExecutor(task, parts), {
      steer: (message) => task.steer(message, never),
    });
    if (!started.ok) {
      await task.cancel("there is no room for it");
      return failure(started.error.code, started.error.message);
    }
    const { id } = started.value;
    if (agentId === undefined) return success(backgroundText(id, task));
    const waited = await registry.getAgentResult(id, {
      signal,
      limitMs: Number.POSITIVE_INFINITY,
      foreground: true,
    });
    if (waited.outcome === "final") return outcomeOf(waited.record, task);
    if (waited.outcome === "promoted") return success(backgroundText(id, task));
    await registry.cancelRecursive(id, agentId, "its caller was stopped");
    return failure("interrupted", `The task of ${displayName(task)} was cancelled.`);
  };
}

/** Follows the task; told to stop, it cancels it on the server and ends whatever the server says. */
function mcpTaskExecutor(task: McpTask, { registry, clock }: McpTaskParts): Executor {
  return async (handle): Promise<AgentEnd> => {
    const { id, signal } = handle;
    handle.doing({ type: "mcp", server: task.server });
    const cancel = (): void => void task.cancel("it was stopped");
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    const over = new AbortController();
    void task.ended.then(() => over.abort());
    let lastReport = "";
    for await (const { progress } of task.updates()) {
      handle.touch();
      const now = reportText(progress);
      if (now !== lastReport) await registry.updateMcpTask(id, progress);
      lastReport = now;
      await clock.sleep(REPORT_MS, over.signal);
    }
    signal.removeEventListener("abort", cancel);
    return endOf(await task.ended, task);
  };
}

function specOf(task: McpTask, toolCallId: string, parentId: string | undefined): AgentSpec {
  const name = displayName(task);
  return {
    ...optional("parentId", parentId),
    toolCallId,
    name: task.tool,
    agentType: MCP_TASK,
    displayName: name,
    agentDescription: `A task on the MCP server ${task.server}.`,
    description: name,
    prompt: JSON.stringify(task.args),
    model: "none",
    executionMode: parentId === undefined ? "background" : "sync",
    requestedMode: "background",
    multiTurn: false,
    mcpTask: task.state().progress,
  };
}

/** When it was last heard of is no news. */
const reportText = ({ lastUpdatedAt: _, ...progress }: McpTaskReport): string => canonicalJson(progress);

function endOf(end: McpTaskEnd, task: McpTask): AgentEnd {
  switch (end.type) {
    case "completed":
      return { type: "completed", result: end.outcome.text };
    case "failed":
      return { type: "failed", error: { code: end.code, message: end.message } };
    case "cancelled": {
      const who = end.by === "server" ? `MCP server "${task.server}" cancelled it` : "it was cancelled";
      return { type: "failed", error: { code: "cancelled", message: [who, end.message].filter(Boolean).join(": ") } };
    }
  }
}

/** For the one who waited: the outcome itself, which may hold images that a record's text does not. */
function outcomeOf(record: AgentRecord, task: McpTask): ToolOutcome {
  const state = task.state();
  if (state.phase === "ended" && state.end.type === "completed") return state.end.outcome;
  if (record.status === "failed") return failure(record.error.code, record.error.message);
  if (record.status === "cancelled") return failure("cancelled", record.reason);
  return success(record.status === "completed" ? record.result : (record.latestResponse ?? ""));
}

const backgroundText = (id: string, task: McpTask): string =>
  `${displayName(task)} runs as a task in the background. agent_id: ${id}\nYou will be notified when it ends; do not poll it. read_agent with this agent_id shows its state and its result, stop_agent cancels it.`;
