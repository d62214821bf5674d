// Responses: calls, outputs and reasoning are items of their own, and reasoning comes back sealed.

import { isRecord } from "../../../base/json.ts";
import { compactAt } from "../compact-at.ts";
import type { CallFormat, Wire } from "../contract.ts";
import { listAt, recordsIn } from "../item.ts";
import { isContextLengthCode, openaiErrorBody, openaiVendor } from "../openai-vendor.ts";
import { isJsonFormat, isNone, modelInBody, numberAt, toolName } from "../request.ts";
import { afterVersion } from "../vendor.ts";
import { responsesAnswer } from "./answer.ts";
import { openaiResponsesHistory } from "./history.ts";

const responsesCall: CallFormat = {
  load: async () => (await import("../openai-provider.ts")).responsesModel,
  providerOptions: (target, request) => ({
    openai: {
      // With nothing stored at the provider, the SDK asks a reasoning model for its encrypted reasoning.
      store: false,
      promptCacheKey: request.sessionId,
      ...(request.providerCompaction
        ? { contextManagement: [{ type: "compaction", compactThreshold: compactAt(target) }] }
        : {}),
      ...(target.entry.supports.reasoning ? { forceReasoning: true, reasoningSummary: "auto" } : {}),
    },
  }),
  // Responses is strict unless told otherwise, and then makes every optional argument a required one.
  tools: (tools) => tools.map((tool) => ({ ...tool, strict: false })),
  elsewhere: "openai-chat",
};

export const openaiResponses: Wire = {
  name: "openai-responses",
  prefix: "/v1",
  logName: "dropped_responses",
  vendor: openaiVendor,
  history: openaiResponsesHistory,
  message: {
    holder: "content",
    holdsText: true,
    mayTake: ({ role, type }) => role === "user" && (type ?? "message") === "message",
    textPart: (literal) => `{"type":"input_text","text":${literal}}`,
    ownTail: true,
    plainText: '{"type":"message","role":"user","content":',
    systemMessage: (text) => ({ type: "message", role: "developer", content: [{ type: "input_text", text }] }),
  },
  request: {
    task(rest) {
      const path = afterVersion(rest);
      if (path === "/responses/compact") return "compact";
      return path === "/responses" ? "generate" : undefined;
    },
    model: modelInBody,
    system: (body) => body["instructions"],
    tools: (body) => listAt(body, "tools"),
    // Codex offers its tools to newer models in an item of the input.
    toolNames(body) {
      const items = recordsIn(body["input"]).filter((item) => item["type"] === "additional_tools");
      return [...listAt(body, "tools"), ...items.flatMap((item) => recordsIn(item["tools"]))].flatMap(toolName);
    },
    forbidsTools: (body) => isNone(body["tool_choice"]),
    wantsShape: ({ text }) => isRecord(text) && isJsonFormat(text["format"]),
    maxOutput: (body) => numberAt(body, "max_output_tokens"),
  },
  answer: responsesAnswer,
  error: {
    body: openaiErrorBody,
    tooLong: () => "Your input exceeds the context window of this model. Please adjust your input and try again.",
    saysTooLong: isContextLengthCode,
  },
  prompt: { maxCallIdChars: 64, filesInResults: true },
  call: responsesCall,
};
