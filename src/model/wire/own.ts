// Our own messages in the shared view.
import type { ContextItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import { itemsOf, type Seen, seeUser } from "./adapter.ts";

export const toItems = (messages: readonly Message[]): ContextItem<Message>[] => itemsOf(messages, seeMessage);

export const fromItems = (items: readonly ContextItem<Message>[]): Message[] => items.map((item) => item.raw);

/** What a message is; whoever keeps the log adds its id and turn, and may know better what kind it is. */
export function seeMessage(message: Message): Seen {
  switch (message.role) {
    case "user":
      return seeUser(message.content, (message.attachments?.length ?? 0) > 0);
    case "assistant": {
      const toolCallIds = new Set(message.toolRequests.map((call) => call.toolCallId));
      return { role: "assistant", kind: "message", toolCallIds: [...toolCallIds] };
    }
    case "tool":
      return { role: "tool", kind: "message", toolResultFor: [message.toolCallId] };
  }
}
