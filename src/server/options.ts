// What a gateway is started with.
import type { Failure } from "../base/failure.ts";
import type { Result } from "../base/result.ts";
import type { ServedTool } from "../mcp/serve/tool.ts";
import type { RunOf } from "../proxy/identify/run.ts";
import type { ProxyHandler } from "../proxy/proxy.ts";
import type { DashboardOperations } from "../runtime/client/api.ts";
import type { HomeEvent, LiveEvent } from "../schema/api/live.ts";
import type { Health, Report } from "./contract.ts";
import type { OpenGraph } from "./graphiti/contract.ts";
import type { OpenOperations } from "./manage/contract.ts";
import type { OpenGraphOperations } from "./manage/graph.ts";
import type { OpenRecall } from "./manage/recall.ts";
import type { OpenMemoryBackend } from "./memory/contract.ts";
import type { TeamDoor } from "./team/door.ts";

/** Publishes what happens until the function that it gives back is called. */
export type WatchHome = (publish: (event: HomeEvent) => void) => () => void;

export type GatewayOptions = {
  host: string;
  /** 0 means any free port. */
  port: number;
  home: string;
  /** The built dashboard; it may be missing. */
  webFolder: string;
  version: string;
  token: string;
  /** The runs of `everlong with` in this home. */
  runOf: RunOf;
  allowedHosts: readonly string[];
  /** Callers of the proxy need the token on loopback too. */
  requireToken: boolean;
  /** How long requests may take to finish once the gateway is told to end. */
  drainMs: number;
  /** How long a request's headers may take. */
  headersMs?: number;
  proxy: ProxyHandler;
  /** Opened by the first call that needs them. */
  operations: OpenOperations;
  recall: OpenRecall;
  /** What /api/memory serves; without it the gateway has no such address. */
  memory?: OpenMemoryBackend;
  /** With it, whoever calls /api/memory by a token signs each request with this key. */
  memoryKey?: string;
  /** The members of a team, and their memory; without it whoever has the token is the one user. */
  team?: TeamDoor;
  /** What /mcp serves; without it the gateway has no such address. */
  mcp?: { tools: readonly ServedTool[] };
  /** What /graphiti serves; without it the gateway has no such address. */
  graph?: OpenGraph;
  /** What /api/graph shows; without it the gateway has no such address. */
  graphViews?: OpenGraphOperations;
  /** What the dashboard sees beside that; without it the gateway has no such addresses. */
  dashboard?: () => Promise<Result<DashboardOperations, Failure>>;
  /** Is told of every event of the stream; must not throw. */
  observe?(event: LiveEvent): void;
  /** Looks for what other processes do, while somebody listens. */
  watch?: WatchHome;
  /** Callers of /mcp and /graphiti on this machine need no token. */
  loopbackOpen?: boolean;
  health(): Health;
  report: Report;
};
