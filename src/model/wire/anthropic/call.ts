// Our own calls over Messages: cache marks, tools that must be declared, and what the provider compacts by itself.
import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { isRecord } from "../../../base/json.ts";
import type { ProviderCompaction } from "../../contract.ts";
import { isMadeBy } from "../../message-author.ts";
import { compactAt } from "../compact-at.ts";
import type { CallFormat } from "../contract.ts";

export const CACHE_MARK: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** Anthropic wants a number in every request. */
const OUTPUT_TOKENS = 8192;
/** Anthropic takes no smaller trigger. */
const LEAST_TRIGGER = 50_000;

export const anthropicCall: CallFormat = {
  load: async () => (await import("./provider.ts")).messagesModel,
  providerOptions(target, { providerCompaction }) {
    const trigger = { type: "input_tokens", value: Math.max(LEAST_TRIGGER, compactAt(target)) };
    return {
      anthropic: {
        // Only the vendor itself knows this field.
        toolStreaming: target.provider === "anthropic",
        ...(providerCompaction ? { contextManagement: { edits: [{ type: "compact_20260112", trigger }] } } : {}),
      },
    };
  },
  // The cache mark stands on the last tool and so covers them all.
  tools(tools, prompt) {
    const offer = tools.length > 0 ? tools : calledTools(prompt);
    return offer.map((tool, index) => (index === offer.length - 1 ? { ...tool, providerOptions: CACHE_MARK } : tool));
  },
  maxOutputTokens: (entry) => entry.max_output_tokens ?? OUTPUT_TOKENS,
  // With thinking on, Anthropic refuses another model's call in the open step.
  mayReason(items, target) {
    const last = items.findLast((item) => item.raw.role === "assistant")?.raw;
    return last?.role !== "assistant" || last.toolRequests.length === 0 || isMadeBy(last, target);
  },
  summaryKind: (options) => (options?.["anthropic"]?.["type"] === "compaction" ? "anthropic.compaction" : undefined),
  edits(metadata) {
    const management = metadata?.["anthropic"]?.["contextManagement"];
    const edits = isRecord(management) && Array.isArray(management["appliedEdits"]) ? management["appliedEdits"] : [];
    return edits.filter(isRecord).map(editOf);
  },
};

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

function editOf(edit: Record<string, unknown>): ProviderCompaction {
  const tokens = Number(edit["clearedInputTokens"]);
  const items = Number(edit["clearedToolUses"] ?? edit["clearedThinkingTurns"]);
  return {
    kind: String(edit["type"]),
    opaque: edit,
    ...(Number.isFinite(tokens) ? { tokensCleared: tokens } : {}),
    ...(Number.isFinite(items) ? { itemsCleared: items } : {}),
  };
}
