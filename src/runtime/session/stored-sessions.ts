// Stored sessions: list, show, rename, export, rewind, fork, remove, reindex, verify.
import { resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { newId } from "../../base/id.ts";
import { optional } from "../../base/optional.ts";
import { ok } from "../../base/result.ts";
import { type ExportFormat, exportFormats, exportSession } from "../../session/export/export.ts";
import { forkSession } from "../../session/fork.ts";
import { indexSession } from "../../session/index/index-session.ts";
import { SessionLog } from "../../session/log.ts";
import { readSession } from "../../session/read-session.ts";
import { replay } from "../../session/replay.ts";
import { planRewind, rewindData } from "../../session/rewind.ts";
import type { SessionState } from "../../session/state.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import type { ResultPromise } from "../client/open.ts";
import type { SessionsAccess, StoredSession } from "../client/sessions.ts";
import { healing, lookUpSession, openStore, tellSkipped } from "../store.ts";
import { badUsage, withStore } from "../with-store.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { SessionIndex, writeWorkspace } from "./index.ts";
import { oldSessions, removeSessions } from "./remove-sessions.ts";

export const storedSessions: SessionsAccess = {
  list: (options) =>
    withStore((db, { root }) => {
      const rows = db
        .prepare(
          `SELECT id, name, cwd, git_root, repository, branch, model, event_count, created_at, updated_at,
                  (SELECT count(*) FROM turns t WHERE t.session_id = sessions.id AND rewound = 0) AS prompts
           FROM sessions WHERE (?1 IS NULL OR (COALESCE(git_root, cwd) = ?1 AND parent_session_id IS NULL))
             AND (EXISTS (SELECT 1 FROM turns t WHERE t.session_id = sessions.id)
               OR EXISTS (SELECT 1 FROM model_calls c WHERE c.session_id = sessions.id))
           ORDER BY updated_at DESC LIMIT ?2`,
        )
        .all(options.all ? null : root, options.limit);
      return ok(rows as unknown as StoredSession[]);
    }),

  // Works on what the index knows: a log that cannot be read can be found too.
  find: (wanted) =>
    withStore(async (db, { paths, indexing }) => {
      const id = await lookUpSession(wanted, paths, indexing);
      if (!id.ok) return id;
      const row = db
        .prepare(
          "SELECT name, (SELECT count(*) FROM turns WHERE session_id = ?1) AS prompts FROM sessions WHERE id = ?1",
        )
        .get(id.value);
      return ok({ id: id.value, name: String(row?.["name"] ?? ""), prompts: Number(row?.["prompts"] ?? 0) });
    }),

  show: (wanted) =>
    withSession(wanted, async (sessionId, state) =>
      ok({
        sessionId,
        name: state.title,
        model: state.model,
        mode: state.mode,
        ...state.context,
        prompts: state.promptCount,
        events: state.eventCount,
        created: state.createdAt,
        updated: state.updatedAt,
        usage: Object.fromEntries(state.usage),
        filesChanged: [...state.changedFiles.keys()],
        todos: [...state.todos.values()],
      }),
    ),

  async rename(wanted, name) {
    const title = name.trim();
    if (title === "") return badUsage("A session's name cannot be blank.", "Give it a name.");
    return withLog(wanted, async (log) => {
      await log.emit("session.title_changed", { title, userNamed: true });
      return ok({ id: log.state.sessionId });
    });
  },

  async export(wanted, format, path) {
    if (!exportFormats.includes(format as ExportFormat))
      return badUsage(`"${format}" is not an export format.`, `Formats: ${exportFormats.join(", ")}.`);
    return withSession<{ text: string } | { path: string }>(wanted, async (_id, state, { redact }) => {
      const text = exportSession(state, format as ExportFormat, redact);
      if (path === undefined) return ok({ text });
      const written = await atomicWrite(resolve(path), text, { private: true });
      return written.ok ? ok({ path: resolve(path) }) : written;
    });
  },

  rewind: (wanted, to) =>
    withLog(wanted, async (log) => {
      const plan = planRewind(log.state, to);
      if (!plan.ok) return plan;
      const { prompts, parentId, eventsRemoved } = plan.value;
      await log.emit("session.snapshot_rewind", rewindData(plan.value), { parentId });
      return ok({ refs: prompts.map(({ ref }) => ref), eventsRemoved });
    }),

  fork: (wanted, options) =>
    withSession(wanted, async (_id, state, { paths, redact, indexing }) => {
      const forked = await forkSession(state, paths, options);
      if (!forked.ok) return forked;
      const db = await openStore(paths);
      if (db.ok) {
        const indexed = await indexSession(db.value, forked.value, paths.session(forked.value), indexing);
        if (indexed.ok) await writeWorkspace(db.value, paths, state, redact); // it counts its forks
        db.value.close();
      }
      return forked;
    }),

  remove: removeSessions,
  olderThan: oldSessions,

  async reindex() {
    const workspace = await openWorkspace();
    return workspace.ok ? healing(workspace.value.paths, () => reindex(workspace.value)) : workspace;
  },

  async verify(wanted) {
    const workspace = await openWorkspace();
    if (!workspace.ok) return workspace;
    const id = await lookUpSession(wanted, workspace.value.paths, workspace.value.indexing);
    if (!id.ok) return id;
    const read = await readSession(workspace.value.paths.session(id.value));
    if (!read.ok) return read;
    const { events, report, unknownTypes } = read.value;
    return ok({
      id: id.value,
      events: report.records,
      onChain: replay(events).chain.length,
      unknownTypes: unknownTypes.size,
      damaged: report.damaged.map(({ line, offset, bytes }) => ({ line, offset, bytes })),
    });
  },
};

async function withSession<T>(
  wanted: string,
  work: (id: string, state: SessionState, workspace: Workspace) => ResultPromise<T>,
): ResultPromise<T> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const id = await lookUpSession(wanted, workspace.value.paths, workspace.value.indexing);
  if (!id.ok) return id;
  const read = await readSession(workspace.value.paths.session(id.value));
  return read.ok ? work(id.value, replay(read.value.events), workspace.value) : read;
}

/** Opens the session's log for one change, and brings everything made from it up to that; refused while another process has it. */
function withLog<T>(wanted: string, change: (log: SessionLog) => ResultPromise<T>): ResultPromise<T> {
  return withSession(wanted, async (sessionId, _state, workspace) => {
    const { paths } = workspace;
    const opened = await SessionLog.open({
      paths: paths.session(sessionId),
      quarantine: paths.quarantine,
      sessionId,
      clock: systemClock,
      newId,
      onEvent: () => undefined,
      giveUpMs: 0,
    });
    if (!opened.ok) return opened;
    const { log } = opened.value;
    const index = new SessionIndex(workspace, sessionId);
    try {
      const outcome = await change(log);
      const soft = outcome.ok ? await index.update(log.state) : undefined;
      if (soft) process.stderr.write(`${soft.part}: ${soft.message}\n`);
      return outcome;
    } finally {
      await index.close();
      await log.close();
    }
  });
}

/** The index anew; one that is broken is emptied first. */
async function reindex(workspace: Workspace): ReturnType<SessionsAccess["reindex"]> {
  const db = await openStore(workspace.paths);
  if (!db.ok) return db;
  try {
    const { emptyIndex, rebuildIndex } = await import("../recall/rebuild.ts");
    const { indexProblem } = await import("../../memory/recall/store/damage.ts");
    const problem = indexProblem(db.value);
    const ready = problem === undefined ? ok(undefined) : await emptyIndex(db.value);
    if (!ready.ok) return ready;
    const outcome = await rebuildIndex(db.value, workspace, tellSkipped);
    return outcome.ok ? ok({ ...outcome.value, ...optional("problem", problem) }) : outcome;
  } finally {
    db.value.close();
  }
}
