// The outbox: messages that wait for a Graphiti server, bounded, in order, and whole turns only.
import type { Result } from "../../base/result.ts";
import type { Fault } from "../../store/fault.ts";
import { eraseFromJournal } from "../../store/journal/journal.ts";
import { type Database, write } from "../../store/sqlite.ts";
import type { SqlRow } from "../../store/unit.ts";
import { text } from "../graph/store/row.ts";
import {
  type GraphitiMessage,
  nextOutboxState,
  type OutboxDraft,
  type OutboxKind,
  type OutboxRow,
  type OutboxState,
  type OutboxStep,
  outboxMoves,
} from "./outbox-row.ts";
import { all, get, run } from "./row.ts";

/** Rows go to one server, on behalf of one folder. */
export type OutboxPlace = { endpoint: string; root: string };
type EnqueueRules = {
  maxQueueSize: number;
  /** False: older messages that follow late do not push out newer ones. */
  mayEvict: boolean;
  /** What was dropped before is taken up again. */
  again?: boolean;
  now: string;
};
type EnqueueOutcome = {
  added: number;
  /** Messages that had to make room, or found none. */
  dropped: number;
  /** Messages that found no room and may be brought again. */
  left: number;
};

const WAITING = "state IN ('queued', 'sending')";
const EMPTY_MESSAGE = "";

/** The messages of one unit, all or none. One that was queued before is not queued again. */
export function enqueueUnit(
  db: Database,
  { endpoint, root }: OutboxPlace,
  drafts: readonly OutboxDraft[],
  { maxQueueSize, mayEvict, again = false, now }: EnqueueRules,
): Promise<Result<EnqueueOutcome, Fault>> {
  return write(db, () => {
    const fresh = drafts.filter(({ group, message: { name } }) => {
      const row = get(
        db,
        "SELECT state FROM graph_outbox WHERE endpoint = ? AND group_id = ? AND name = ?",
        ...[endpoint, group, name],
      );
      return !row || (again && text(row, "state") === "dropped");
    });
    if (fresh.length === 0) return { added: 0, dropped: 0, left: 0 };
    const room = () => maxQueueSize - waitingCount(db, endpoint);
    let dropped = 0;
    while (mayEvict && fresh.length <= maxQueueSize && room() < fresh.length) {
      const gone = evictOldest(db, endpoint, fresh[0]?.kind ?? "turn");
      if (gone === 0) break;
      dropped += gone;
    }
    const fits = room() >= fresh.length;
    if (!fits && !mayEvict) return { added: 0, dropped, left: fresh.length };
    for (const draft of fresh) insert(db, { endpoint, root }, draft, fits ? "queued" : "dropped", now);
    return fits ? { added: fresh.length, dropped, left: 0 } : { added: 0, dropped: dropped + fresh.length, left: 0 };
  });
}

const waitingCount = (db: Database, endpoint: string): number =>
  Number(get(db, `SELECT count(*) AS n FROM graph_outbox WHERE endpoint = ? AND ${WAITING}`, endpoint)?.["n"] ?? 0);

/** How many rows of one folder wait. */
export const waitingIn = (db: Database, { endpoint, root }: OutboxPlace): number =>
  Number(
    get(db, `SELECT count(*) AS n FROM graph_outbox WHERE endpoint = ? AND root = ? AND ${WAITING}`, endpoint, root)?.[
      "n"
    ] ?? 0,
  );

/** Promotions and ownership go last, and never for a turn. A unit that has begun to leave is not taken apart. */
function evictOldest(db: Database, endpoint: string, newcomer: OutboxKind): number {
  const oldest = get(
    db,
    `SELECT unit FROM graph_outbox o WHERE endpoint = ?1 AND state = 'queued' AND tries = 0 AND (?2 <> 'turn' OR kind = 'turn')
       AND NOT EXISTS (SELECT 1 FROM graph_outbox p WHERE p.endpoint = ?1 AND p.unit = o.unit
         AND (p.state IN ('sending', 'accepted', 'confirmed') OR p.tries > 0))
     ORDER BY kind <> 'turn', said_at, seq LIMIT 1`,
    ...[endpoint, newcomer],
  );
  return oldest ? moveRows(db, "drop", { endpoint, unit: text(oldest, "unit") }) : 0;
}

function insert(db: Database, place: OutboxPlace, draft: OutboxDraft, state: OutboxState, now: string): void {
  const { group, scope, kind, unit, session, turn, message } = draft;
  const body = state === "dropped" ? EMPTY_MESSAGE : JSON.stringify(message);
  run(
    db,
    "DELETE FROM graph_outbox WHERE endpoint = ? AND group_id = ? AND name = ?",
    place.endpoint,
    group,
    message.name,
  );
  run(
    db,
    `INSERT INTO graph_outbox (endpoint, root, group_id, scope, kind, unit, name, session, turn, message, said_at, state, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[place.endpoint, place.root, group, scope, kind, unit, message.name, session ?? null, turn ?? null],
    ...[body, message.timestamp, state, now],
  );
}

type RowChoice = {
  endpoint?: string;
  root?: string;
  seqs?: readonly number[];
  unit?: string;
  kind?: OutboxKind;
  group?: string;
  states?: readonly OutboxState[];
};

function condition(choice: RowChoice): { where: string; values: (string | number)[] } {
  const parts: [string, string | number][] = [];
  if (choice.endpoint !== undefined) parts.push(["endpoint = ?", choice.endpoint]);
  if (choice.root !== undefined) parts.push(["root = ?", choice.root]);
  if (choice.unit !== undefined) parts.push(["unit = ?", choice.unit]);
  if (choice.kind !== undefined) parts.push(["kind = ?", choice.kind]);
  if (choice.group !== undefined) parts.push(["group_id = ?", choice.group]);
  if (choice.seqs) parts.push(["seq IN (SELECT value FROM json_each(?))", JSON.stringify(choice.seqs)]);
  if (choice.states) parts.push(["state IN (SELECT value FROM json_each(?))", JSON.stringify(choice.states)]);
  return { where: parts.map(([sql]) => sql).join(" AND ") || "1", values: parts.map(([, value]) => value) };
}

/** Those of the chosen rows that can take the step do. Inside a transaction; gives how many. */
export function moveRows(
  db: Database,
  step: OutboxStep,
  choice: RowChoice,
  more: { error?: string; sentAt?: string } = {},
): number {
  const { where, values } = condition(choice);
  let count = 0;
  const states = db
    .prepare(`SELECT seq, state, kind FROM graph_outbox WHERE ${where}`)
    .all(...values)
    .flatMap((row) => {
      const to = nextOutboxState(text(row, "state") as OutboxState, step);
      return to === undefined ? [] : [{ seq: Number(row["seq"]), kind: text(row, "kind"), to }];
    });
  for (const { seq, kind, to } of states) {
    // A promotion can be taken back later, so its words stay until then.
    const isOver = to === "dropped" || step === "forget" || (to === "confirmed" && kind !== "promotion");
    run(
      db,
      `UPDATE graph_outbox SET state = ?, tries = CASE ? WHEN 'send' THEN tries + 1 WHEN 'retry' THEN 0 ELSE tries END,
         error = ?, sent_at = COALESCE(?, sent_at), message = CASE WHEN ? THEN '${EMPTY_MESSAGE}' ELSE message END WHERE seq = ?`,
      ...[to, step, more.error ?? null, more.sentAt ?? null, isOver ? 1 : 0, seq],
    );
    count += 1;
  }
  return count;
}

/** The words of a unit leave the store and the journal. Inside a transaction. */
export function forgetUnit(db: Database, unit: string, when: "now" | "later" = "now"): void {
  moveRows(db, "forget", { unit });
  eraseFromJournal(db, { kind: "outbox", id: unit }, when);
}

/** What of a turn, of a session's turns or of all turns waits to be sent, or was. */
export function dropTurns(db: Database, { session, turn }: { session?: string; turn?: number }): void {
  const where = [
    "turn IS NOT NULL",
    ...(session === undefined ? [] : ["session = ?"]),
    ...(turn === undefined ? [] : ["turn = ?"]),
  ];
  const values = [session, turn].filter((value) => value !== undefined);
  const rows = all(db, `DELETE FROM graph_outbox WHERE ${where.join(" AND ")} RETURNING unit`, ...values);
  for (const unit of new Set(rows.map((row) => text(row, "unit")))) eraseFromJournal(db, { kind: "outbox", id: unit });
}

/** In the order in which they were queued, which is that of the turns, whatever a clock said. */
export function readRows(db: Database, choice: RowChoice, limit = 1000): OutboxRow[] {
  const { where, values } = condition(choice);
  return db
    .prepare(`SELECT * FROM graph_outbox WHERE ${where} ORDER BY seq LIMIT ?`)
    .all(...values, limit)
    .map(rowOf);
}

function rowOf(row: SqlRow): OutboxRow {
  const message = text(row, "message");
  return {
    seq: Number(row["seq"]),
    endpoint: text(row, "endpoint"),
    root: text(row, "root"),
    group: text(row, "group_id"),
    scope: text(row, "scope") as OutboxRow["scope"],
    kind: text(row, "kind") as OutboxKind,
    unit: text(row, "unit"),
    ...(row["session"] === null ? {} : { session: text(row, "session") }),
    ...(row["turn"] === null ? {} : { turn: Number(row["turn"]) }),
    message:
      message === EMPTY_MESSAGE
        ? { ...noText, name: text(row, "name"), timestamp: text(row, "said_at") }
        : (JSON.parse(message) as GraphitiMessage),
    state: text(row, "state") as OutboxState,
    tries: Number(row["tries"]),
    ...(row["error"] === null ? {} : { error: text(row, "error") }),
    createdAt: text(row, "created_at"),
    ...(row["sent_at"] === null ? {} : { sentAt: text(row, "sent_at") }),
  };
}

const noText = { content: "", role_type: "user", role: "user", source_description: "" } as const;

const KEPT_ROWS = 1000;
const KEPT_MS = 7 * 24 * 3600 * 1000;

/** Rows that nobody will ever hear of again: too old, or too many. Inside a transaction. */
export function purgeRows(db: Database, { endpoint, root }: OutboxPlace, now: number): void {
  const old = new Date(now - KEPT_MS).toISOString();
  const drop = (rows: SqlRow[]) => moveRows(db, "drop", { seqs: rows.map((row) => Number(row["seq"])) });
  const foreign = outboxMoves("drop").map(({ from }) => from);
  drop(
    all(
      db,
      `SELECT seq FROM graph_outbox WHERE root = ? AND created_at < ? AND state IN (SELECT value FROM json_each(?))
         AND (endpoint <> ? OR state = 'accepted')`,
      ...[root, old, JSON.stringify(foreign), endpoint],
    ),
  );
  for (const state of ["accepted", "parked"])
    drop(
      all(
        db,
        "SELECT seq FROM graph_outbox WHERE endpoint = ? AND state = ? ORDER BY seq DESC LIMIT -1 OFFSET ?",
        ...[endpoint, state, KEPT_ROWS],
      ),
    );
}
