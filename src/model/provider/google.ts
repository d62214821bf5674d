// Google's generateContent.
import { createGoogle } from "@ai-sdk/google";
import type { ProviderModel } from "./load.ts";

// Without a key the SDK would look into the environment; the line removes the placeholder.
export const geminiModel: ProviderModel = (target, baseURL, fetch) =>
  createGoogle({ baseURL, apiKey: target.apiKey ?? "", fetch })(target.name);
