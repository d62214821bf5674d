// What the records of an answer say, on every wire: usage, whether it ended, which error.
import { isRecord } from "../../base/json.ts";
import type { WireName } from "../../schema/model.ts";
import type { Usage } from "../contract.ts";

export type Facts = { usage?: Usage; terminal: boolean; errorCode?: string };
type Fields = Readonly<Record<string, unknown>>;

/** One event's data, or a whole body. An error of the provider's own ends an answer as well as its terminal event. */
export function readRecord(wire: WireName, record: Fields, facts: Facts): void {
  READERS[wire](record, facts);
  const error = record["error"];
  if (isRecord(error)) {
    facts.terminal = true;
    noteError(error, facts);
  }
}

const READERS: Record<WireName, (record: Fields, facts: Facts) => void> = {
  "openai-chat": (record, facts) => {
    const choices = list(record["choices"]);
    if (choices.some((choice) => typeof choice["finish_reason"] === "string")) facts.terminal = true;
    const usage = fields(record["usage"]);
    noteUsage(facts, {
      input: usage["prompt_tokens"],
      cached: fields(usage["prompt_tokens_details"])["cached_tokens"],
      output: usage["completion_tokens"],
    });
  },
  "openai-responses": (record, facts) => {
    const type = record["type"];
    if (typeof type === "string" && /^(?:response\.(?:completed|failed|incomplete)|error)$/.test(type)) {
      facts.terminal = true;
    }
    // An event carries the response; a whole body is one.
    const response = isRecord(record["response"]) ? record["response"] : record;
    const usage = fields(response["usage"]);
    noteUsage(facts, {
      input: usage["input_tokens"],
      cached: fields(usage["input_tokens_details"])["cached_tokens"],
      output: usage["output_tokens"],
    });
    noteError(type === "error" ? record : fields(response["error"]), facts);
  },
  anthropic: (record, facts) => {
    if (record["type"] === "message_stop") facts.terminal = true;
    const usage = fields(fields(record["message"])["usage"] ?? record["usage"]);
    const { input_tokens: fresh, cache_read_input_tokens: cached, cache_creation_input_tokens: written } = usage;
    noteUsage(facts, {
      // Closing events may give the output alone.
      input: typeof fresh === "number" ? fresh + (count(cached) ?? 0) + (count(written) ?? 0) : undefined,
      cached,
      output: usage["output_tokens"],
    });
  },
  gemini: (record, facts) => {
    const ended = list(record["candidates"]).some((candidate) => typeof candidate["finishReason"] === "string");
    // A blocked prompt has no candidate that could finish.
    if (ended || fields(record["promptFeedback"])["blockReason"] !== undefined) facts.terminal = true;
    const usage = fields(record["usageMetadata"]);
    const { candidatesTokenCount: said, thoughtsTokenCount: thought } = usage;
    noteUsage(facts, {
      input: usage["promptTokenCount"],
      cached: usage["cachedContentTokenCount"],
      output: said === undefined && thought === undefined ? undefined : (count(said) ?? 0) + (count(thought) ?? 0),
    });
  },
};

/** The newest figure of each kind holds: providers count up. */
function noteUsage(facts: Facts, reported: Record<keyof Usage, unknown>): void {
  for (const kind of ["input", "cached", "output"] as const) {
    const figure = count(reported[kind]);
    if (figure !== undefined) facts.usage = { ...facts.usage, [kind]: figure };
  }
}

function noteError(error: Fields, facts: Facts): void {
  // OpenAI `code` then `type`, Anthropic `type`, Gemini `status` (its `code` is a number).
  const code = [error["status"], error["code"], error["type"]].find((one) => typeof one === "string" && one !== "");
  if (typeof code === "string") facts.errorCode = code.replace(/[^\w.:-]/g, "_").slice(0, 64);
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function fields(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
