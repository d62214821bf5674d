// Agents of the sessions that are open or were used within a day, as their logs tell it.
import { type AgentRecord, isTerminal } from "../../agent/task/record.ts";
import { optional } from "../../base/optional.ts";
import { clip } from "../../base/text.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import type { TaskShape } from "../../schema/api/task.ts";
import type { Database } from "../../store/sqlite.ts";
import { mayControl } from "../session/control/ask.ts";
import { ownerOf } from "../session/control/owner.ts";
import type { Workspace } from "../workspace.ts";
import type { SessionDigest, SessionDigests } from "./digest.ts";

const DAY_MS = 86_400_000;
const MOST_SESSIONS = 50;
const RESULT = 4000;

/** Parents come before their children. */
export async function listTasks(
  { paths, redact }: Workspace,
  db: Database,
  digests: SessionDigests,
  session: string | undefined,
): Promise<TaskShape[]> {
  const tasks: TaskShape[] = [];
  for (const { id, title } of recentSessions(db, session)) {
    const digest = await digests.of(id, paths.session(id));
    if (!digest.ok || digest.value.agents.size === 0) continue;
    const about = { session: id, sessionTitle: title, pid: ownerOf(paths, id), mayControl: mayControl(paths, id) };
    const records = [...digest.value.agents.values()].filter(({ removed }) => !removed);
    for (const record of inOrder(records)) tasks.push({ ...about, ...taskOf(record, digest.value, redact) });
  }
  return tasks;
}

function recentSessions(db: Database, session: string | undefined): { id: string; title: string }[] {
  const since = new Date(Date.now() - DAY_MS).toISOString();
  const rows = session
    ? prepared(db, "SELECT id, name FROM sessions WHERE id = ?").all(session)
    : prepared(db, "SELECT id, name FROM sessions WHERE updated_at >= ? ORDER BY updated_at DESC LIMIT ?").all(
        since,
        MOST_SESSIONS,
      );
  return rows.map((row) => ({ id: String(row["id"]), title: String(row["name"] || String(row["id"]).slice(0, 8)) }));
}

function inOrder(records: readonly AgentRecord[]): AgentRecord[] {
  const ids = new Set(records.map(({ id }) => id));
  const below = (parent: string | undefined): AgentRecord[] =>
    records
      .filter(({ parentId }) => (parentId !== undefined && ids.has(parentId) ? parentId : undefined) === parent)
      .flatMap((record) => [record, ...below(record.id)]);
  return below(undefined);
}

function taskOf(
  record: AgentRecord,
  { permissions }: SessionDigest,
  redact: (text: string) => string,
): Omit<TaskShape, "session" | "sessionTitle" | "pid" | "mayControl"> {
  const { progress, telemetry } = record;
  const { latestIntent, stalled, mcpTask } = progress;
  const startedAt = record.status === "running" ? record.startedAt : record.createdAt;
  const endedAt = isTerminal(record) ? record.endedAt : undefined;
  const waits = record.status === "running" ? permissions.get(record.id) : undefined;
  return {
    id: record.id,
    ...optional("parentId", record.parentId),
    depth: record.depth,
    name: redact(record.name),
    agentType: record.agentType,
    description: redact(record.description),
    model: record.model,
    mode: record.executionMode,
    status: record.status,
    startedAt,
    ...optional("endedAt", endedAt),
    durationMs: Date.parse(endedAt ?? new Date().toISOString()) - Date.parse(startedAt),
    turns: progress.turns,
    toolCalls: progress.toolCalls,
    tokensIn: progress.tokensIn,
    tokensOut: progress.tokensOut,
    ...optional("cost", telemetry.cost),
    ...optional("latestIntent", latestIntent === undefined ? undefined : redact(latestIntent)),
    ...optional("stalled", stalled),
    ...optional("permission", waits),
    ...(mcpTask ? { mcp: mcpOf(mcpTask, redact) } : {}),
    ...(record.status === "completed" ? { result: redact(clip(record.result, RESULT)) } : {}),
    ...(record.status === "failed" ? { error: redact(record.error.message) } : {}),
    ...optional("todo", record.todoId),
  };
}

const mcpOf = (
  { server, tool, status, message, progress, total }: NonNullable<AgentRecord["progress"]["mcpTask"]>,
  redact: (text: string) => string,
): NonNullable<TaskShape["mcp"]> => ({
  ...{ server, tool, status },
  ...optional("message", message === undefined ? undefined : redact(message)),
  ...optional("progress", progress),
  ...optional("total", total),
});
