// Anthropic's Messages.
// The model class itself: the package's front door reads the environment when it is loaded, and throws on an empty variable.
import { AnthropicLanguageModel } from "@ai-sdk/anthropic/internal";
import type { ProviderModel } from "../contract.ts";
import { vendorHeaders } from "../vendor.ts";
import { anthropicVendor } from "./vendor.ts";

export const messagesModel: ProviderModel = (target, baseUrl, fetch) =>
  new AnthropicLanguageModel(target.name, {
    provider: "anthropic.messages",
    baseURL: baseUrl,
    headers: vendorHeaders(anthropicVendor, target.apiKey),
    fetch,
  });
