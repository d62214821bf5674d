// A proxied session by its id.
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { type ProxySession, sessionById } from "../../proxy/store/session.ts";
import type { ManageParts } from "./parts.ts";

/** Somebody else's is as one that is not there. */
export async function sessionNamed(
  { store, owner }: Pick<ManageParts, "store" | "owner">,
  id: string,
): Promise<Result<ProxySession, Failure>> {
  const session = await sessionById(store, id);
  if (!session.ok) return session;
  const isSeen = session.value && (owner === undefined || session.value.identity === owner);
  return isSeen && session.value ? ok(session.value) : fail(unknownSession(id));
}

export const unknownSession = (id: string): Failure => ({
  code: "session_not_found",
  what: `Proxied session not found: ${id.slice(0, 80)}.`,
  data: "Nothing was changed.",
  next: "`everlong proxy sessions` lists them.",
  exit: 1,
});
