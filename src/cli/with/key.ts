// The gateway token in place of an API key: for agents that take no headers, where the gateway has a key and they have none.
import { upstreamFor } from "./base.ts";
import { type Asked, set, type Vendor } from "./row.ts";

export function keyOrToken(
  { env, gateway }: Asked,
  vendor: Vendor,
  own: string | undefined,
  variable: string,
): Record<string, string> {
  if (set(env, variable) !== undefined || !upstreamFor(gateway, vendor, own)?.key) return {};
  return { [variable]: gateway.token };
}
