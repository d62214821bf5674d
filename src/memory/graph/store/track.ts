// A statement takes its place in a track: only the facts around its moment are looked at and changed.
import { newId } from "../../../base/id.ts";
import type { GraphFactOrigin, Instant } from "../../../schema/graph.ts";
import { allRows, execute, forgettingText, oneRow, type SqlRow, type Unit } from "../../../store/unit.ts";
import { type Interval, intervalsOf, type Statement } from "../track.ts";
import type { ChangedRows } from "./changed-row.ts";
import { text, textOrNull } from "./row.ts";

export type Track = { group: string; key: string; subject: string; relation: string; slot: string };

/** The track that a fact's row is part of. */
export const trackOfRow = (row: SqlRow): Track => ({
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

/** An ending stands in its own table already. */
export function* placeStatement(
  changed: ChangedRows,
  track: Track,
  statement: Statement,
  { origin, now }: { origin: GraphFactOrigin; now: Instant },
): Unit<void> {
  if (yield* joins(track, statement, origin)) return;
  const added = statement.type === "so" ? [statement] : [];
  yield* settle(changed, track, yield* windowAround(track, statement.at), { added, origin, now });
}

/** Facts anew from what is still said about them, after something was forgotten. */
export function* mendTrack(changed: ChangedRows, track: Track, now: Instant): Unit<void> {
  const facts = yield* allRows("SELECT * FROM graph_fact WHERE group_id = ? AND track = ?", track.group, track.key);
  yield* settle(changed, track, { facts, after: [] }, { added: [], origin: "rule", now });
}

/** The fact that is true at the moment says the same already: it gains the episode, and nothing else changes. */
function* joins(track: Track, statement: Statement, origin: GraphFactOrigin): Unit<boolean> {
  const { type, object, at, until } = statement;
  if (type === "ended" || until !== undefined) return false;
  // Facts of a track do not overlap, so that only the last to begin can be true.
  const fact = (yield* factsAt(track, yield* nextMoment(track, "<", at))).find((row) => {
    const end = textOrNull(row, "invalid_at");
    return text(row, "object") === object && (end === null || end > at);
  });
  if (!fact) return false;
  yield* putMention(text(fact, "uuid"), statement);
  const trusted = "UPDATE graph_fact SET origin = ?, trust = ? WHERE uuid = ? AND trust < ?";
  yield* execute(trusted, origin, TRUST[origin], text(fact, "uuid"), TRUST[origin]);
  return true;
}

/** Facts that a statement of one moment may change, and those after them, which only say where the last one ends. */
type Window = { facts: SqlRow[]; after: SqlRow[] };

function* windowAround(track: Track, at: Instant): Unit<Window> {
  const here = yield* nextMoment(track, "<=", at);
  const before = here === at ? yield* nextMoment(track, "<", at) : undefined;
  const following = yield* nextMoment(track, ">", at);
  const facts: SqlRow[] = [];
  for (const moment of [before, here, following]) facts.push(...(yield* factsAt(track, moment)));
  return { facts, after: yield* factsAt(track, yield* nextMoment(track, ">", following)) };
}

/** When the nearest fact on that side of a moment began. */
function* nextMoment(
  { group, key }: Track,
  side: "<" | "<=" | ">",
  than: Instant | undefined,
): Unit<Instant | undefined> {
  if (than === undefined) return undefined;
  const edge = side === ">" ? "min" : "max";
  const sql = `SELECT ${edge}(valid_at) AS at FROM graph_fact WHERE group_id = ? AND track = ? AND valid_at ${side} ?`;
  return textOrNull((yield* oneRow(sql, group, key, than)) ?? { at: null }, "at") ?? undefined;
}

function* factsAt({ group, key }: Track, moment: Instant | undefined): Unit<SqlRow[]> {
  if (moment === undefined) return [];
  const sql = "SELECT * FROM graph_fact WHERE group_id = ? AND track = ? AND valid_at = ?";
  return yield* allRows(sql, group, key, moment);
}

type Settling = { added: readonly Statement[]; origin: GraphFactOrigin; now: Instant };

function* settle(
  changed: ChangedRows,
  track: Track,
  { facts, after }: Window,
  { added, origin, now }: Settling,
): Unit<void> {
  const statements: Statement[] = [];
  for (const row of facts) statements.push(...(yield* statementsOf(row)));
  statements.push(...added);
  const bounds: Statement[] = [];
  for (const row of after) bounds.push(...(yield* statementsOf(row, 1)));
  const whole = [...statements, ...bounds];
  const intervals = intervalsOf([...whole, ...(yield* endingsOf(track, whole))]);
  const owners = ownersOf(intervals);
  const rows = new Map(facts.map((row) => [text(row, "uuid"), row]));
  for (const [i, interval] of intervals.entries()) {
    const uuid = owners[i] as string;
    if (interval.statements.some((statement) => bounds.includes(statement))) continue;
    const row = rows.get(uuid);
    const change = { uuid, interval, successor: owners[i + 1], row, origin: row ? undefined : origin, now };
    const isNew = yield* writeFact(track, change);
    for (const statement of interval.statements) if (statement.fact !== uuid) yield* putMention(uuid, statement);
    if (isNew) changed.fact(uuid);
    rows.delete(uuid);
  }
  for (const uuid of rows.keys()) if (!owners.includes(uuid)) yield* removeFact(changed, uuid);
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

function* statementsOf(fact: SqlRow, limit = 1_000_000_000): Unit<Statement[]> {
  const { name } = (yield* oneRow("SELECT name FROM graph_entity WHERE uuid = ?", text(fact, "object"))) ?? {};
  const sql = "SELECT * FROM graph_mention WHERE fact = ? ORDER BY at LIMIT ?";
  return (yield* allRows(sql, text(fact, "uuid"), limit)).map((row) => ({
    type: "so",
    object: text(fact, "object"),
    name: String(name),
    at: text(row, "at"),
    ...(row["until"] === null ? {} : { until: text(row, "until") }),
    text: text(row, "text"),
    episode: text(row, "episode"),
    fact: text(fact, "uuid"),
  }));
}

function* endingsOf({ subject, relation }: Track, statements: readonly Statement[]): Unit<Statement[]> {
  const names = new Map(statements.map(({ object, name }) => [object, name]));
  const endings: Statement[] = [];
  for (const [object, name] of names) {
    const rows = yield* allRows(
      "SELECT at, text, episode FROM graph_ending WHERE subject = ? AND object = ? AND relation IN ('', ?)",
      ...[subject, object, relation],
    );
    for (const row of rows) {
      const [at, episode] = [text(row, "at"), text(row, "episode")];
      endings.push({ type: "ended", object, name, at, text: text(row, "text"), episode });
    }
  }
  return endings;
}

function* putMention(fact: string, { at, until, episode, text: sentence, fact: before }: Statement): Unit<void> {
  if (before !== undefined)
    yield* execute("DELETE FROM graph_mention WHERE fact = ? AND at = ? AND episode = ?", before, at, episode);
  yield* execute(
    `INSERT INTO graph_mention (fact, at, episode, until, text) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (fact, at, episode) DO NOTHING`,
    ...[fact, at, episode, until ?? null, sentence],
  );
}

type FactChange = {
  uuid: string;
  interval: Interval;
  /** The fact that follows. */
  successor: string | undefined;
  row: SqlRow | undefined;
  origin: GraphFactOrigin | undefined;
  now: Instant;
};

/** False: it stands so already. */
function* writeFact(track: Track, change: FactChange): Unit<boolean> {
  const { uuid, interval, successor, row, origin, now } = change;
  const { object, text: sentence, from, until = null, endedBy } = interval;
  const isPast = until !== null && until <= now;
  const expiredAt = isPast ? ((row && textOrNull(row, "expired_at")) ?? now) : null;
  const invalidatedBy = endedBy?.type === "so" ? (successor ?? null) : null;
  const splitFrom = interval.statements[0]?.fact;
  const giver = origin && splitFrom ? yield* originOf(splitFrom) : origin;
  const state = [sentence, from, until, expiredAt, invalidatedBy, endedBy?.text ?? null];
  if (row) {
    if (STATE.every((name, i) => row[name] === state[i])) return false;
    yield* execute(
      `UPDATE graph_fact SET ${STATE.map((name) => `${name} = ?`).join(", ")} WHERE uuid = ?`,
      ...state,
      uuid,
    );
  } else if (giver)
    yield* execute(
      `INSERT INTO graph_fact (${STATE.join(", ")}, uuid, group_id, relation, subject, object, slot, track, created_at, origin,
         trust, attributes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '{}')`,
      ...state,
      ...[uuid, track.group, track.relation, track.subject, object, track.slot, track.key, now, giver, TRUST[giver]],
    );
  return true;
}

/** What of a fact the facts and endings around it decide. */
const STATE = ["text", "valid_at", "invalid_at", "expired_at", "invalidated_by", "reason"] as const;

function* originOf(fact: string): Unit<GraphFactOrigin> {
  const row = yield* oneRow("SELECT origin FROM graph_fact WHERE uuid = ?", fact);
  return text(row ?? { origin: "rule" }, "origin") as GraphFactOrigin;
}

/** With its words, in the index and in older lines of the journal. */
export function* removeFact(changed: ChangedRows, uuid: string): Unit<void> {
  yield* execute("DELETE FROM graph_mention WHERE fact = ?", uuid);
  yield* execute("DELETE FROM graph_fact WHERE uuid = ?", uuid);
  changed.fact(uuid);
  // Also when its words stay in another fact: when those are forgotten, nobody knows of this one any more.
  yield* forgettingText({ kind: "graph", id: uuid }, "later");
}
