// Where a request goes: which upstream, and which URL there. Nothing in a body has a say.
import { entryOf } from "../../base/own-entry.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { WireVendor } from "../../model/wire/contract.ts";
import { allVendors, commonWire, wireOf } from "../../model/wire/registry.ts";
import type { Headers } from "../contract.ts";
import { pathRoute, splitPath } from "../identify/route.ts";
import type { ProxySettings } from "../settings.ts";
import { upstreamUrl } from "./address.ts";

export type ConfiguredUpstream = {
  name: string;
  /** Undefined when there is a problem with it. */
  url: URL | undefined;
  apiKey: string | undefined;
  problem: string | undefined;
};
export type Upstreams = ReadonlyMap<string, ConfiguredUpstream>;

/** How a request goes on. Path and query are the bytes received, behind the upstream's own path. */
export type Destination = { upstream: ConfiguredUpstream; vendor: WireVendor; url: URL; path: string };
type NoTarget =
  /** The request is answered with 404. */
  | { code: "unknown_upstream"; message: string }
  /** The request is answered with 502, because the setting cannot be used. */
  | { code: "upstream_unreachable"; message: string };

/** The vendors, and where codex sends the requests of a subscription. */
const builtIn = (): Record<string, string> => ({
  ...Object.fromEntries(allVendors().map(({ name, address }) => [name, address])),
  chatgpt: "https://chatgpt.com/backend-api/codex",
});

/** An address that cannot be used never becomes the vendor's own: a credential meant for one must not reach the other. */
export function upstreamsOf({
  upstreamUrls,
  upstreamKeys,
}: Pick<ProxySettings, "upstreamUrls" | "upstreamKeys">): Upstreams {
  const urls: Readonly<Record<string, string>> = { ...builtIn(), ...upstreamUrls };
  const names = [...new Set([...Object.keys(urls), ...Object.keys(upstreamKeys)])];
  return new Map(
    names.map((name) => {
      const text = entryOf(urls, name);
      const url = text === undefined ? fail("it has a key and no address") : upstreamUrl(text);
      const apiKey = entryOf(upstreamKeys, name);
      return [name, { name, apiKey, url: url.ok ? url.value : undefined, problem: url.ok ? undefined : url.error }];
    }),
  );
}

/** X5, X6. `path` is without its query, `search` the query with its `?`, or empty. */
export function chooseTarget(
  upstreams: Upstreams,
  request: { path: string; search: string; headers: Headers },
): Result<Destination, NoTarget> {
  const { upstream: named, rest } = splitPath(request.path);
  const vendor = vendorOf(request.path, rest, request.headers);
  const name = (named ?? request.headers["x-everlong-upstream"]?.trim() ?? vendor.name).toLowerCase();
  const upstream = upstreams.get(name);
  if (!upstream) {
    const message = `No upstream has this name. Nothing was sent. Known upstreams: ${[...upstreams.keys()].join(", ")}.`;
    return fail({ code: "unknown_upstream", message });
  }
  if (!upstream.url) {
    const message = `The address of upstream ${name} cannot be used: ${upstream.problem}. Nothing was sent. Correct proxy.upstreams.${name}.url (EVERLONG_UPSTREAM_${name.toUpperCase()}).`;
    return fail({ code: "upstream_unreachable", message });
  }
  return ok({
    upstream,
    vendor,
    url: upstream.url,
    path: vendor.join(upstream.url.pathname.replace(/\/+$/, ""), rest) + request.search,
  });
}

/** The vendor whose habits a request follows: its path says so, or, on a path that everybody speaks, its headers. */
function vendorOf(path: string, rest: string, headers: Headers): WireVendor {
  const wire = pathRoute(path)?.wire;
  const own = wire === undefined ? commonWire.vendor : wireOf(wire).vendor;
  const isCommon = own === commonWire.vendor;
  const vendor = allVendors().find(
    (one) => (one === own && !isCommon) || one.ownsPath?.(rest) || (isCommon && one.ownsHeaders?.(headers)),
  );
  return vendor ?? own;
}
