// Stored sessions: list, show, search, rename, export, rewind, fork, reindex, verify.
import { resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { errorText, type Failure } from "../../base/failure.ts";
import { newId } from "../../base/id.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { SAID } from "../../memory/recall/item.ts";
import { SIGNALS } from "../../memory/recall/rank/weights.ts";
import { type ExportFormat, exportFormats, exportSession } from "../../session/export/export.ts";
import { forkSession } from "../../session/fork.ts";
import { indexSession } from "../../session/index/index-session.ts";
import { SessionLog } from "../../session/log.ts";
import { readSession } from "../../session/read-session.ts";
import { replay } from "../../session/replay.ts";
import { planRewind, rewindData } from "../../session/rewind.ts";
import type { SessionState } from "../../session/state.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import type { Database } from "../../store/sqlite.ts";
import { EVERYWHERE, hereOf } from "../recall/scope.ts";
import { healing, lookUpSession, openCaughtUp, openStore, tellSkipped } from "../store.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";
import { SessionIndex, writeWorkspace } from "./index.ts";

export type Printed = Result<string | { json: unknown }, Failure>;
type Row = Record<string, unknown>;

export const usage = (what: string, next: string) =>
  fail<Failure>({ code: "usage", what, data: "Nothing was changed.", next, exit: 2 });

export async function withStore(
  work: (db: Database, workspace: Workspace) => Promise<Printed> | Printed,
): Promise<Printed> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const { paths, indexing } = workspace.value;
  try {
    return await healing(paths, async () => {
      const db = await openCaughtUp(paths, indexing);
      if (!db.ok) return db;
      try {
        return await work(db.value, workspace.value);
      } finally {
        db.value.close();
      }
    });
  } catch (error) {
    const { isDamage } = await import("../../memory/recall/store/damage.ts");
    if (!isDamage(error)) throw error;
    const { REINDEX, unavailable } = await import("../recall/query.ts");
    return fail(unavailable(errorText(error), REINDEX));
  }
}

async function withSession(
  wanted: string,
  work: (id: string, state: SessionState, workspace: Workspace) => Promise<Printed> | Printed,
): Promise<Printed> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const id = await lookUpSession(wanted, workspace.value.paths, workspace.value.indexing);
  if (!id.ok) return id;
  const read = await readSession(workspace.value.paths.session(id.value));
  return read.ok ? work(id.value, replay(read.value.events), workspace.value) : read;
}

export function listSessions(options: { all?: boolean; json?: boolean; limit: number }): Promise<Printed> {
  return withStore((db, { root }) => {
    const rows: Row[] = db
      .prepare(
        `SELECT id, name, cwd, git_root, repository, branch, model, event_count, created_at, updated_at,
                (SELECT count(*) FROM turns t WHERE t.session_id = sessions.id AND rewound = 0) AS prompts
         FROM sessions WHERE ?1 IS NULL OR (COALESCE(git_root, cwd) = ?1 AND parent_session_id IS NULL) ORDER BY updated_at DESC LIMIT ?2`,
      )
      .all(options.all ? null : root, options.limit);
    if (options.json) return ok({ json: rows });
    if (rows.length === 0)
      return ok(options.all ? "There are no sessions." : "There are no sessions in this folder; --all shows all.");
    return ok(
      rows
        .map(
          (r) =>
            `${r["id"]}  ${String(r["updated_at"]).slice(0, 16).replace("T", " ")}  ${r["prompts"]} prompts  ${r["name"]}`,
        )
        .join("\n"),
    );
  });
}

export function showSession(wanted: string, options: { json?: boolean }): Promise<Printed> {
  return withSession(wanted, (id, state) => {
    const facts = {
      sessionId: id,
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
    };
    if (options.json) return ok({ json: facts });
    return ok(
      Object.entries(facts)
        .map(([k, v]) => `${k}: ${typeof v === "object" ? JSON.stringify(v) : v}`)
        .join("\n"),
    );
  });
}

export function searchSessions(
  query: string,
  options: { all?: boolean; limit: number; json?: boolean },
): Promise<Printed> {
  return withStore(async (db, workspace) => {
    const { searchStore } = await import("../recall/command.ts");
    const { searchedText } = await import("../recall/searched.ts");
    const { foundText, labelOf, snippetText } = await import("../recall/query.ts");
    const within = options.all ? EVERYWHERE : hereOf(workspace);
    // Only what holds the words: nothing for standing beside it.
    const signals = SIGNALS.filter((s) => s !== "context" && s !== "vector");
    const limit = Math.min(100, options.limit);
    const found = await searchStore(db, workspace, { text: query, within, signals, limit, kinds: SAID });
    if (!found.ok) return found;
    if (!options.json) return ok(foundText(found.value, { searched: searchedText(within) }));
    const json = found.value.hits.map((h) => ({
      sessionId: h.source.session,
      ref: h.ref,
      sourceType: labelOf({ ...h, rewound: false }),
      snippet: snippetText(h),
      timestamp: h.time,
      rewound: h.rewound,
    }));
    return ok({ json });
  });
}

export function exportStored(wanted: string, format: string, path: string | undefined): Promise<Printed> {
  if (!exportFormats.includes(format as ExportFormat)) {
    return Promise.resolve(usage(`"${format}" is not an export format.`, `Formats: ${exportFormats.join(", ")}.`));
  }
  return withSession(wanted, async (_id, state, { redact }) => {
    const text = exportSession(state, format as ExportFormat, redact);
    if (path === undefined) return ok(text);
    const written = await atomicWrite(resolve(path), text, { private: true });
    return written.ok ? ok(`Written to ${resolve(path)}`) : written;
  });
}

export function forkStored(wanted: string, options: { name?: string; at?: string }): Promise<Printed> {
  return withSession(wanted, async (_id, state, { paths, redact, indexing }) => {
    const forked = await forkSession(state, paths, options);
    if (!forked.ok) return forked;
    const db = await openStore(paths);
    if (db.ok) {
      const indexed = await indexSession(db.value, forked.value, paths.session(forked.value), indexing);
      if (indexed.ok) await writeWorkspace(db.value, paths, state, redact); // it counts its forks
      db.value.close();
    }
    return ok(`Forked into ${forked.value}: everlong --resume ${forked.value}`);
  });
}

/** Opens the session's log for one change, and brings everything made from it up to that; refused while another process has it. */
function withLog(wanted: string, change: (log: SessionLog) => Promise<Printed>): Promise<Printed> {
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
      const done = await change(log);
      const soft = done.ok ? await index.update(log.state) : undefined;
      if (soft) process.stderr.write(`${soft.part}: ${soft.message}\n`);
      return done;
    } finally {
      await index.close();
      await log.close();
    }
  });
}

export function renameSession(wanted: string, name: string): Promise<Printed> {
  const title = name.trim();
  if (title === "") return Promise.resolve(usage("A session's name cannot be blank.", "Give it a name."));
  return withLog(wanted, async (log) => {
    await log.emit("session.title_changed", { title, userNamed: true });
    return ok(`Session ${log.state.sessionId} is now called "${title}".`);
  });
}

export function rewindStored(wanted: string, to: string): Promise<Printed> {
  return withLog(wanted, async (log) => {
    const plan = planRewind(log.state, to);
    if (!plan.ok) return plan;
    await log.emit("session.snapshot_rewind", rewindData(plan.value), { parentId: plan.value.parentId });
    const gone = plan.value.prompts.map((p) => p.ref).join(", ") || `${plan.value.eventsRemoved} events`;
    return ok(
      `Went back; ${gone} left the conversation. They stay in the log and can be found. Files and what commands did are not undone.`,
    );
  });
}

/** The index anew; one that is broken is emptied first. */
export async function reindexSessions(): Promise<Printed> {
  const workspace = await openWorkspace();
  return workspace.ok ? healing(workspace.value.paths, () => reindex(workspace.value)) : workspace;
}

async function reindex(workspace: Workspace): Promise<Printed> {
  const db = await openStore(workspace.paths);
  if (!db.ok) return db;
  try {
    const { emptyIndex, rebuildIndex } = await import("../recall/rebuild.ts");
    const { indexProblem } = await import("../../memory/recall/store/damage.ts");
    const problem = indexProblem(db.value);
    const ready = problem === undefined ? ok(undefined) : await emptyIndex(db.value);
    if (!ready.ok) return ready;
    const done = await rebuildIndex(db.value, workspace, tellSkipped);
    if (!done.ok) return done;
    const { sessions, items, rows } = done.value;
    return ok(
      [
        ...(problem === undefined ? [] : [`The index was damaged (${problem}) and is made anew.`]),
        `Rebuilt from the logs: ${sessions} sessions.`,
        ...(items > 0 ? [`From what the gateway stored: ${items} items.`] : []),
        ...(rows > 0 ? [`Memories and board items: ${rows}.`] : []),
      ].join("\n"),
    );
  } finally {
    db.value.close();
  }
}

export async function verifySession(wanted: string): Promise<Printed> {
  const workspace = await openWorkspace();
  if (!workspace.ok) return workspace;
  const id = await lookUpSession(wanted, workspace.value.paths, workspace.value.indexing);
  if (!id.ok) return id;
  const read = await readSession(workspace.value.paths.session(id.value));
  if (!read.ok) return read;
  const { events, report, unknownTypes } = read.value;
  const state = replay(events);
  const facts = [`${report.records} events, ${state.chain.length} on the chain, ${unknownTypes.size} of unknown type.`];
  if (report.damaged.length === 0) return ok([...facts, "The log is whole."].join("\n"));
  return fail({
    code: "log_damaged",
    what: [
      ...facts,
      ...report.damaged.map((d) => `Damaged: line ${d.line}, offset ${d.offset}, ${d.bytes} bytes.`),
    ].join("\n"),
    data: "Every whole event is readable.",
    next: `everlong --resume ${id.value} repairs the end and goes on.`,
    exit: 1,
  });
}
