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
 * facts go first: what a crash leaves of a track stands as it would without them.
 */
export function* forgetGroup(erasure: Erasure, group: string, most: number): Unit<number> {
  yield* holdingGroup(group);
  const { changed, forgotten } = erasure;
  let left = most;
  const next = function* (rows: string, order: string): Unit<SqlRow[]> {
    if (left === 0) return [];
    const taken = yield* allRows(`SELECT ${rows} WHERE group_id = ? ORDER BY ${order} LIMIT ?`, group, left);
    left -= taken.length;
    return taken;
  };
  const facts = uuidsOf(yield* next("uuid FROM graph_fact", "valid_at, uuid"));
  yield* execute(`DELETE FROM graph_mention WHERE fact ${WITHIN}`, JSON.stringify(facts));
  yield* execute(`DELETE FROM graph_fact WHERE uuid ${WITHIN}`, JSON.stringify(facts));
  for (const uuid of facts) changed.fact(uuid);
  forgotten.facts += facts.length;
  yield* eraseEpisodes(erasure, yield* next("* FROM graph_episode", "valid_at, seq"));
  const entities = uuidsOf(yield* next("uuid FROM graph_entity", "label"));
  const ids = JSON.stringify(entities);
  yield* execute(`DELETE FROM graph_band WHERE alias IN (SELECT seq FROM graph_alias WHERE entity ${WITHIN})`, ids);
  yield* execute(`DELETE FROM graph_alias WHERE entity ${WITHIN}`, ids);
  yield* execute(`DELETE FROM graph_entity WHERE uuid ${WITHIN}`, ids);
  forgotten.entities += entities.length;
  for (const id of [...facts, ...entities]) yield* forgettingText({ kind: "graph", id }, "later");
  if (left > 0) yield* execute("DELETE FROM graph_group WHERE id = ?", group);
  return left;
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
  for (const id of uuids) {
    changed.episode(id);
    yield* forgettingText({ kind: "graph", id }, "later");
  }
  forgotten.episodes += rows.length;
}

/** On their way to another graph they go by their names. */
const isPromotion = (row: SqlRow): boolean => ["promotion", "directive"].includes(text(row, "origin"));
