// Anthropic's Messages.
// The model class itself: the package's front door reads the environment when it is loaded, and throws on an empty variable.
import { AnthropicLanguageModel } from "@ai-sdk/anthropic/internal";
import type { ProviderModel } from "./load.ts";

export const messagesModel: ProviderModel = (target, baseUrl, fetch) =>
  new AnthropicLanguageModel(target.name, {
    provider: "anthropic.messages",
    baseURL: baseUrl,
    headers: {
      "anthropic-version": "2023-06-01",
      ...(target.apiKey === undefined ? {} : { "x-api-key": target.apiKey }),
    },
    fetch,
  });
