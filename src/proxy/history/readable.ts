// What an item says to a reader: for the store, for searching, for the anchor.
import { hash } from "node:crypto";
import { isRecord } from "../../base/json.ts";
import { optional } from "../../base/optional.ts";
import type { WireContent, WirePart } from "../../model/wire/contract.ts";
import { SEALED_KEYS } from "../../model/wire/part.ts";
import { wireOf } from "../../model/wire/registry.ts";
import type { HistoryItem, Readable } from "../contract.ts";
import { withoutInjected, withoutOurs } from "./blocks.ts";

/** Reasoning is told only where an item holds nothing else: it is never to be found by a search. */
export function readable({ raw, role, kind, wire }: Pick<HistoryItem, "raw" | "role" | "kind" | "wire">): Readable {
  const parts = wireOf(wire).history.parts(raw);
  const words = parts.filter(({ type }) => type !== "reasoning");
  const shown = words.length > 0 ? words : parts;
  const call = shown.find((part) => part.type === "call" || part.type === "result");
  const type = kind === "compaction" ? kind : typeOf(shown);
  return {
    role,
    type,
    text: shown
      .map((part) => textOf(part, role))
      .filter(Boolean)
      .join("\n"),
    ...optional("tool", call?.name),
    ...optional("callId", call?.id),
    indexed: type !== "reasoning" && role !== "system" && role !== "developer",
  };
}

/** What a person wrote in the item: not its results, nor what programs put into it. */
export function spoken({ raw, role, wire }: Pick<HistoryItem, "raw" | "role" | "wire">): string {
  if (role !== "user" && role !== "tool") return "";
  const parts = wireOf(wire).history.parts(raw);
  const texts = parts.flatMap((part) => (part.type === "text" ? withoutInjected(part.text).trim() : []));
  return texts.filter(Boolean).join("\n");
}

function typeOf(parts: readonly WirePart[]): string {
  const has = (type: WirePart["type"]): boolean => parts.some((part) => part.type === type);
  if (has("result")) return has("call") ? "tool_call" : "tool_result";
  if (has("text") || has("media")) return "message";
  if (has("call")) return "tool_call";
  return has("reasoning") ? "reasoning" : has("other") ? "other" : "message";
}

function textOf(part: WirePart, role: string): string {
  switch (part.type) {
    case "text":
      return role === "assistant" ? part.text : withoutOurs(part.text);
    case "reasoning":
      return part.text;
    case "call":
      return `${part.name} ${inputText(part.input)}`.trim();
    case "result": {
      const words = part.content.map(contentText).filter(Boolean).join("\n");
      return part.error ? `[error] ${words}`.trim() : words;
    }
    default:
      return contentText(part);
  }
}

function contentText(content: WireContent): string {
  if (content.type === "text") return content.text;
  return content.type === "media" ? mediaText(content) : jsonText(JSON.stringify(content.value, unsealed));
}

function mediaText({ mediaType, data, inline }: Extract<WireContent, { type: "media" }>): string {
  if (!inline) return `[${mediaType}, ${data}]`;
  const bytes = Buffer.from(data, "base64");
  return `[${mediaType}, ${bytes.length} bytes, sha256 ${hash("sha256", bytes).slice(0, 16)}]`;
}

function inputText(input: unknown): string {
  if (input === undefined || input === null) return "";
  if (typeof input !== "string") return jsonText(JSON.stringify(input));
  return /^\s*[{[]/.test(input) ? jsonText(input) : input;
}

const ESCAPED: Readonly<Record<string, string>> = { "\\n": "\n", "\\t": "\t", "\\r": "" };

/** Lines inside of JSON texts are lines: words beside a written-out line end would not be found. */
const jsonText = (json: string): string => json.replace(/\\[^u]/g, (pair) => ESCAPED[pair] ?? pair);

const SEALED: ReadonlySet<string> = new Set(SEALED_KEYS);
const unsealed = (key: string, value: unknown): unknown =>
  SEALED.has(key) || (isRecord(value) && value["type"] === "redacted_thinking") ? undefined : value;
