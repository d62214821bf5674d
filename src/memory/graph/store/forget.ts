// Erasing from the graph: rows, their words in the index, and their images in the journal.
import type { Instant } from "../../../schema/graph.ts";
import { eraseFromJournal } from "../../../store/journal/journal.ts";
import type { Database } from "../../../store/sqlite.ts";
import { forgetUnit } from "../../graphiti/queue.ts";
import { bury, fedTurn } from "../../recall/store/tombstone.ts";
import type { ForgetTarget, Forgotten } from "../contract.ts";
import { removeAlias, removeEntity, removeIfUnused } from "./entity.ts";
import { indexLater } from "./index-later.ts";
import { episodeSource, factSource } from "./recall-source.ts";
import { all, type GraphRow, get, run, text } from "./row.ts";
import { mendTrack, removeFact, trackOfRow } from "./track.ts";

const OUTGOING =
  "SELECT DISTINCT session, turn FROM graph_outbox WHERE session = COALESCE(?, session) AND turn IS NOT NULL";

/** Inside a transaction. */
export function forgetTarget(db: Database, target: ForgetTarget, now: Instant): Forgotten {
  const forgotten: Forgotten = { episodes: 0, facts: 0, entities: 0 };
  const uuidsOf = (sql: string, ...values: (string | number | null)[]) =>
    all(db, sql, ...values).map((row) => text(row, "uuid"));
  switch (target.type) {
    case "fact":
      forgetFacts(db, [target.id], forgotten, now);
      break;
    case "episode":
      forgetEpisodes(db, [target.id], forgotten, now);
      break;
    case "turn": {
      const sql = "SELECT uuid FROM graph_episode WHERE session = ? AND turn = ? AND ?3 IN ('', role_type)";
      forgetEpisodes(db, uuidsOf(sql, target.session, target.turn, target.role ?? ""), forgotten, now);
      bury(db, fedTurn(target.session, target.turn));
      dropOutgoing(db, target.session, target.turn);
      break;
    }
    case "session": {
      const sql = "SELECT uuid FROM graph_episode WHERE session = COALESCE(?, session) AND origin = 'turn'";
      forgetEpisodes(db, uuidsOf(sql, target.session ?? null), forgotten, now);
      for (const row of all(db, OUTGOING, target.session ?? null))
        dropOutgoing(db, text(row, "session"), Number(row["turn"]));
      break;
    }
    case "entity":
      forgetFacts(
        db,
        uuidsOf("SELECT uuid FROM graph_fact WHERE subject = ?1 OR object = ?1", target.id),
        forgotten,
        now,
      );
      if (get(db, "SELECT 1 FROM graph_entity WHERE uuid = ?", target.id)) dropEntity(db, target.id, forgotten);
      break;
    case "group":
      forgetGroup(db, target.id, forgotten, now);
      break;
    case "everything":
      for (const row of all(db, "SELECT id FROM graph_group")) forgetGroup(db, text(row, "id"), forgotten, now);
  }
  return forgotten;
}

function forgetGroup(db: Database, group: string, forgotten: Forgotten, now: Instant): void {
  const uuids = (table: string): string[] =>
    all(db, `SELECT uuid FROM ${table} WHERE group_id = ?`, group).map((row) => text(row, "uuid"));
  for (const uuid of uuids("graph_fact")) {
    removeFact(db, uuid);
    forgotten.facts++;
  }
  forgetEpisodes(db, uuids("graph_episode"), forgotten, now);
  for (const uuid of uuids("graph_entity")) dropEntity(db, uuid, forgotten);
  run(db, "DELETE FROM graph_group WHERE id = ?", group);
}

/** What of a turn waits to be sent to another graph, or was. */
function dropOutgoing(db: Database, session: string, turn: number): void {
  const units = all(db, "SELECT DISTINCT unit FROM graph_outbox WHERE session = ? AND turn = ?", session, turn);
  run(db, "DELETE FROM graph_outbox WHERE session = ? AND turn = ?", session, turn);
  for (const unit of units) eraseFromJournal(db, { kind: "outbox", id: text(unit, "unit") });
}

/** Facts that rest on other episodes too stay, in the words of those. */
function forgetEpisodes(db: Database, uuids: readonly string[], forgotten: Forgotten, now: Instant): void {
  for (const uuid of uuids) {
    const row = get(db, "SELECT * FROM graph_episode WHERE uuid = ?", uuid);
    if (!row) continue;
    run(db, "DELETE FROM graph_episode WHERE uuid = ?", uuid);
    if (isPromotion(row)) forgetUnit(db, text(row, "name"));
    if (row["turn"] !== null) bury(db, fedTurn(text(row, "session"), Number(row["turn"])));
    forgotten.episodes++;
    indexLater(db, episodeSource, uuid);
    eraseFromJournal(db, { kind: "graph", id: uuid });
    const facts = all(
      db,
      "SELECT DISTINCT f.* FROM graph_mention m JOIN graph_fact f ON f.uuid = m.fact WHERE m.episode = ?",
      uuid,
    );
    const ended = all(
      db,
      `SELECT DISTINCT f.* FROM graph_ending e JOIN graph_fact f ON f.subject = e.subject AND f.object = e.object
       AND (e.relation = '' OR e.relation = f.relation) WHERE e.episode = ?`,
      uuid,
    );
    run(db, "DELETE FROM graph_mention WHERE episode = ?", uuid);
    run(db, "DELETE FROM graph_ending WHERE episode = ?", uuid);
    mend(db, [...facts, ...ended], forgotten, now);
    dropNames(db, row, forgotten);
  }
}

/** On their way to another graph they go by their names. */
const isPromotion = (row: GraphRow): boolean => ["promotion", "directive"].includes(text(row, "origin"));

const NAMES = "SELECT seq, entity, name FROM graph_alias WHERE group_id = ? AND instr(lower(?), lower(name)) > 0";
const SAID_ELSEWHERE = "SELECT 1 FROM graph_episode WHERE group_id = ? AND instr(lower(text), lower(?)) > 0 LIMIT 1";

/** Names that no other episode says go, and entities that were known by them alone and came with this episode. */
function dropNames(db: Database, episode: GraphRow, forgotten: Forgotten): void {
  const group = text(episode, "group_id");
  for (const alias of all(db, NAMES, group, text(episode, "text"))) {
    const [entity, name] = [text(alias, "entity"), text(alias, "name")];
    if (get(db, SAID_ELSEWHERE, group, name)) continue;
    const row = get(db, "SELECT name, created_at FROM graph_entity WHERE uuid = ?", entity);
    if (!row || text(row, "created_at") < text(episode, "created_at")) continue;
    const other = get(
      db,
      "SELECT name FROM graph_alias WHERE entity = ? AND seq <> ? ORDER BY seq LIMIT 1",
      ...[entity, Number(alias["seq"])],
    );
    if (!other) {
      if (!removeIfUnused(db, entity)) continue;
      forgotten.entities++;
    } else {
      removeAlias(db, Number(alias["seq"]));
      run(db, "UPDATE graph_entity SET name = ? WHERE uuid = ? AND name = ?", text(other, "name"), entity, name);
      writeAgain(db, [
        ["graph_entity SET name = name WHERE uuid = ?1", entity],
        ["graph_alias SET name = name WHERE entity = ?1", entity],
        ["graph_ending SET text = text WHERE subject = ?1 OR object = ?1", entity],
      ]);
      const facts = all(db, "SELECT uuid FROM graph_fact WHERE subject = ?1 OR object = ?1", entity);
      for (const fact of facts) indexLater(db, factSource, text(fact, "uuid"));
    }
    eraseFromJournal(db, { kind: "graph", id: entity });
  }
}

function forgetFacts(db: Database, uuids: readonly string[], forgotten: Forgotten, now: Instant): void {
  for (const uuid of uuids) {
    const rows = all(db, "SELECT * FROM graph_fact WHERE uuid = ?", uuid);
    const triples = all(db, TRIPLES, uuid).map((row) => text(row, "uuid"));
    run(db, "DELETE FROM graph_mention WHERE fact = ?", uuid);
    mend(db, rows, forgotten, now);
    forgetEpisodes(db, triples, forgotten, now);
  }
}

/** Episodes that are nothing but this fact. */
const TRIPLES = `SELECT e.uuid FROM graph_mention m JOIN graph_episode e ON e.uuid = m.episode AND e.source = 'fact_triple'
  WHERE m.fact = ?1 AND NOT EXISTS (SELECT 1 FROM graph_mention o WHERE o.episode = e.uuid AND o.fact <> ?1)`;

/** Facts that nothing says any more go, with ends that nothing else uses; the others of their tracks close up. */
function mend(db: Database, facts: readonly GraphRow[], forgotten: Forgotten, now: Instant): void {
  const ends = new Set<string>();
  for (const row of facts) {
    const uuid = text(row, "uuid");
    eraseFromJournal(db, { kind: "graph", id: uuid });
    if (get(db, "SELECT 1 FROM graph_mention WHERE fact = ? LIMIT 1", uuid)) {
      writeAgain(db, [
        ["graph_fact SET text = text WHERE uuid = ?1", uuid],
        ["graph_mention SET text = text WHERE fact = ?1", uuid],
      ]);
      continue;
    }
    if (!get(db, "SELECT 1 FROM graph_fact WHERE uuid = ?", uuid)) continue;
    removeFact(db, uuid);
    forgotten.facts++;
    ends.add(text(row, "subject")).add(text(row, "object"));
  }
  const tracks = new Map(facts.map((row) => [`${row["group_id"]} ${row["track"]}`, row]));
  for (const row of tracks.values()) mendTrack(db, trackOfRow(row), now);
  for (const uuid of ends) {
    if (!removeIfUnused(db, uuid)) continue;
    eraseFromJournal(db, { kind: "graph", id: uuid });
    forgotten.entities++;
  }
}

/** Rows that stay though older lines about them are blanked: the journal gets them anew. */
function writeAgain(db: Database, updates: readonly (readonly [sql: string, id: string])[]): void {
  for (const [sql, id] of updates) run(db, `UPDATE ${sql}`, id);
}

function dropEntity(db: Database, uuid: string, forgotten: Forgotten): void {
  removeEntity(db, uuid);
  eraseFromJournal(db, { kind: "graph", id: uuid });
  forgotten.entities++;
}
