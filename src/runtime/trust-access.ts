// Trusting a folder, taking it back, listing.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { fail, ok } from "../base/result.ts";
import { gitContext } from "../host/git.ts";
import { listTrusted, revokeTrust, trustFolder, trustNotice } from "../permission/trust.ts";
import type { ResultPromise } from "./client/open.ts";
import { changeInHome } from "./home-file.ts";
import { refuseInToolShell } from "./tool-shell.ts";
import { badUsage } from "./with-store.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

type Folder = { root: string; cwd: string };

export type TrustAccess = ReturnType<typeof trustAccess>;

/** `here`: the folder that is meant when none is named. */
export function trustAccess(workspace: Workspace, here: Folder) {
  const { paths, userHome, env } = workspace;
  const places = { everlongHome: paths.home, userHome };
  const update = changeInHome(paths.home);
  const folderOf = (path: string | undefined): Folder => {
    if (path === undefined) return here;
    const { gitRoot, cwd } = gitContext(resolve(path));
    return { root: gitRoot ?? cwd, cwd };
  };
  return {
    list: () => listTrusted(paths.home),
    async grant(path?: string) {
      const inShell = refuseInToolShell(env, "change trust");
      if (inShell) return fail(inShell);
      const { root, cwd } = folderOf(path);
      if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
        return badUsage(`${cwd} is not a folder.`, "Give the path of an existing folder.");
      return trustFolder(places, root, new Date(), update, cwd);
    },
    async revoke(path?: string) {
      const inShell = refuseInToolShell(env, "change trust");
      if (inShell) return fail(inShell);
      const { root } = folderOf(path);
      const wasTrusted = await revokeTrust(places, root, update);
      return wasTrusted.ok ? ok({ folder: root, wasTrusted: wasTrusted.value }) : wasTrusted;
    },
  };
}

export async function trustHere(): ResultPromise<TrustAccess> {
  const workspace = await openWorkspace();
  return workspace.ok
    ? ok(trustAccess(workspace.value, { root: workspace.value.root, cwd: workspace.value.context.cwd }))
    : workspace;
}

/** What this folder would load if it were trusted, when it is not; undefined when there is nothing to ask. */
export async function trustQuestion(): Promise<string | undefined> {
  const workspace = await openWorkspace();
  return workspace.ok ? trustNotice(workspace.value.trust) : undefined;
}
