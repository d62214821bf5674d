// Forgetting for good: the item, its words and vectors, and what was learned from it alone. The log of its session keeps it.
import { type Failure, refusal } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import { eraseBoardItem } from "../../memory/board/erase.ts";
import type { Forgotten } from "../../memory/graph/contract.ts";
import { forgetTarget } from "../../memory/graph/store/forget.ts";
import { instantAt } from "../../memory/graph/time.ts";
import { erasePin, removePinsOfTurn } from "../../memory/pin/pin.ts";
import { type Kind, SAID } from "../../memory/recall/item.ts";
import { Reader } from "../../memory/recall/store/read.ts";
import { prepared } from "../../memory/recall/store/statement.ts";
import { bury } from "../../memory/recall/store/tombstone.ts";
import { recordById } from "../../memory/record/embedded/row.ts";
import { eraseRecord } from "../../memory/record/embedded/write.ts";
import type { Episode } from "../../schema/graph.ts";
import { forgetSession, indexSession } from "../../session/index/index-session.ts";
import { runUnit } from "../../store/embedded-store.ts";
import { type Database, emptyLog, write } from "../../store/sqlite.ts";
import type { ErasureChoice, ErasureReport } from "../client/recall.ts";
import { LOCAL_USER } from "../memory/strategy.ts";
import type { Workspace } from "../workspace.ts";
import { aimedAt, namedSession, type Sessions } from "./session.ts";
import { parseTime } from "./time.ts";

type ForgetRow = {
  no: number;
  id: string;
  kind: Kind;
  role: string;
  time: number;
  turn: number | null;
  session: string | null;
  local: number;
};

const ROWS = `SELECT i.id AS no, i.key AS id, i.kind, i.role, i.time, i.turn, p.session, p.local FROM recall_item i
  JOIN recall_place p ON p.id = i.place WHERE`;

/** What the choice names; nothing is changed. All of it, or the reason why some of it cannot be forgotten. */
export async function itemsToForget(sessions: Sessions, choice: ErasureChoice): Promise<Result<ForgetRow[], Failure>> {
  const { ids = [], session, olderThan } = choice;
  const rows = new Map<string, ForgetRow>();
  for (const id of ids) {
    const named = await rowsOf(sessions, id);
    if (!named.ok) return named;
    for (const row of named.value) rows.set(row.id, row);
  }
  if (session !== undefined) {
    const named = await namedSession(sessions, session);
    if (!named.ok) return named;
    if (named.value.type === "proxied") return fail(proxied(named.value.id));
    for (const row of query(sessions.db, "p.session = ? AND p.local = 1", named.value.id)) rows.set(row.id, row);
  }
  if (olderThan !== undefined) {
    const before = parseTime(olderThan, "before");
    if (typeof before !== "number")
      return fail(refusal("usage", `"${olderThan}" is not a date or time.`, "Write 2026-01-31, 30d or yesterday.", 2));
    const isOurs = `(p.local = 1 OR i.kind NOT IN (${SAID.map((kind) => `'${kind}'`).join(", ")}))`;
    for (const row of query(sessions.db, `i.time > 0 AND i.time < ? AND ${isOurs}`, before)) rows.set(row.id, row);
  }
  return ok([...rows.values()]);
}

/** A ref such as SESSION:t3.2, or the id that a result shows. */
async function rowsOf(sessions: Sessions, id: string): Promise<Result<ForgetRow[], Failure>> {
  const { db } = sessions;
  const [exact] = query(db, "i.key = ?", id);
  if (exact) return isProxied(exact) ? fail(proxied(exact.session ?? id)) : ok([exact]);
  const aimed = await aimedAt(sessions, id);
  if (!aimed.ok) return aimed;
  if (!aimed.value) return fail(unknown(id));
  const { wanted, session } = aimed.value;
  if (!session)
    return fail(refusal("usage", `"${id}" does not say which session.`, "Write SESSION:t3 or SESSION:t3.2.", 2));
  if (session.type === "proxied") return fail(proxied(session.id));
  const rows =
    "checkpoint" in wanted
      ? query(
          db,
          "p.session = ? AND p.local = 1 AND i.kind = 'checkpoint' AND i.item = ?",
          ...[session.id, wanted.checkpoint],
        )
      : query(
          db,
          "p.session = ? AND p.local = 1 AND i.kind <> 'checkpoint' AND i.turn BETWEEN ? AND ? AND (? < 0 OR i.item = ?)",
          ...[session.id, wanted.from, wanted.to, wanted.item ?? -1, wanted.item ?? -1],
        );
  return rows.length > 0 ? ok(rows) : fail(unknown(id));
}

const query = (db: Database, where: string, ...values: (string | number)[]): ForgetRow[] =>
  prepared(db, `${ROWS} ${where}`).all(...values) as unknown as ForgetRow[];

const isProxied = ({ kind, local }: ForgetRow): boolean => SAID.includes(kind) && local === 0;

/** Each session, and each other item, in one transaction; afterwards no file of the store has the words. */
export async function forgetItems(
  db: Database,
  { paths, indexing }: Pick<Workspace, "paths" | "indexing">,
  rows: readonly ForgetRow[],
): Promise<Result<ErasureReport, Failure>> {
  const report: ErasureReport = { items: rows.length, episodes: 0, facts: 0, entities: 0 };
  const sum = (forgotten: Forgotten): void => {
    for (const name of ["episodes", "facts", "entities"] as const) report[name] += forgotten[name];
  };
  const messages = rows.filter(({ kind, session }) => SAID.includes(kind) && session !== null);
  for (const [session, own] of Map.groupBy(messages, (row) => row.session ?? "")) {
    let forgotten: Forgotten[] = [];
    const gone = await forgetSession(db, session, () => {
      forgotten = own.map((row) => buryTurn(db, session, row));
    });
    if (!gone.ok) return gone;
    forgotten.forEach(sum);
    // What is left of the session comes from its log; one that cannot be read has no more to give.
    const indexed = await indexSession(db, session, paths.session(session), indexing);
    if (!indexed.ok && !indexed.error.unreadable) return indexed;
  }
  for (const row of rows.filter((row) => !messages.includes(row))) {
    const gone = await write(db, () => forgetRow(db, row));
    if (!gone.ok) return gone;
    if (gone.value) sum(gone.value);
  }
  const emptied = await emptyLog(db);
  return emptied.ok ? ok(report) : emptied;
}

function buryTurn(db: Database, session: string, { no, id, kind, role, time, turn }: ForgetRow): Forgotten {
  bury(db, { id, session, ...(time > 0 ? { time } : {}), text: runUnit(db, new Reader().text(no)) });
  if (kind !== "turn" || turn === null) return { episodes: 0, facts: 0, entities: 0 };
  if (role === "user") removePinsOfTurn(db, session, turn);
  const target = { type: "turn", session, turn, role: role as Episode["roleType"] } as const;
  return runUnit(db, forgetTarget(target, instantAt(Date.now())));
}

function forgetRow(db: Database, { id, kind }: ForgetRow): Forgotten | undefined {
  const now = new Date().toISOString();
  switch (kind) {
    case "fact":
    case "episode":
      return runUnit(db, forgetTarget({ type: kind, id }, now));
    case "pin":
      return void erasePin(db, id);
    case "board":
      return void runUnit(db, eraseBoardItem(id));
    case "record": {
      const user = String(prepared(db, 'SELECT "user" FROM memories WHERE id = ?').get(id)?.["user"] ?? LOCAL_USER);
      const record = runUnit(db, recordById(id, user));
      const work = { now, user, hash: () => "" };
      const by = { kind: "user", id: LOCAL_USER, name: LOCAL_USER } as const;
      if (record) runUnit(db, eraseRecord(work, record, by));
      return undefined;
    }
    default:
      return undefined; // what was said belongs to a session
  }
}

const unknown = (id: string): Failure =>
  refusal("not_found", `Nothing is stored under ${id}.`, "everlong recall --json shows the ids of results.");

const proxied = (session: string): Failure =>
  refusal(
    "other_agent",
    `${session} is a session of another agent, which sends its whole conversation again with every request.`,
    `Erase the session instead: everlong proxy delete ${session}.`,
  );
