// Events of tools, permissions and questions to the user.
import * as z from "zod";
import { permissionKind, permissionRequest } from "../permission.ts";
import { fileChange, resultType } from "../tool.ts";

const toolStart = z.looseObject({
  toolCallId: z.string(),
  toolName: z.string(),
  arguments: z.unknown(),
  turnId: z.string(),
  mcpServerName: z.string().optional(),
  mcpToolName: z.string().optional(),
});

export const toolEvents = {
  /** The person runs a command with `!`, asked of nobody; `isShared`: the model gets its output with the next message. */
  "tool.user_requested": () => z.looseObject({ command: z.string(), cwd: z.string(), isShared: z.boolean() }),
  "tool.execution_start": () => toolStart,
  "tool.execution_complete": () =>
    z.looseObject({
      toolCallId: z.string(),
      toolName: z.string().optional(),
      success: z.boolean(),
      resultType,
      /** `content` is what the model got, but that our own tags are escaped in what it saw. */
      result: z.looseObject({
        content: z.string(),
        outputFile: z.string().optional(),
        bytes: z.number(),
        lines: z.number(),
        /** It is a block of ours, in which all that is not ours is escaped already. */
        isBlock: z.boolean().optional(),
      }),
      error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
      durationMs: z.number(),
      filesChanged: z.array(fileChange).optional(),
      attachments: z.array(z.looseObject({ kind: z.string(), path: z.string() })).optional(),
    }),
  "permission.requested": () =>
    z.looseObject({
      requestId: z.string(),
      toolCallId: z.string().optional(),
      kind: permissionKind,
      request: permissionRequest,
      agent: z.string().optional(),
    }),
  "permission.completed": () =>
    z.looseObject({
      requestId: z.string(),
      result: z.enum(["approved", "denied"]),
      scope: z.enum(["once", "session", "location"]).optional(),
      rule: z.string().optional(),
      reason: z.string().optional(),
    }),
  "permission.rules_changed": () =>
    z.looseObject({
      scope: z.enum(["session", "location"]),
      added: z.array(z.string()),
      removed: z.array(z.string()),
      allowAll: z.boolean(),
    }),
};

export const ephemeralToolEvents = {
  /** How many permission questions wait for a person, the one that is shown included. */
  "permission.waiting": () => z.looseObject({ count: z.number() }),
  "tool.execution_partial_result": () => z.looseObject({ toolCallId: z.string(), text: z.string() }),
  "user_input.requested": () =>
    z.looseObject({
      requestId: z.string(),
      question: z.string(),
      choices: z.array(z.string()).optional(),
      allowFreeform: z.boolean().optional(),
    }),
  "user_input.completed": () => z.looseObject({ requestId: z.string(), answer: z.string().optional() }),
  "exit_plan_mode.requested": () =>
    z.looseObject({
      requestId: z.string(),
      summary: z.string(),
      actions: z.array(z.string()),
    }),
  "exit_plan_mode.completed": () =>
    z.looseObject({
      requestId: z.string(),
      selectedAction: z.string(),
      feedback: z.string().optional(),
    }),
};
