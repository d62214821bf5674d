// Undoing a merge: a name that was taken for another one becomes an entity of its own, with what was said of it.
import { newId } from "../../../base/id.ts";
import type { Instant } from "../../../schema/graph.ts";
import type { Database } from "../../../store/sqlite.ts";
import type { SeparateOutcome, SeparateRequest } from "../contract.ts";
import { foldedName } from "../name.ts";
import { indexLater } from "./index-later.ts";
import { factSource } from "./recall-source.ts";
import { all, entityOf, type GraphRow, get, run, text, textOrNull } from "./row.ts";
import { mendTrack, placeStatement, removeFact, trackOfRow } from "./track.ts";

/** A name beside its entity's first one that came by likeness: only those have bands. */
const MERGED = `SELECT a.seq, a.name, a.label, a.entity, e.name AS first FROM graph_alias a JOIN graph_entity e ON e.uuid = a.entity
  WHERE a.group_id = ? AND a.folded IN (?, ?) AND a.bands <> '[]'
  AND a.seq > (SELECT min(seq) FROM graph_alias WHERE entity = a.entity) LIMIT 1`;

/** Inside a transaction. Undefined: no such name was merged in this group. */
export function separateName(db: Database, { group, name, now }: SeparateRequest): SeparateOutcome | undefined {
  const alias = get(db, MERGED, group, foldedName(name, "Term"), foldedName(name, "File"));
  if (!alias) return undefined;
  const [before, own] = [text(alias, "entity"), newId()];
  run(
    db,
    `INSERT INTO graph_entity (uuid, group_id, name, label, summary, attributes, created_at)
     VALUES (?, ?, ?, ?, '', '{}', ?)`,
    ...[own, group, text(alias, "name"), text(alias, "label"), now],
  );
  run(db, "UPDATE graph_alias SET entity = ? WHERE seq = ?", own, Number(alias["seq"]));
  const isOwn = saysOnly(text(alias, "name"), text(alias, "first"));
  const move = { before, own, name: text(alias, "name"), isOwn, now };
  const facts = all(db, "SELECT * FROM graph_fact WHERE subject = ?1 OR object = ?1", before);
  const count = facts.filter((fact) => moveMentions(db, fact, move)).length;
  moveEndings(db, move);
  // They are found by every name of their ends.
  const left = all(db, "SELECT uuid FROM graph_fact WHERE subject = ?1 OR object = ?1", before);
  for (const fact of left) indexLater(db, factSource, text(fact, "uuid"));
  const row = get(db, "SELECT * FROM graph_entity WHERE uuid = ?", own);
  if (!row) throw new Error(`the entity ${own} was not stored`);
  return { entity: entityOf(db, row), from: { uuid: before, name: text(alias, "first") }, facts: count };
}

type Move = { before: string; own: string; name: string; isOwn(said: string): boolean; now: Instant };

/** Whether a text means the name, and not the one that it was taken for. */
function saysOnly(name: string, other: string): (said: string) => boolean {
  const words = (value: string) =>
    ` ${value
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim()} `;
  const [own, first] = [words(name), words(other)];
  return (said) => {
    const text = words(said);
    return text.includes(own) && !text.includes(first);
  };
}

/** What episodes said under the name is said again of its own entity. */
function moveMentions(db: Database, fact: GraphRow, { before, own, name, isOwn, now }: Move): boolean {
  const uuid = text(fact, "uuid");
  const mentions = all(
    db,
    "SELECT m.*, e.text AS told FROM graph_mention m LEFT JOIN graph_episode e ON e.uuid = m.episode WHERE m.fact = ?",
    uuid,
  ).filter((row) => isOwn(text(row, "text")) || (row["told"] !== null && isOwn(text(row, "told"))));
  if (mentions.length === 0) return false;
  const swapped = (id: string): string => (id === before ? own : id);
  const object = swapped(text(fact, "object"));
  const objectName =
    object === own
      ? name
      : text(get(db, "SELECT name FROM graph_entity WHERE uuid = ?", object) ?? { name: "" }, "name");
  const old = trackOfRow(fact);
  const key = JSON.stringify((JSON.parse(old.key) as string[]).map(swapped));
  const track = { ...old, key, subject: swapped(old.subject) };
  for (const row of mentions) {
    const [at, episode, until] = [text(row, "at"), text(row, "episode"), textOrNull(row, "until")];
    run(db, "DELETE FROM graph_mention WHERE fact = ? AND at = ? AND episode = ?", uuid, at, episode);
    const statement = {
      object,
      name: objectName,
      at,
      text: text(row, "text"),
      episode,
      ...(until === null ? {} : { until }),
    };
    placeStatement(db, track, { type: "so", ...statement }, { origin: text(fact, "origin") as "rule", now });
  }
  if (!get(db, "SELECT 1 FROM graph_mention WHERE fact = ? LIMIT 1", uuid)) removeFact(db, uuid);
  mendTrack(db, old, now);
  return true;
}

function moveEndings(db: Database, { before, own, isOwn }: Move): void {
  for (const row of all(db, "SELECT * FROM graph_ending WHERE subject = ?1 OR object = ?1", before)) {
    if (!isOwn(text(row, "text"))) continue;
    for (const end of ["subject", "object"] as const)
      run(
        db,
        `UPDATE OR IGNORE graph_ending SET ${end} = ? WHERE ${end} = ? AND at = ? AND episode = ? AND text = ?`,
        ...[own, before, text(row, "at"), text(row, "episode"), text(row, "text")],
      );
  }
}
