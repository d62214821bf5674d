// For tests of folds over the log: durable events with as little around them as possible.
import type { DurableEnvelope, DurableType, EventData } from "../schema/event/envelope.ts";

let made = 0;

/** Only the fields that matter are given; the rest of the data is left out. */
export function event<T extends DurableType>(
  type: T,
  data: Partial<EventData<T>> = {},
  agentId?: string,
): DurableEnvelope {
  const id = `e${++made}`;
  const envelope = { id, type, timestamp: "2026-01-01T00:00:00.000Z", parentId: null, data };
  return { ...envelope, ...(agentId === undefined ? {} : { agentId }) } as DurableEnvelope;
}
