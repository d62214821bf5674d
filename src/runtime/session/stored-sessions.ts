// Stored sessions: list, show, rename, export, rewind, fork, remove, reindex, verify.
import { optional } from "../../base/optional.ts";
import { fail, ok } from "../../base/result.ts";
import { gitContext } from "../../host/git.ts";
import { IMPORT_PRODUCER } from "../../schema/imported.ts";
import type { SessionControl } from "../../schema/session-control.ts";
import { readSession } from "../../session/read-session.ts";
import { replay } from "../../session/replay.ts";
import { type RewindFiles, restoreLeft, rewindLog } from "../../session/rewind.ts";
import type { SessionState } from "../../session/state.ts";
import type { ResultPromise } from "../client/open.ts";
import { refuseImported } from "../import/read-only.ts";
import type { RebuildCounts } from "../recall/rebuild.ts";
import { healing, lookUpSession, openStore, tellSkipped } from "../store.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import { withStore } from "../with-store.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { goBack, rewindReport } from "./go-back.ts";
import { SessionIndex } from "./index.ts";
import { copySession, exportState, renameSession } from "./operations.ts";
import { oldSessions, removeSessions } from "./remove-sessions.ts";
import { changeStored, type SessionVoice } from "./stored-log.ts";

export type StoredSession = {
  id: string;
  name: string | null;
  cwd: string;
  git_root: string | null;
  repository: string | null;
  branch: string | null;
  model: string | null;
  event_count: number;
  created_at: string;
  updated_at: string;
  prompts: number;
};

type StoredSource = "own" | "import" | "all";

/** A session is named by its id, the beginning of one, or its name. */
export const storedSessions = {
  /**
   * Latest use first; of this folder unless of another one or of all; our own unless imported ones, or all, are asked for.
   * `mainOnly`: without those that a session started.
   */
  list: (options: { all?: boolean; folder?: string; mainOnly?: boolean; limit: number; source?: StoredSource }) =>
    withStore((db, here) => {
      const there = options.folder === undefined ? here.context : gitContext(options.folder);
      const root = there.gitRoot ?? there.cwd;
      const rows = db
        .prepare(
          `SELECT id, name, cwd, git_root, repository, branch, model, event_count, created_at, updated_at,
                  (SELECT count(*) FROM turns t WHERE t.session_id = sessions.id AND rewound = 0) AS prompts
           FROM sessions WHERE (?1 IS NULL OR COALESCE(git_root, cwd) = ?1
               OR (source = '${IMPORT_PRODUCER}' AND repository = ?4))
             AND (?3 = 0 OR parent_session_id IS NULL)
             AND (?5 = 'all' OR (source = '${IMPORT_PRODUCER}') = (?5 = 'import'))
             AND (EXISTS (SELECT 1 FROM turns t WHERE t.session_id = sessions.id)
               OR EXISTS (SELECT 1 FROM model_calls c WHERE c.session_id = sessions.id))
           ORDER BY updated_at DESC LIMIT ?2`,
        )
        .all(
          ...[options.all ? null : root, options.limit, Number(!options.all || options.mainOnly === true)],
          ...[there.repository ?? null, options.source ?? "own"],
        );
      return ok(rows as unknown as StoredSession[]);
    }),

  // Works on what the index knows: a log that cannot be read can be found too.
  find: (wanted: string) =>
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

  show: (wanted: string) =>
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

  rename: (wanted: string, name: string) => withLog(wanted, (voice) => renameSession(voice, name)),

  export: (wanted: string, format: string, path: string | undefined) =>
    withSession(wanted, (_id, state, { redact }) => exportState(state, { format, path }, redact)),

  rewind: (wanted: string, to: string, files?: RewindFiles) =>
    withLog(wanted, async (voice) => {
      const left = files === "overwrite" ? await restoreLeft(voice, to) : undefined;
      if (left) return ok(left);
      const outcome = await goBack(voice, voice.state.model, () => rewindLog(voice, to, files));
      return outcome.ok ? ok(rewindReport(outcome.value)) : outcome;
    }),

  fork: (wanted: string, options: { name?: string; at?: string }) =>
    withSession(wanted, async (id, state, workspace) => {
      const refused = refuseImported(id);
      if (refused) return fail(refused);
      const index = new SessionIndex(workspace, state.sessionId);
      const copy = await copySession(state, options, workspace, () => index.store());
      await index.close();
      return copy;
    }),

  /** What a process that has it open is asked to do; refused when none has. */
  control: async (wanted: string, control: SessionControl, signal: AbortSignal) => {
    const workspace = await openWorkspace();
    if (!workspace.ok) return workspace;
    const { paths, indexing, env } = workspace.value;
    const inShell = refuseInToolShell(env, "reach into an open session");
    if (inShell) return fail(inShell);
    const id = await lookUpSession(wanted, paths, indexing);
    if (!id.ok) return id;
    const refused = refuseImported(id.value);
    if (refused) return fail(refused);
    const { askSession } = await import("./control/ask.ts");
    return askSession(paths, { session: id.value, from: "the command line", control }, signal);
  },

  remove: removeSessions,
  olderThan: oldSessions,

  /** `problem`: the index was damaged and is made anew. */
  async reindex() {
    const workspace = await openWorkspace();
    return workspace.ok ? healing(workspace.value.paths, () => reindex(workspace.value)) : workspace;
  },

  async verify(wanted: string) {
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

/** One change of the session's log; everything made from it follows. Refused while another process has it. */
function withLog<T>(wanted: string, change: (voice: SessionVoice) => ResultPromise<T>): ResultPromise<T> {
  return withSession(wanted, async (sessionId, _state, workspace) => {
    const refused = refuseImported(sessionId);
    if (refused) return fail(refused);
    return changeStored(workspace, sessionId, async (voice) => {
      const outcome = await change(voice);
      if (!outcome.ok) return outcome;
      const index = new SessionIndex(workspace, sessionId);
      const soft = await index.update(voice.state).finally(() => index.close());
      if (soft) process.stderr.write(`${soft.part}: ${soft.message}\n`);
      return outcome;
    });
  });
}

/** The index anew; one that is broken is emptied first. */
async function reindex(workspace: Workspace): ResultPromise<RebuildCounts & { problem?: string }> {
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
