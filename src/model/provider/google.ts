// Google's generateContent. The model class itself, because the package's front door insists on a key.
import { GoogleLanguageModel } from "@ai-sdk/google/internal";
import { newId } from "../../base/id.ts";
import type { ProviderModel } from "./load.ts";

export const geminiModel: ProviderModel = (target, baseUrl, fetch) =>
  new GoogleLanguageModel(target.name, {
    provider: "google.generative-ai",
    baseURL: baseUrl,
    headers: target.apiKey === undefined ? {} : { "x-goog-api-key": target.apiKey },
    // Google gives its calls no ids.
    generateId: newId,
    fetch,
  });
