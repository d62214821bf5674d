// workspace.yaml: a small summary of the session beside its log, rebuilt from it whenever it is missing or broken.
import { readFileSync } from "node:fs";
import { type WorkspaceSummary, workspace } from "../schema/session.ts";
import type { SessionState } from "./state.ts";

export function workspaceOf(state: SessionState, counts: { forks: number }): WorkspaceSummary {
  const { context } = state;
  return {
    id: state.sessionId,
    cwd: context.cwd,
    ...(context.gitRoot ? { git_root: context.gitRoot } : {}),
    ...(context.repository ? { repository: context.repository } : {}),
    ...(context.branch ? { branch: context.branch } : {}),
    name: state.title,
    user_named: state.userNamed,
    model: state.model,
    mode: state.mode,
    summary_count: state.checkpoints.filter((c) => !c.undone).length,
    fork_count: counts.forks,
    created_at: state.createdAt,
    updated_at: state.updatedAt,
  };
}

/** Flat scalars only: JSON scalars are YAML, so no library is needed to write them. */
export function workspaceText(ws: WorkspaceSummary): string {
  return Object.entries(ws)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("");
}

export async function readWorkspace(path: string): Promise<WorkspaceSummary | undefined> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined; // missing: the log has everything
  }
  const { parse } = await import("yaml");
  try {
    const read = workspace.safeParse(parse(text));
    return read.success ? read.data : undefined;
  } catch {
    return undefined; // broken: the log has everything
  }
}
