// To whom pins belong here: the open session, this repository, the user.
import { repositoryKey } from "../../host/git.ts";
import { PIN_USER, type PinLevel, type PinOwner } from "../../memory/pin/pin.ts";
import { LOCAL_USER } from "../memory/strategy.ts";
import type { Workspace } from "../workspace.ts";

type PinWorkspace = Pick<Workspace, "redact" | "context">;

export function pinOwner({ redact, context }: PinWorkspace, level: PinLevel, session = ""): PinOwner {
  const repository = redact(repositoryKey(context.cwd));
  switch (level) {
    case "session":
      return { level, owner: session, place: { level, session, repository } };
    case "repository":
      return { level, owner: repository, place: { level, repository } };
    case "user":
      return { level, owner: PIN_USER, place: { level, user: LOCAL_USER } };
  }
}

/** All whose pins are in force here, the nearest first. */
export const pinOwners = (workspace: PinWorkspace, session?: string): PinOwner[] => [
  ...(session === undefined ? [] : [pinOwner(workspace, "session", session)]),
  pinOwner(workspace, "repository"),
  pinOwner(workspace, "user"),
];
