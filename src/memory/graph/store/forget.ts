// Erasing from the graph: rows, their words in the index, and their images in the journal.
import type { Instant } from "../../../schema/graph.ts";
import { allRows, execute, forgettingText, onEmbedded, oneRow, type SqlRow, type Unit } from "../../../store/unit.ts";
import { dropTurns, forgetUnit } from "../../graphiti/queue.ts";
import { bury, fedTurn } from "../../recall/store/tombstone.ts";
import type { ForgetTarget, Forgotten } from "../contract.ts";
import { holdingGroup } from "./accept.ts";
import { type ChangedRows, indexing } from "./changed-row.ts";
import { removeAlias, removeEntity, removeIfUnused } from "./entity.ts";
import { text } from "./row.ts";
import { mendTrack, removeFact, trackOfRow } from "./track.ts";

/** What a transaction of forgetting knows. */
type Erasure = { changed: ChangedRows; forgotten: Forgotten; now: Instant };

export const forgetTarget = (target: ForgetTarget, now: Instant): Unit<Forgotten> =>
  indexing(function* (changed) {
    const erasure = { changed, forgotten: { episodes: 0, facts: 0, entities: 0 }, now };
    yield* erase(erasure, target);
    return erasure.forgotten;
  });

function* erase(erasure: Erasure, target: ForgetTarget): Unit<void> {
  switch (target.type) {
    case "fact":
      return yield* forgetFacts(erasure, yield* chosen("graph_fact WHERE uuid = ?", target.id));
    case "episode":
      return yield* forgetEpisodes(erasure, yield* chosen("graph_episode WHERE uuid = ?", target.id));
    case "turn": {
      const { session, turn, role } = target;
      const [ofRole, values] = role === undefined ? ["", []] : [" AND role_type = ?", [role]];
      const uuids = yield* chosen(`graph_episode WHERE session = ? AND turn = ?${ofRole}`, session, turn, ...values);
      yield* forgetEpisodes(erasure, uuids);
      yield* onEmbedded((db) => {
        bury(db, fedTurn(session, turn));
        dropTurns(db, { session, turn });
      });
      return;
    }
    case "session": {
      const { session } = target;
      const uuids =
        session === undefined
          ? yield* chosen("graph_episode WHERE session IS NOT NULL AND origin = 'turn'")
          : yield* chosen("graph_episode WHERE session = ? AND origin = 'turn'", session);
      yield* forgetEpisodes(erasure, uuids);
      return yield* onEmbedded((db) => dropTurns(db, session === undefined ? {} : { session }));
    }
    case "entity": {
      yield* forgetFacts(erasure, yield* chosen("graph_fact WHERE subject = ?1 OR object = ?1", target.id));
      for (const uuid of yield* chosen("graph_entity WHERE uuid = ?", target.id)) yield* dropEntity(erasure, uuid);
      return;
    }
    case "group":
      return yield* forgetGroup(erasure, target.id);
    case "everything":
      for (const row of yield* allRows("SELECT id FROM graph_group ORDER BY id"))
        yield* forgetGroup(erasure, text(row, "id"));
  }
}

/** Rows by their uuids; nobody else changes their groups from here on. */
function* chosen(where: string, ...values: (string | number)[]): Unit<string[]> {
  const rows = (): Unit<SqlRow[]> => allRows(`SELECT uuid, group_id FROM ${where}`, ...values);
  const groups = new Set((yield* rows()).map((row) => text(row, "group_id")));
  for (const group of [...groups].sort()) yield* holdingGroup(group);
  return (yield* rows()).map((row) => text(row, "uuid"));
}

function* forgetGroup(erasure: Erasure, group: string): Unit<void> {
  yield* holdingGroup(group);
  for (const uuid of yield* chosen("graph_fact WHERE group_id = ?", group)) {
    yield* removeFact(erasure.changed, uuid);
    erasure.forgotten.facts++;
  }
  yield* forgetEpisodes(erasure, yield* chosen("graph_episode WHERE group_id = ?", group));
  for (const uuid of yield* chosen("graph_entity WHERE group_id = ?", group)) yield* dropEntity(erasure, uuid);
  yield* execute("DELETE FROM graph_group WHERE id = ?", group);
}

/** Facts that rest on other episodes too stay, in the words of those. */
function* forgetEpisodes(erasure: Erasure, uuids: readonly string[]): Unit<void> {
  for (const uuid of uuids) {
    const row = yield* oneRow("SELECT * FROM graph_episode WHERE uuid = ?", uuid);
    if (!row) continue;
    yield* execute("DELETE FROM graph_episode WHERE uuid = ?", uuid);
    yield* onEmbedded((db) => {
      if (isPromotion(row)) forgetUnit(db, text(row, "name"));
      if (row["turn"] !== null) bury(db, fedTurn(text(row, "session"), Number(row["turn"])));
    });
    erasure.forgotten.episodes++;
    erasure.changed.episode(uuid);
    yield* forgettingText({ kind: "graph", id: uuid });
    const facts = yield* allRows(
      "SELECT DISTINCT f.* FROM graph_mention m JOIN graph_fact f ON f.uuid = m.fact WHERE m.episode = ?",
      uuid,
    );
    const ended = yield* allRows(
      `SELECT DISTINCT f.* FROM graph_ending e JOIN graph_fact f ON f.subject = e.subject AND f.object = e.object
       AND (e.relation = '' OR e.relation = f.relation) WHERE e.episode = ?`,
      uuid,
    );
    yield* execute("DELETE FROM graph_mention WHERE episode = ?", uuid);
    yield* execute("DELETE FROM graph_ending WHERE episode = ?", uuid);
    yield* mend(erasure, [...facts, ...ended]);
    yield* dropNames(erasure, row);
  }
}

/** On their way to another graph they go by their names. */
const isPromotion = (row: SqlRow): boolean => ["promotion", "directive"].includes(text(row, "origin"));

/** As both databases do it, whatever letters they know. */
const lowered = (name: string): string => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const NAMES = "SELECT seq, entity, name FROM graph_alias WHERE group_id = ? AND instr(?, lower(name)) > 0";
const SAID_ELSEWHERE = "SELECT 1 FROM graph_episode WHERE group_id = ? AND instr(lower(text), ?) > 0 LIMIT 1";

/** Names that no other episode says go, and entities that were known by them alone and came with this episode. */
function* dropNames({ changed, forgotten }: Erasure, episode: SqlRow): Unit<void> {
  const group = text(episode, "group_id");
  for (const alias of yield* allRows(NAMES, group, lowered(text(episode, "text")))) {
    const [entity, name] = [text(alias, "entity"), text(alias, "name")];
    if (yield* oneRow(SAID_ELSEWHERE, group, lowered(name))) continue;
    const row = yield* oneRow("SELECT name, created_at FROM graph_entity WHERE uuid = ?", entity);
    if (!row || text(row, "created_at") < text(episode, "created_at")) continue;
    const other = yield* oneRow(
      "SELECT name FROM graph_alias WHERE entity = ? AND seq <> ? ORDER BY seq LIMIT 1",
      ...[entity, Number(alias["seq"])],
    );
    if (!other) {
      if (!(yield* removeIfUnused(entity))) continue;
      forgotten.entities++;
    } else {
      yield* removeAlias(Number(alias["seq"]));
      yield* execute("UPDATE graph_entity SET name = ? WHERE uuid = ? AND name = ?", text(other, "name"), entity, name);
      yield* writeAgain([
        ["graph_entity SET name = name WHERE uuid = ?1", entity],
        ["graph_alias SET name = name WHERE entity = ?1", entity],
        ["graph_ending SET text = text WHERE subject = ?1 OR object = ?1", entity],
      ]);
      const facts = yield* allRows("SELECT uuid FROM graph_fact WHERE subject = ?1 OR object = ?1", entity);
      for (const fact of facts) changed.fact(text(fact, "uuid"));
    }
    yield* forgettingText({ kind: "graph", id: entity });
  }
}

function* forgetFacts(erasure: Erasure, uuids: readonly string[]): Unit<void> {
  for (const uuid of uuids) {
    const rows = yield* allRows("SELECT * FROM graph_fact WHERE uuid = ?", uuid);
    const triples = (yield* allRows(TRIPLES, uuid)).map((row) => text(row, "uuid"));
    yield* execute("DELETE FROM graph_mention WHERE fact = ?", uuid);
    yield* mend(erasure, rows);
    yield* forgetEpisodes(erasure, triples);
  }
}

/** Episodes that are nothing but this fact. */
const TRIPLES = `SELECT e.uuid FROM graph_mention m JOIN graph_episode e ON e.uuid = m.episode AND e.source = 'fact_triple'
  WHERE m.fact = ?1 AND NOT EXISTS (SELECT 1 FROM graph_mention o WHERE o.episode = e.uuid AND o.fact <> ?1)`;

/** Facts that nothing says any more go, with ends that nothing else uses; the others of their tracks close up. */
function* mend({ changed, forgotten, now }: Erasure, facts: readonly SqlRow[]): Unit<void> {
  const ends = new Set<string>();
  for (const row of facts) {
    const uuid = text(row, "uuid");
    yield* forgettingText({ kind: "graph", id: uuid });
    if (yield* oneRow("SELECT 1 FROM graph_mention WHERE fact = ? LIMIT 1", uuid)) {
      yield* writeAgain([
        ["graph_fact SET text = text WHERE uuid = ?1", uuid],
        ["graph_mention SET text = text WHERE fact = ?1", uuid],
      ]);
      continue;
    }
    if (!(yield* oneRow("SELECT 1 FROM graph_fact WHERE uuid = ?", uuid))) continue;
    yield* removeFact(changed, uuid);
    forgotten.facts++;
    ends.add(text(row, "subject")).add(text(row, "object"));
  }
  const tracks = new Map(facts.map((row) => [`${row["group_id"]} ${row["track"]}`, row]));
  for (const row of tracks.values()) yield* mendTrack(changed, trackOfRow(row), now);
  for (const uuid of ends) {
    if (!(yield* removeIfUnused(uuid))) continue;
    yield* forgettingText({ kind: "graph", id: uuid });
    forgotten.entities++;
  }
}

/** Rows that stay though older lines about them are blanked: the journal gets them anew. */
function* writeAgain(updates: readonly (readonly [sql: string, id: string])[]): Unit<void> {
  for (const [sql, id] of updates) yield* execute(`UPDATE ${sql}`, id);
}

function* dropEntity({ forgotten }: Erasure, uuid: string): Unit<void> {
  yield* removeEntity(uuid);
  yield* forgettingText({ kind: "graph", id: uuid });
  forgotten.entities++;
}
