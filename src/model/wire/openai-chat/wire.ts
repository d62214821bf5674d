// Chat Completions, which most servers speak.

import { fieldsIn, noteUsage } from "../answer.ts";
import type { Wire } from "../contract.ts";
import { listAt, recordsIn } from "../item.ts";
import { isContextLengthCode, openaiErrorBody, openaiVendor } from "../openai-vendor.ts";
import { messageParts, wordsOf } from "../part.ts";
import { isJsonFormat, isNone, modelInBody, numberAt, toolName } from "../request.ts";
import { afterVersion } from "../vendor.ts";
import { openaiChatHistory } from "./history.ts";

export const openaiChat: Wire = {
  name: "openai-chat",
  prefix: "/v1",
  logName: "dropped_chat",
  vendor: openaiVendor,
  history: openaiChatHistory,
  message: {
    holder: "content",
    holdsText: true,
    mayTake: ({ role }) => role === "user" || role === "tool" || role === "function",
    textPart: (literal) => `{"type":"text","text":${literal}}`,
    systemMessage: (content) => ({ role: "system", content }),
  },
  request: {
    task: (rest) => (afterVersion(rest) === "/chat/completions" ? "generate" : undefined),
    model: modelInBody,
    system: () => undefined,
    // The old form of tools was called functions.
    tools: (body) => [...listAt(body, "tools"), ...listAt(body, "functions")],
    toolNames: (body) => [...listAt(body, "tools"), ...listAt(body, "functions")].flatMap(toolName),
    forbidsTools: (body) => isNone(body["tool_choice"] ?? body["function_call"]),
    wantsShape: (body) => isJsonFormat(body["response_format"]),
    maxOutput: (body) => numberAt(body, "max_completion_tokens", "max_tokens"),
  },
  answer: {
    telling: /"(?:usage|error)"\s*:\s*\{|"finish_reason"\s*:\s*"/,
    read(record, facts) {
      const choices = recordsIn(record["choices"]);
      if (choices.some((choice) => typeof choice["finish_reason"] === "string")) facts.terminal = true;
      const usage = fieldsIn(record["usage"]);
      noteUsage(facts, {
        input: usage["prompt_tokens"],
        cached: fieldsIn(usage["prompt_tokens_details"])["cached_tokens"],
        output: usage["completion_tokens"],
      });
    },
    text: (records) =>
      records
        .flatMap((record) => recordsIn(record["choices"]).filter((choice) => (choice["index"] ?? 0) === 0))
        .map((choice) => wordsOf(messageParts(choice["delta"] ?? choice["message"])))
        .join(""),
  },
  error: {
    body: openaiErrorBody,
    tooLong: ({ reportedLimit: most, reportedTokens: sent }) =>
      most !== undefined && sent !== undefined
        ? `This model's maximum context length is ${most} tokens. However, your messages resulted in ${sent} tokens. Please reduce the length of the messages.`
        : "This request exceeds the context window of this model. Please reduce the length of the messages.",
    saysTooLong: isContextLengthCode,
  },
  prompt: { maxCallIdChars: 40 },
  call: {
    async load({ provider }) {
      if (provider === "openai") return (await import("../openai-provider.ts")).chatModel;
      return (await import("./provider.ts")).compatibleModel;
    },
    providerOptions: () => ({}),
  },
};
