// Facts and episodes of the graph as items of recall.
import { parseJson } from "../../../base/json.ts";
import { allRows, oneRow, type SqlRow, type Unit } from "../../../store/unit.ts";
import type { Item, ItemPlace } from "../../recall/item.ts";
import type { RecallSource } from "../../recall/store/source.ts";
import { FACT_ROLES } from "../contract.ts";
import { msOf } from "../time.ts";
import { text } from "./row.ts";

/** Found by its sentence and by every name of both its ends. */
export const factSource: RecallSource = {
  kind: "fact",
  ids: () => uuids("SELECT uuid FROM graph_fact"),
  item: factItem,
};

/** What came from our own turns is found as those turns. */
export const episodeSource: RecallSource = {
  kind: "episode",
  ids: () => uuids("SELECT uuid FROM graph_episode WHERE origin = 'api'"),
  item: episodeItem,
};

function* factItem(uuid: string): Unit<Item | undefined> {
  const row = yield* oneRow("SELECT * FROM graph_fact WHERE uuid = ?", uuid);
  if (!row) return undefined;
  const ends = [text(row, "subject"), text(row, "object")];
  const names = yield* allRows("SELECT name FROM graph_alias WHERE entity IN (?, ?) ORDER BY seq", ...ends);
  const words = new Set([text(row, "text"), ...names.map((alias) => text(alias, "name"))]);
  return {
    id: uuid,
    kind: "fact",
    text: [...words].join("\n"),
    role: row["expired_at"] === null ? FACT_ROLES.current : FACT_ROLES.ended,
    time: msOf(text(row, "valid_at")),
    seq: 0,
    place: yield* placeOf(text(row, "group_id")),
    trust: text(row, "origin"),
  };
}

function* episodeItem(uuid: string): Unit<Item | undefined> {
  const row = yield* oneRow("SELECT * FROM graph_episode WHERE uuid = ? AND origin = 'api'", uuid);
  if (!row) return undefined;
  return {
    id: uuid,
    kind: "episode",
    text: text(row, "text"),
    role: text(row, "role_type"),
    time: msOf(text(row, "valid_at")),
    seq: Number(row["seq"]),
    place: yield* placeOf(text(row, "group_id")),
  };
}

function* uuids(sql: string): Unit<string[]> {
  return (yield* allRows(sql)).map((row: SqlRow) => text(row, "uuid"));
}

function* placeOf(group: string): Unit<ItemPlace> {
  const row = yield* oneRow("SELECT place FROM graph_group WHERE id = ?", group);
  const place = row ? parseJson(text(row, "place")) : undefined;
  return place?.ok ? (place.value as ItemPlace) : { level: "group", group };
}
