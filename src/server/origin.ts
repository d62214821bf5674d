// Pages of other origins are refused: what a browser says about where a request comes from.
import type { IncomingHttpHeaders } from "node:http";

/** The Host has been checked before, so our own origin is the one that names it. */
export function isForeign(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  if (headers["sec-fetch-site"] === "cross-site") return true;
  // A page of ours never needs to ask first.
  if (method === "OPTIONS" && headers["access-control-request-method"] !== undefined) return true;
  const { origin, host } = headers;
  if (origin === undefined) return false;
  return !/^https?:\/\//.test(origin) || origin.replace(/^https?:\/\//, "").toLowerCase() !== host?.toLowerCase();
}
