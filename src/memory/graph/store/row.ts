// Rows of the graph as values.
import type { Entity, Episode, Fact } from "../../../schema/graph.ts";
import { allRows, type SqlRow, type Unit } from "../../../store/unit.ts";

export const text = (row: SqlRow, name: string): string => String(row[name]);
export const textOrNull = (row: SqlRow, name: string): string | null => (row[name] === null ? null : text(row, name));
const json = (row: SqlRow, name: string) => JSON.parse(text(row, name)) as Record<string, unknown>;

export function episodeOf(row: SqlRow): Episode {
  return {
    uuid: text(row, "uuid"),
    group: text(row, "group_id"),
    name: text(row, "name"),
    source: text(row, "source") as Episode["source"],
    sourceDescription: text(row, "source_description"),
    text: text(row, "text"),
    role: textOrNull(row, "role"),
    roleType: text(row, "role_type") as Episode["roleType"],
    validAt: text(row, "valid_at"),
    createdAt: text(row, "created_at"),
    origin: text(row, "origin") as Episode["origin"],
    ...(row["session"] === null ? {} : { session: text(row, "session") }),
    ...(row["turn"] === null ? {} : { turn: Number(row["turn"]) }),
    metadata: json(row, "metadata"),
    state: text(row, "state") as Episode["state"],
    tries: Number(row["tries"]),
    ...(row["error"] === null ? {} : { error: text(row, "error") }),
  };
}

export function* entityOf(row: SqlRow): Unit<Entity> {
  const name = text(row, "name");
  const names = yield* allRows("SELECT name FROM graph_alias WHERE entity = ? ORDER BY seq", text(row, "uuid"));
  return {
    uuid: text(row, "uuid"),
    group: text(row, "group_id"),
    name,
    label: text(row, "label"),
    aliases: names.map((alias) => text(alias, "name")).filter((alias) => alias !== name),
    summary: text(row, "summary"),
    attributes: json(row, "attributes"),
    createdAt: text(row, "created_at"),
  };
}

/** The columns of a fact with the names of its ends and its episodes, of tables named `f`, `s` and `o`. */
export const FACT = `SELECT f.*, s.name AS subject_name, o.name AS object_name,
  (SELECT json_group_array(episode ORDER BY at, episode) FROM graph_mention WHERE fact = f.uuid) AS episodes FROM graph_fact f
  JOIN graph_entity s ON s.uuid = f.subject JOIN graph_entity o ON o.uuid = f.object`;

export function factOf(row: SqlRow): Fact {
  return {
    uuid: text(row, "uuid"),
    group: text(row, "group_id"),
    relation: text(row, "relation"),
    text: text(row, "text"),
    subject: { uuid: text(row, "subject"), name: text(row, "subject_name") },
    object: { uuid: text(row, "object"), name: text(row, "object_name") },
    slot: text(row, "slot"),
    validAt: text(row, "valid_at"),
    invalidAt: textOrNull(row, "invalid_at"),
    createdAt: text(row, "created_at"),
    expiredAt: textOrNull(row, "expired_at"),
    origin: text(row, "origin") as Fact["origin"],
    trust: Number(row["trust"]),
    invalidatedBy: textOrNull(row, "invalidated_by"),
    reason: textOrNull(row, "reason"),
    attributes: json(row, "attributes"),
    episodes: [...new Set(JSON.parse(textOrNull(row, "episodes") ?? "[]") as string[])],
  };
}
