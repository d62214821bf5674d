// What is remembered of a request: before it is sent, and when it is over.
import type { RequestNote, RequestRecord } from "../contract.ts";
import type { ServicesDoor } from "../services.ts";
import { finishRequest } from "../store/records.ts";
import { type ManagedRequest, type ProxyContext, tellFault } from "./context.ts";

/** This is the record before anything was sent, and what a crash leaves of a request. Rows and figures follow at its end. */
export function openRecord(request: ManagedRequest, note: RequestNote, sent: readonly Buffer[]): RequestRecord {
  const { id, time, caller, upstream, model, path, body } = request;
  const { family, familySignal } = caller;
  return {
    ...{ id, time, family, familySignal, upstream, model, path, wire: body.wire },
    ...note,
    ...{ items: [], attempts: [], timings: {} },
    bytesIn: body.bytes.length,
    bytesSent: sent.reduce((sum, { length }) => sum + length, 0),
    outcome: "incomplete",
  };
}

export async function finish(context: ProxyContext, door: ServicesDoor, record: RequestRecord): Promise<void> {
  const { items: _items, timings, recalled, ...shown } = record;
  const totalMs = Object.values(timings).reduce((a, b) => a + b, 0);
  const addedMs = (timings["read"] ?? 0) + (timings["plan"] ?? 0);
  context.emit({ type: "proxy.request", data: { ...shown, recalled: recalled.length, addedMs, totalMs } });
  const services = await door.opened();
  if (!services) return;
  const outcome = await finishRequest(services.store, record, { keep: context.settings.records });
  if (!outcome.ok) tellFault(context, "request record", outcome.error);
}
