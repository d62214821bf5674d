// Anthropic's Messages: users and assistants take turns, and results come in a user's message.
import { isRecord } from "../../../base/json.ts";
import type { Wire } from "../contract.ts";
import { listAt } from "../item.ts";
import { isJsonFormat, isNone, modelInBody, numberAt, toolName } from "../request.ts";
import { afterVersion } from "../vendor.ts";
import { anthropicAnswer, anthropicError } from "./answer.ts";
import { anthropicCall, CACHE_MARK } from "./call.ts";
import { anthropicHistory } from "./history.ts";
import { anthropicVendor } from "./vendor.ts";

const MILLION = 1_000_000;

export const anthropic: Wire = {
  name: "anthropic",
  prefix: "/v1",
  logName: "dropped_claude",
  vendor: anthropicVendor,
  history: anthropicHistory,
  message: {
    holder: "content",
    holdsText: true,
    mayTake: ({ role }) => role === "user",
    textPart: (literal) => `{"type":"text","text":${literal}}`,
    isResult: (part) => isRecord(part) && part["type"] === "tool_result",
    joined: '{"role":"user","content":[',
    resultsOfUsers: true,
  },
  request: {
    task(rest) {
      const path = afterVersion(rest);
      if (path === "/messages/count_tokens") return "count";
      return path === "/messages" ? "generate" : undefined;
    },
    model: modelInBody,
    window: (model, headers) =>
      model.endsWith("[1m]") || /\bcontext-1m\b/.test(headers["anthropic-beta"] ?? "") ? MILLION : undefined,
    system: (body) => body["system"],
    tools: (body) => listAt(body, "tools"),
    toolNames: (body) => listAt(body, "tools").flatMap(toolName),
    forbidsTools: (body) => isNone(body["tool_choice"]),
    wantsShape: ({ output_format: format, output_config: config }) =>
      isJsonFormat(format) || (isRecord(config) && isJsonFormat(config["format"])),
    maxOutput: (body) => numberAt(body, "max_tokens"),
  },
  answer: anthropicAnswer,
  error: anthropicError,
  prompt: {
    maxCallIdChars: 64,
    inTurns: true,
    refusesBlank: true,
    filesInResults: true,
    errorFlag: true,
    cacheMark: CACHE_MARK,
  },
  call: anthropicCall,
};
