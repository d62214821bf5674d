// In what state the logs of sessions are, ours and those of other agents: read, never repaired.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { HomePaths } from "../../host/paths.ts";
import { sessionIds } from "../../session/find-session.ts";
import { eventReader } from "../../session/read-session.ts";
import { lockHolders } from "../../store/home-lock.ts";
import { type Damage, type LogReport, readLog } from "../../store/read-log.ts";

export type LogCondition = {
  id: string;
  /** The session is another agent's, behind the gateway. */
  proxied: boolean;
  path: string;
  /** Undefined: the log cannot be read. */
  report: LogReport | undefined;
  /** Why it cannot be read. */
  problem?: string;
  /** Damage that nobody has been told of: no event in the log names it. */
  damaged: Damage[];
  /** The session had turns, and not one byte of its log is left. */
  emptied: boolean;
  /** Names of checkpoint files that events refer to. */
  checkpoints: string[];
  /** A process works on it now: its last line may still be on its way. */
  inUse: boolean;
};

export async function readLogs(paths: HomePaths): Promise<LogCondition[]> {
  const own = sessionIds(paths.sessions).map((id) => ownLog(paths, id));
  const proxied = namesIn(join(paths.home, "proxy", "sessions")).map((id) => proxiedLog(paths, id));
  const conditions: LogCondition[] = [];
  for (const look of [...own, ...proxied]) {
    const condition = await look();
    if (condition) conditions.push(condition);
  }
  return conditions;
}

const ownLog = (paths: HomePaths, id: string) => async (): Promise<LogCondition | undefined> => {
  const session = paths.session(id);
  const toldOf = new Set<number>();
  const checkpoints: string[] = [];
  const reader = eventReader(session, (event) => {
    if (event.type === "session.damaged" && !event.data.file) toldOf.add(event.data.offset);
    if (event.type === "session.compaction_complete" && event.data.checkpointPath)
      checkpoints.push(event.data.checkpointPath);
  });
  const inUse = lockHolders(join(session.dir, "session.lock")).length > 0;
  const read = await readLog(session.events, reader);
  const base = { id, proxied: false, path: session.events, checkpoints, inUse };
  if (!read.ok) return unread(base, read.error);
  const isTail = (offset: number): boolean => read.value.tornBytes > 0 && offset === read.value.damaged.at(-1)?.offset;
  const damaged = read.value.damaged.filter(({ offset }) => isTail(offset) || !toldOf.has(offset));
  // Its summary is written from the log after the first turn.
  const emptied = read.value.size === 0 && existsSync(session.workspace);
  return { ...base, report: read.value, damaged, emptied };
};

const proxiedLog = (paths: HomePaths, id: string) => async (): Promise<LogCondition | undefined> => {
  const path = join(paths.home, "proxy", "sessions", id, "events.jsonl");
  const inUse = lockHolders(join(paths.home, "locks", `proxy-${id}.lock`)).length > 0;
  const read = await readLog(path, { accept: (value) => typeof value["id"] === "string", onRecord: () => undefined });
  const base = { id, proxied: true, path, checkpoints: [], inUse };
  if (!read.ok) return unread(base, read.error);
  // Lines in the middle stay as they are, and nothing in such a log can say so: only the tail is looked at.
  const damaged = read.value.tornBytes > 0 ? read.value.damaged.slice(-1) : [];
  return { ...base, report: read.value, damaged, emptied: false };
};

type ConditionBase = Omit<LogCondition, "report" | "damaged" | "problem" | "emptied">;

/** A folder without a log is a session that never began. */
const unread = (base: ConditionBase, error: { code: string; what: string }): LogCondition | undefined =>
  error.code === "not_found"
    ? undefined
    : { ...base, report: undefined, problem: error.what, damaged: [], emptied: false };

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no agent has been behind the gateway yet
  }
}
