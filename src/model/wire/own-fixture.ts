// For tests: our own messages as the items of a history.
import type { ContextItem } from "../../schema/context-item.ts";
import type { Message } from "../../schema/message.ts";
import { type ItemSight, itemsOf, seeUser } from "./item.ts";

export const toItems = (messages: readonly Message[]): ContextItem<Message>[] => itemsOf(messages, seeMessage);

/** What a message is; whoever keeps the log adds its id and turn, and may know better what kind it is. */
function seeMessage(message: Message): ItemSight {
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
