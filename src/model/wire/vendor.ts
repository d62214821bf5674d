// What vendors have in common: a key in a header, and a version in their paths that clients may leave out.
import type { WireVendor } from "./contract.ts";

/** The headers of a request of ours to a vendor, or to a server that takes the same. */
export function vendorHeaders(vendor: WireVendor, apiKey: string | undefined): Record<string, string> {
  return { ...vendor.headers, ...(apiKey === undefined ? {} : Object.fromEntries([keyHeader(vendor, apiKey)])) };
}

/** The header of a key. Who sent an `api-key` before, as Azure's clients do, is sent one. */
export function keyHeader(
  vendor: WireVendor,
  key: string,
  sent: Readonly<Record<string, string>> = {},
): [name: string, value: string] {
  if (vendor.keyHeader !== undefined) return [vendor.keyHeader, key];
  return sent["api-key"] === undefined ? ["Authorization", `Bearer ${key}`] : ["api-key", key];
}

/** A path without a leading `/v1`. */
export const afterVersion = (rest: string): string => rest.replace(/^\/v1(?=\/|$)/, "");
