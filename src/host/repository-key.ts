// Where memories and boards of a folder belong: its repository's key and its branch.
import { gitContext, remoteKey, repositoryKey } from "./git.ts";

export type MemoryPlace = { repository: string; branch: string };

/** The branch of a detached head, and outside of git. */
export const DEFAULT_BRANCH = "default";

/** Reads git's own files only: a machine without git gives the same answers. */
export function memoryPlace(folder: string): MemoryPlace {
  return { repository: repositoryKey(folder), branch: gitContext(folder).branch ?? DEFAULT_BRANCH };
}

/** A key that means nothing outside of this machine: such a repository is never named to a service. */
export const isLocalKey = (repository: string): boolean => repository.startsWith("local:");

/** What somebody means by a key or by a remote's address; undefined for an address that gives no key. */
export function keyMeant(given: string): string | undefined {
  if (isLocalKey(given)) return given;
  const key = remoteKey(given);
  if (key !== undefined) return key;
  return /:\/\/|@/.test(given) ? undefined : given.toLowerCase();
}
