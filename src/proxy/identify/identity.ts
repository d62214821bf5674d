// Who asks: a keyed hash of the credential that goes upstream. The credential itself is kept nowhere.
import { createHmac } from "node:crypto";
import type { Headers } from "../contract.ts";

/** Constant-time comparison with the gateway token. */
export type IsToken = (value: string) => boolean;

/** Headers in which clients send an API key, in the order in which they are looked at. */
export const CREDENTIAL_HEADERS = ["authorization", "x-api-key", "x-goog-api-key", "api-key"] as const;

/** SEC10: `local` for a caller without a credential of its own. */
export function identityOf(headers: Headers, search: string, secret: string, isToken: IsToken): string {
  const credential = ownCredential(headers, search, isToken);
  if (credential === undefined) return "local";
  return createHmac("sha256", secret).update(`identity\n${credential}`).digest("hex").slice(0, 32);
}

/** The caller's API key; the gateway token in its place is none. */
export function ownCredential(headers: Headers, search: string, isToken: IsToken): string | undefined {
  const fromHeaders = CREDENTIAL_HEADERS.map((name) => keyIn(headers[name] ?? ""));
  return [...fromHeaders, queryKey(search)].find((key) => key !== "" && !isToken(key));
}

/** A key without its scheme: the same one counts as the same, whichever header it comes in. */
export function keyIn(value: string): string {
  return value.trim().replace(/^bearer(?:\s+|$)/i, "");
}

function queryKey(search: string): string {
  return new URLSearchParams(search).get("key") ?? "";
}
