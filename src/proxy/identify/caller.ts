// Everything that is known of who sends a managed request.
import { optional } from "../../base/optional.ts";
import { ok, type Result } from "../../base/result.ts";
import { type MemberReach, repositoryMeant } from "../../memory/record/reach.ts";
import type { RequestCaller } from "../contract.ts";
import type { ServedFamily } from "./family.ts";
import { identityOf, type Presented } from "./identity.ts";
import { folderOf, namespaceOf, type RepositoryKey } from "./namespace.ts";
import { type BadSessionKey, clientSessionKey, sessionKeyOf } from "./session-key.ts";

type CallerInput = Presented & {
  reach?: MemberReach | undefined;
  unasked?: boolean | undefined;
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
    namespace: input.run?.repository ?? repositoryOf(input),
    ...optional("reach", input.reach),
    ...optional("unasked", input.unasked),
    ...optional("folder", input.run?.folder ?? folderOf(input)),
  });
}

/** A team's memories have their repositories by key, however a client writes the name. */
function repositoryOf(input: CallerInput): string | undefined {
  const name = namespaceOf(input);
  return name !== undefined && input.reach ? repositoryMeant(name) : name;
}
