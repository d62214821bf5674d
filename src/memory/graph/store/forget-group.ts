// Erasing a whole group: everything in it goes, so that nothing has to be mended and rows go many at a time.
import type { Instant } from "../../../schema/graph.ts";
import { allRows, execute, forgettingText, onEmbedded, type SqlRow, type Unit } from "../../../store/unit.ts";
import { forgetUnit } from "../../graphiti/queue.ts";
import { bury, fedTurn } from "../../recall/store/tombstone.ts";
import type { Forgotten } from "../contract.ts";
import { holdingGroup } from "./accept.ts";
import type { ChangedRows } from "./changed-row.ts";
import { text } from "./row.ts";

/** What a transaction of forgetting knows. `entity`: all that is known of it goes, so its own tracks need no mending. */
export type Erasure = { changed: ChangedRows; forgotten: Forgotten; now: Instant; entity?: string };

/** Among the texts of a list: the value with this number. */
export const amongList = (place: number): string => `IN (SELECT value FROM json_each(?${place}))`;
export const WITHIN = "IN (SELECT value FROM json_each(?))";

/** Rows by their uuids; nobody else changes their groups from here on. */
export function* chosen(where: string, ...values: (string | number)[]): Unit<string[]> {
  const rows = (): Unit<SqlRow[]> => allRows(`SELECT uuid, group_id FROM ${where}`, ...values);
  const groups = new Set((yield* rows()).map((row) => text(row, "group_id")));
  for (const group of [...groups].sort()) yield* holdingGroup(group);
  return (yield* rows()).map((row) => text(row, "uuid"));
}

/**
 * So many rows at most; gives how many more there could have been: none when the group may have some left. The oldest
 * facts go first: what a crash leaves of a track stands as it would without them. Episodes go along with their last facts:
 * rows that stay in the index before those that leave would have to be passed again and again.
 */
export function* forgetGroup(erasure: Erasure, group: string, most: number): Unit<number> {
  yield* holdingGroup(group);
  const mostFacts = Math.ceil(most * FACTS_SHARE);
  const facts = yield* oldest("graph_fact", { group, where: "", order: "valid_at, uuid" }, mostFacts);
  yield* eraseFacts(erasure, uuidsOf(facts));
  const until = facts.length === mostFacts ? facts.at(-1)?.["valid_at"] : undefined;
  const spoken = until === undefined ? { where: "" } : { where: SAYS_NOTHING_ELSE, values: [String(until)] };
  const episodes = yield* oldest("graph_episode", { group, ...spoken, order: "valid_at, seq" }, most - facts.length);
  yield* eraseEpisodes(erasure, episodes);
  let left = until === undefined ? most - facts.length - episodes.length : 0;
  const entities = yield* oldest("graph_entity", { group, where: "", order: "label" }, left);
  yield* eraseEntities(erasure, uuidsOf(entities));
  left -= entities.length;
  if (left > 0) yield* execute("DELETE FROM graph_group WHERE id = ?", group);
  return left;
}

/** Facts have this share of the rows of a part; a message says two or so. */
const FACTS_SHARE = 2 / 3;
const SAYS_NOTHING_ELSE =
  "AND valid_at <= ? AND NOT EXISTS (SELECT 1 FROM graph_mention m WHERE m.episode = graph_episode.uuid)";

type Choice = { group: string; where: string; values?: readonly string[]; order: string };

function* oldest(table: string, { group, where, values = [], order }: Choice, most: number): Unit<SqlRow[]> {
  if (most === 0) return [];
  const sql = `SELECT * FROM ${table} WHERE group_id = ? ${where} ORDER BY ${order} LIMIT ?`;
  return yield* allRows(sql, group, ...values, most);
}

function* eraseFacts({ changed, forgotten }: Erasure, uuids: readonly string[]): Unit<void> {
  yield* execute(`DELETE FROM graph_mention WHERE fact ${WITHIN}`, JSON.stringify(uuids));
  yield* execute(`DELETE FROM graph_fact WHERE uuid ${WITHIN}`, JSON.stringify(uuids));
  for (const uuid of uuids) changed.fact(uuid);
  forgotten.facts += uuids.length;
  yield* forgettingAll(uuids);
}

function* eraseEntities({ forgotten }: Erasure, uuids: readonly string[]): Unit<void> {
  const ids = JSON.stringify(uuids);
  yield* execute(`DELETE FROM graph_band WHERE alias IN (SELECT seq FROM graph_alias WHERE entity ${WITHIN})`, ids);
  yield* execute(`DELETE FROM graph_alias WHERE entity ${WITHIN}`, ids);
  yield* execute(`DELETE FROM graph_entity WHERE uuid ${WITHIN}`, ids);
  forgotten.entities += uuids.length;
  yield* forgettingAll(uuids);
}

function* forgettingAll(uuids: readonly string[]): Unit<void> {
  for (const id of uuids) yield* forgettingText({ kind: "graph", id }, "later");
}

const uuidsOf = (rows: readonly SqlRow[]): string[] => rows.map((row) => text(row, "uuid"));

/** These rows and what they said; the facts stay. */
export function* eraseEpisodes({ changed, forgotten }: Erasure, rows: readonly SqlRow[]): Unit<void> {
  const uuids = uuidsOf(rows);
  const ids = JSON.stringify(uuids);
  for (const table of ["graph_mention", "graph_ending"])
    yield* execute(`DELETE FROM ${table} WHERE episode ${WITHIN}`, ids);
  yield* execute(`DELETE FROM graph_episode WHERE uuid ${WITHIN}`, ids);
  yield* onEmbedded((db) => {
    for (const row of rows) {
      if (isPromotion(row)) forgetUnit(db, text(row, "name"), "later");
      if (row["turn"] !== null) bury(db, fedTurn(text(row, "session"), Number(row["turn"])));
    }
  });
  for (const id of uuids) changed.episode(id);
  yield* forgettingAll(uuids);
  forgotten.episodes += rows.length;
}

/** On their way to another graph they go by their names. */
const isPromotion = (row: SqlRow): boolean => ["promotion", "directive"].includes(text(row, "origin"));
