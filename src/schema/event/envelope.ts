// The event union: one envelope, one table of data shapes shared by writer and reader.
import * as z from "zod";
import { conversationEvents, ephemeralConversationEvents } from "./conversation.ts";
import { ephemeralSessionEvents, sessionEvents } from "./session.ts";
import { ephemeralToolEvents, toolEvents } from "./tool.ts";

export const durableEvents = { ...sessionEvents, ...conversationEvents, ...toolEvents };
export const ephemeralEvents = { ...ephemeralSessionEvents, ...ephemeralConversationEvents, ...ephemeralToolEvents };
export const eventData = { ...durableEvents, ...ephemeralEvents };

export type DurableType = keyof typeof durableEvents;
export type EphemeralType = keyof typeof ephemeralEvents;
export type EventType = keyof typeof eventData;
export type EventData<T extends EventType> = z.infer<(typeof eventData)[T]>;

type EnvelopeOf<T extends EventType> = {
  id: string;
  type: T;
  timestamp: string;
  parentId: string | null;
  agentId?: string;
  ephemeral?: true;
  data: EventData<T>;
};
/** One event; the union over all types, discriminated by `type`. */
export type Envelope<T extends EventType = EventType> = { [K in T]: EnvelopeOf<K> }[T];
export type DurableEnvelope = Envelope<DurableType>;

/** An event of a type this program does not know: kept in the file, ignored by replay. */
export type UnknownEnvelope = { id: string; type: string; parentId: string | null; timestamp: string; data: unknown };

const envelope = z.looseObject({
  id: z.string().min(1),
  type: z.string().min(1),
  timestamp: z.string(),
  parentId: z.string().nullable(),
  agentId: z.string().optional(),
  ephemeral: z.literal(true).optional(),
  data: z.record(z.string(), z.unknown()),
});

export type ReadEvent =
  | { type: "known"; event: Envelope }
  | { type: "unknown"; event: UnknownEnvelope }
  | { type: "invalid"; reason: string };

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(eventData, type);
}

/** The one check that writer and reader share. The value itself is returned, unknown fields included. */
export function readEvent(value: unknown): ReadEvent {
  const outer = envelope.safeParse(value);
  if (!outer.success) return { type: "invalid", reason: explain(outer.error) };
  if (!isEventType(outer.data.type)) return { type: "unknown", event: value as UnknownEnvelope };
  const data = eventData[outer.data.type].safeParse(outer.data.data);
  if (!data.success) return { type: "invalid", reason: `${outer.data.type}: ${explain(data.error)}` };
  return { type: "known", event: value as Envelope };
}

function explain(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue ? `${issue.path.join(".")}: ${issue.message}` : error.message;
}
