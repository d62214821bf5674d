// Everyone else who speaks Chat Completions: custom addresses and Ollama.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ProviderModel } from "../contract.ts";

export const compatibleModel: ProviderModel = (target, baseUrl, fetch) =>
  createOpenAICompatible({
    name: target.provider,
    baseURL: baseUrl,
    fetch,
    includeUsage: true,
    ...(target.apiKey === undefined ? {} : { apiKey: target.apiKey }),
  }).chatModel(target.name);
