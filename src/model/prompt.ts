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
import { pairItems } from "./pairing.ts";
import { callIds, callName } from "./prompt-ids.ts";
import { type AttachmentPart, attachmentParts } from "./prompt-image.ts";

export type PromptTarget = Pick<ModelTarget, "provider" | "name" | "wire" | "entry">;

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

const NO_OUTPUT = "(no output)";
/** Where two of the wires want a user to have spoken and none has. */
const GO_ON = "(continue)";

export const CACHE_MARK: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

export async function buildPrompt(
  system: string,
  items: readonly ContextItem<Message>[],
  target: PromptTarget,
): Promise<LanguageModelV4Prompt> {
  const prompt: LanguageModelV4Prompt = [];
  const nextId = callIds(target.wire);
  const paired = pairItems(items);
  for (let at = 0; at < paired.length; at++) {
    const item = paired[at];
    if (item?.raw.role === "user") {
      const message = await userMessage(
        item.raw.content,
        await attachmentParts(item.raw.attachments ?? [], target.entry.supports),
      );
      if (message) prompt.push(item.kind === "compaction" ? { ...message, providerOptions: CACHE_MARK } : message);
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
  const inTurns = target.wire === "anthropic" || target.wire === "gemini" || prompt.length === 0;
  return withMarks(system, inTurns ? alternate(prompt) : prompt);
}

function userMessage(text: string, attachments: AttachmentPart[]): LanguageModelV4Message | undefined {
  const content = [...(text.trim() === "" ? [] : [{ type: "text", text } as const]), ...attachments];
  return content.length === 0 ? undefined : { role: "user", content };
}

function callPart(request: ToolRequest, toolCallId: string): LanguageModelV4ToolCallPart {
  const { arguments: given } = request;
  const input = isRecord(given)
    ? given
    : { invalid_json: typeof given === "string" ? given : JSON.stringify(given ?? null) };
  return { type: "tool-call", toolCallId, toolName: callName(request.name), input };
}

/** Provider data goes back to the pair that made it, part by part; anyone else gets the text and the calls. */
function assistantParts(
  message: AssistantMessage,
  calls: LanguageModelV4ToolCallPart[],
  target: PromptTarget,
): AssistantPart[] {
  const own = madeBy(message, target) ? ownParts(message, calls) : [];
  const plain = (): AssistantPart[] => [{ type: "text", text: message.content }, ...calls];
  // Blank text is refused by Anthropic and tells nothing; on the other wires it may stand behind reasoning that needs it.
  const isBlank = (part: AssistantPart): boolean => part.type === "text" && part.text.trim() === "";
  if (own.length === 0) return plain().filter((part) => !isBlank(part));
  return target.wire === "anthropic" ? own.filter((part) => !isBlank(part)) : own;
}

export function madeBy(message: AssistantMessage, target: Omit<PromptTarget, "entry">): boolean {
  const data = message.providerData;
  return (
    data?.provider === target.provider && data.model === target.name && (data["wire"] ?? target.wire) === target.wire
  );
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
  const inResult = target.wire === "anthropic" || target.wire === "openai-responses";
  const content: LanguageModelV4ToolResultPart[] = [];
  const after: AttachmentPart[] = [];
  for (const [index, { toolCallId, toolName }] of calls.entries()) {
    const result = results[index];
    if (!result) continue;
    const files = await attachmentParts(result.attachments ?? [], target.entry.supports);
    const text = result.content.trim() === "" ? NO_OUTPUT : result.content;
    if (!inResult) after.push(...files);
    const output: LanguageModelV4ToolResultPart["output"] =
      inResult && files.length > 0
        ? { type: "content", value: [{ type: "text", text }, ...files] }
        : // Only Anthropic has a flag for errors; elsewhere it would be a wrapper around the text.
          { type: result.isError && target.wire === "anthropic" ? "error-text" : "text", value: text };
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

/** Cache marks: the system text, the latest compaction message, the newest message. Other providers do not look at them. */
function withMarks(system: string, turns: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const compaction = turns.findLast((message) => message.providerOptions === CACHE_MARK);
  const newest = turns.at(-1);
  const marked = turns.map((message) => {
    const { providerOptions: _mark, ...bare } = message;
    return message === compaction || message === newest ? { ...bare, providerOptions: CACHE_MARK } : bare;
  });
  return system.trim() === "" ? marked : [{ role: "system", content: system, providerOptions: CACHE_MARK }, ...marked];
}
