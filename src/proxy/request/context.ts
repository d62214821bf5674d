// What one managed request is made of, and what it works with.
import type { Clock } from "../../base/clock.ts";
import type { ModelCatalog } from "../../model/catalog.ts";
import type { ContextLimit } from "../../model/contract.ts";
import type { GatewayEvent } from "../../schema/event/gateway.ts";
import type { Fault } from "../../store/fault.ts";
import type { RecentBodies } from "../body/recent.ts";
import type { Headers, RequestAction, RequestCaller, RequestNote, Route, ScannedBody } from "../contract.ts";
import type { Observation } from "../observe/observer.ts";
import type { ContentSizes } from "../plan/count.ts";
import type { ProxyServices } from "../services.ts";
import type { ProxySettings } from "../settings.ts";
import type { KnownLanes } from "./known-lanes.ts";
import type { LastSent } from "./last-sent.ts";

export type ProxyContext = {
  settings: ProxySettings;
  /** Content of secret.key. */
  key: string;
  catalog: ModelCatalog;
  counts: ContentSizes;
  lastSent: LastSent;
  lanes: KnownLanes;
  recent: RecentBodies;
  /** Summaries that clients have just been given, while they are being kept: the next request may build on one. */
  summaries: Set<Promise<unknown>>;
  clock: Clock;
  emit(event: GatewayEvent): void;
};

/** What a request is planned with once the store is open. */
export type PlanContext = ProxyContext &
  Pick<ProxyServices, "store" | "recall" | "remember" | "redactor" | "feed" | "pins">;

export type ManagedRequest = {
  id: string;
  /** ISO time at which it came. */
  time: string;
  route: Route;
  body: ScannedBody;
  headers: Headers;
  caller: RequestCaller;
  /** The path has no query; on gemini's wire it names the model. */
  path: string;
  upstream: string;
  model: string;
};

export type ReadyRequest = {
  note: RequestNote;
  /** Undefined when the request goes on as it came. */
  bytes?: Buffer;
  /** Set where a refusal for size can be answered with a smaller request. */
  recognise?: { promptLimit: number; estimatedTokens: number };
  /** The answer's text is wanted. */
  collect: boolean;
  /**
   * What of it is still to be kept: called once it is on its way, so that its upstream works meanwhile, and over before
   * its client hears anything. Gives what is known of the request then.
   */
  keep?(): Promise<KeptRequest>;
  /** A smaller request after a refusal; undefined when there is none. */
  again?(limit: ContextLimit): Promise<ReadyRequest | undefined>;
  /** Called when the request has gone out; its client hears nothing before it is through. */
  sent?(): Promise<void>;
  /** Called when the answer was a success and has been delivered. */
  answered?(seen: Observation): Promise<void>;
  /** Work that no client waits for; the request is over when it is. */
  settled?: Promise<void>;
};

/** A request that is kept; the bytes have gone out. */
export type KeptRequest = Omit<ReadyRequest, "bytes" | "keep">;

const NO_NOTE = { dropped: 0, shortened: 0, stored: 0, recalled: [], items: [] } as const;

export const passed = (action: RequestAction, note: Partial<RequestNote> = {}): ReadyRequest => ({
  note: { ...NO_NOTE, ...note, action },
  collect: false,
});

export function tellFault({ emit }: ProxyContext, part: string, { code, what }: Fault): void {
  emit({ type: "proxy.soft_failure", data: { part, code, message: what } });
}

export function skipStore(context: ProxyContext, fault: Fault, note: Partial<RequestNote> = {}): ReadyRequest {
  tellFault(context, "store", fault);
  return passed("skip:store", note);
}
