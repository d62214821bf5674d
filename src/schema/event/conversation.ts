// Events of the conversation: messages, turns, model calls.
import * as z from "zod";
import { attachment, providerData, toolRequest } from "../message.ts";
import { callFailureCode, finishReason, interaction, usage } from "../model.ts";
import { agentMode } from "../session.ts";

const delivery = z.enum(["steer", "queue"]);
const turnStatus = z.enum(["done", "aborted", "failed", "limit"]);
export type TurnStatus = z.infer<typeof turnStatus>;
const messageSource = z.enum(["user", "command", "autopilot", "notification", "hook", "agent"]);
export type MessageSource = z.infer<typeof messageSource>;

/** What a message may have beside its text. */
const further = {
  source: messageSource.optional(),
  display: z.string().optional(),
  attachments: z.array(attachment).optional(),
  hidden: z.boolean().optional(),
  directive: z.looseObject({ tool: z.string(), args: z.record(z.string(), z.unknown()) }).optional(),
};

export const conversationEvents = {
  "system.message": () => z.looseObject({ content: z.string(), reason: z.string() }),
  "system.notification": () =>
    z.looseObject({
      content: z.string(),
      kind: z.string(),
      /** The agents that it tells of. */
      agentIds: z.array(z.string()).optional(),
    }),
  "message.queued": () => z.looseObject({ messageId: z.string(), content: z.string(), delivery, ...further }),
  "message.dequeued": () => z.looseObject({ messageId: z.string() }),
  "user.message": () =>
    z.looseObject({
      messageId: z.string(),
      turnId: z.string(),
      ref: z.string().optional(),
      content: z.string(),
      ...further,
      /** Blocks of what is remembered, for the model, before the text; nobody's words. */
      recalled: z.string().optional(),
      recalledMs: z.number().optional(),
      source: messageSource,
      mode: agentMode,
    }),
  "turn.start": () => z.looseObject({ turnId: z.string(), cause: messageSource }),
  "turn.end": () =>
    z.looseObject({
      turnId: z.string(),
      status: turnStatus,
      reason: z.string().optional(),
      steps: z.number(),
      durationMs: z.number(),
    }),
  "assistant.message": () =>
    z.looseObject({
      messageId: z.string(),
      turnId: z.string(),
      step: z.number(),
      model: z.string(),
      content: z.string(),
      toolRequests: z.array(toolRequest),
      reasoningText: z.string().optional(),
      providerData: providerData.optional(),
      finishReason,
      complete: z.boolean().optional(),
    }),
  "assistant.usage": () =>
    z.looseObject({
      ...usage.shape,
      model: z.string(),
      turnId: z.string(),
      step: z.number(),
      interaction,
      durationMs: z.number(),
      ttftMs: z.number(),
    }),
  abort: () => z.looseObject({ reason: z.string(), turnId: z.string() }),
  "skill.invoked": () =>
    z.looseObject({
      name: z.string(),
      path: z.string(),
      content: z.string(),
      allowedTools: z.array(z.string()).optional(),
      pluginName: z.string().optional(),
    }),
  "command.complete": () =>
    z.looseObject({
      command: z.string(),
      args: z.string(),
      success: z.boolean(),
      output: z.string(),
    }),
};

export const ephemeralConversationEvents = {
  "pending_messages.modified": () => z.looseObject({ count: z.number() }),
  "assistant.message_start": () => z.looseObject({ messageId: z.string() }),
  "assistant.message_delta": () => z.looseObject({ messageId: z.string(), deltaContent: z.string() }),
  "assistant.reasoning_delta": () => z.looseObject({ messageId: z.string(), deltaContent: z.string() }),
  "assistant.intent": () => z.looseObject({ intent: z.string() }),
  "model.call_failure": () =>
    z.looseObject({
      model: z.string(),
      attempt: z.number(),
      statusCode: z.number().optional(),
      code: z.union([callFailureCode, z.literal("context_limit")]),
      message: z.string(),
      messageId: z.string().optional(),
      willRetry: z.boolean(),
      delayMs: z.number().optional(),
    }),
};
