// The part of the history that belongs to the newest prompt: what was called since, what came back, whether it was answered.
import { isRecord } from "../../base/json.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import { type PipedText, pipedText } from "./stdin.ts";

export type MadeCall = {
  name: string;
  args: Record<string, unknown>;
  /** Undefined when no result came back. */
  result?: { content: string; isError: boolean };
};
export type Round = {
  prompt: ContextItem<Message>;
  /** What the user wrote, without the blocks that were put around it. */
  text: string;
  /** What came on stdin beside it. */
  piped?: PipedText;
  earlier: readonly ContextItem<Message>[];
  /** Steps that called tools. */
  steps: number;
  calls: MadeCall[];
  /** What reached the conversation after this prompt was answered: notifications, continuations, a hook's reason. */
  afterAnswer: string[] | undefined;
};

/** Our own blocks around a prompt; what they hold was not written by the user. */
const BLOCK =
  /<(everlong_recall|graphiti_memory|system_notification|[a-z]+_context|attached_file|attachment|stdin)\b[^>]*>[\s\S]*?<\/\1>/g;

export function readRound(items: readonly ContextItem<Message>[]): Round | undefined {
  const at = items.findLastIndex((item) => item.isPrompt && item.raw.role === "user");
  const prompt = items[at];
  if (prompt === undefined) return undefined;
  const calls = new Map<string, MadeCall>();
  let steps = 0;
  let afterAnswer: string[] | undefined;
  for (const { raw } of items.slice(at + 1)) {
    if (raw.role === "assistant") {
      if (raw.toolRequests.length > 0) steps++;
      else if (raw.content.trim() !== "") afterAnswer = [];
      for (const call of raw.toolRequests) {
        calls.set(call.toolCallId, { name: call.name, args: isRecord(call.arguments) ? call.arguments : {} });
      }
    } else if (raw.role === "tool") {
      const call = calls.get(raw.toolCallId);
      if (call) call.result = { content: raw.content, isError: raw.isError };
    } else {
      afterAnswer?.push(raw.content);
    }
  }
  const text = prompt.raw.content.replace(BLOCK, " ").trim();
  const piped = pipedText(prompt.raw.content);
  const round = { prompt, text, earlier: items.slice(0, at), steps, calls: [...calls.values()], afterAnswer };
  return piped === undefined ? round : { ...round, piped };
}
