// A statement takes its place in a track: only the facts around its moment are looked at and changed.
import { newId } from "../../../base/id.ts";
import type { GraphFactOrigin, Instant } from "../../../schema/graph.ts";
import { eraseFromJournal } from "../../../store/journal/journal.ts";
import type { Database } from "../../../store/sqlite.ts";
import { type Interval, intervalsOf, type Statement } from "../track.ts";
import { indexLater } from "./index-later.ts";
import { factSource } from "./recall-source.ts";
import { all, type GraphRow, get, run, text, textOrNull } from "./row.ts";

export type Track = { group: string; key: string; subject: string; relation: string; slot: string };

/** The track that a fact's row is part of. */
export const trackOfRow = (row: GraphRow): Track => ({
  group: text(row, "group_id"),
  key: text(row, "track"),
  subject: text(row, "subject"),
  relation: text(row, "relation"),
  slot: text(row, "slot"),
});

/** How far a fact is to be believed, by whoever found or gave it. */
const TRUST: Readonly<Record<GraphFactOrigin, number>> = {
  user: 1,
  promotion: 1,
  directive: 1,
  api: 0.8,
  llm: 0.6,
  rule: 0.6,
};

/** Inside a transaction. An ending stands in its own table already. */
export function placeStatement(
  db: Database,
  track: Track,
  statement: Statement,
  { origin, now }: { origin: GraphFactOrigin; now: Instant },
): void {
  if (joins(db, track, statement, origin)) return;
  const added = statement.type === "so" ? [statement] : [];
  settle(db, track, windowAround(db, track, statement.at), { added, origin, now });
}

/** Facts anew from what is still said about them, after something was forgotten. */
export function mendTrack(db: Database, track: Track, now: Instant): void {
  const facts = all(db, "SELECT * FROM graph_fact WHERE group_id = ? AND track = ?", track.group, track.key);
  settle(db, track, { facts, after: [] }, { added: [], origin: "rule", now });
}

/** The fact that is true at the moment says the same already: it gains the episode, and nothing else changes. */
function joins(db: Database, track: Track, statement: Statement, origin: GraphFactOrigin): boolean {
  const { type, object, at, until } = statement;
  if (type === "ended" || until !== undefined) return false;
  // Facts of a track do not overlap, so that only the last to begin can be true.
  const fact = factsAt(db, track, nextMoment(db, track, "<", at)).find((row) => {
    const end = textOrNull(row, "invalid_at");
    return text(row, "object") === object && (end === null || end > at);
  });
  if (!fact) return false;
  putMention(db, text(fact, "uuid"), statement);
  const trusted = "UPDATE graph_fact SET origin = ?, trust = ? WHERE uuid = ? AND trust < ?";
  run(db, trusted, origin, TRUST[origin], text(fact, "uuid"), TRUST[origin]);
  return true;
}

/** Facts that a statement of one moment may change, and those after them, which only say where the last one ends. */
type Window = { facts: GraphRow[]; after: GraphRow[] };

function windowAround(db: Database, track: Track, at: Instant): Window {
  const here = nextMoment(db, track, "<=", at);
  const before = here === at ? nextMoment(db, track, "<", at) : undefined;
  const following = nextMoment(db, track, ">", at);
  return {
    facts: [before, here, following].flatMap((moment) => factsAt(db, track, moment)),
    after: factsAt(db, track, nextMoment(db, track, ">", following)),
  };
}

/** When the nearest fact on that side of a moment began. */
function nextMoment(
  db: Database,
  { group, key }: Track,
  side: "<" | "<=" | ">",
  than: Instant | undefined,
): Instant | undefined {
  if (than === undefined) return undefined;
  const edge = side === ">" ? "min" : "max";
  const sql = `SELECT ${edge}(valid_at) AS at FROM graph_fact WHERE group_id = ? AND track = ? AND valid_at ${side} ?`;
  return textOrNull(get(db, sql, group, key, than) ?? { at: null }, "at") ?? undefined;
}

const factsAt = (db: Database, { group, key }: Track, moment: Instant | undefined): GraphRow[] =>
  moment === undefined
    ? []
    : all(db, "SELECT * FROM graph_fact WHERE group_id = ? AND track = ? AND valid_at = ?", group, key, moment);

type Settling = { added: readonly Statement[]; origin: GraphFactOrigin; now: Instant };

function settle(db: Database, track: Track, { facts, after }: Window, { added, origin, now }: Settling): void {
  const statements = [...facts.flatMap((row) => statementsOf(db, row)), ...added];
  const bounds = after.flatMap((row) => statementsOf(db, row, 1));
  const whole = [...statements, ...bounds];
  const intervals = intervalsOf([...whole, ...endingsOf(db, track, whole)]);
  const owners = ownersOf(intervals);
  for (const [i, interval] of intervals.entries()) {
    const uuid = owners[i] as string;
    if (interval.statements.some((statement) => bounds.includes(statement))) continue;
    const row = facts.find((fact) => text(fact, "uuid") === uuid);
    const change = { uuid, interval, successor: owners[i + 1], row, origin: row ? undefined : origin, now };
    const isNew = writeFact(db, track, change);
    for (const statement of interval.statements) if (statement.fact !== uuid) putMention(db, uuid, statement);
    if (isNew) indexLater(db, factSource, uuid);
  }
  for (const row of facts) if (!owners.includes(text(row, "uuid"))) removeFact(db, text(row, "uuid"));
}

/** Each interval keeps the fact of its earliest statement; one fact is only ever one interval. */
function ownersOf(intervals: readonly Interval[]): string[] {
  const taken = new Set<string>();
  return intervals.map(({ statements }) => {
    const own = statements.map(({ fact }) => fact).find((fact) => fact !== undefined && !taken.has(fact));
    const uuid = own ?? newId();
    taken.add(uuid);
    return uuid;
  });
}

function statementsOf(db: Database, fact: GraphRow, limit = -1): Statement[] {
  const { name } = get(db, "SELECT name FROM graph_entity WHERE uuid = ?", text(fact, "object")) ?? {};
  return all(db, "SELECT * FROM graph_mention WHERE fact = ? ORDER BY at LIMIT ?", text(fact, "uuid"), limit).map(
    (row) => ({
      type: "so",
      object: text(fact, "object"),
      name: String(name),
      at: text(row, "at"),
      ...(row["until"] === null ? {} : { until: text(row, "until") }),
      text: text(row, "text"),
      episode: text(row, "episode"),
      fact: text(fact, "uuid"),
    }),
  );
}

function endingsOf(db: Database, { subject, relation }: Track, said: readonly Statement[]): Statement[] {
  const names = new Map(said.map(({ object, name }) => [object, name]));
  return [...names].flatMap(([object, name]) =>
    all(
      db,
      "SELECT at, text, episode FROM graph_ending WHERE subject = ? AND object = ? AND relation IN ('', ?)",
      ...[subject, object, relation],
    ).map(
      (row): Statement => ({
        type: "ended",
        object,
        name,
        at: text(row, "at"),
        text: text(row, "text"),
        episode: text(row, "episode"),
      }),
    ),
  );
}

function putMention(db: Database, fact: string, { at, until, episode, text: sentence, fact: before }: Statement): void {
  if (before !== undefined)
    run(db, "DELETE FROM graph_mention WHERE fact = ? AND at = ? AND episode = ?", before, at, episode);
  run(
    db,
    "INSERT OR IGNORE INTO graph_mention (fact, at, episode, until, text) VALUES (?, ?, ?, ?, ?)",
    ...[fact, at, episode, until ?? null, sentence],
  );
}

type FactChange = {
  uuid: string;
  interval: Interval;
  /** The fact that follows. */
  successor: string | undefined;
  row: GraphRow | undefined;
  origin: GraphFactOrigin | undefined;
  now: Instant;
};

/** False: it stands so already. */
function writeFact(db: Database, track: Track, { uuid, interval, successor, row, origin, now }: FactChange): boolean {
  const { object, text: sentence, from, until = null, endedBy } = interval;
  const isPast = until !== null && until <= now;
  const expiredAt = isPast ? ((row && textOrNull(row, "expired_at")) ?? now) : null;
  const invalidatedBy = endedBy?.type === "so" ? (successor ?? null) : null;
  const splitFrom = interval.statements[0]?.fact;
  const giver = origin && splitFrom ? originOf(db, splitFrom) : origin;
  const state = [sentence, from, until, expiredAt, invalidatedBy, endedBy?.text ?? null];
  if (row) {
    if (STATE.every((name, i) => row[name] === state[i])) return false;
    run(db, `UPDATE graph_fact SET ${STATE.map((name) => `${name} = ?`).join(", ")} WHERE uuid = ?`, ...state, uuid);
  } else if (giver)
    run(
      db,
      `INSERT INTO graph_fact (${STATE.join(", ")}, uuid, group_id, relation, subject, object, slot, track, created_at, origin,
         trust, attributes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '{}')`,
      ...state,
      ...[uuid, track.group, track.relation, track.subject, object, track.slot, track.key, now, giver, TRUST[giver]],
    );
  return true;
}

/** What of a fact the facts and endings around it decide. */
const STATE = ["text", "valid_at", "invalid_at", "expired_at", "invalidated_by", "reason"] as const;

const originOf = (db: Database, fact: string): GraphFactOrigin =>
  text(
    get(db, "SELECT origin FROM graph_fact WHERE uuid = ?", fact) ?? { origin: "rule" },
    "origin",
  ) as GraphFactOrigin;

/** With its words, in the index and in older lines of the journal. */
export function removeFact(db: Database, uuid: string): void {
  run(db, "DELETE FROM graph_mention WHERE fact = ?", uuid);
  run(db, "DELETE FROM graph_fact WHERE uuid = ?", uuid);
  indexLater(db, factSource, uuid);
  eraseFromJournal(db, { kind: "graph", id: uuid });
}
