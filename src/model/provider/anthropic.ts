// Anthropic's Messages.
import { createAnthropic } from "@ai-sdk/anthropic";
import type { ProviderModel } from "./load.ts";

// Without a key the SDK would look into the environment; the line removes the placeholder.
export const messagesModel: ProviderModel = (target, baseURL, fetch) =>
  createAnthropic({ baseURL, apiKey: target.apiKey ?? "", fetch })(target.name);
