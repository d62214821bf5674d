// The run's token in place of an API key, for agents that have none, where the gateway has one of its own.
import { upstreamFor } from "./base.ts";
import { type LaunchRequest, set, type Vendor } from "./row.ts";

export function keyOrToken(
  request: LaunchRequest,
  vendor: Vendor,
  own: string | undefined,
  variable: string,
): Record<string, string> {
  const token = set(request.env, variable) === undefined ? standInKey(request, vendor, own) : undefined;
  return token === undefined ? {} : { [variable]: token };
}

/** Undefined where the gateway has no key, or nothing is started. */
export const standInKey = (
  { gateway, run }: LaunchRequest,
  vendor: Vendor,
  own: string | undefined,
): string | undefined => (upstreamFor(gateway, vendor, own)?.key ? run : undefined);
