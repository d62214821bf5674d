// Entities by their names: a draft finds the one it means, or becomes a new one.
import { newId } from "../../../base/id.ts";
import type { Instant } from "../../../schema/graph.ts";
import { allRows, execute, oneRow, type SqlRow, type Unit } from "../../../store/unit.ts";
import type { EntityDraft } from "../extract/draft.ts";
import { type EntityLabel, LABELS } from "../extract/relation.ts";
import { ANY_LABEL, areAlike, bandsOf, foldedName, isCompatible } from "../name.ts";
import { text } from "./row.ts";

export type EntityRef = { uuid: string; name: string };

const SHORTEST_HASH = 7;

export function* entityFor(group: string, draft: EntityDraft, now: Instant): Unit<EntityRef> {
  const { name, label } = draft;
  const folded = foldedName(name, label);
  const existing = (yield* byName(group, folded, label)) ?? (yield* byBeginning(group, folded, label));
  if (existing) {
    yield* sharpen(existing, label);
    return refOf(existing);
  }
  const bands = bandsOf(folded, label);
  const alike = yield* byLikeness(group, folded, label, bands);
  if (alike) {
    yield* addAlias({ group, entity: text(alike, "uuid"), name, label, bands });
    return refOf(alike);
  }
  const uuid = newId();
  yield* insertEntity({ uuid, group, name, label, summary: "", now });
  return { uuid, name };
}

const refOf = (row: SqlRow): EntityRef => ({ uuid: text(row, "uuid"), name: text(row, "name") });

type EntityRow = {
  uuid: string;
  group: string;
  name: string;
  label: EntityLabel;
  summary: string;
  now: Instant;
};

export function* insertEntity({ uuid, group, name, label, summary, now }: EntityRow): Unit<void> {
  yield* execute(
    "INSERT INTO graph_entity (uuid, group_id, name, label, summary, attributes, created_at) VALUES (?, ?, ?, ?, ?, '{}', ?)",
    ...[uuid, group, name, label, summary, now],
  );
  yield* addAlias({ group, entity: uuid, name, label, bands: bandsOf(foldedName(name, label), label) });
}

export function* addAlias(alias: {
  group: string;
  entity: string;
  name: string;
  label: EntityLabel;
  bands: readonly string[];
}): Unit<void> {
  const { group, entity, name, label, bands } = alias;
  const added = yield* oneRow(
    `INSERT INTO graph_alias (group_id, folded, label, entity, name, bands) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (group_id, folded, label) DO NOTHING RETURNING seq`,
    ...[group, foldedName(name, label), label, entity, name, JSON.stringify(bands)],
  );
  if (!added || bands.length === 0) return;
  yield* execute(
    `INSERT INTO graph_band (group_id, band, alias) VALUES ${bands.map(() => "(?, ?, ?)").join(", ")}
     ON CONFLICT (group_id, band, alias) DO NOTHING`,
    ...bands.flatMap((band) => [group, band, Number(added["seq"])]),
  );
}

const NAMED = `SELECT e.uuid, e.name, e.label, a.folded FROM graph_alias a JOIN graph_entity e ON e.uuid = a.entity`;

/** The same label first; then, for a name that is the same in any case, a label that fits. */
function* byName(group: string, folded: string, label: EntityLabel): Unit<SqlRow | undefined> {
  const rows = yield* allRows(`${NAMED} WHERE a.group_id = ? AND a.folded = ? ORDER BY a.seq`, group, folded);
  const labelOf = (row: SqlRow) => text(row, "label") as EntityLabel;
  return rows.find((row) => labelOf(row) === label) ?? rows.find((row) => isCompatible(labelOf(row), label));
}

/** A longer or shorter form of the same hash, when it can mean only one commit. */
function* byBeginning(group: string, folded: string, label: EntityLabel): Unit<SqlRow | undefined> {
  if (LABELS[label].match !== "prefix" || folded.length < SHORTEST_HASH) return undefined;
  const start = folded.slice(0, SHORTEST_HASH);
  const rows = (yield* allRows(
    `${NAMED} WHERE a.group_id = ? AND a.label = ? AND a.folded >= ? AND a.folded < ?`,
    ...[group, label, start, `${start}~`],
  )).filter((row) => text(row, "folded").startsWith(folded) || folded.startsWith(text(row, "folded")));
  const commits = new Map(rows.map((row) => [text(row, "uuid"), row]));
  return commits.size === 1 ? [...commits.values()][0] : undefined;
}

function* byLikeness(
  group: string,
  folded: string,
  label: EntityLabel,
  bands: readonly string[],
): Unit<SqlRow | undefined> {
  if (bands.length === 0) return undefined;
  const rows = yield* allRows(
    `${NAMED} WHERE a.seq IN (SELECT alias FROM graph_band WHERE group_id = ? AND band IN (SELECT value FROM json_each(?)))
     ORDER BY a.seq`,
    ...[group, JSON.stringify(bands)],
  );
  return rows.find(
    (row) => isCompatible(text(row, "label") as EntityLabel, label) && areAlike(text(row, "folded"), folded),
  );
}

/** What was only a thing turns out to be of a kind. */
function* sharpen(row: SqlRow, label: EntityLabel): Unit<void> {
  if (label === ANY_LABEL || text(row, "label") !== ANY_LABEL) return;
  yield* execute("UPDATE graph_entity SET label = ? WHERE uuid = ?", label, text(row, "uuid"));
}

/** By uuid, or by any of its names. */
export function findEntities(name: string, groups: readonly string[] | undefined): Unit<SqlRow[]> {
  return allRows(
    `SELECT DISTINCT e.* FROM graph_alias a JOIN graph_entity e ON e.uuid = a.entity WHERE a.folded IN (?, ?)
     ${groups ? "AND a.group_id IN (SELECT value FROM json_each(?))" : ""} ORDER BY e.created_at, e.uuid`,
    ...[foldedName(name, ANY_LABEL), foldedName(name, "File")],
    ...(groups ? [JSON.stringify(groups)] : []),
  );
}

/** Whether a fact is about it. */
export function* isUsed(uuid: string): Unit<boolean> {
  return (yield* oneRow("SELECT 1 FROM graph_fact WHERE subject = ?1 OR object = ?1 LIMIT 1", uuid)) !== undefined;
}

/** Nothing of the graph rests on it any more. */
export function* removeIfUnused(uuid: string): Unit<boolean> {
  if (yield* isUsed(uuid)) return false;
  yield* removeEntity(uuid);
  return true;
}

export function* removeAlias(seq: number): Unit<void> {
  yield* execute("DELETE FROM graph_band WHERE alias = ?", seq);
  yield* execute("DELETE FROM graph_alias WHERE seq = ?", seq);
}

export function* removeEntity(uuid: string): Unit<void> {
  yield* execute("DELETE FROM graph_band WHERE alias IN (SELECT seq FROM graph_alias WHERE entity = ?)", uuid);
  yield* execute("DELETE FROM graph_alias WHERE entity = ?", uuid);
  yield* execute("DELETE FROM graph_ending WHERE subject = ?1 OR object = ?1", uuid);
  yield* execute("DELETE FROM graph_entity WHERE uuid = ?", uuid);
}
