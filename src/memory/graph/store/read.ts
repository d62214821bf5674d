// Reading the graph: each query is one statement, its conditions are values.
import type { Entity, Episode, Fact } from "../../../schema/graph.ts";
import type { Database } from "../../../store/sqlite.ts";
import type { EntityQuery, EpisodeQuery, FactQuery, GraphCounts } from "../contract.ts";
import { ANY_LABEL, foldedName } from "../name.ts";
import { findEntities } from "./entity.ts";
import { all, entityOf, episodeOf, FACT, factOf, text } from "./row.ts";

type Value = string | number;
const NO_LIMIT = -1;

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

  /** Whole ids, or their beginnings. */
  ids(column: string, list: readonly string[] | undefined): this {
    const like = `EXISTS (SELECT 1 FROM json_each(?) WHERE substr(${column}, 1, length(value)) = value)`;
    const isWhole = list?.every((id) => id.length === WHOLE_ID);
    return isWhole ? this.among(column, list) : this.add(like, list && JSON.stringify(list));
  }

  get where(): string {
    return this.#parts.length === 0 ? "" : `WHERE ${this.#parts.join(" AND ")}`;
  }
}
const WHOLE_ID = 36;
/** As the partial index has it. */
const IS_PROMOTED = "origin IN ('promotion', 'directive')";
const PROMOTED = `SELECT uuid FROM graph_episode WHERE ${IS_PROMOTED}`;

export function readEpisodes(db: Database, query: EpisodeQuery): Episode[] {
  const conditions = new Conditions()
    .ids("uuid", query.ids)
    .among("group_id", query.groups)
    .among("name", query.names)
    .among("state", query.states)
    .when(query.promoted, IS_PROMOTED)
    .add("session = ?", query.session)
    .add("valid_at <= ?", query.until);
  const sql = `SELECT * FROM graph_episode ${conditions.where} ORDER BY valid_at DESC, seq DESC LIMIT ?`;
  return all(db, sql, ...conditions.values, query.last ?? NO_LIMIT)
    .map(episodeOf)
    .reverse();
}

const SAID_BY = "f.uuid IN (SELECT fact FROM graph_mention WHERE episode IN (SELECT value FROM json_each(?)))";

export function readFacts(db: Database, query: FactQuery): Fact[] {
  const { asOf, currentAt, since, until, after } = query;
  const conditions = new Conditions()
    .ids("f.uuid", query.ids)
    .among("f.group_id", query.groups)
    .add("(f.subject = ? OR f.object = ?)", query.entity, query.entity)
    .add("f.relation = ?", query.relation)
    .add(SAID_BY, query.episodes && JSON.stringify(query.episodes))
    .when(query.promoted, `f.uuid IN (SELECT fact FROM graph_mention WHERE episode IN (${PROMOTED}))`)
    .add("f.valid_at <= ? AND (f.invalid_at IS NULL OR f.invalid_at > ?)", asOf, asOf)
    .add("f.expired_at IS NULL AND (f.invalid_at IS NULL OR f.invalid_at > ?)", currentAt)
    .add("(f.valid_at >= ? OR f.invalid_at >= ?)", since, since)
    .add("f.valid_at < ?", until)
    .add("(f.valid_at, f.uuid) > (?, ?)", after?.validAt, after?.uuid);
  const sql = `${FACT} ${conditions.where} ORDER BY f.valid_at, f.uuid LIMIT ?`;
  return all(db, sql, ...conditions.values, query.limit ?? NO_LIMIT).map(factOf);
}

const IS_NEAR =
  "folded <> ? AND length(folded) > 2 AND (instr(' ' || folded || ' ', ' ' || ? || ' ') > 0 OR instr(' ' || ? || ' ', ' ' || folded || ' ') > 0)";

export function readEntities(db: Database, query: EntityQuery): Entity[] {
  const { name, near, ids, groups, label, limit = NO_LIMIT } = query;
  if (name !== undefined) return findEntities(db, name, groups).map((row) => entityOf(db, row));
  const conditions = new Conditions().ids("uuid", ids).among("group_id", groups).add("label = ?", label);
  if (near !== undefined) {
    const folded = foldedName(near, ANY_LABEL);
    conditions.add(`uuid IN (SELECT entity FROM graph_alias WHERE ${IS_NEAR})`, folded, folded, folded);
  }
  const sql = `SELECT * FROM graph_entity ${conditions.where} ORDER BY created_at, uuid LIMIT ?`;
  return all(db, sql, ...conditions.values, limit).map((row) => entityOf(db, row));
}

export function countGraph(db: Database): GraphCounts {
  const count = (sql: string): number => Number(all(db, `SELECT count(*) AS n FROM ${sql}`)[0]?.["n"] ?? 0);
  const states = all(db, "SELECT state, count(*) AS n FROM graph_episode GROUP BY state");
  const byState = Object.fromEntries(states.map((row) => [text(row, "state"), Number(row["n"])]));
  return {
    groups: count("graph_group"),
    episodes: { queued: 0, running: 0, done: 0, parked: 0, ...byState },
    entities: count("graph_entity"),
    facts: count("graph_fact"),
    ended: count("graph_fact WHERE expired_at IS NOT NULL"),
  };
}
