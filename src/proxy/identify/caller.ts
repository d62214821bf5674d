// Everything that is known of who sends a managed request.
import { optional } from "../../base/optional.ts";
import { ok, type Result } from "../../base/result.ts";
import type { RequestCaller } from "../contract.ts";
import type { ServedFamily } from "./family.ts";
import { identityOf, type Presented } from "./identity.ts";
import { folderOf, namespaceOf, type RepositoryKey } from "./namespace.ts";
import { type BadSessionKey, clientSessionKey, sessionKeyOf } from "./session-key.ts";

type CallerInput = Presented & {
  body: Readonly<Record<string, unknown>>;
  loopback: boolean;
  served: ServedFamily;
  repositoryKey: RepositoryKey;
  sessionFallback: "content" | "client";
};

export function callerOf(input: CallerInput): Result<RequestCaller, BadSessionKey> {
  const { headers, served } = input;
  const named = sessionKeyOf(headers, input.body);
  if (!named.ok) return named;
  const identity = identityOf(input);
  const session = named.value ?? (input.sessionFallback === "client" ? clientSessionKey(identity, headers) : undefined);
  return ok({
    family: served.family,
    familySignal: served.signal,
    identity,
    session,
    namespace: input.run?.repository ?? namespaceOf(input),
    ...optional("folder", input.run?.folder ?? folderOf(input)),
  });
}
