// OpenAI's own two wires, at the vendor's address or at one that speaks Responses.
// The model classes themselves: the package's front door reads the environment when it is loaded, and throws on an empty variable.
import { OpenAIChatLanguageModel, OpenAIResponsesLanguageModel } from "@ai-sdk/openai/internal";
import type { ProviderModel } from "./load.ts";

type Config = ConstructorParameters<typeof OpenAIChatLanguageModel>[1];

export const chatModel: ProviderModel = (target, baseUrl, fetch) =>
  new OpenAIChatLanguageModel(target.name, { provider: "openai.chat", ...config(target.apiKey, baseUrl, fetch) });

export const responsesModel: ProviderModel = (target, baseUrl, fetch) =>
  new OpenAIResponsesLanguageModel(target.name, {
    provider: "openai.responses",
    ...config(target.apiKey, baseUrl, fetch),
  });

function config(apiKey: string | undefined, baseUrl: string, fetch: typeof globalThis.fetch): Omit<Config, "provider"> {
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  return { url: ({ path }) => `${baseUrl}${path}`, headers: () => headers, fetch };
}
