// Whether a member's sessions are found by others of their team: on the database, and asked through a node.
import { systemClock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import type { SharingOperations, SharingView } from "../../server/team/sharing-operations.ts";
import { chooseSharing, sharesSessions } from "../../server/team/tokens.ts";
import type { RowStore } from "../../store/unit.ts";
import { openWorkspace } from "../workspace.ts";
import { sharingOfNode } from "./token-node.ts";

export const memberSharing = (store: RowStore, user: string, team: SharingView["team"]): SharingOperations => {
  const now = async (): Promise<Result<SharingView, Failure>> => {
    const shares = await store.read(() => sharesSessions(user));
    return shares.ok ? ok({ team, shares: shares.value }) : shares;
  };
  return {
    now,
    async choose(shares) {
      const chosen = await store.write(() => chooseSharing(user, shares, systemClock.now()));
      return chosen.ok ? now() : chosen;
    },
  };
};

/** `everlong token sharing`: of whoever the token in the settings belongs to. */
export async function ownSharing(
  node: string | undefined,
  shares: boolean | undefined,
): Promise<Result<SharingView, Failure>> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const { values } = workspace.value.settings;
  const sharing = sharingOfNode(node ?? values["memory.service.url"], values["memory.service.token"]);
  if (!sharing.ok) return sharing;
  return shares === undefined ? sharing.value.now() : sharing.value.choose(shares);
}
