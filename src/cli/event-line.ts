// A command's news for `stream-json`: one ephemeral event a line on stdout, in the envelope that sessions have.
import { randomUUID } from "node:crypto";
import { encodeLine } from "../base/json-line.ts";
import type { Envelope, EphemeralType, EventData } from "../schema/event/envelope.ts";

export function tellEvent<T extends EphemeralType>(type: T, data: EventData<T>): void {
  const timestamp = new Date().toISOString();
  const event = { id: randomUUID(), type, timestamp, parentId: null, ephemeral: true, data } as Envelope;
  process.stdout.write(encodeLine(event));
}
