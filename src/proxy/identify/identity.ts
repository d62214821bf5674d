// Who asks: the person whose token was presented, else a keyed hash of the credential that goes upstream, which is kept nowhere.
import { createHmac } from "node:crypto";
import { allVendors } from "../../model/wire/registry.ts";
import type { Headers } from "../contract.ts";
import { type AgentRun, OWNER } from "./run.ts";

/** Whether it is a token of ours; the gateway's is compared in constant time. */
export type IsToken = (value: string) => boolean;

/** Clients send an API key in one of these headers, which are looked at in this order. */
export const credentialHeaders = (): string[] => [
  "authorization",
  ...allVendors().flatMap((vendor) => vendor.keyHeader ?? []),
  "api-key",
];

export type Presented = {
  headers: Headers;
  /** The query with its `?`, or empty. */
  search: string;
  /** A token of this home was presented and is right. */
  token: boolean;
  run?: AgentRun | undefined;
  /** The member of a team. */
  person?: string | undefined;
  /** Content of `secret.key`. */
  secret: string;
  isToken: IsToken;
};

/** SEC10: memory belongs to the person, not to the key. `local` for a caller with neither token nor credential. */
export function identityOf({ headers, search, token, run, person, secret, isToken }: Presented): string {
  if (run) return run.user;
  if (person !== undefined) return person;
  if (token) return OWNER;
  const credential = ownCredential(headers, search, isToken);
  if (credential === undefined) return "local";
  return createHmac("sha256", secret).update(`identity\n${credential}`).digest("hex").slice(0, 32);
}

/** The caller's API key; the gateway token in its place is none. */
export function ownCredential(headers: Headers, search: string, isToken: IsToken): string | undefined {
  const fromHeaders = credentialHeaders().map((name) => keyIn(headers[name] ?? ""));
  return [...fromHeaders, queryKey(search)].find((key) => key !== "" && !isToken(key));
}

/** A key without its scheme: the same one counts as the same, whichever header it comes in. */
export function keyIn(value: string): string {
  return value.trim().replace(/^bearer(?:\s+|$)/i, "");
}

function queryKey(search: string): string {
  return new URLSearchParams(search).get("key") ?? "";
}
