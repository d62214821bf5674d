// Which addresses a model may reach: the public internet, nothing of this machine or its network.
import { isIP, type LookupFunction } from "node:net";
import { addressRanges, judgedLookup } from "../../base/address.ts";

/** A name or address that leads somewhere private. */
export class AddressRefused extends Error {
  constructor(host: string, address: string) {
    super(`${host} leads to ${address}: addresses of this machine, private networks and cloud metadata are refused`);
    this.name = "AddressRefused";
  }
}

const isRefusedV4 = addressRanges(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
);
// Of IPv6 only global unicast, and there nothing that carries an IPv4 address inside (mapped, NAT64, 6to4, Teredo).
const isGlobalV6 = addressRanges("2000::/3");
const isRefusedV6 = addressRanges("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");

export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !isRefusedV4(address);
    case 6:
      return isGlobalV6(address) && !isRefusedV6(address);
    default:
      return false;
  }
}

/** The address in a URL that names one, as the URL parser read it (`0x7f.1` is 127.0.0.1). No name is looked up for those. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return isIP(host) ? host : undefined;
}

/** Resolves names for a connection; the addresses judged are the ones connected to. */
export const publicLookup: LookupFunction = judgedLookup((host, address) =>
  isPublicAddress(address) ? undefined : new AddressRefused(host, address),
);
