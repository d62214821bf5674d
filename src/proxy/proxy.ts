// The proxy: every request under the proxy's paths comes in here, and goes on managed or as it came.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../base/clock.ts";
import type { MakeId } from "../base/id.ts";
import { optional } from "../base/optional.ts";
import type { MemberReach } from "../memory/record/reach.ts";
import type { ModelCatalog } from "../model/catalog.ts";
import type { GatewayEvent } from "../schema/event/gateway.ts";
import type { WireName } from "../schema/model.ts";
import { RecentBodies } from "./body/recent.ts";
import type { RequestRecord } from "./contract.ts";
import { answer, errorAnswer } from "./forward/error-shape.ts";
import type { UpstreamCall } from "./forward/exchange.ts";
import { explainHeaders } from "./forward/explain.ts";
import { relay } from "./forward/relay.ts";
import { callerOf } from "./identify/caller.ts";
import { familyOf, type ServedFamily } from "./identify/family.ts";
import { headersOf } from "./identify/header.ts";
import { type IsToken, ownCredential } from "./identify/identity.ts";
import type { RepositoryKey } from "./identify/namespace.ts";
import { pathRoute, routeOf } from "./identify/route.ts";
import type { AgentRun } from "./identify/run.ts";
import { ContentSizes } from "./plan/count.ts";
import type { ProxyContext } from "./request/context.ts";
import { KnownLanes } from "./request/known-lanes.ts";
import { LastSent } from "./request/last-sent.ts";
import { serveManaged } from "./request/managed.ts";
import { type OpenServices, ServicesDoor } from "./services.ts";
import type { ProxySettings } from "./settings.ts";
import { UnmanagedCounts } from "./unmanaged.ts";
import { chooseTarget, type Destination, type Upstreams } from "./upstream/choose.ts";
import { forwardHeaders, forwardSearch } from "./upstream/headers.ts";
import type { UpstreamPools } from "./upstream/pool.ts";

type ProxyOptions = {
  settings: ProxySettings;
  upstreams: Upstreams;
  pools: UpstreamPools;
  /** Content of secret.key. */
  key: string;
  isToken: IsToken;
  repositoryKey: RepositoryKey;
  catalog: ModelCatalog;
  clock: Clock;
  newId: MakeId;
  /** Store, index and searcher of a tenant, or of this home; opened when the first request needs them. */
  open: (tenant?: string) => ReturnType<OpenServices>;
};

/** Who asks, as the gate saw it. */
export type CallerAccess = {
  /** The connection comes from this machine. */
  loopback: boolean;
  /** The gateway token, or that of a run, was presented and is right: in the path, in a header of its own, in place of an API key. */
  token: boolean;
  run?: AgentRun;
  /** Whose token of a team it is. */
  person?: string;
  /** It was theirs a while ago, and nobody can be asked now: the request passes with the caller's own key, and nothing of theirs is read or written. */
  unasked?: boolean;
  /** The tenant that the caller belongs to; absent for this home's own. */
  tenant?: string;
  /** What of the tenant's memory that token covers. */
  reach?: MemberReach;
  target: { path: string; search: string };
};

/** It answers each request it is handed, and never rejects but for a bug. */
export type ProxyHandler = {
  handle(req: IncomingMessage, res: ServerResponse, caller: CallerAccess): Promise<void>;
  on(listener: (event: GatewayEvent) => void): () => void;
  /** After the last request: what is still to be stored is stored. */
  close(): Promise<void>;
};

const UNASKED = {
  status: 503,
  code: "store_unavailable",
  message: "The team's database cannot be asked whose token this is, so the node's own key is not used. Try again.",
};

export function createProxy(options: ProxyOptions): ProxyHandler {
  const { settings, clock } = options;
  const listeners = new Set<(event: GatewayEvent) => void>();
  // Tenants are those of tokens that were right.
  const doors = new Map<string | undefined, { door: ServicesDoor; passed: UnmanagedCounts }>();
  const doorOf = (tenant: string | undefined) => {
    const open = doors.get(tenant);
    if (open) return open;
    const door = new ServicesDoor(() => options.open(tenant), clock);
    const opened = { door, passed: new UnmanagedCounts(door, clock) };
    doors.set(tenant, opened);
    return opened;
  };
  const parts: ProxyContext = {
    settings,
    key: options.key,
    catalog: options.catalog,
    counts: new ContentSizes(),
    lastSent: new LastSent(),
    lanes: new KnownLanes(),
    recent: new RecentBodies(),
    summaries: new Set(),
    clock,
    emit: (event) => {
      for (const listener of listeners) listener(event);
    },
  };

  const handle = async (req: IncomingMessage, res: ServerResponse, caller: CallerAccess): Promise<void> => {
    const headers = headersOf(req.rawHeaders);
    const { path, search } = caller.target;
    const place = chooseTarget(options.upstreams, { path, search: forwardSearch(search, options.isToken), headers });
    const wire = pathRoute(path)?.wire;
    if (!place.ok) {
      const status = place.error.code === "unknown_upstream" ? 404 : 502;
      return answer(res, errorAnswer(wire, { status, ...place.error }));
    }
    const needsKey = caller.unasked && place.value.upstream.apiKey !== undefined;
    if (needsKey && !ownCredential(headers, search, options.isToken)) return answer(res, errorAnswer(wire, UNASKED));
    const served = familyOf(headers, settings.activate);
    const route = routeOf(req.method ?? "GET", path, headers["content-type"]);
    const target = (changed: boolean): UpstreamCall => targetOf(req, options, place.value, caller, changed);
    const explain = settings.explain === "always" || (settings.explain === "loopback" && caller.loopback);
    const reason = !settings.memory ? "memory_off" : route ? served.reason : "route";
    if (reason !== undefined || !route)
      return pass(req, res, {
        ...{ target: target(false), wire, served, reason: reason ?? "route", explain },
        ...{ upstream: place.value.upstream.name, folder: caller.run?.folder, tenant: caller.tenant },
      });
    await serveManaged(
      parts,
      doorOf(caller.tenant).door,
      {
        ...{ req, res, route, headers, path, explain, target },
        upstream: place.value.upstream.name,
        family: served.family,
        familySignal: served.signal,
        ...optional("folder", caller.run?.folder),
        callerOf: (body) =>
          callerOf({
            ...{ headers, search, body, served, secret: options.key, ...caller },
            ...{ isToken: options.isToken, repositoryKey: options.repositoryKey },
            sessionFallback: settings.sessionFallback,
          }),
      },
      options.newId(),
    );
  };

  const pass = async (
    req: IncomingMessage,
    res: ServerResponse,
    { target, wire, served, reason, explain, upstream, folder, tenant }: Passing,
  ): Promise<void> => {
    const limits = { firstByteMs: settings.upstreamTimeoutMs, silenceMs: settings.upstreamTimeoutMs };
    const id = options.newId();
    const start = clock.monotonic();
    const time = clock.now();
    const own = explain && settings.memory ? explainHeaders({ request: id, action: `skip:${reason}` }) : [];
    const delivered = await relay(req, res, target, { limits, wire, family: served.family, headers: own });
    const { status, outcome, failure } = delivered;
    const action = `skip:${reason}` as const;
    const shown = { id, family: served.family, path: target.path.replace(/\?.*$/, ""), action };
    const totalMs = clock.monotonic() - start;
    parts.emit({ type: "proxy.request", data: { ...shown, status, outcome, failure, totalMs } });
    if (!settings.memory) return;
    const size = Number(req.headers["content-length"] ?? 0);
    const record: RequestRecord = {
      ...{ ...shown, time, familySignal: served.signal, upstream, outcome, model: "", bytesIn: size, bytesSent: size },
      ...{ dropped: 0, shortened: 0, stored: 0, recalled: [], items: [], attempts: [], timings: { answer: totalMs } },
      ...optional("folder", folder),
      ...optional("wire", wire),
      ...optional("status", status),
      ...optional("failure", failure),
    };
    await doorOf(tenant).passed.add(reason, settings.records ? record : undefined);
  };

  const running = new Set<Promise<void>>();
  return {
    handle(req, res, caller) {
      const work = handle(req, res, caller).finally(() => running.delete(work));
      running.add(work);
      return work;
    },
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      // An answer is through before everything about it is stored.
      await Promise.allSettled(running);
      for (const { door } of doors.values()) await door.close();
      await options.pools.close();
    },
  };
}

type Passing = {
  target: UpstreamCall;
  wire: WireName | undefined;
  served: ServedFamily;
  reason: string;
  explain: boolean;
  upstream: string;
  folder: string | undefined;
  tenant: string | undefined;
};

function targetOf(
  req: IncomingMessage,
  { pools, isToken }: ProxyOptions,
  place: Destination,
  { token, unasked, target: { search } }: CallerAccess,
  changed: boolean,
): UpstreamCall {
  return {
    dispatcher: pools.of(place.url),
    origin: place.url.origin,
    path: place.path,
    method: req.method ?? "GET",
    headers: forwardHeaders(req.rawHeaders, { target: place, search, token: token && !unasked, isToken, changed }),
  };
}
