// Reading the graph: each query is one statement, its conditions are values.
import type { Entity, Episode, Fact } from "../../../schema/graph.ts";
import { allRows, oneRow, type SqlRow, type Unit } from "../../../store/unit.ts";
import type { EntityQuery, EpisodeQuery, FactQuery, GraphCounts } from "../contract.ts";
import { ANY_LABEL, foldedName } from "../name.ts";
import { findEntities } from "./entity.ts";
import { entityOf, episodeOf, FACT, factOf, text } from "./row.ts";

type Value = string | number;
const NO_LIMIT = 1_000_000_000;

/** Conditions that are left out do not count. */
class Conditions {
  readonly values: Value[] = [];
  readonly #parts: string[] = [];

  add(sql: string, ...values: (Value | undefined)[]): this {
    if (values.some((value) => value === undefined)) return this;
    this.#parts.push(sql);
    this.values.push(...(values as Value[]));
    return this;
  }

  when(isWanted: boolean | undefined, sql: string): this {
    return isWanted ? this.add(sql) : this;
  }

  among(column: string, list: readonly string[] | undefined): this {
    return this.add(`${column} IN (SELECT value FROM json_each(?))`, list && JSON.stringify(list));
  }

  /** Whole ids; a single one may be the beginning of an id. */
  ids(column: string, list: readonly string[] | undefined): this {
    const [id] = list ?? [];
    if (list?.length !== 1 || id === undefined || id.length >= WHOLE_ID) return this.among(column, list);
    return this.add(`${column} >= ? AND ${column} < ?`, id, `${id}\u{10ffff}`);
  }

  get where(): string {
    return this.#parts.length === 0 ? "" : `WHERE ${this.#parts.join(" AND ")}`;
  }
}
const WHOLE_ID = 36;
/** As the partial index has it. */
const IS_PROMOTED = "origin IN ('promotion', 'directive')";
const PROMOTED = `SELECT uuid FROM graph_episode WHERE ${IS_PROMOTED}`;

export function* readEpisodes(query: EpisodeQuery): Unit<Episode[]> {
  const conditions = new Conditions()
    .ids("uuid", query.ids)
    .among("group_id", query.groups)
    .among("name", query.names)
    .among("state", query.states)
    .when(query.promoted, IS_PROMOTED)
    .add("session = ?", query.session)
    .add("valid_at <= ?", query.until);
  const sql = `SELECT * FROM graph_episode ${conditions.where} ORDER BY valid_at DESC, seq DESC LIMIT ?`;
  const rows = yield* allRows(sql, ...conditions.values, query.last ?? NO_LIMIT);
  return rows.map(episodeOf).reverse();
}

const SAID_BY = "f.uuid IN (SELECT fact FROM graph_mention WHERE episode IN (SELECT value FROM json_each(?)))";

const ALONGSIDE = `(f.group_id, f.track) IN
  (SELECT group_id, track FROM graph_fact WHERE uuid IN (SELECT value FROM json_each(?)))`;

export function* readFacts(query: FactQuery): Unit<Fact[]> {
  const { asOf, currentAt, since, until, after } = query;
  const conditions = new Conditions()
    .ids("f.uuid", query.ids)
    .among("f.group_id", query.groups)
    .add("(f.subject = ? OR f.object = ?)", query.entity, query.entity)
    .add("f.relation = ?", query.relation)
    .add(ALONGSIDE, query.alongside && JSON.stringify(query.alongside))
    .add(SAID_BY, query.episodes && JSON.stringify(query.episodes))
    .when(query.promoted, `f.uuid IN (SELECT fact FROM graph_mention WHERE episode IN (${PROMOTED}))`)
    .add("f.valid_at <= ? AND (f.invalid_at IS NULL OR f.invalid_at > ?)", asOf, asOf)
    .add("f.expired_at IS NULL AND (f.invalid_at IS NULL OR f.invalid_at > ?)", currentAt)
    .add("(f.valid_at >= ? OR f.invalid_at >= ?)", since, since)
    .add("f.valid_at < ?", until)
    .add("(f.valid_at, f.uuid) > (?, ?)", after?.validAt, after?.uuid);
  const sql = `${FACT} ${conditions.where} ORDER BY f.valid_at, f.uuid LIMIT ?`;
  return (yield* allRows(sql, ...conditions.values, query.limit ?? NO_LIMIT)).map(factOf);
}

const IS_NEAR =
  "folded <> ? AND length(folded) > 2 AND (instr(' ' || folded || ' ', ' ' || ? || ' ') > 0 OR instr(' ' || ? || ' ', ' ' || folded || ' ') > 0)";

export function* readEntities(query: EntityQuery): Unit<Entity[]> {
  const { name, near, ids, groups, label, limit = NO_LIMIT } = query;
  if (name !== undefined) return yield* entitiesOf(yield* findEntities(name, groups));
  const conditions = new Conditions().ids("uuid", ids).among("group_id", groups).add("label = ?", label);
  if (near !== undefined) {
    const folded = foldedName(near, ANY_LABEL);
    conditions.add(`uuid IN (SELECT entity FROM graph_alias WHERE ${IS_NEAR})`, folded, folded, folded);
  }
  const sql = `SELECT * FROM graph_entity ${conditions.where} ORDER BY created_at, uuid LIMIT ?`;
  return yield* entitiesOf(yield* allRows(sql, ...conditions.values, limit));
}

function* entitiesOf(rows: readonly SqlRow[]): Unit<Entity[]> {
  const entities: Entity[] = [];
  for (const row of rows) entities.push(yield* entityOf(row));
  return entities;
}

export function* countGraph(): Unit<GraphCounts> {
  const states = yield* allRows("SELECT state, count(*) AS n FROM graph_episode GROUP BY state");
  const byState = Object.fromEntries(states.map((row) => [text(row, "state"), Number(row["n"])]));
  return {
    groups: yield* count("graph_group"),
    episodes: { queued: 0, running: 0, done: 0, parked: 0, ...byState },
    entities: yield* count("graph_entity"),
    facts: yield* count("graph_fact"),
    ended: yield* count("graph_fact WHERE expired_at IS NOT NULL"),
  };
}

function* count(from: string): Unit<number> {
  const row = yield* oneRow(`SELECT count(*) AS n FROM ${from}`);
  return Number(row?.["n"] ?? 0);
}
