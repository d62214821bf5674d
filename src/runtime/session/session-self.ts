// The open session as a whole, for a face: its name, copies of it, what it touched.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { SessionPaths } from "../../host/paths.ts";
import type { Session } from "../../session/session.ts";
import type { Workspace } from "../workspace.ts";
import type { SessionIndex } from "./index.ts";
import type { ModelInForce } from "./model-in-force.ts";
import { copySession, exportState, renameSession } from "./operations.ts";
import { contextReport } from "./report.ts";

type SelfServices = {
  session: Session;
  workspace: Workspace;
  model: ModelInForce;
  index: SessionIndex;
  paths: SessionPaths;
  updateIndex(): Promise<void>;
};

export type SessionSelf = ReturnType<typeof sessionSelf>;

export function sessionSelf({ session, workspace, model, index, paths, updateIndex }: SelfServices) {
  const { state } = session;
  const mentions = async (sql: string) => {
    const rows = (await index.reader())?.prepare(sql).all(session.id) ?? [];
    return rows.map(({ name, kind }) => ({ name: String(name), kind: String(kind) }));
  };
  return {
    /** Gives its id. */
    async rename(title: string) {
      const renamed = await renameSession(session, title);
      if (renamed.ok) await updateIndex();
      return renamed;
    },
    /** Gives the new session's id. */
    fork: (options: { name?: string }) => copySession(state, options, workspace, () => index.store()),
    /** Gives where it was written. */
    export: (format: string, path = `everlong-${session.id.slice(0, 8)}.${format}`) =>
      exportState(state, { format, path: resolve(state.context.cwd, path) }, workspace.redact),
    /** Files that it touched, and by which tool. */
    files: () =>
      mentions(
        "SELECT DISTINCT file_path AS name, tool_name AS kind FROM session_files WHERE session_id = ? ORDER BY first_seen_at",
      ),
    /** Commits, issues and the like that it named. */
    refs: () =>
      mentions("SELECT ref_value AS name, ref_type AS kind FROM session_refs WHERE session_id = ? ORDER BY created_at"),
    /** Undefined: there is no plan yet. */
    plan() {
      try {
        return readFileSync(paths.plan, "utf8");
      } catch {
        return undefined; // plan.md is written when a plan is made
      }
    },
    /** What fills the window. */
    contextReport: () => contextReport(session, model),
  };
}
