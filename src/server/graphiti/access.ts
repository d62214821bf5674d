// What a member of a team may do at /graphiti: by the scopes of the token, and with groups that are not somebody else's.
import type { OwnedThing } from "../../memory/graph/member.ts";
import type { TokenScope } from "../team/member.ts";
import { detail, type Reply } from "./body.ts";
import type { GraphCaller } from "./contract.ts";

export const UNAVAILABLE = detail(503, "The store cannot be used now; nothing was accepted. Try again.", {
  "retry-after": "1",
});

/** Undefined: the caller may, or is the one user. */
export const withoutScope = (caller: GraphCaller | undefined, scope: TokenScope): Reply | undefined =>
  !caller || caller.may(scope)
    ? undefined
    : detail(403, `This token may not do that. Use a token with the scope ${scope}.`);

/** Undefined: it is the caller's, everybody's, or not there. */
export async function notOwn(caller: GraphCaller | undefined, thing: OwnedThing): Promise<Reply | undefined> {
  const others = await caller?.isOthers(thing);
  if (!others || (others.ok && !others.value)) return undefined;
  return others.ok ? detail(403, "This belongs to somebody else.") : UNAVAILABLE;
}
