// The text of an answer, from what was observed of it: events of a stream, or one whole body.
import { isRecord } from "../../base/json.ts";
import { recordsIn, stringAt } from "../../model/wire/adapter.ts";
import type { WireName } from "../../schema/model.ts";
import { partsOf } from "./parts.ts";

type Fields = Readonly<Record<string, unknown>>;

export const textOfAnswer = (wire: WireName, records: readonly unknown[]): string =>
  TEXTS[wire](records.filter(isRecord)).trim();

const TEXTS: Record<WireName, (records: readonly Fields[]) => string> = {
  "openai-chat": (records) =>
    records
      .flatMap((record) => recordsIn(record["choices"]).filter((choice) => (choice["index"] ?? 0) === 0))
      .map((choice) => textIn(choice["delta"] ?? choice["message"]))
      .join(""),
  // The last event holds the whole answer; a stream that broke off is put together from what came.
  "openai-responses": (records) => {
    const whole = records.map((record) => record["response"] ?? record).findLast(hasOutput);
    const done = records.filter(({ type }) => type === "response.output_item.done").map((record) => record["item"]);
    const items = whole ? recordsIn(whole["output"]) : done;
    // A compaction's output repeats what the user said.
    const said = items.filter((item) => isRecord(item) && item["role"] !== "user");
    if (said.length > 0) return said.map(textIn).filter(Boolean).join("\n");
    return records.map((record) => (isTextDelta(record) ? (stringAt(record, "delta") ?? "") : "")).join("");
  },
  anthropic: (records) =>
    records
      .map(({ type, delta, content, ...rest }) => {
        if (type === "message") return textIn({ content });
        if (type === "content_block_start") return textIn({ content: rest["content_block"] });
        return isRecord(delta) && delta["type"] === "text_delta" ? (stringAt(delta, "text") ?? "") : "";
      })
      .join(""),
  gemini: (records) =>
    records
      .flatMap((record) => recordsIn(record["candidates"]).slice(0, 1))
      .map((candidate) => textIn(candidate["content"]))
      .join(""),
};

const hasOutput = (value: unknown): value is Fields =>
  isRecord(value) && Array.isArray(value["output"]) && value["output"].length > 0;

const isTextDelta = ({ type }: Fields): boolean => type === "response.output_text.delta";

const textIn = (message: unknown): string =>
  isRecord(message)
    ? partsOf(message)
        .flatMap((part) => (part.type === "text" ? part.text : []))
        .join("")
    : "";
