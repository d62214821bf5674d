// Undoing a merge: a name that was taken for another one becomes an entity of its own, with what was said of it.
import { newId } from "../../../base/id.ts";
import type { Instant } from "../../../schema/graph.ts";
import { allRows, execute, oneRow, type SqlRow, type Unit } from "../../../store/unit.ts";
import type { SeparateOutcome, SeparateRequest } from "../contract.ts";
import { foldedName } from "../name.ts";
import { holdingGroup } from "./accept.ts";
import type { ChangedRows } from "./changed-row.ts";
import { entityOf, text, textOrNull } from "./row.ts";
import { mendTrack, placeStatement, removeFact, trackOfRow } from "./track.ts";

/** A name beside its entity's first one that came by likeness: only those have bands. */
const MERGED = `SELECT a.seq, a.name, a.label, a.entity, e.name AS first FROM graph_alias a JOIN graph_entity e ON e.uuid = a.entity
  WHERE a.group_id = ? AND a.folded IN (?, ?) AND a.bands <> '[]'
  AND a.seq > (SELECT min(seq) FROM graph_alias WHERE entity = a.entity) LIMIT 1`;

/** Undefined: no such name was merged in this group. */
export function* separateName(
  changed: ChangedRows,
  { group, name, now }: SeparateRequest,
): Unit<SeparateOutcome | undefined> {
  yield* holdingGroup(group);
  const alias = yield* oneRow(MERGED, group, foldedName(name, "Term"), foldedName(name, "File"));
  if (!alias) return undefined;
  const [before, own] = [text(alias, "entity"), newId()];
  yield* execute(
    `INSERT INTO graph_entity (uuid, group_id, name, label, summary, attributes, created_at)
     VALUES (?, ?, ?, ?, '', '{}', ?)`,
    ...[own, group, text(alias, "name"), text(alias, "label"), now],
  );
  yield* execute("UPDATE graph_alias SET entity = ? WHERE seq = ?", own, Number(alias["seq"]));
  const isOwn = saysOnly(text(alias, "name"), text(alias, "first"));
  const move = { before, own, name: text(alias, "name"), isOwn, now };
  const facts = yield* allRows("SELECT * FROM graph_fact WHERE subject = ?1 OR object = ?1", before);
  let count = 0;
  for (const fact of facts) if (yield* moveMentions(changed, fact, move)) count++;
  yield* moveEndings(move);
  // They are found by every name of their ends.
  const left = yield* allRows("SELECT uuid FROM graph_fact WHERE subject = ?1 OR object = ?1", before);
  for (const fact of left) changed.fact(text(fact, "uuid"));
  const row = yield* oneRow("SELECT * FROM graph_entity WHERE uuid = ?", own);
  if (!row) throw new Error(`the entity ${own} was not stored`);
  return { entity: yield* entityOf(row), from: { uuid: before, name: text(alias, "first") }, facts: count };
}

type Move = { before: string; own: string; name: string; isOwn(sentence: string): boolean; now: Instant };

/** Whether a text means the name, and not the one that it was taken for. */
function saysOnly(name: string, other: string): (sentence: string) => boolean {
  const words = (value: string) =>
    ` ${value
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim()} `;
  const [own, first] = [words(name), words(other)];
  return (sentence) => {
    const text = words(sentence);
    return text.includes(own) && !text.includes(first);
  };
}

/** What episodes said under the name is said again of its own entity. */
function* moveMentions(changed: ChangedRows, fact: SqlRow, { before, own, name, isOwn, now }: Move): Unit<boolean> {
  const uuid = text(fact, "uuid");
  const mentions = (yield* allRows(
    "SELECT m.*, e.text AS told FROM graph_mention m LEFT JOIN graph_episode e ON e.uuid = m.episode WHERE m.fact = ?",
    uuid,
  )).filter((row) => isOwn(text(row, "text")) || (row["told"] !== null && isOwn(text(row, "told"))));
  if (mentions.length === 0) return false;
  const swapped = (id: string): string => (id === before ? own : id);
  const object = swapped(text(fact, "object"));
  const objectName =
    object === own
      ? name
      : text((yield* oneRow("SELECT name FROM graph_entity WHERE uuid = ?", object)) ?? { name: "" }, "name");
  const old = trackOfRow(fact);
  const key = JSON.stringify((JSON.parse(old.key) as string[]).map(swapped));
  const track = { ...old, key, subject: swapped(old.subject) };
  for (const row of mentions) {
    const [at, episode, until] = [text(row, "at"), text(row, "episode"), textOrNull(row, "until")];
    yield* execute("DELETE FROM graph_mention WHERE fact = ? AND at = ? AND episode = ?", uuid, at, episode);
    const statement = {
      object,
      name: objectName,
      at,
      text: text(row, "text"),
      episode,
      ...(until === null ? {} : { until }),
    };
    yield* placeStatement(
      changed,
      track,
      { type: "so", ...statement },
      { origin: text(fact, "origin") as "rule", now },
    );
  }
  if (!(yield* oneRow("SELECT 1 FROM graph_mention WHERE fact = ? LIMIT 1", uuid))) yield* removeFact(changed, uuid);
  yield* mendTrack(changed, old, now);
  return true;
}

function* moveEndings({ before, own, isOwn }: Move): Unit<void> {
  for (const row of yield* allRows("SELECT * FROM graph_ending WHERE subject = ?1 OR object = ?1", before)) {
    if (!isOwn(text(row, "text"))) continue;
    const [subject, object] = [text(row, "subject"), text(row, "object")];
    const [at, relation, episode] = [text(row, "at"), text(row, "relation"), text(row, "episode")];
    yield* execute(
      "DELETE FROM graph_ending WHERE subject = ? AND object = ? AND at = ? AND relation = ? AND episode = ?",
      ...[subject, object, at, relation, episode],
    );
    yield* execute(
      `INSERT INTO graph_ending (subject, object, at, relation, episode, text) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (subject, object, at, relation, episode) DO NOTHING`,
      ...[subject === before ? own : subject, object === before ? own : object, at, relation, episode],
      text(row, "text"),
    );
  }
}
