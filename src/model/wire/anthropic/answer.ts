// Reading an answer of Messages, and its errors.
import { isRecord } from "../../../base/json.ts";
import { countIn, fieldsIn, noteUsage } from "../answer.ts";
import type { AnswerFormat, ErrorFormat } from "../contract.ts";
import { stringAt } from "../item.ts";
import { blocksOf, wordsOf } from "../part.ts";

export const anthropicAnswer: AnswerFormat = {
  telling: /"(?:usage|error)"\s*:\s*\{|"message_stop"/,
  read(record, facts) {
    if (record["type"] === "message_stop") facts.terminal = true;
    const usage = fieldsIn(fieldsIn(record["message"])["usage"] ?? record["usage"]);
    const { input_tokens: fresh, cache_read_input_tokens: cached, cache_creation_input_tokens: written } = usage;
    noteUsage(facts, {
      // Closing events may give the output alone.
      input: typeof fresh === "number" ? fresh + (countIn(cached) ?? 0) + (countIn(written) ?? 0) : undefined,
      cached,
      output: usage["output_tokens"],
    });
  },
  text: (records) =>
    records
      .map(({ type, delta, content, content_block: block }) => {
        if (type === "message") return wordsOf(blocksOf(content));
        if (type === "content_block_start") return wordsOf(blocksOf(block));
        return isRecord(delta) && delta["type"] === "text_delta" ? (stringAt(delta, "text") ?? "") : "";
      })
      .join(""),
};

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  503: "overloaded_error",
  504: "timeout_error",
};

export const anthropicError: ErrorFormat = {
  body(status, _code, message) {
    const type = TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
    return { type: "error", error: { type, message } };
  },
  tooLong: ({ reportedLimit: most, reportedTokens: sent }) =>
    most !== undefined && sent !== undefined
      ? `prompt is too long: ${sent} tokens > ${most} maximum`
      : "prompt is too long",
  saysTooLong: (error) => /prompt is too long/i.test(String(error["message"])),
};
