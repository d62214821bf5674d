// `everlong graph backfill`: earlier sessions of this folder go to its Graphiti server, or into the built-in graph without one.
import { fail, ok } from "../../base/result.ts";
import { repositoryKey } from "../../host/git.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import { turnMessages } from "../../memory/graph/message.ts";
import { mayConnect } from "../../memory/graphiti/state.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import { findSession } from "../../session/find-session.ts";
import type { Database } from "../../store/sqlite.ts";
import type { BackfillChoice, BackfillProgress, BackfillReport } from "../client/graph.ts";
import type { ResultPromise } from "../client/open.ts";
import { parseTime } from "../recall/time.ts";
import { refuseInToolShell } from "../tool-shell.ts";
import type { Workspace } from "../workspace.ts";
import { ServerBackfill, type TurnSink } from "./backfill-server.ts";
import { refused } from "./choice.ts";
import { acceptTurns, groupsOf, pagesOf, type WantedTurns } from "./feed.ts";
import { graphOff } from "./graph-off.ts";
import { graphitiStateOf, serverOf } from "./graphiti-gate.ts";
import { sentGroups } from "./outgoing.ts";

type BackfillParts = {
  workspace: Workspace;
  /** Absent: the settings want none. */
  graph: TemporalGraph<unknown> | undefined;
  db: Database;
};

/** Twice changes nothing; what an interrupted run left comes with the next one. */
export async function backfill(
  parts: BackfillParts,
  choice: BackfillChoice,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: BackfillProgress) => void },
): ResultPromise<BackfillReport> {
  const { workspace, db } = parts;
  const shell = refuseInToolShell(workspace.env, "send earlier sessions");
  if (shell) return fail(shell);
  const since = parseTime(choice.since, "since");
  if (since === null)
    return refused("usage", `"${choice.since}" is not a date or time.`, "Write 2026-01-31, 7d or yesterday.", 2);
  const sessions = await sessionsHere(workspace, db, choice.session);
  if (!sessions.ok) return sessions;
  const endpoint = serverOf(workspace);
  const sink = await sinkFor(parts, endpoint, choice.dryRun ?? false, signal);
  if (!sink.ok) return sink;
  const wanted: WantedTurns = endpoint === undefined ? "not in graph" : { endpoint, alsoDropped: true };
  const report: BackfillReport = {
    ...(endpoint === undefined ? {} : { endpoint }),
    sessions: 0,
    turns: 0,
    messages: 0,
  };
  for (const [i, session] of sessions.value.entries()) {
    const before = report.turns;
    for (const page of pagesOf(db, session, wanted))
      for (const turn of page) {
        if (turn.user.text === "" || Date.parse(turn.user.at) < (since ?? 0)) continue;
        if (signal.aborted) return ok({ ...report, isCancelled: true });
        const outcome = await sink.value.take(session, turn);
        if (!outcome.ok) return outcome;
        if (typeof outcome.value === "object") return ok({ ...report, stopped: outcome.value.stopped });
        if (outcome.value === 0) continue;
        report.turns += 1;
        report.messages += outcome.value;
        onProgress({ session: i + 1, sessions: sessions.value.length, turns: report.turns });
      }
    if (report.turns > before) report.sessions += 1;
  }
  const stopped = await sink.value.finish();
  if (signal.aborted) return ok({ ...report, isCancelled: true });
  return ok(stopped === undefined ? report : { ...report, stopped });
}

async function sinkFor(
  { workspace, graph, db }: BackfillParts,
  endpoint: string | undefined,
  isDry: boolean,
  signal: AbortSignal,
): ResultPromise<TurnSink> {
  const repository = workspace.redact(repositoryKey(workspace.context.cwd));
  const groupsFor = (session: string) => groupsOf(workspace, { session, repository });
  if (endpoint === undefined && !graph) return fail(graphOff);
  if (isDry) {
    const groups = (session: string) =>
      endpoint === undefined ? groupsFor(session) : sentGroups(workspace, groupsFor(session));
    const maxChars = workspace.settings.values["memory.graphiti.maxMessageChars"];
    return ok({
      take: async (session, turn) => ok(turnMessages(turn, maxChars).length * groups(session).length),
      finish: async () => undefined,
    });
  }
  if (endpoint !== undefined) {
    const state = await graphitiStateOf(workspace, db);
    if (!mayConnect(state))
      return refused(state, `Nothing may be sent to ${endpoint} now (${state}).`, "See everlong graph status.");
    return ok(new ServerBackfill(workspace, db, { endpoint, groupsFor, signal }));
  }
  return ok({
    async take(session, turn) {
      const groups = groupsFor(session);
      const accepted = graph ? await acceptTurns(graph, workspace, groups, [turn]) : fail(graphOff);
      return accepted.ok ? ok((turn.assistant?.text ? 2 : 1) * groups.length) : accepted;
    },
    finish: async () => undefined,
  });
}

const SESSIONS = `SELECT id, COALESCE(git_root, cwd) AS root, COALESCE(name, '') AS name FROM sessions
  WHERE parent_session_id IS NULL ORDER BY created_at, id`;

/** Those of this folder, oldest first; consent is given by folder. */
async function sessionsHere({ root }: Workspace, db: Database, wanted: string | undefined): ResultPromise<string[]> {
  const rows = prepared(db, SESSIONS).all();
  const here = rows.filter((row) => row["root"] === root).map((row) => String(row["id"]));
  if (wanted === undefined) return ok(here);
  const named = rows.map((row) => ({ id: String(row["id"]), name: String(row["name"]) }));
  const id = await findSession(
    wanted,
    named.map((one) => one.id),
    async () => named,
  );
  if (!id.ok || here.includes(id.value)) return id.ok ? ok([id.value]) : id;
  const there = rows.find((row) => row["id"] === id.value)?.["root"];
  return refused("other_folder", `That session ran in ${there}.`, "Run the command there: consent is given by folder.");
}
