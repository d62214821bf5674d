// OpenAI's own two wires, at the vendor's address or at one that speaks Responses.
// The model classes themselves: the package's front door reads the environment when it is loaded, and throws on an empty variable.
import { OpenAIChatLanguageModel, OpenAIResponsesLanguageModel } from "@ai-sdk/openai/internal";
import type { ModelTarget } from "../contract.ts";
import type { ProviderModel } from "./contract.ts";
import { openaiVendor } from "./openai-vendor.ts";
import { vendorHeaders } from "./vendor.ts";

type Config = Omit<ConstructorParameters<typeof OpenAIChatLanguageModel>[1], "provider">;

export const chatModel: ProviderModel = (target, baseUrl, fetch) =>
  new OpenAIChatLanguageModel(target.name, { provider: "openai.chat", ...config(target, baseUrl, fetch) });

export const responsesModel: ProviderModel = (target, baseUrl, fetch) =>
  new OpenAIResponsesLanguageModel(target.name, { provider: "openai.responses", ...config(target, baseUrl, fetch) });

function config({ apiKey }: ModelTarget, baseUrl: string, fetch: typeof globalThis.fetch): Config {
  const headers = vendorHeaders(openaiVendor, apiKey);
  return { url: ({ path }) => `${baseUrl}${path}`, headers: () => headers, fetch };
}
