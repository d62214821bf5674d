// Google's generateContent. The model class itself, because the package's front door insists on a key.
import { GoogleLanguageModel } from "@ai-sdk/google/internal";
import { newId } from "../../../base/id.ts";
import type { ProviderModel } from "../contract.ts";
import { vendorHeaders } from "../vendor.ts";
import { geminiVendor } from "./vendor.ts";

export const geminiModel: ProviderModel = (target, baseUrl, fetch) =>
  new GoogleLanguageModel(target.name, {
    provider: "google.generative-ai",
    baseURL: baseUrl,
    headers: vendorHeaders(geminiVendor, target.apiKey),
    // Google gives its calls no ids.
    generateId: newId,
    fetch,
  });
