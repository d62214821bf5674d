// A message of opencode with its parts: texts, calls of tools with what they gave, and summaries.
import type { ImportedItem, ItemOrigin, ParsedPart } from "../contract.ts";
import { answerItems, callItem, itemsOrSkipped, originOf, promptItems } from "../part.ts";
import { recordAt, resultText, textAt, typed } from "../read.ts";

type Fields = Record<string, unknown>;
export type StoredMessage = { id: string; time: unknown; data: Fields; parts: readonly { id: string; data: Fields }[] };

/** `agent`: the session of the subagent that they belong to. */
export function* messageParts(messages: Iterable<StoredMessage>, agent: string | undefined): Iterable<ParsedPart> {
  for (const message of messages) {
    const model = textAt(message.data, "modelID");
    const isSummary = message.data["summary"] === true;
    const role = isSummary ? "summary" : String(message.data["role"]);
    for (const { id, data } of message.parts) {
      const items = itemsOf(role, data, id, originOf(id, message.time, agent), model);
      yield* itemsOrSkipped(items, textAt(data, "type") ?? "part");
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
  if (role === "user") return promptItems(typed(data["text"]), id, origin);
  const text = textAt(data, "text")?.trim() ?? "";
  if (role === "summary") return text === "" ? [] : [{ ...origin, id, kind: "checkpoint", text }];
  return role === "assistant" ? answerItems(text, id, origin, model) : [];
}

function toolItems(data: Fields, id: string, origin: ItemOrigin): ImportedItem[] {
  const { status, ...state } = recordAt(data, "state");
  const call = textAt(data, "callID") ?? id;
  const called = callItem(id, origin, { call, name: textAt(data, "tool"), args: state["input"] });
  if (status !== "completed" && status !== "error") return [called];
  const failed = status === "error";
  const text = resultText(state[failed ? "error" : "output"]);
  return [called, { ...origin, id: `${id}:result`, kind: "result", call, text, failed }];
}
