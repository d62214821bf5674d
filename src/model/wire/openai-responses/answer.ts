// Reading a Responses answer: its last event holds all of it, its first events hold nothing yet.
import { isRecord } from "../../../base/json.ts";
import { fieldsIn, noteError, noteUsage } from "../answer.ts";
import type { AnswerFormat, WireBody } from "../contract.ts";
import { recordsIn, stringAt } from "../item.ts";
import { wordsOf } from "../part.ts";
import { responsesParts } from "./parts.ts";

export const responsesAnswer: AnswerFormat = {
  telling: /"(?:usage|error)"\s*:\s*\{|"(?:response\.(?:completed|failed|incomplete)|error)"/,
  read(record, facts) {
    const { type } = record;
    if (typeof type === "string" && /^(?:response\.(?:completed|failed|incomplete)|error)$/.test(type)) {
      facts.terminal = true;
    }
    const response = responseIn(record);
    const usage = fieldsIn(response["usage"]);
    noteUsage(facts, {
      input: usage["input_tokens"],
      cached: fieldsIn(usage["input_tokens_details"])["cached_tokens"],
      output: usage["output_tokens"],
    });
    noteError(type === "error" ? record : fieldsIn(response["error"]), facts);
  },
  // A stream that broke off is put together from what came.
  text(records) {
    const whole = records.map((record) => record["response"] ?? record).findLast(hasOutput);
    const ended = records.filter(({ type }) => type === "response.output_item.done").map((record) => record["item"]);
    // A compaction's output repeats what the user said.
    const items = (whole ? recordsIn(whole["output"]) : ended).filter(
      (item) => isRecord(item) && item["role"] !== "user",
    );
    if (items.length > 0)
      return items
        .map((item) => wordsOf(responsesParts(item)))
        .filter(Boolean)
        .join("\n");
    return records
      .filter(({ type }) => type === "response.output_text.delta")
      .map((record) => stringAt(record, "delta") ?? "")
      .join("");
  },
  items: (records) => records.flatMap((record) => [record["item"], ...recordsIn(responseIn(record)["output"])]),
  opening: {
    /** Neither output nor an end; some servers put events of their own first. */
    isOpening(type) {
      if (typeof type !== "string" || type === "error") return false;
      return !type.startsWith("response.") || /^response\.(?:created|in_progress|queued)$/.test(type);
    },
    isRefusal: (type) => type === "response.failed" || type === "error",
  },
};

/** An event carries the response; a whole body is one. */
const responseIn = (record: WireBody): WireBody => (isRecord(record["response"]) ? record["response"] : record);

const hasOutput = (value: unknown): value is WireBody =>
  isRecord(value) && Array.isArray(value["output"]) && value["output"].length > 0;
