// The shapes that the parts of the server share: what a request is refused with, who asks, what stands behind the gate.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AgentRun } from "../proxy/identify/run.ts";
import type { GatewayEvent } from "../schema/event/gateway.ts";

/** An answer of our own that is no success; `code` also goes into `x-everlong-error`. */
export type GatewayRefusal = {
  status: number;
  code: string;
  message: string;
  hint: string;
  details?: unknown;
  headers?: Readonly<Record<string, string>>;
};

/** The first part of every path of the Graphiti service. */
export const GRAPHITI = "graphiti";

/** The one reading of a request's target; authentication and routing see nothing else. */
export type RequestTarget = {
  /** As received, without the query. */
  path: string;
  /** With its `?`, or empty. */
  search: string;
  /** Split before decoding, so that an encoded slash is an ordinary character. */
  segments: readonly string[];
  /** A slash stood at the end; it is in no segment. */
  hasSlash?: true;
  /** A run token that stood before the path; it is in neither of the others. */
  run?: string;
};

export type ProxyCaller = {
  /** The connection comes from this machine. */
  loopback: boolean;
  /** The gateway token, or that of a run, was presented and is right: in the path, in a header of its own, in place of an API key. */
  token: boolean;
  run?: AgentRun;
  target: RequestTarget;
};

/** What `src/proxy` gives the server: it answers each request it is handed, and never rejects but for a bug. */
export type ProxyHandler = {
  handle(req: IncomingMessage, res: ServerResponse, caller: ProxyCaller): Promise<void>;
  on(listener: (event: GatewayEvent) => void): () => void;
  /** After the last request: what is still to be stored is stored. */
  close(): Promise<void>;
};

export type HealthCheck = { name: string; status: "ok" | "degraded" | "down"; finding: string };
export type Health = { checks: readonly HealthCheck[]; counters: Readonly<Record<string, number>> };

/** Something went wrong in our own code, or softly; never holds text of a conversation. */
export type Report = (part: string, error: unknown) => void;
