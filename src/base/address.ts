// Addresses of machines: which ones are this machine, and names that are judged by what they lead to.
import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Tells whether an IP address lies in one of the ranges. A mapped IPv4 address counts as what it maps. */
export function addressRanges(...ranges: readonly string[]): (address: string) => boolean {
  const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");
  // Made when the first address is judged: it costs a start some milliseconds.
  let list: BlockList | undefined;
  const listed = (): BlockList => {
    const ranged = new BlockList();
    for (const range of ranges) {
      const [address = "", bits] = range.split("/");
      ranged.addSubnet(address, Number(bits), family(address));
    }
    return ranged;
  };
  return (address) => {
    list ??= listed();
    return list.check(address, family(address));
  };
}

const loopback = addressRanges("127.0.0.0/8", "::1/128");

/**
 * True for a host that never leaves this machine. Of names only `localhost` itself is sure: whoever answers for the
 * resolver may lead `a.localhost` elsewhere, and what is loopback needs no consent.
 */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  return bare.toLowerCase() === "localhost" || (isIP(bare) !== 0 && loopback(bare));
}

/** True for a URL whose host never leaves this machine. */
export const isLoopback = (url: string): boolean => isLoopbackHost(URL.parse(url)?.hostname ?? "");

export type ResolveHost = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A socket's lookup: it resolves a name and gives up when one of its addresses is refused; those judged are those connected to. */
export function judgedLookup(
  refuse: (host: string, address: string) => Error | undefined,
  resolve: ResolveHost = dnsLookup,
): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "");
      for (const { address } of addresses) {
        const refusal = refuse(host, address);
        if (refusal) return callback(refusal, "");
      }
      const [first] = addresses;
      if (options.all) callback(null, addresses);
      else callback(null, first?.address ?? "", first?.family);
    });
  };
}
