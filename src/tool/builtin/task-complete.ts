// task_complete: the agent's word that the whole task is finished.
import * as z from "zod";
import { ownTool } from "../../schema/own-tool.ts";
import { defineTool, success, type Tool } from "../contract.ts";
import description from "./task_complete.md";

export type TaskCompletion = { summary: string; success: boolean };

/** `complete` makes the durable event. */
export function taskCompleteTool(parts: { complete: (completion: TaskCompletion) => Promise<void> }): Tool {
  return defineTool({
    ...ownTool("task_complete"),
    description,
    input: z.strictObject({ summary: z.string().min(1), success: z.boolean().optional() }),
    onlyMode: "autopilot",
    last: true,
    permissions: () => [],
    async run({ summary, success: done = true }) {
      await parts.complete({ summary, success: done });
      return success(done ? "The task is marked as complete." : "The task is marked as ended without success.");
    },
  });
}
