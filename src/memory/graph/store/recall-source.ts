// Facts and episodes of the graph as items of recall.
import { parseJson } from "../../../base/json.ts";
import type { Database } from "../../../store/sqlite.ts";
import type { ItemPlace } from "../../recall/item.ts";
import type { RecallSource } from "../../recall/store/source.ts";
import { FACT_ROLES } from "../contract.ts";
import { msOf } from "../time.ts";
import { all, type GraphRow, get, text } from "./row.ts";

/** Found by its sentence and by every name of both its ends. */
export const factSource: RecallSource = {
  kind: "fact",
  ids: (db) => uuids(all(db, "SELECT uuid FROM graph_fact")),
  item(db, uuid) {
    const row = get(db, "SELECT * FROM graph_fact WHERE uuid = ?", uuid);
    if (!row) return undefined;
    const names = all(db, "SELECT name FROM graph_alias WHERE entity IN (?, ?) ORDER BY seq", ...ends(row));
    const words = new Set([text(row, "text"), ...names.map((alias) => text(alias, "name"))]);
    return {
      id: uuid,
      kind: "fact",
      text: [...words].join("\n"),
      role: row["expired_at"] === null ? FACT_ROLES.current : FACT_ROLES.ended,
      time: msOf(text(row, "valid_at")),
      seq: 0,
      place: placeOf(db, text(row, "group_id")),
      trust: text(row, "origin"),
    };
  },
};

/** What came from our own turns is found as those turns. */
export const episodeSource: RecallSource = {
  kind: "episode",
  ids: (db) => uuids(all(db, "SELECT uuid FROM graph_episode WHERE origin = 'api'")),
  item(db, uuid) {
    const row = get(db, "SELECT * FROM graph_episode WHERE uuid = ? AND origin = 'api'", uuid);
    if (!row) return undefined;
    return {
      id: uuid,
      kind: "episode",
      text: text(row, "text"),
      role: text(row, "role_type"),
      time: msOf(text(row, "valid_at")),
      seq: Number(row["seq"]),
      place: placeOf(db, text(row, "group_id")),
    };
  },
};

const uuids = (rows: readonly GraphRow[]): string[] => rows.map((row) => text(row, "uuid"));
const ends = (row: GraphRow): [string, string] => [text(row, "subject"), text(row, "object")];

function placeOf(db: Database, group: string): ItemPlace {
  const row = get(db, "SELECT place FROM graph_group WHERE id = ?", group);
  const place = row ? parseJson(text(row, "place")) : undefined;
  return place?.ok ? (place.value as ItemPlace) : { level: "group", group };
}
