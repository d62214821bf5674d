// Where a question looks: the words a person or model may use for a scope, as scopes of the engine.
import { fail, ok, type Result } from "../../base/result.ts";
import type { Scope, Within } from "../../memory/recall/store/scope.ts";
import type { SessionContext } from "../../schema/session.ts";
import type { Here } from "../store.ts";
import type { Workspace } from "../workspace.ts";

export const SCOPES = ["auto", "session", "branch", "repository", "workspace", "user", "all"] as const;
export type ScopeName = (typeof SCOPES)[number];

/** The person at this machine sees every caller's sessions. */
export const EVERYWHERE: Within = { scopes: [{ type: "all" }], everyone: true };

type Place = Pick<SessionContext, "cwd" | "gitRoot" | "repository" | "branch"> & { session?: string };

/** What sessions of this place have in common: the repository, else the folder. */
const common = ({ cwd, gitRoot, repository }: Place): Scope =>
  repository === undefined ? { type: "workspace", workspace: gitRoot ?? cwd } : { type: "repository", repository };

export const hereOf = ({ context }: Workspace): Within => ({ scopes: [{ type: "user" }, common(context)] });

/** The same for rows of sessions. */
export const sessionsHere = ({ cwd, gitRoot, repository }: Place): Here => ({
  ...(repository === undefined ? {} : { repository }),
  root: gitRoot ?? cwd,
});

/** The scopes of a name at a place, or why there are none. */
export function scopesOf(name: ScopeName, place: Place): Result<Scope[], string> {
  const { cwd, gitRoot, repository, branch, session } = place;
  switch (name) {
    case "auto": {
      const own: Scope[] = session === undefined ? [] : [{ type: "session", session }];
      return ok([...own, common(place), { type: "user" }]);
    }
    case "session":
      return session === undefined ? fail("There is no session to look in.") : ok([{ type: "session", session }]);
    case "repository":
      return repository === undefined
        ? fail("This folder has no repository.")
        : ok([{ type: "repository", repository }]);
    case "branch":
      if (repository === undefined || branch === undefined) return fail("This folder has no repository with a branch.");
      return ok([{ type: "branch", repository, branch }]);
    case "workspace":
      return ok([{ type: "workspace", workspace: gitRoot ?? cwd }]);
    case "user":
      return ok([{ type: "user" }]);
    case "all":
      return ok([{ type: "all" }]);
  }
}
