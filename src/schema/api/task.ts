// `GET /api/tasks`: what runs beside the conversations of this home.
import * as z from "zod";
import { listOf } from "./list.ts";

const taskStatus = z.enum(["running", "idle", "completed", "failed", "cancelled", "interrupted"]);

const taskShape = z.object({
  session: z.string(),
  sessionTitle: z.string(),
  /** The process that runs it; null when nobody does any more. */
  pid: z.number().nullable(),
  id: z.string(),
  /** The task above it; absent under the main agent. */
  parentId: z.string().exactOptional(),
  depth: z.number(),
  name: z.string(),
  agentType: z.string(),
  description: z.string(),
  model: z.string(),
  mode: z.enum(["sync", "background"]),
  status: taskStatus,
  startedAt: z.string(),
  endedAt: z.string().exactOptional(),
  durationMs: z.number(),
  turns: z.number(),
  toolCalls: z.number(),
  tokensIn: z.number(),
  tokensOut: z.number(),
  cost: z.number().exactOptional(),
  latestIntent: z.string().exactOptional(),
  stalled: z.object({ since: z.string(), reason: z.string() }).exactOptional(),
  /** It waits for an answer in its terminal. */
  permission: z.string().exactOptional(),
  mcp: z
    .object({
      server: z.string(),
      tool: z.string(),
      status: z.string(),
      message: z.string().exactOptional(),
      progress: z.number().exactOptional(),
      total: z.number().exactOptional(),
    })
    .exactOptional(),
  result: z.string().exactOptional(),
  error: z.string().exactOptional(),
  todo: z.string().exactOptional(),
  /** Its session is open and listens: the task can be written to and stopped from here. */
  mayControl: z.boolean(),
});
export type TaskShape = z.infer<typeof taskShape>;

/** `GET /api/tasks?session`: of open sessions and of the last day, parents before their children. */
export const taskList = listOf(taskShape);
