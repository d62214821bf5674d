// workspace.yaml: a small summary of the session beside its log, rebuilt from it whenever it is missing or broken.
import type { WorkspaceSummary } from "../schema/session.ts";
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
