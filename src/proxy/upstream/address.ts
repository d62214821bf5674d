// Which addresses an upstream may have: judged as written, and again on what a name leads to when it is connected to.
import { isIP, type LookupFunction } from "node:net";
import { addressRanges, judgedLookup, type ResolveHost } from "../../base/address.ts";
import { fail, ok, type Result } from "../../base/result.ts";

/** A name or address that must not be connected to. */
class UpstreamRefused extends Error {
  readonly code = "address_refused";
  constructor(host: string, address: string, why: string) {
    super(host === address ? `${address} is ${why}` : `${host} leads to ${address}, which is ${why}`);
    this.name = "UpstreamRefused";
  }
}

/** These are link-local addresses and those at which clouds hand out credentials, also inside NAT64 and 6to4 addresses. */
const isForbidden = addressRanges(
  "169.254.0.0/16",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
  "fe80::/10",
  "fd00:ec2::/32",
  "fd20:ce::254/128",
  "64:ff9b::a9fe:0/112",
  "64:ff9b::6464:64c8/128",
  "64:ff9b::a83f:8110/128",
  "2002:a9fe::/32",
  "2002:6464:64c8::/48",
  "2002:a83f:8110::/48",
  "::a9fe:0/112",
);
/** This machine and private networks: where clear text may go. */
const isNear = addressRanges(
  "127.0.0.0/8",
  "0.0.0.0/32",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::/128",
  "::1/128",
  "fc00::/7",
);

/** X108: what is wrong with an IP address; `plain`: over http. A mapped IPv4 address counts as what it maps. */
export function addressProblem(address: string, plain: boolean): string | undefined {
  const bare = address.replace(/%.*$/, "");
  if (isForbidden(bare)) return "a link-local or metadata address: these are never connected to";
  if (plain && !isNear(bare)) return "a public address: it needs https";
  return undefined;
}

/** The address of an upstream as configured, or what is wrong with it. The text is not repeated: it may hold a key. */
export function upstreamUrl(text: string): Result<URL, string> {
  const url = URL.parse(text.trim());
  if (!url) return fail("it is not a URL");
  if (url.protocol !== "http:" && url.protocol !== "https:") return fail("it must start with http:// or https://");
  if (url.username || url.password) return fail("it must not contain a user name or password");
  if (url.search || url.hash) return fail("it must not contain a query or fragment");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const problem = isIP(host) ? addressProblem(host, url.protocol === "http:") : undefined;
  return problem === undefined ? ok(url) : fail(`${host} is ${problem}`);
}

/** The lookup of a socket refuses a name when one of its addresses may not be connected to. */
export const upstreamLookup = (plain: boolean, resolve?: ResolveHost): LookupFunction =>
  judgedLookup((host, address) => {
    const problem = addressProblem(address, plain);
    return problem === undefined ? undefined : new UpstreamRefused(host, address, problem);
  }, resolve);
