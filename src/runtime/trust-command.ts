// Trusting a folder, taking it back, listing: for the command line and /trust.

import { resolve } from "node:path";
import { commandUsage, type Failure } from "../base/failure.ts";
import { fail, ok, type Result } from "../base/result.ts";
import { gitContext } from "../host/git.ts";
import { listTrusted, revokeTrust, trustFolder, trustNotice } from "../permission/trust.ts";
import type { Conversation } from "../session/session.ts";
import type { CommandResult } from "./command-result.ts";
import { changeInHome } from "./home-file.ts";
import { refuseInToolShell } from "./settings-command.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

export async function trustCommand(
  path: string | undefined,
  options: { revoke?: boolean; list?: boolean },
): Promise<Result<string, Failure>> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  if (options.list) return listFolders(workspace.value);
  const context = path === undefined ? workspace.value.context : gitContext(resolve(path));
  return change(workspace.value, context, options.revoke ?? false);
}

/** What this folder would load if it were trusted, when it is not; undefined when there is nothing to ask. */
export async function trustQuestion(): Promise<string | undefined> {
  const workspace = await openWorkspace();
  return workspace.ok ? trustNotice(workspace.value.trust) : undefined;
}

export async function trustSession(
  workspace: Workspace,
  { state, root }: Pick<Conversation, "state" | "root">,
  args: string,
): Promise<CommandResult> {
  if (args === "list") return listFolders(workspace);
  if (args !== "" && args !== "revoke") {
    return fail(commandUsage(`/trust does not take "${args}".`, "/trust, /trust revoke or /trust list."));
  }
  const { cwd } = state.context;
  const done = await change(workspace, { gitRoot: root, cwd }, args === "revoke");
  return done.ok ? ok(`${done.value} It counts from the next start.`) : done;
}

async function change(
  workspace: Workspace,
  { gitRoot, cwd }: { gitRoot?: string | undefined; cwd: string },
  revoke: boolean,
): Promise<Result<string, Failure>> {
  const root = gitRoot ?? cwd;
  const refused = refuseInToolShell(workspace.env, "Trust is");
  if (refused) return fail(refused);
  const places = { everlongHome: workspace.paths.home, userHome: workspace.userHome };
  const update = changeInHome(workspace.paths.home);
  if (revoke) {
    const had = await revokeTrust(places, root, update);
    if (!had.ok) return had;
    return ok(had.value ? `${root} is no longer trusted.` : `${root} was not trusted.`);
  }
  const done = await trustFolder(places, root, new Date(), update, cwd);
  return done.ok
    ? ok(`${done.value} is trusted: its own hooks, MCP servers, agents, skills, commands and rules may work.`)
    : done;
}

async function listFolders(workspace: Workspace): Promise<Result<string, Failure>> {
  const folders = await listTrusted(workspace.paths.home);
  if (!folders.ok) return folders;
  return ok(
    folders.value.length === 0
      ? "No folder is trusted."
      : folders.value.map((f) => `${f.folder}  since ${f.at}`).join("\n"),
  );
}
