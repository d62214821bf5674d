// Reading an answer of generateContent, and its errors.
import { countIn, fieldsIn, noteUsage } from "../answer.ts";
import type { AnswerFormat, ErrorFormat } from "../contract.ts";
import { recordsIn } from "../item.ts";
import { wordsOf } from "../part.ts";
import { geminiHistory } from "./history.ts";

export const geminiAnswer: AnswerFormat = {
  telling: /"(?:usageMetadata|error)"\s*:\s*\{|"finishReason"\s*:\s*"|"blockReason"/,
  read(record, facts) {
    const hasEnd = recordsIn(record["candidates"]).some((candidate) => typeof candidate["finishReason"] === "string");
    // A blocked prompt has no candidate that could finish.
    if (hasEnd || fieldsIn(record["promptFeedback"])["blockReason"] !== undefined) facts.terminal = true;
    const usage = fieldsIn(record["usageMetadata"]);
    const { candidatesTokenCount: words, thoughtsTokenCount: thoughts } = usage;
    noteUsage(facts, {
      input: usage["promptTokenCount"],
      cached: usage["cachedContentTokenCount"],
      output:
        words === undefined && thoughts === undefined ? undefined : (countIn(words) ?? 0) + (countIn(thoughts) ?? 0),
    });
  },
  text: (records) =>
    records
      .flatMap((record) => recordsIn(record["candidates"]).slice(0, 1))
      .map((candidate) => wordsOf(geminiHistory.parts(candidate["content"])))
      .join(""),
};

const STATUSES: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  408: "DEADLINE_EXCEEDED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export const geminiError: ErrorFormat = {
  body: (status, _code, message) => ({
    error: { code: status, message, status: STATUSES[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL") },
  }),
  tooLong: ({ reportedLimit: most, reportedTokens: sent }) =>
    most !== undefined && sent !== undefined
      ? `The input token count (${sent}) exceeds the maximum number of tokens allowed (${most}).`
      : "The input token count exceeds the maximum number of tokens allowed.",
  saysTooLong: (error) => /token count/i.test(String(error["message"])),
};
