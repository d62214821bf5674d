// Where a request goes: which upstream, and which URL there. Nothing in a body has a say.
import { fail, ok, type Result } from "../../base/result.ts";
import type { Headers } from "../contract.ts";
import { afterVersion, pathRoute, splitPath } from "../identify/route.ts";
import type { ProxySettings } from "../settings.ts";
import { upstreamUrl } from "./address.ts";

export type Vendor = "openai" | "anthropic" | "gemini";
export type Upstream = {
  name: string;
  /** Undefined when there is a problem with it. */
  url: URL | undefined;
  apiKey: string | undefined;
  problem: string | undefined;
};
export type Upstreams = ReadonlyMap<string, Upstream>;

/** How a request goes on. Path and query are the bytes received, behind the upstream's own path. */
export type Target = { upstream: Upstream; vendor: Vendor; url: URL; path: string };
export type NoTarget =
  /** 404. */
  | { code: "unknown_upstream"; message: string }
  /** 502: its setting cannot be used. */
  | { code: "upstream_unreachable"; message: string };

const BUILT_IN: Readonly<Record<string, string>> = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com",
  gemini: "https://generativelanguage.googleapis.com",
  chatgpt: "https://chatgpt.com/backend-api/codex",
};

/** An address that cannot be used never becomes the vendor's own: a credential meant for one must not reach the other. */
export function upstreamsOf({
  upstreamUrls,
  upstreamKeys,
}: Pick<ProxySettings, "upstreamUrls" | "upstreamKeys">): Upstreams {
  const urls: Readonly<Record<string, string>> = { ...BUILT_IN, ...upstreamUrls };
  const names = [...new Set([...Object.keys(urls), ...Object.keys(upstreamKeys)])];
  return new Map(
    names.map((name) => {
      const text = Object.hasOwn(urls, name) ? urls[name] : undefined;
      const url = text === undefined ? fail("it has a key and no address") : upstreamUrl(text);
      const apiKey = Object.hasOwn(upstreamKeys, name) ? upstreamKeys[name] : undefined;
      return [name, { name, apiKey, url: url.ok ? url.value : undefined, problem: url.ok ? undefined : url.error }];
    }),
  );
}

/** X5, X6. `path` is without its query, `search` the query with its `?`, or empty. */
export function chooseTarget(
  upstreams: Upstreams,
  request: { path: string; search: string; headers: Headers },
): Result<Target, NoTarget> {
  const { upstream: named, rest } = splitPath(request.path);
  const vendor = vendorOf(request.path, rest, request.headers);
  const name = (named ?? request.headers["x-everlong-upstream"]?.trim() ?? vendor).toLowerCase();
  const upstream = upstreams.get(name);
  if (!upstream) {
    const message = `No upstream has this name. Configured are: ${[...upstreams.keys()].join(", ")}.`;
    return fail({ code: "unknown_upstream", message });
  }
  if (!upstream.url) {
    const message = `The address of upstream ${name} cannot be used: ${upstream.problem}. Nothing was sent. Correct proxy.upstreams.${name}.url (EVERLONG_UPSTREAM_${name.toUpperCase()}).`;
    return fail({ code: "upstream_unreachable", message });
  }
  return ok({ upstream, vendor, url: upstream.url, path: joined(vendor, upstream.url, rest) + request.search });
}

/** The vendor whose habits a request follows. */
function vendorOf(path: string, rest: string, headers: Headers): Vendor {
  const wire = pathRoute(path)?.wire;
  if (wire === "anthropic" || /^\/messages(?:\/|$)/.test(afterVersion(rest))) return "anthropic";
  if (wire !== "gemini" && headers["anthropic-version"] !== undefined) return "anthropic";
  if (wire === "gemini" || /^\/v1beta(?:\/|$)/.test(rest) || headers["x-goog-api-key"] !== undefined) return "gemini";
  return "openai";
}

/** As each vendor's SDK joins its base URL and its paths. */
function joined(vendor: Vendor, url: URL, rest: string): string {
  const base = url.pathname.replace(/\/+$/, "");
  if (vendor === "openai") return (base || "/v1") + afterVersion(rest);
  return base.replace(/\/v1(?:beta)?$/, "") + rest;
}
