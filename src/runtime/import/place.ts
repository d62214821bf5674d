// Where an imported session stood: the repository of its folder today, or what the history itself says of it.
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { gitContext, remoteKey } from "../../host/git.ts";
import { isInside } from "../../host/paths.ts";
import type { HistorySession } from "../../memory/import/contract.ts";
import type { SessionContext } from "../../schema/session.ts";
import type { Workspace } from "../workspace.ts";

/** Looks each folder up once: a history names the same few again and again. */
export class ImportPlaces {
  readonly #contexts = new Map<string, SessionContext>();

  contextOf({ cwd = "", branch, remote }: HistorySession): SessionContext {
    const key = JSON.stringify([cwd, branch, remote]);
    const cached = this.#contexts.get(key);
    if (cached) return cached;
    const context = { ...baseOf(cwd, remote), ...(branch === undefined ? {} : { branch }) };
    this.#contexts.set(key, context);
    return context;
  }
}

/** A folder that is gone is not looked for above: what lies there now may be something else. */
function baseOf(cwd: string, remote: string | undefined): SessionContext {
  if (isAbsolute(cwd) && existsSync(cwd)) {
    const { headCommit: _now, branch: _today, ...context } = gitContext(cwd);
    return context;
  }
  const repository = remote === undefined ? undefined : remoteKey(remote);
  return { cwd, ...(repository === undefined ? {} : { repository }) };
}

/** Whether it belongs to the repository, or else the folder, that the command runs in. */
export function isHere(context: SessionContext, { context: here, root }: Pick<Workspace, "context" | "root">): boolean {
  if (context.repository !== undefined && context.repository === here.repository) return true;
  return (context.gitRoot ?? context.cwd) === root || (isAbsolute(context.cwd) && isInside(context.cwd, root));
}
