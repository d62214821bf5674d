// What happened in the agent's own sessions, from the events of its log or from the items of a history.
import type { ContextItem } from "../../schema/context-item.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { Message } from "../../schema/message.ts";
import type { Happening, LedgerPlace } from "./happening.ts";

/** `refOf`: the ref `tN.k` of an event's item. Events of subagents are not this conversation's. */
export function happeningsOfEvents(
  events: Iterable<DurableEnvelope>,
  refOf: (eventId: string) => string | undefined,
): Happening[] {
  const happenings: Happening[] = [];
  let turn = 0;
  for (const event of events) {
    if (event.agentId !== undefined) continue;
    const place = placeOf(refOf(event.id)) ?? { turn };
    turn = place.turn;
    switch (event.type) {
      case "user.message":
        if (event.data.ref) happenings.push({ ...place, type: "prompt", text: event.data.content });
        break;
      case "assistant.message":
        happenings.push(...ofAssistant(place, event.data));
        break;
      case "tool.execution_complete": {
        const { toolCallId, success, result } = event.data;
        happenings.push({ ...place, type: "result", callId: toolCallId, text: result.content, failed: !success });
        break;
      }
      case "session.todos_changed": {
        const todos = event.data.todos.map(({ id, title, status }) => ({ id, title, status }));
        happenings.push({ turn, type: "todos", todos, removed: event.data.removedTodos });
        break;
      }
    }
  }
  return happenings;
}

/** Items do not know their refs: `item` only says in which order those of a turn stand, and only `tN` can be cited. */
export function happeningsOfItems(items: readonly ContextItem<Message>[]): Happening[] {
  let place = { turn: 0, item: 0 };
  return items.flatMap(({ raw, kind, isPrompt, turn }): Happening[] => {
    place = { turn, item: turn === place.turn ? place.item + 1 : 1 };
    if (kind === "compaction") return [];
    if (raw.role === "assistant") return ofAssistant(place, raw);
    if (raw.role === "tool")
      return [{ ...place, type: "result", callId: raw.toolCallId, text: raw.content, failed: raw.isError }];
    return isPrompt ? [{ ...place, type: "prompt", text: raw.content }] : [];
  });
}

type AssistantMessage = {
  content: string;
  toolRequests: readonly { toolCallId: string; name: string; arguments: unknown }[];
};

function ofAssistant(place: LedgerPlace, { content, toolRequests }: AssistantMessage): Happening[] {
  return [
    ...(content.trim() === "" ? [] : [{ ...place, type: "answer" as const, text: content }]),
    ...toolRequests.map(({ toolCallId, name, arguments: args }) => ({
      ...place,
      type: "call" as const,
      callId: toolCallId,
      tool: name,
      args,
    })),
  ];
}

const REF = /^t(\d+)(?:\.(\d+))?$/;

function placeOf(ref: string | undefined): LedgerPlace | undefined {
  const [, turn, item] = REF.exec(ref ?? "") ?? [];
  if (turn === undefined) return undefined;
  return item === undefined ? { turn: Number(turn) } : { turn: Number(turn), item: Number(item) };
}
