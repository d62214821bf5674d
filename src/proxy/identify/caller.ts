// Everything that is known of who sends a managed request.
import { ok, type Result } from "../../base/result.ts";
import type { Caller, Headers } from "../contract.ts";
import type { Served } from "./family.ts";
import { type IsToken, identityOf } from "./identity.ts";
import { namespaceOf, type RepositoryKey } from "./namespace.ts";
import { type BadSessionKey, clientSessionKey, sessionKeyOf } from "./session-key.ts";

export type CallerInput = {
  headers: Headers;
  /** The query with its `?`, or empty. */
  search: string;
  body: Readonly<Record<string, unknown>>;
  loopback: boolean;
  served: Served;
  /** Content of `secret.key`. */
  secret: string;
  isToken: IsToken;
  repositoryKey: RepositoryKey;
  sessionFallback: "content" | "client";
};

export function callerOf(input: CallerInput): Result<Caller, BadSessionKey> {
  const { headers, served } = input;
  const named = sessionKeyOf(headers, input.body);
  if (!named.ok) return named;
  const identity = identityOf(headers, input.search, input.secret, input.isToken);
  const session = named.value ?? (input.sessionFallback === "client" ? clientSessionKey(identity, headers) : undefined);
  return ok({
    family: served.family,
    familySignal: served.signal,
    identity,
    session,
    namespace: namespaceOf(input),
  });
}
