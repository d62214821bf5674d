// What is remembered of a request when it is over.
import { optional } from "../../base/optional.ts";
import type { ReportedUsage } from "../../model/wire/contract.ts";
import type { WireName } from "../../schema/model.ts";
import type { Family, RequestRecord, UpstreamAttempt } from "../contract.ts";
import type { Delivery } from "../forward/deliver.ts";
import type { ServicesDoor } from "../services.ts";
import { finishRequest } from "../store/records.ts";
import { type ManagedRequest, type ProxyContext, type RequestNote, tellFault } from "./context.ts";

export type Going = {
  id: string;
  time: string;
  start: number;
  timings: Record<string, number>;
  attempts: UpstreamAttempt[];
};

export type RequestEnd = {
  going: Going;
  note: RequestNote;
  upstream: string;
  path: string;
  family: Family;
  familySignal: string;
  folder?: string;
  model: string;
  wire: WireName;
  bytesIn: number;
  bytesSent: number;
  delivered: Delivery;
  usage?: ReportedUsage;
  errorCode?: string;
};

export async function finish(context: ProxyContext, door: ServicesDoor, finished: RequestEnd): Promise<void> {
  const record = recordOf(finished);
  const { items: _items, timings, recalled, ...shown } = record;
  const total = Object.values(timings).reduce((a, b) => a + b, 0);
  const added = (timings["read"] ?? 0) + (timings["plan"] ?? 0);
  context.emit({
    type: "proxy.request",
    data: { ...shown, recalled: recalled.length, addedMs: added, totalMs: total },
  });
  const services = await door.opened();
  if (!services) return;
  const outcome = await finishRequest(services.store, record, { keep: context.settings.records });
  if (!outcome.ok) tellFault(context, "request record", outcome.error);
}

/** As it is kept before anything was sent: what a crash leaves of a request. Rows and figures follow at its end. */
export function openRecord(request: ManagedRequest, note: RequestNote, sent: Buffer): RequestRecord {
  const { id, time, caller, upstream, model, path, body } = request;
  const { family, familySignal } = caller;
  return {
    ...{ id, time, family, familySignal, upstream, model, path, wire: body.wire },
    ...note,
    items: [],
    attempts: [],
    timings: {},
    bytesIn: body.bytes.length,
    bytesSent: sent.length,
    outcome: "incomplete",
  };
}

function recordOf({ going, note, delivered, usage, errorCode, ...rest }: RequestEnd): RequestRecord {
  const { id, time, timings, attempts } = going;
  const failure = delivered.failure ?? errorCode;
  const failed = delivered.outcome === "complete" && (delivered.status ?? 500) >= 400;
  return {
    id,
    time,
    ...rest,
    ...note,
    attempts,
    timings,
    outcome: failed ? "failed" : delivered.outcome,
    ...optional("status", delivered.status),
    ...optional("failure", failure),
    ...optional("usage", usage),
  };
}
