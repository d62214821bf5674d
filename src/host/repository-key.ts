// Keys of repositories as people and other programs name them.
import { remoteKey } from "./git.ts";

/** A key that means nothing outside of this machine: such a repository is never named to a service. */
export const isLocalKey = (repository: string): boolean => repository.startsWith("local:");

/** What somebody means by a key or by a remote's address; undefined for an address that gives no key. */
export function keyMeant(text: string): string | undefined {
  if (isLocalKey(text)) return text;
  const key = remoteKey(text);
  if (key !== undefined) return key;
  return /:\/\/|@/.test(text) ? undefined : text.toLowerCase();
}
