// One session with all that is known of it: figures, moments, checkpoints, files, todos; and the proxied part of a proxied one.

import type { Failure } from "../../base/failure.ts";
import { optional } from "../../base/optional.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { firstLine } from "../../base/text.ts";
import { type ChartFigure, observationsOf } from "../../memory/observe/observation.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { SessionDetail, SessionMoment } from "../../schema/api/session.ts";
import type { ProxiedSessionView } from "../../server/manage/contract.ts";
import { contextSettings } from "../../session/context-settings.ts";
import type { Database } from "../../store/sqlite.ts";
import { mayControl } from "../session/control/ask.ts";
import type { Workspace } from "../workspace.ts";
import { type SessionDigest, thousands } from "./digest.ts";
import { sessionRowOf } from "./session-list.ts";

const MOST_POINTS = 2000;
const MOST_CALLS = 2000;
const MOST_ITEMS = 500;

export const unknownSession = (id: string): Failure => ({
  code: "session_not_found",
  what: `Session not found: ${firstLine(id, 80)}.`,
  next: "The list of sessions has them all.",
  exit: 1,
});

export function sessionDetail(
  workspace: Workspace,
  db: Database,
  id: string,
  { digest, proxied }: { digest: SessionDigest | undefined; proxied: ProxiedSessionView | undefined },
): Result<SessionDetail, Failure> {
  const row = sessionRowOf(db, workspace.paths, id);
  if (!row) return fail(unknownSession(id));
  const seen = observationsOf(db, id, { types: ["window", "truncation", "recall", "request"], most: MOST_POINTS });
  const moments = [...(digest?.moments ?? []), ...seen.flatMap(momentOf), ...(proxied ? requestMoments(db, id) : [])];
  return ok({
    ...row,
    mayControl: row.source === "agent" && mayControl(workspace.paths, id),
    usage: usageOf(db, id),
    window: seen.flatMap(windowOf),
    truncations: seen.flatMap(truncationOf),
    thresholds: proxied ? null : thresholdsOf(workspace),
    timeline: moments.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
    checkpoints: checkpointsOf(db, id),
    files: filesOf(db, id),
    todos: [...(digest?.todos.values() ?? [])],
    proxied: proxied ? proxiedPartOf(proxied) : null,
  });
}

function thresholdsOf(workspace: Workspace): SessionDetail["thresholds"] {
  const { mode, background, exhaustion } = contextSettings(workspace.settings);
  return { background: mode === "on" ? (background ?? null) : null, blocking: exhaustion ?? null };
}

const timeOf = ({ at }: ChartFigure): string => new Date(at).toISOString();
const numberIn = (row: ChartFigure, name: string): number => Number(row.data?.[name] ?? 0);

const windowOf = (row: ChartFigure): SessionDetail["window"] => {
  if (row.type === "window") return [{ at: timeOf(row), tokens: row.sent ?? 0, limit: numberIn(row, "limit") }];
  return row.type === "request" ? [{ at: timeOf(row), tokens: row.sent ?? 0, limit: 0 }] : [];
};
const truncationOf = (row: ChartFigure): SessionDetail["truncations"] =>
  row.type === "truncation"
    ? [{ at: timeOf(row), tokensRemoved: numberIn(row, "tokens"), messagesRemoved: numberIn(row, "messages") }]
    : [];
function momentOf(row: ChartFigure): SessionMoment[] {
  const at = timeOf(row);
  if (row.type === "truncation")
    return [{ at, kind: "truncation", label: `${thousands(numberIn(row, "tokens"))} tokens left out` }];
  const results = numberIn(row, "results");
  return row.type === "recall" && results > 0 ? [{ at, kind: "recall", label: `${results} found` }] : [];
}

/** Cuts and recalls of a proxied session are its requests. */
function requestMoments(db: Database, id: string): SessionMoment[] {
  const rows = prepared(
    db,
    `SELECT r.id, r.time, coalesce(r.summary, r.record) AS record FROM proxy_request r
     JOIN proxy_session s ON s.no = r.session WHERE s.id = ? ORDER BY r.no`,
  ).all(id);
  return rows.flatMap((row): SessionMoment[] => {
    const record = JSON.parse(String(row["record"])) as Record<string, unknown>;
    const about = { at: String(row["time"]), request: String(row["id"]) };
    const recalled = Array.isArray(record["recalled"]) ? record["recalled"].length : 0;
    return [
      ...(typeof record["epochReason"] === "string"
        ? [
            {
              ...about,
              kind: "truncation" as const,
              label: `${record["dropped"]} items left out: ${record["epochReason"]}`,
            },
          ]
        : []),
      ...(recalled > 0 ? [{ ...about, kind: "recall" as const, label: `${recalled} quoted` }] : []),
      ...(record["outcome"] === "failed"
        ? [
            {
              ...about,
              kind: "error" as const,
              label: `request failed: ${record["failure"] ?? record["status"] ?? ""}`,
            },
          ]
        : []),
    ];
  });
}

function usageOf(db: Database, id: string): SessionDetail["usage"] {
  const sql = "SELECT * FROM model_calls WHERE session_id = ? ORDER BY rowid DESC LIMIT ?";
  return prepared(db, sql)
    .all(id, MOST_CALLS)
    .reverse()
    .map((row) => ({
      at: String(row["timestamp"]),
      model: String(row["model"]),
      input: Number(row["input_tokens"] ?? 0),
      output: Number(row["output_tokens"] ?? 0),
      cacheRead: Number(row["cache_read_tokens"] ?? 0),
      ...(row["agent_id"] === null ? {} : { agentId: String(row["agent_id"]) }),
      ...(row["turn_index"] === null ? {} : { turn: Number(row["turn_index"]) }),
      ...(row["duration_ms"] === null ? {} : { durationMs: Number(row["duration_ms"]) }),
    }));
}

const checkpointsOf = (db: Database, id: string): SessionDetail["checkpoints"] =>
  prepared(db, "SELECT * FROM checkpoints WHERE session_id = ? ORDER BY checkpoint_number LIMIT ?")
    .all(id, MOST_ITEMS)
    .map((row) => ({
      number: Number(row["checkpoint_number"]),
      title: String(row["title"] ?? ""),
      at: String(row["created_at"]),
      trigger: row["trigger"] === null ? null : String(row["trigger"]),
      state: String(row["state"]),
    }));

const filesOf = (db: Database, id: string): string[] =>
  prepared(db, "SELECT DISTINCT file_path FROM session_files WHERE session_id = ? ORDER BY file_path LIMIT ?")
    .all(id, MOST_ITEMS)
    .map((row) => String(row["file_path"]));

const proxiedPartOf = (view: ProxiedSessionView): SessionDetail["proxied"] => ({
  family: view.family,
  signal: view.signal,
  namespace: view.namespace ?? null,
  lanes: view.lanes.map((lane) => ({ ...lane, ...optional("reason", lane.reason) })),
  requests: view.totals.requests,
  tokensIn: view.totals.tokensIn,
  tokensSent: view.totals.tokensSent,
  netSaved: view.totals.netSaved,
  files: { ...view.files },
  spec: { ...view.spec, mode: view.spec.mode ?? "off" },
});
