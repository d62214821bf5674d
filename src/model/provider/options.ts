// One request as the SDK's call options, with each wire's own settings.
import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ContextItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import type { ModelRequest, ModelTarget } from "../contract.ts";
import { buildPrompt, CACHE_MARK, madeBy } from "../prompt.ts";

/** Anthropic wants a number in every request. */
const ANTHROPIC_OUTPUT = 8192;

export async function callOptions(target: ModelTarget, request: ModelRequest): Promise<LanguageModelV4CallOptions> {
  const prompt = await buildPrompt(request.system, request.items, target);
  const tools = toolsFor(target, request, prompt);
  const output = request.maxOutputTokens ?? target.maxOutputTokens;
  const maxOutputTokens =
    target.wire === "anthropic" ? (output ?? target.entry.max_output_tokens ?? ANTHROPIC_OUTPUT) : output;
  const reasoning = mayReason(target, request) ? request.reasoningEffort : undefined;
  return {
    prompt,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && request.toolChoice === "none" ? { toolChoice: { type: "none" } } : {}),
    providerOptions: wireOptions(target, request),
    // Error events reach us whole, however much of them the SDK understands.
    includeRawChunks: true,
  };
}

function wireOptions(
  target: ModelTarget,
  request: ModelRequest,
): NonNullable<LanguageModelV4CallOptions["providerOptions"]> {
  const { reasoning } = target.entry.supports;
  switch (target.wire) {
    case "openai-chat":
      return {};
    case "openai-responses":
      // With nothing stored at the provider, the SDK asks a reasoning model for its encrypted reasoning.
      return {
        openai: {
          store: false,
          promptCacheKey: request.sessionId,
          ...(request.providerCompaction
            ? { contextManagement: [{ type: "compaction", compactThreshold: compactAt(target) }] }
            : {}),
          ...(reasoning ? { forceReasoning: true, reasoningSummary: "auto" } : {}),
        },
      };
    case "anthropic":
      // A field that only the vendor itself knows.
      return {
        anthropic: {
          toolStreaming: target.provider === "anthropic",
          ...(request.providerCompaction
            ? { contextManagement: { edits: [{ type: "compact_20260112", trigger: trigger(target) }] } }
            : {}),
        },
      };
    case "gemini":
      return reasoning ? { google: { thinkingConfig: { includeThoughts: true } } } : {};
  }
}

/** Anthropic takes no less. */
const LEAST_TRIGGER = 50_000;
/** Above our own threshold: the provider acts only where we did not. */
const PROVIDER_SHARE = 0.9;
const compactAt = ({ promptLimit }: ModelTarget): number => Math.floor(PROVIDER_SHARE * promptLimit);
const trigger = (target: ModelTarget) => ({ type: "input_tokens", value: Math.max(LEAST_TRIGGER, compactAt(target)) });

function toolsFor(
  target: ModelTarget,
  request: ModelRequest,
  prompt: LanguageModelV4Prompt,
): LanguageModelV4FunctionTool[] {
  const tools = request.tools.map(
    ({ name, description, parameters }): LanguageModelV4FunctionTool => ({
      type: "function",
      name,
      description,
      inputSchema: parameters,
      // Responses is strict unless told otherwise, and then makes every optional argument a required one.
      ...(target.wire === "openai-responses" ? { strict: false } : {}),
    }),
  );
  if (target.wire !== "anthropic") return tools;
  const offered = tools.length > 0 ? tools : calledTools(prompt);
  // The cache mark stands on the last one and so covers them all.
  return offered.map((tool, index) => (index === offered.length - 1 ? { ...tool, providerOptions: CACHE_MARK } : tool));
}

/** Anthropic refuses a history with calls in it when no tool is declared. */
function calledTools(prompt: LanguageModelV4Prompt): LanguageModelV4FunctionTool[] {
  const parts = prompt.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const names = new Set(parts.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : [])));
  return [...names].map((name) => ({
    type: "function",
    name,
    description: "No longer offered.",
    inputSchema: { type: "object" },
  }));
}

/** Known vendors refuse an effort that their model does not have; with thinking on, Anthropic refuses another's call in the open step. */
function mayReason(target: ModelTarget, request: ModelRequest): boolean {
  const { provider, wire, entry } = target;
  if (!entry.supports.reasoning && provider !== "custom" && provider !== "ollama") return false;
  return wire !== "anthropic" || !foreignStep(request.items, target);
}

function foreignStep(items: readonly ContextItem<Message>[], target: ModelTarget): boolean {
  const last = items.findLast((item) => item.raw.role === "assistant");
  return last?.raw.role === "assistant" && last.raw.toolRequests.length > 0 && !madeBy(last.raw, target);
}
