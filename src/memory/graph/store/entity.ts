// Entities by their names: a draft finds the one it means, or becomes a new one.
import { newId } from "../../../base/id.ts";
import type { Instant } from "../../../schema/graph.ts";
import type { Database } from "../../../store/sqlite.ts";
import type { EntityDraft } from "../extract/draft.ts";
import { type EntityLabel, LABELS } from "../extract/relation.ts";
import { ANY_LABEL, areAlike, bandsOf, foldedName, isCompatible } from "../name.ts";
import { all, type GraphRow, get, run, text } from "./row.ts";

export type EntityRef = { uuid: string; name: string };

const SHORTEST_HASH = 7;

/** Inside a transaction. */
export function entityFor(db: Database, group: string, draft: EntityDraft, now: Instant): EntityRef {
  const { name, label } = draft;
  const folded = foldedName(name, label);
  const existing = byName(db, group, folded, label) ?? byBeginning(db, group, folded, label);
  if (existing) {
    sharpen(db, existing, label);
    return refOf(existing);
  }
  const bands = bandsOf(folded, label);
  const alike = byLikeness(db, group, folded, label, bands);
  if (alike) {
    addAlias(db, { group, entity: text(alike, "uuid"), name, label, bands });
    return refOf(alike);
  }
  const uuid = newId();
  insertEntity(db, { uuid, group, name, label, summary: "", now });
  return { uuid, name };
}

const refOf = (row: GraphRow): EntityRef => ({ uuid: text(row, "uuid"), name: text(row, "name") });

export type EntityRow = {
  uuid: string;
  group: string;
  name: string;
  label: EntityLabel;
  summary: string;
  now: Instant;
};

export function insertEntity(db: Database, { uuid, group, name, label, summary, now }: EntityRow): void {
  run(
    db,
    "INSERT INTO graph_entity (uuid, group_id, name, label, summary, attributes, created_at) VALUES (?, ?, ?, ?, ?, '{}', ?)",
    ...[uuid, group, name, label, summary, now],
  );
  addAlias(db, { group, entity: uuid, name, label, bands: bandsOf(foldedName(name, label), label) });
}

export function addAlias(
  db: Database,
  alias: { group: string; entity: string; name: string; label: EntityLabel; bands: readonly string[] },
): void {
  const { group, entity, name, label, bands } = alias;
  const { lastInsertRowid, changes } = run(
    db,
    "INSERT OR IGNORE INTO graph_alias (group_id, folded, label, entity, name, bands) VALUES (?, ?, ?, ?, ?, ?)",
    ...[group, foldedName(name, label), label, entity, name, JSON.stringify(bands)],
  );
  if (changes === 0) return;
  for (const band of bands)
    run(
      db,
      "INSERT OR IGNORE INTO graph_band (group_id, band, alias) VALUES (?, ?, ?)",
      ...[group, band, Number(lastInsertRowid)],
    );
}

const NAMED = `SELECT e.uuid, e.name, e.label, a.folded FROM graph_alias a JOIN graph_entity e ON e.uuid = a.entity`;

/** The same label first; then, for a name that is the same in any case, a label that fits. */
function byName(db: Database, group: string, folded: string, label: EntityLabel): GraphRow | undefined {
  const rows = all(db, `${NAMED} WHERE a.group_id = ? AND a.folded = ? ORDER BY a.seq`, group, folded);
  const labelOf = (row: GraphRow) => text(row, "label") as EntityLabel;
  return rows.find((row) => labelOf(row) === label) ?? rows.find((row) => isCompatible(labelOf(row), label));
}

/** A longer or shorter form of the same hash, when it can mean only one commit. */
function byBeginning(db: Database, group: string, folded: string, label: EntityLabel): GraphRow | undefined {
  if (LABELS[label].match !== "prefix" || folded.length < SHORTEST_HASH) return undefined;
  const start = folded.slice(0, SHORTEST_HASH);
  const rows = all(
    db,
    `${NAMED} WHERE a.group_id = ? AND a.label = ? AND a.folded >= ? AND a.folded < ?`,
    ...[group, label, start, `${start}~`],
  ).filter((row) => text(row, "folded").startsWith(folded) || folded.startsWith(text(row, "folded")));
  const commits = new Map(rows.map((row) => [text(row, "uuid"), row]));
  return commits.size === 1 ? [...commits.values()][0] : undefined;
}

function byLikeness(
  db: Database,
  group: string,
  folded: string,
  label: EntityLabel,
  bands: readonly string[],
): GraphRow | undefined {
  if (bands.length === 0) return undefined;
  const rows = all(
    db,
    `${NAMED} WHERE a.seq IN (SELECT alias FROM graph_band WHERE group_id = ? AND band IN (SELECT value FROM json_each(?)))
     ORDER BY a.seq`,
    ...[group, JSON.stringify(bands)],
  );
  return rows.find(
    (row) => isCompatible(text(row, "label") as EntityLabel, label) && areAlike(text(row, "folded"), folded),
  );
}

/** What was only a thing turns out to be of a kind. */
function sharpen(db: Database, row: GraphRow, label: EntityLabel): void {
  if (label === ANY_LABEL || text(row, "label") !== ANY_LABEL) return;
  run(db, "UPDATE graph_entity SET label = ? WHERE uuid = ?", label, text(row, "uuid"));
}

/** By uuid, or by any of its names. */
export function findEntities(db: Database, name: string, groups: readonly string[] | undefined): GraphRow[] {
  return all(
    db,
    `SELECT DISTINCT e.* FROM graph_alias a JOIN graph_entity e ON e.uuid = a.entity
     WHERE a.folded IN (?, ?) AND (? IS NULL OR a.group_id IN (SELECT value FROM json_each(?))) ORDER BY e.created_at, e.uuid`,
    ...[foldedName(name, ANY_LABEL), foldedName(name, "File")],
    ...[groups ? 1 : null, JSON.stringify(groups ?? [])],
  );
}

/** Nothing of the graph rests on it any more. */
export function removeIfUnused(db: Database, uuid: string): boolean {
  const isUsed = get(db, "SELECT 1 FROM graph_fact WHERE subject = ?1 OR object = ?1 LIMIT 1", uuid) !== undefined;
  if (isUsed) return false;
  removeEntity(db, uuid);
  return true;
}

export function removeAlias(db: Database, seq: number): void {
  run(db, "DELETE FROM graph_band WHERE alias = ?", seq);
  run(db, "DELETE FROM graph_alias WHERE seq = ?", seq);
}

export function removeEntity(db: Database, uuid: string): void {
  run(db, "DELETE FROM graph_band WHERE alias IN (SELECT seq FROM graph_alias WHERE entity = ?)", uuid);
  run(db, "DELETE FROM graph_alias WHERE entity = ?", uuid);
  run(db, "DELETE FROM graph_ending WHERE subject = ?1 OR object = ?1", uuid);
  run(db, "DELETE FROM graph_entity WHERE uuid = ?", uuid);
}
