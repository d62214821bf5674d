// OpenAI's own two wires, at the vendor's address or at one that speaks Responses.
import { createOpenAI } from "@ai-sdk/openai";
import type { ProviderModel } from "./load.ts";

// Without a key the SDK would look into the environment; the line removes the placeholder.
export const chatModel: ProviderModel = (target, baseURL, fetch) =>
  createOpenAI({ baseURL, apiKey: target.apiKey ?? "", fetch }).chat(target.name);

export const responsesModel: ProviderModel = (target, baseURL, fetch) =>
  createOpenAI({ baseURL, apiKey: target.apiKey ?? "", fetch }).responses(target.name);
