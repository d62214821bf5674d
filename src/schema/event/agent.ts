// Events of agents: subagents and their registry, hooks, MCP servers, fleets, autopilot.
import * as z from "zod";
import { usage } from "../model.ts";

const who = { agentId: z.string(), toolCallId: z.string().optional() };
const totals = {
  agentName: z.string(),
  agentDisplayName: z.string(),
  model: z.string(),
  totalToolCalls: z.number(),
  totalTokens: z.number(),
  durationMs: z.number(),
  turns: z.number(),
};
const executionMode = z.enum(["sync", "background"]);
export type ExecutionMode = z.infer<typeof executionMode>;

/** Where an MCP task stands, as its record shows it. */
const mcpTaskProgress = z.looseObject({
  server: z.string(),
  tool: z.string(),
  taskId: z.string(),
  status: z.enum(["working", "input_required", "completed", "failed", "cancelled"]),
  message: z.string().optional(),
  progress: z.number().optional(),
  total: z.number().optional(),
  streamWarnings: z.array(z.string()),
  createdAt: z.string(),
  lastUpdatedAt: z.string(),
});
export type McpTaskProgress = z.infer<typeof mcpTaskProgress>;

/** Each also carries the agent's id in its envelope. */
export const agentEvents = {
  "subagent.started": () =>
    z.looseObject({
      ...who,
      parentId: z.string().optional(),
      depth: z.number(),
      agentName: z.string(),
      agentDisplayName: z.string(),
      agentDescription: z.string(),
      agentType: z.string(),
      name: z.string(),
      description: z.string(),
      prompt: z.string(),
      model: z.string(),
      modelOverride: z.string().optional(),
      executionMode,
      requestedMode: executionMode,
      multiTurn: z.boolean(),
      /** The todo that it works on. */
      todoId: z.string().optional(),
      /** Its end is told to nobody: a fleet's worker. */
      quiet: z.boolean().optional(),
      reasoningEffort: z.string().optional(),
      /** A line for the top of the result: the model is another than the one asked for. */
      note: z.string().optional(),
      mcpTask: mcpTaskProgress.optional(),
    }),
  subagent_session_boundary: () => z.looseObject({ agentId: z.string(), phase: z.enum(["start", "end", "failure"]) }),
  "subagent.turn": () =>
    z.looseObject({
      agentId: z.string(),
      turn: z.number(),
      prompt: z.string(),
      response: z.string(),
      stopReason: z.string(),
      usage,
    }),
  "subagent.idle": () => z.looseObject({ agentId: z.string() }),
  "subagent.message": () =>
    z.looseObject({
      agentId: z.string(),
      messageId: z.string(),
      from: z.string(),
      message: z.string(),
    }),
  "subagent.promoted": () => z.looseObject({ agentId: z.string() }),
  /** Somebody who was waiting for it, or asked, has got its latest result: it needs no announcement. */
  "subagent.read": () => z.looseObject({ agentId: z.string() }),
  "subagent.removed": () => z.looseObject({ agentId: z.string() }),
  "subagent.stalled": () => z.looseObject({ agentId: z.string(), reason: z.string() }),
  "subagent.model_changed": () =>
    z.looseObject({
      agentId: z.string(),
      requested: z.string(),
      used: z.string(),
      reason: z.string(),
      ratio: z.number().optional(),
      /** The first line of its results from now on. */
      note: z.string().optional(),
    }),
  "subagent.completed": () => z.looseObject({ ...who, ...totals, result: z.string() }),
  "subagent.failed": () =>
    z.looseObject({
      ...who,
      ...totals,
      error: z.looseObject({ code: z.string(), message: z.string() }),
    }),
  "subagent.cancelled": () => z.looseObject({ agentId: z.string(), by: z.string(), reason: z.string() }),
  "subagent.mcp_task": () => z.looseObject({ agentId: z.string(), mcpTask: mcpTaskProgress }),
  "subagent.selected": () =>
    z.looseObject({
      agentName: z.string(),
      agentDisplayName: z.string(),
      tools: z.array(z.string()),
      /** Where choosing it has changed the session's model: giving it up changes it back. */
      model: z.looseObject({ before: z.string(), now: z.string() }).optional(),
    }),
  "subagent.deselected": () => z.looseObject({ agentName: z.string() }),
  "session.custom_agents_updated": () =>
    z.looseObject({
      agents: z.array(z.looseObject({ name: z.string(), origin: z.string(), path: z.string() })),
      warnings: z.array(z.string()),
      errors: z.array(z.string()),
    }),
  "session.mcp_servers_loaded": () =>
    z.looseObject({
      servers: z.array(z.looseObject({ name: z.string(), status: z.string(), tools: z.number() })),
    }),
  "session.mcp_server_status_changed": () =>
    z.looseObject({
      server: z.string(),
      status: z.string(),
      reason: z.string().optional(),
    }),
  "session.todo_run": () =>
    z.looseObject({
      todo_id: z.string(),
      attempt: z.number(),
      agent_id: z.string(),
      /** Absent while the agent is at it. */
      outcome: z.enum(["done", "blocked", "failed", "cancelled", "interrupted"]).optional(),
      note: z.string().optional(),
      started_at: z.string(),
      ended_at: z.string().optional(),
    }),
  "session.fleet_started": () => z.looseObject({ prompt: z.string().optional() }),
  "session.fleet_completed": () =>
    z.looseObject({
      done: z.number(),
      blocked: z.number(),
      notRun: z.number(),
      rounds: z.number(),
      reason: z.string().optional(),
    }),
  "session.autopilot_stopped": () => z.looseObject({ reason: z.string(), continuations: z.number() }),
  "hook.start": () =>
    z.looseObject({
      hookInvocationId: z.string(),
      hookType: z.string(),
      source: z.string(),
      input: z.record(z.string(), z.unknown()),
    }),
  "hook.end": () =>
    z.looseObject({
      hookInvocationId: z.string(),
      hookType: z.string(),
      source: z.string(),
      output: z.record(z.string(), z.unknown()),
      success: z.boolean(),
      error: z.string().optional(),
      durationMs: z.number(),
    }),
  "hook.block_limit": () => z.looseObject({ hookType: z.string(), blocks: z.number() }),
};

export const ephemeralAgentEvents = {
  "subagent.progress": () =>
    z.looseObject({
      agentId: z.string(),
      turns: z.number(),
      toolCalls: z.number(),
      tokensIn: z.number(),
      tokensOut: z.number(),
      latestIntent: z.string().optional(),
      latestTool: z.string().optional(),
      stalled: z.string().optional(),
    }),
  "session.background_tasks_changed": () => z.looseObject({}),
  "tool.execution_progress": () => z.looseObject({ toolCallId: z.string(), progressMessage: z.string() }),
};
