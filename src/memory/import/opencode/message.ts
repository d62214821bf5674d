// A message of opencode with its parts: texts, calls of tools with what they gave, and summaries.
import type { ItemOrigin } from "../blocks.ts";
import type { ImportedItem, ParsedPart } from "../contract.ts";
import { argsOf, item, recordAt, resultText, skipped, textAt, timeOf, typed } from "../read.ts";

type Fields = Record<string, unknown>;
export type StoredMessage = { id: string; time: unknown; data: Fields; parts: readonly { id: string; data: Fields }[] };

/** `agent`: the session of the subagent that they belong to. */
export function* messageParts(messages: Iterable<StoredMessage>, agent: string | undefined): Iterable<ParsedPart> {
  for (const message of messages) {
    const time = timeOf(message.time);
    const model = textAt(message.data, "modelID");
    const isSummary = message.data["summary"] === true;
    const role = isSummary ? "summary" : String(message.data["role"]);
    for (const { id, data } of message.parts) {
      const origin: ItemOrigin = { line: id, ...(time ? { time } : {}), ...(agent ? { agent } : {}) };
      const items = itemsOf(role, data, id, origin, model);
      if (items.length === 0) yield skipped(textAt(data, "type") ?? "part");
      else yield* items.map(item);
    }
  }
}

function itemsOf(
  role: string,
  data: Fields,
  id: string,
  origin: ItemOrigin,
  model: string | undefined,
): ImportedItem[] {
  // What the client wrote into the message itself: files that were mentioned, reminders.
  if (data["synthetic"] === true || data["ignored"] === true) return [];
  if (data["type"] === "tool") return toolItems(data, id, origin);
  if (data["type"] !== "text") return [];
  const text = role === "user" ? typed(data["text"]) : (textAt(data, "text")?.trim() ?? "");
  if (text === "") return [];
  if (role === "user") return [{ ...origin, id, kind: "user", text }];
  if (role === "summary") return [{ ...origin, id, kind: "checkpoint", text }];
  return role === "assistant" ? [{ ...origin, id, kind: "assistant", text, ...(model ? { model } : {}) }] : [];
}

function toolItems(data: Fields, id: string, origin: ItemOrigin): ImportedItem[] {
  const state = recordAt(data, "state");
  const call = textAt(data, "callID") ?? id;
  const name = textAt(data, "tool") ?? "tool";
  const items: ImportedItem[] = [{ ...origin, id, kind: "call", call, name, args: argsOf(state["input"]) }];
  if (state["status"] === "completed")
    items.push({
      ...origin,
      id: `${id}:result`,
      kind: "result",
      call,
      text: resultText(state["output"]),
      failed: false,
    });
  if (state["status"] === "error")
    items.push({ ...origin, id: `${id}:result`, kind: "result", call, text: resultText(state["error"]), failed: true });
  return items;
}
