// One request as the SDK's call options, with what its wire wants.
import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { ModelRequest, ModelTarget } from "./contract.ts";
import { buildPrompt } from "./prompt.ts";
import { wireOf } from "./wire/registry.ts";

export async function callOptions(target: ModelTarget, request: ModelRequest): Promise<LanguageModelV4CallOptions> {
  const { call } = wireOf(target.wire);
  const prompt = await buildPrompt(request.system, request.items, target);
  const plain = request.tools.map(
    ({ name, description, parameters }): LanguageModelV4FunctionTool => ({
      type: "function",
      name,
      description,
      inputSchema: parameters,
    }),
  );
  const tools = call.tools?.(plain, prompt) ?? plain;
  const maxOutputTokens = request.maxOutputTokens ?? target.maxOutputTokens ?? call.maxOutputTokens?.(target.entry);
  const reasoning = mayReason(target, request) ? request.reasoningEffort : undefined;
  return {
    prompt,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && request.toolChoice === "none" ? { toolChoice: { type: "none" } } : {}),
    providerOptions: call.providerOptions(target, request),
    // Error events reach us whole, however much of them the SDK understands.
    includeRawChunks: true,
  };
}

/** Known vendors refuse an effort that their model does not have. */
function mayReason(target: ModelTarget, request: ModelRequest): boolean {
  const { provider, entry, wire } = target;
  if (!entry.supports.reasoning && provider !== "custom" && provider !== "ollama") return false;
  return wireOf(wire).call.mayReason?.(request.items, target) ?? true;
}
