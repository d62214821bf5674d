// What a turn begins with and how it ends.
import type { TurnStatus } from "../schema/event/conversation.ts";
import type { EventData } from "../schema/event/envelope.ts";

export type MessageInput = Pick<EventData<"user.message">, "messageId" | "content" | "source"> &
  Partial<Pick<EventData<"user.message">, "display" | "attachments" | "hidden" | "directive">>;

/** A turn begins with a message, or with news that nobody asked for. */
export type TurnInput = MessageInput | { source: "notification" };

/** `code`: of a model call that failed. */
export type TurnEnd = { status: TurnStatus; reason?: string; code?: string };
