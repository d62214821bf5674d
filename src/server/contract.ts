// The shapes that the parts of the server share: what a request is refused with, where it goes, how the gateway is.
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
  /** The path as received, without the query. */
  path: string;
  /** The query with its `?`, or an empty text. */
  search: string;
  /** Split before decoding, so that an encoded slash is an ordinary character. */
  segments: readonly string[];
  /** A slash stood at the end; it is in no segment. */
  hasSlash?: true;
  /** A run token that stood before the path; it is in neither of the others. */
  run?: string;
};

export type HealthCheck = { name: string; status: "ok" | "degraded" | "down"; finding: string };
export type Health = { checks: readonly HealthCheck[]; counters: Readonly<Record<string, number>> };

/** It is told what went wrong in our own code, or softly; never a text of a conversation. */
export type Report = (part: string, error: unknown) => void;
