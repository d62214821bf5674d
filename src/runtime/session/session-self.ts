// The open session as a whole, for a face: its name, copies of it, what it touched.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { commandUsage } from "../../base/failure.ts";
import { fail, ok } from "../../base/result.ts";
import { type ExportFormat, exportFormats, exportSession } from "../../session/export/export.ts";
import { forkSession } from "../../session/fork.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import type { SessionMention, SessionSelf } from "../client/session.ts";
import type { OpenSession } from "./assemble.ts";
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
      await session.emit("session.title_changed", { title, userNamed: true });
      await open.updateIndex();
    },
    fork: (name) => forkSession(state, workspace.paths, { ...(name ? { name } : {}) }),
    async exportTo(format, path) {
      if (!exportFormats.includes(format as ExportFormat))
        return fail(commandUsage(`"${format}" is not an export format.`, `Formats: ${exportFormats.join(", ")}.`));
      const target = resolve(state.context.cwd, path ?? `everlong-${session.id.slice(0, 8)}.${format}`);
      const text = exportSession(state, format as ExportFormat, workspace.redact);
      const written = await atomicWrite(target, text, { private: true });
      return written.ok ? ok(target) : written;
    },
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
