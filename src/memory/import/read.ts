// What the readers share: fields of records, texts of content blocks, times of any form.
import { isRecord, isTooDeep } from "../../base/json.ts";
import { typedText } from "../../model/wire/client-blocks.ts";

export const textAt = (record: Record<string, unknown>, key: string): string | undefined => {
  const value = record[key];
  return typeof value === "string" && value !== "" ? value : undefined;
};

export const recordAt = (record: Record<string, unknown>, key: string): Record<string, unknown> => {
  const value = record[key];
  return isRecord(value) ? value : {};
};

export const recordsOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** The text of a message: itself, or its blocks of text. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (isRecord(content)) return textAt(content, "text") ?? "";
  if (!Array.isArray(content)) return "";
  const texts = content.map((block) =>
    typeof block === "string" ? block : isRecord(block) ? textAt(block, "text") : "",
  );
  return texts.filter(Boolean).join("\n");
}

/** The same for whatever a tool gave back; what is no text is shown as JSON. */
export function resultText(content: unknown): string {
  const text = textOf(content);
  if (text !== "" || content === undefined || content === null || content === "") return text;
  if (Array.isArray(content) && recordsOf(content).every(({ type }) => type === "image" || type === "image_url"))
    return "";
  return isTooDeep(content) ? "" : JSON.stringify(content);
}

/** Arguments as the model gave them; what nobody wrote by hand is left out. */
export const argsOf = (value: unknown): unknown => (isTooDeep(value) ? "[nested too deeply]" : (value ?? {}));

/** What the person typed in a message. */
export const typed = (content: unknown): string => typedText(textOf(content)).trim();

const FIRST_MS = 0;
const LAST_MS = Date.UTC(9999, 11, 31);
/** A number below this counts seconds. */
const SECONDS_BELOW = 100_000_000_000;

/** A time in ISO form; undefined for what is none. */
export function timeOf(value: unknown): string | undefined {
  const ms =
    typeof value === "string"
      ? Date.parse(value)
      : typeof value === "number"
        ? value < SECONDS_BELOW
          ? value * 1000
          : value
        : Number.NaN;
  return ms > FIRST_MS && ms < LAST_MS ? new Date(ms).toISOString() : undefined;
}
