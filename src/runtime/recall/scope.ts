// Where a question looks: the words a person or model may use for a scope, as scopes of the engine.
import { fail, ok, type Result } from "../../base/result.ts";
import { KINDS, type Kind, SAID } from "../../memory/recall/item.ts";
import type { RecallScope, Within } from "../../memory/recall/store/scope.ts";
import type { SessionContext } from "../../schema/session.ts";
import { boardPlace, isBoardOn } from "../board/board.ts";
import { LOCAL_USER } from "../memory/strategy.ts";
import { isToolDenied } from "../session/approvals.ts";
import type { Here } from "../store.ts";
import type { Workspace } from "../workspace.ts";

export const SCOPES = ["auto", "session", "branch", "repository", "workspace", "user", "all"] as const;
export type ScopeName = (typeof SCOPES)[number];

/** The person at this machine sees every caller's sessions. */
export const EVERYWHERE: Within = { scopes: [{ type: "all" }], everyone: true };

type Folder = Pick<SessionContext, "cwd" | "gitRoot" | "repository" | "branch">;
/** Where somebody asks from. */
type RecallPlace = Folder & {
  session?: string;
  /** The names that memories and the board have for the same place. */
  memory: { repository: string; branch: string };
};

export const recallPlace = ({ redact }: Pick<Workspace, "redact">, context: SessionContext): RecallPlace => ({
  ...context,
  memory: boardPlace({ redact }, context),
});

/** What sessions of this place have in common: the repository, else the folder. */
const common = ({ cwd, gitRoot, repository }: Folder): RecallScope =>
  repository === undefined ? { type: "workspace", workspace: gitRoot ?? cwd } : { type: "repository", repository };

/** The sessions of this place. */
export const hereOf = ({ context }: Pick<Workspace, "context">): Within => ({ scopes: [common(context)] });

/** The same for rows of sessions. */
export const sessionsHere = ({ cwd, gitRoot, repository }: Folder): Here => ({
  ...(repository === undefined ? {} : { repository }),
  root: gitRoot ?? cwd,
});

/** What belongs to the user, wherever. */
export const OWN: RecallScope = { type: "user", user: LOCAL_USER };

/** The scopes of a name at a place, or why there are none. */
export function scopesOf(name: ScopeName, place: RecallPlace): Result<RecallScope[], string> {
  const { cwd, gitRoot, repository, branch, session, memory } = place;
  const board: RecallScope = { type: "board", ...memory };
  const memories: RecallScope[] = [{ type: "repository", repository: memory.repository }, board];
  switch (name) {
    case "auto": {
      const own: RecallScope[] = session === undefined ? [] : [{ type: "session", session }];
      return ok([...own, common(place), ...memories, OWN]);
    }
    case "session":
      return session === undefined ? fail("No session to search.") : ok([{ type: "session", session }]);
    case "repository":
      return repository === undefined
        ? fail("This folder has no repository.")
        : ok([{ type: "repository", repository }, ...memories]);
    case "branch":
      if (repository === undefined || branch === undefined) return fail("This folder has no repository with a branch.");
      return ok([{ type: "branch", repository, branch }, board]);
    case "workspace":
      return ok([{ type: "workspace", workspace: gitRoot ?? cwd }]);
    case "user":
      return ok([OWN]);
    case "all":
      return ok([{ type: "all" }]);
  }
}

/** What may be found where the settings are these: without memory only conversations, without a board nothing of it. */
export function recallKinds(workspace: Pick<Workspace, "settings">): readonly Kind[] {
  if (!workspace.settings.values["memory.enabled"]) return SAID;
  const hasBoard = isBoardOn(workspace) && !isToolDenied(workspace, "context_board");
  return hasBoard ? KINDS : KINDS.filter((kind) => kind !== "board");
}

/** Those of the wanted kinds that may be found. */
export const allowedKinds = (
  workspace: Pick<Workspace, "settings">,
  wanted: readonly Kind[] | undefined,
): readonly Kind[] => {
  const kinds = recallKinds(workspace);
  return wanted ? wanted.filter((kind) => kinds.includes(kind)) : kinds;
};
