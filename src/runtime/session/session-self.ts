// The open session as a whole, for a face: its name, copies of it, what it touched.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { SessionMention, SessionSelf } from "../client/session.ts";
import type { OpenSession } from "./assemble.ts";
import { copySession, exportState, renameSession } from "./operations.ts";
import { contextReport } from "./report.ts";

export function sessionSelf(open: OpenSession): SessionSelf {
  const { session, workspace, model, index, paths } = open;
  const { state } = session;
  const mentions = async (sql: string): Promise<SessionMention[]> => {
    const rows = (await index.reader())?.prepare(sql).all(session.id) ?? [];
    return rows.map(({ name, kind }) => ({ name: String(name), kind: String(kind) }));
  };
  return {
    async rename(title) {
      const renamed = await renameSession(session, title);
      if (renamed.ok) await open.updateIndex();
      return renamed;
    },
    fork: (options) => copySession(state, options, workspace, () => index.store()),
    export: (format, path = `everlong-${session.id.slice(0, 8)}.${format}`) =>
      exportState(state, { format, path: resolve(state.context.cwd, path) }, workspace.redact),
    files: () =>
      mentions(
        "SELECT DISTINCT file_path AS name, tool_name AS kind FROM session_files WHERE session_id = ? ORDER BY first_seen_at",
      ),
    refs: () =>
      mentions("SELECT ref_value AS name, ref_type AS kind FROM session_refs WHERE session_id = ? ORDER BY created_at"),
    plan() {
      try {
        return readFileSync(paths.plan, "utf8");
      } catch {
        return undefined; // plan.md is written when a plan is made
      }
    },
    contextReport: () => contextReport(session, model),
  };
}
