// For tests: bodies of all wires, written anew the way that clients write them after a resume.
import { isRecord } from "../../base/json.ts";
import { wireOf } from "../../model/wire/registry.ts";
import { bodyOf, type Move } from "../../model/wire/wire-fixture.ts";
import type { WireName } from "../../schema/model.ts";
import type { HistoryItem } from "../contract.ts";
import { historyOf } from "./chain.ts";

export const WIRES: readonly WireName[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

export const itemsOf = (wire: WireName, raws: readonly unknown[] | string, key = "k"): HistoryItem[] =>
  historyOf({ wire, value: { [wireOf(wire).history.key]: raws } }, key).items;

export const rawsOf = (wire: WireName, moves: readonly Move[]): unknown[] =>
  bodyOf[wire](moves, true)[wireOf(wire).history.key] as unknown[];

export const owns = (items: readonly HistoryItem[]): (string | undefined)[] => items.map(({ own }) => own);

/** The same history in other bytes: ids, marks and empty fields come or go, keys change places, texts become parts. */
export function rewritten(raw: unknown): unknown {
  if (!isRecord(raw)) return raw;
  const fields = { ...reshaped(raw), status: "completed", cache_control: { type: "ephemeral" }, name2: null };
  if (raw["type"] !== undefined && raw["role"] === undefined) Object.assign(fields, { id: "item_new" });
  return Object.fromEntries(Object.entries(fields).reverse());
}

function reshaped(raw: Record<string, unknown>): Record<string, unknown> {
  const copy = { ...raw };
  const { content, parts, arguments: input, tool_calls: calls } = raw;
  if (typeof content === "string") copy["content"] = [{ type: "text", text: ` ${content}\n`, cache_control: {} }];
  else if (Array.isArray(content) && content.length === 1 && isText(content[0])) copy["content"] = content[0]["text"];
  else if (Array.isArray(content)) copy["content"] = content.filter(isSaid).map(withoutSignature);
  else if (content === null) delete copy["content"];
  if (Array.isArray(parts)) copy["parts"] = parts.map(withoutSignature);
  if (typeof input === "string") copy["arguments"] = ` ${input} `;
  if (Array.isArray(calls)) copy["tool_calls"] = calls.map(spaced);
  return copy;
}

const isText = (part: unknown): part is { text: string } => isRecord(part) && typeof part["text"] === "string";
const isSaid = (block: unknown): boolean => !isRecord(block) || block["type"] !== "thinking";
const withoutSignature = (part: unknown): unknown =>
  isRecord(part) ? Object.fromEntries(Object.entries(part).filter(([key]) => !/signature/i.test(key))) : part;
const spaced = (call: unknown): unknown => {
  if (!isRecord(call) || !isRecord(call["function"])) return call;
  const text = String(call["function"]["arguments"]);
  return { ...call, index: 0, function: { ...call["function"], arguments: text.replaceAll(/[{:,]/g, "$& ") } };
};
