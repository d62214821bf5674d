// Taking back a folder's consent: that for its Graphiti server, or that for an address.
import { ok } from "../base/result.ts";
import { hasConsent, readGraphitiConsent, revokeConsent, saveGraphitiConsent } from "../permission/consent.ts";
import type { ResultPromise } from "./client/open.ts";
import { changeInHome } from "./home-file.ts";

type RevokedConsent = { origin: string; wasGiven: boolean; wasDeclined?: boolean };

/** `server`: what the address would be as a Graphiti server. */
export async function takeBackConsent(
  home: string,
  root: string,
  { origin, server }: { origin: string; server: string },
): ResultPromise<RevokedConsent> {
  const update = changeInHome(home);
  const answer = await readGraphitiConsent(home, root, server);
  if (answer) {
    const outcome = await saveGraphitiConsent(home, { root, endpoint: server }, update);
    const was = "sends" in answer ? { wasGiven: true } : { wasGiven: false, wasDeclined: true };
    return outcome.ok ? ok({ origin: server, ...was }) : outcome;
  }
  const wasGiven = await hasConsent(home, root, origin);
  const outcome = await revokeConsent(home, root, origin, update);
  return outcome.ok ? ok({ origin, wasGiven }) : outcome;
}
