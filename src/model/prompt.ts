// Our history as a provider's prompt: valid on the target's wire whatever the history holds.
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { isRecord } from "../base/json.ts";
import type { ContextItem } from "../schema/context-item.ts";
import type { AssistantMessage, Message, ToolMessage, ToolRequest } from "../schema/message.ts";
import type { ModelTarget } from "./contract.ts";
import { isMadeBy } from "./message-author.ts";
import { pairItems } from "./pairing.ts";
import { callIds, callName } from "./prompt-ids.ts";
import { type AttachmentPart, attachmentParts } from "./prompt-image.ts";
import { wireOf } from "./wire/registry.ts";

type PromptTarget = Pick<ModelTarget, "provider" | "name" | "wire" | "entry">;

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

const NO_OUTPUT = "(no output)";
/** Stands where a wire wants a user to have spoken and none has. */
const GO_ON = "(continue)";

export async function buildPrompt(
  system: string,
  items: readonly ContextItem<Message>[],
  target: PromptTarget,
): Promise<LanguageModelV4Prompt> {
  const prompt: LanguageModelV4Prompt = [];
  let compaction: LanguageModelV4Message | undefined;
  const format = wireOf(target.wire).prompt;
  const nextId = callIds(format.maxCallIdChars);
  const paired = pairItems(items);
  for (let at = 0; at < paired.length; at++) {
    const item = paired[at];
    if (item?.raw.role === "user") {
      const message = await userMessage(
        item.raw.content,
        await attachmentParts(item.raw.attachments ?? [], target.entry.supports),
      );
      if (message) prompt.push(message);
      if (message && item.kind === "compaction") compaction = message;
    }
    if (item?.raw.role !== "assistant") continue;
    const calls = item.raw.toolRequests.map((request) => callPart(request, nextId(request.toolCallId)));
    const content = assistantParts(item.raw, calls, target);
    if (content.length > 0) prompt.push({ role: "assistant", content });
    const results = paired
      .slice(at + 1, at + 1 + calls.length)
      .flatMap(({ raw }) => (raw.role === "tool" ? [raw] : []));
    if (results.length > 0) prompt.push(...(await resultMessages(results, calls, target)));
  }
  const turns = format.inTurns || prompt.length === 0 ? alternate(prompt) : prompt;
  const whole: LanguageModelV4Prompt = system.trim() === "" ? turns : [{ role: "system", content: system }, ...turns];
  return format.cacheMark ? withMarks(whole, compaction, format.cacheMark) : whole;
}

function userMessage(text: string, attachments: AttachmentPart[]): LanguageModelV4Message | undefined {
  const content = [...(text.trim() === "" ? [] : [{ type: "text", text } as const]), ...attachments];
  return content.length === 0 ? undefined : { role: "user", content };
}

function callPart(request: ToolRequest, toolCallId: string): LanguageModelV4ToolCallPart {
  const { arguments: input } = request;
  const object = isRecord(input)
    ? input
    : { invalid_json: typeof input === "string" ? input : JSON.stringify(input ?? null) };
  return { type: "tool-call", toolCallId, toolName: callName(request.name), input: object };
}

/** Provider data goes back to the pair that made it, part by part; anyone else gets the text and the calls. */
function assistantParts(
  message: AssistantMessage,
  calls: LanguageModelV4ToolCallPart[],
  target: PromptTarget,
): AssistantPart[] {
  const own = isMadeBy(message, target) ? ownParts(message, calls) : [];
  const plain = (): AssistantPart[] => [{ type: "text", text: message.content }, ...calls];
  const isBlank = (part: AssistantPart): boolean => part.type === "text" && part.text.trim() === "";
  if (own.length === 0) return plain().filter((part) => !isBlank(part));
  return wireOf(target.wire).prompt.refusesBlank ? own.filter((part) => !isBlank(part)) : own;
}

/** Empty when nothing special was kept, or when it does not fit the calls that the message has now. */
function ownParts(message: AssistantMessage, calls: LanguageModelV4ToolCallPart[]): AssistantPart[] {
  const parts: AssistantPart[] = [];
  const left = [...calls];
  for (const { type, text, kind, providerOptions } of message.providerData?.content ?? []) {
    const options = isRecord(providerOptions) ? { providerOptions: providerOptions as SharedV4ProviderOptions } : {};
    if (type === "tool-call") {
      const call = left.shift();
      if (!call) return [];
      parts.push({ ...call, ...options });
    } else if ((type === "text" || type === "reasoning") && typeof text === "string") {
      parts.push({ type, text, ...options });
    } else if (type === "custom" && typeof kind === "string") {
      parts.push({ type, kind: kind as `${string}.${string}`, ...options });
    }
  }
  return left.length === 0 ? parts : [];
}

async function resultMessages(
  results: ToolMessage[],
  calls: LanguageModelV4ToolCallPart[],
  target: PromptTarget,
): Promise<LanguageModelV4Message[]> {
  const { filesInResults, errorFlag } = wireOf(target.wire).prompt;
  const content: LanguageModelV4ToolResultPart[] = [];
  const after: AttachmentPart[] = [];
  for (const [index, { toolCallId, toolName }] of calls.entries()) {
    const result = results[index];
    if (!result) continue;
    const files = await attachmentParts(result.attachments ?? [], target.entry.supports);
    const text = result.content.trim() === "" ? NO_OUTPUT : result.content;
    if (!filesInResults) after.push(...files);
    const output: LanguageModelV4ToolResultPart["output"] =
      filesInResults && files.length > 0
        ? { type: "content", value: [{ type: "text", text }, ...files] }
        : { type: result.isError && errorFlag ? "error-text" : "text", value: text };
    content.push({ type: "tool-result", toolCallId, toolName, output });
  }
  const tool: LanguageModelV4Message = { role: "tool", content };
  return after.length === 0 ? [tool] : [tool, { role: "user", content: after }];
}

/** A user speaks first, last, and between two answers. */
function alternate(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const turns: LanguageModelV4Prompt = [];
  const goOn = (): void => {
    const last = turns.at(-1)?.role;
    if (last === undefined || last === "assistant")
      turns.push({ role: "user", content: [{ type: "text", text: GO_ON }] });
  };
  for (const message of prompt) {
    if (message.role === "assistant") goOn();
    turns.push(message);
  }
  goOn();
  return turns;
}

/** Up to the system text, the latest compaction message and the newest message the prompt stays the same. */
function withMarks(
  prompt: LanguageModelV4Prompt,
  compaction: LanguageModelV4Message | undefined,
  mark: SharedV4ProviderOptions,
): LanguageModelV4Prompt {
  const newest = prompt.at(-1);
  return prompt.map((message) =>
    message.role === "system" || message === compaction || message === newest
      ? { ...message, providerOptions: mark }
      : message,
  );
}
