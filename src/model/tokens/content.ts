// What of an item costs tokens, on any wire and in our own messages: its text, and fixed costs of media and blobs.
import { isRecord, textLength } from "../../base/json.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import { DATA_URL } from "../wire/media.ts";
import { SEALED_KEYS } from "../wire/part.ts";
import { upperBound } from "./estimate.ts";
import { blobTokens, imageTokens, mediaTokens, pdfTokens } from "./media.ts";

export type Content = { text: string; fixed: number };

/** Bookkeeping that a model does not read, or that the overhead of an item stands for. */
const SILENT = new Set(
  (
    "role type id call_id tool_call_id tool_use_id approval_request_id toolCallId toolName status phase isError is_error " +
    "cache_control detail index media_type mimeType mime_type mediaType format filename"
  ).split(" "),
);
/** Data that only the provider can read. */
const SEALED = new Set([...SEALED_KEYS, "redactedData"]);
/** Objects that are sent as JSON. */
const AS_JSON = new Set(["input", "args", "arguments", "response", "action", "operation"]);
const IMAGE_TYPES = new Set(["image", "image_url", "input_image", "computer_screenshot"]);
const DOCUMENT_TYPES = new Set(["document", "file", "input_file"]);
const POINTERS = new Set(["url", "image_url", "file_url", "fileUri", "file_id"]);

/** Longer objects are counted by their texts: written out, they would be there a second time. */
const LONG_CHARS = 4 * 1024 * 1024;

type Frame = { texts: string[]; fixed: number };
type Around = "image" | "document" | undefined;

export function contentOf(item: Pick<ContextItem, "kind" | "raw">): Content {
  if (item.kind === "opaque") return { text: "", fixed: blobTokens(Buffer.byteLength(JSON.stringify(item.raw) ?? "")) };
  return contentOfValue(item.raw);
}

export function contentOfValue(value: unknown): Content {
  const frame: Frame = { texts: [], fixed: 0 };
  walk(value, "text", undefined, frame);
  return frame.texts.some((text) => text.length > LONG_CHARS) ? longContent(frame) : joined(frame);
}

const joined = ({ texts, fixed }: Frame): Content => ({ text: texts.join("\n"), fixed });

/** The longest text as it is, the others by their upper bound: put together, the long one would be there twice. */
function longContent({ texts, fixed }: Frame): Content {
  const longest = texts.reduce((a, b) => (b.length > a.length ? b : a));
  const others = texts.filter((text) => text !== longest);
  return { text: longest, fixed: fixed + others.reduce((sum, text) => sum + upperBound(text), 0) };
}

function walk(value: unknown, key: string, around: Around, frame: Frame): void {
  if (typeof value === "string") {
    addString(value, key, around, frame);
  } else if (Array.isArray(value)) {
    for (const one of value) walk(one, key, around, frame);
  } else if (isRecord(value)) {
    if (AS_JSON.has(key) && !holdsMedia(value) && textLength(value) < LONG_CHARS)
      frame.texts.push(JSON.stringify(value));
    else addObject(value, around, frame);
  }
}

function addObject(node: Record<string, unknown>, around: Around, frame: Frame): void {
  const type = node["type"];
  if (type === "redacted_thinking") frame.fixed += sealedTokens(node["data"]);
  else if (!addInline(node, frame)) {
    const inside = around ?? aroundOf(node);
    for (const [key, value] of Object.entries(node)) {
      if (SILENT.has(key)) continue;
      if (key === "attachments") frame.fixed += attachmentTokens(value);
      else if (key === "providerData") frame.fixed += sealedTokens(value);
      else walk(value, key, inside, frame);
    }
  }
}

function aroundOf(node: Record<string, unknown>): Around {
  if (typeof node["fileUri"] === "string") return String(node["mimeType"]).startsWith("image/") ? "image" : "document";
  const type = String(node["type"]);
  if (IMAGE_TYPES.has(type)) return "image";
  return DOCUMENT_TYPES.has(type) ? "document" : undefined;
}

/** Bytes inside the object: Anthropic's source, Gemini's inlineData, OpenAI's input_audio. */
function addInline(node: Record<string, unknown>, frame: Frame): boolean {
  const data = node["data"];
  const mediaType = node["media_type"] ?? node["mimeType"] ?? node["mime_type"] ?? node["format"];
  if (typeof data !== "string" || typeof mediaType !== "string") return false;
  if (node["type"] === "text") frame.texts.push(data);
  else frame.fixed += mediaTokens(mediaType, data);
  return true;
}

function addString(value: string, key: string, around: Around, frame: Frame): void {
  if (SEALED.has(key)) {
    frame.fixed += blobTokens(value.length);
    return;
  }
  const url = key === "text" || key === "content" ? null : DATA_URL.exec(value);
  if (url) frame.fixed += mediaTokens(url[1] ?? "", value.slice(url[0].length));
  else if (around !== undefined && POINTERS.has(key))
    frame.fixed += around === "image" ? imageTokens(undefined) : pdfTokens(1);
  else frame.texts.push(value);
}

function holdsMedia(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsMedia);
  if (!isRecord(value)) return false;
  return addInline(value, { texts: [], fixed: 0 }) || Object.values(value).some(holdsMedia);
}

/** Only what is sealed: the readable parts of provider data repeat the message itself. */
function sealedTokens(value: unknown): number {
  if (typeof value === "string") return blobTokens(value.length);
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + (isRecord(one) ? sealedTokens(one) : 0), 0);
  if (!isRecord(value)) return 0;
  let sum = 0;
  for (const [key, one] of Object.entries(value)) {
    if (typeof one !== "string") sum += sealedTokens(one);
    else if (SEALED.has(key) || key === "reasoningEncryptedContent") sum += blobTokens(one.length);
  }
  return sum;
}

/** Our own attachments name a file; width, height and pages count when whoever attached it noted them. */
function attachmentTokens(value: unknown): number {
  if (!Array.isArray(value)) return 0;
  return value.filter(isRecord).reduce<number>((sum, { kind, width, height, pages, bytes }) => {
    if (kind === "image") {
      return sum + imageTokens(typeof width === "number" && typeof height === "number" ? { width, height } : undefined);
    }
    if (kind === "document")
      return sum + pdfTokens(typeof pages === "number" ? pages : Math.ceil(numberOr0(bytes) / 50_000));
    return sum + blobTokens(numberOr0(bytes));
  }, 0);
}

const numberOr0 = (value: unknown): number => (typeof value === "number" ? value : 0);
