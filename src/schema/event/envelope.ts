// The event union: one envelope, one table of data shapes shared by writer and reader. A shape is made when its type is first met.
import type * as z from "zod";
import { isRecord } from "../../base/json.ts";
import { agentEvents, ephemeralAgentEvents } from "./agent.ts";
import { contextEvents, ephemeralContextEvents } from "./context.ts";
import { conversationEvents, ephemeralConversationEvents } from "./conversation.ts";
import { ephemeralMemoryEvents, memoryEvents } from "./memory.ts";
import { type QuickFit, quickFit } from "./quick-fit.ts";
import { ephemeralSessionEvents, sessionEvents } from "./session.ts";
import { ephemeralToolEvents, toolEvents } from "./tool.ts";

export const durableEvents = {
  ...sessionEvents,
  ...conversationEvents,
  ...contextEvents,
  ...toolEvents,
  ...agentEvents,
  ...memoryEvents,
};
const ephemeralEvents = {
  ...ephemeralSessionEvents,
  ...ephemeralConversationEvents,
  ...ephemeralContextEvents,
  ...ephemeralToolEvents,
  ...ephemeralAgentEvents,
  ...ephemeralMemoryEvents,
};
export const eventData = { ...durableEvents, ...ephemeralEvents };

export type DurableType = keyof typeof durableEvents;
export type EphemeralType = keyof typeof ephemeralEvents;
export type EventType = keyof typeof eventData;
export type EventData<T extends EventType> = z.infer<ReturnType<(typeof eventData)[T]>>;

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

export type ReadEvent =
  | { type: "known"; event: Envelope }
  | { type: "unknown"; event: UnknownEnvelope }
  | { type: "invalid"; reason: string };

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(eventData, type);
}

/** The one check that writer and reader share. The value itself is returned, unknown fields included. */
export function readEvent(value: unknown): ReadEvent {
  if (!isEnvelope(value))
    return { type: "invalid", reason: "not an envelope of id, type, timestamp, parentId and data" };
  const shape = shapeOf(value.type);
  if (!shape) return { type: "unknown", event: value };
  if (!shape.fits(value.data)) {
    const data = shape.schema.safeParse(value.data);
    if (!data.success) return { type: "invalid", reason: `${value.type}: ${explain(data.error)}` };
  }
  value.type = shape.type; // the one text of it, not one for each line
  return { type: "known", event: value as Envelope };
}

type EventShape = { type: EventType; schema: z.ZodType; fits: QuickFit };
const shapes = new Map<string, EventShape>();

function shapeOf(type: string): EventShape | undefined {
  const entry = shapes.get(type);
  if (entry || !isEventType(type)) return entry;
  const schema = eventData[type]();
  const added = { type, schema, fits: quickFit(schema) };
  shapes.set(type, added);
  return added;
}

/** Written by hand, because every record of every log passes here twice as often as any other check. */
function isEnvelope(value: unknown): value is UnknownEnvelope {
  if (!isRecord(value)) return false;
  const { id, type, timestamp, parentId, agentId, ephemeral, data } = value;
  return (
    typeof id === "string" &&
    id !== "" &&
    typeof type === "string" &&
    type !== "" &&
    typeof timestamp === "string" &&
    (parentId === null || typeof parentId === "string") &&
    (agentId === undefined || typeof agentId === "string") &&
    (ephemeral === undefined || ephemeral === true) &&
    isRecord(data)
  );
}

function explain(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue ? `${issue.path.join(".")}: ${issue.message}` : error.message;
}
