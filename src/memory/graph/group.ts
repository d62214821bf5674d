// Groups of the graph: a session, a workspace and a user each have one, under an id that tells nothing to others.
import { hash } from "node:crypto";
import { isLocalKey } from "../../host/repository-key.ts";

export type GroupScope = "session" | "workspace" | "user";
/** `hashed` tells nothing, `raw` can be read, `seed` is what Copilot Chat's integration makes. */
export type GroupIdStrategy = "hashed" | "raw" | "seed";

export const isGroupId = (text: string): boolean => /^[A-Za-z0-9_-]{1,128}$/.test(text);

const RAW_CHARS = 80;
const TAIL_CHARS = 16;

/** Only letters, digits and underscores: hyphens break some backends. */
export function groupId(scope: GroupScope, key: string, strategy: GroupIdStrategy): string {
  const digest = hash("sha256", key);
  if (strategy === "seed") return `copilotchat_${scope}_${digest}`;
  if (strategy === "hashed") return `graphiti_${scope}_${digest.slice(0, 32)}`;
  const folded = `graphiti_${scope}_${key.replace(/[^A-Za-z0-9_]/g, "_")}`;
  if (folded.length <= RAW_CHARS) return folded;
  return `${folded.slice(0, RAW_CHARS - TAIL_CHARS - 1)}_${digest.slice(0, TAIL_CHARS)}`;
}

export const sessionKey = (session: string): string => `everlong_session:${session}`;

const GITHUB = "github.com";

/** By the repository's key, so that clones share; a folder without a remote is known by its path, which leaves only as a hash. */
export function workspaceKey(repository: string): string {
  if (isLocalKey(repository)) return new URL(`file://${repository.slice("local:".length)}`).href;
  const hasHost = repository.split("/").length > 2;
  return `github_repo:${hasHost ? repository : `${GITHUB}/${repository}`}`;
}
