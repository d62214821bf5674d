// The adapter of each wire.
import type { WireName } from "../../schema/model.ts";
import type { WireAdapter } from "./adapter.ts";
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

export const wireAdapters: Readonly<Record<WireName, WireAdapter>> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
};
