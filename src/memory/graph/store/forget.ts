// Erasing from the graph: rows, their words in the index, and their images in the journal.
import type { Instant } from "../../../schema/graph.ts";
import { eraseFromJournal } from "../../../store/journal/journal.ts";
import type { Database } from "../../../store/sqlite.ts";
import { indexRow } from "../../recall/store/source.ts";
import type { ForgetTarget, Forgotten } from "../contract.ts";
import { episodeSource } from "../recall-source.ts";
import { removeEntity, removeIfUnused } from "./entity.ts";
import { all, type GraphRow, get, run, text } from "./row.ts";
import { mendTrack, removeFact } from "./track.ts";

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
      const sql = "SELECT uuid FROM graph_episode WHERE session = ? AND turn = ?";
      forgetEpisodes(db, uuidsOf(sql, target.session, target.turn), forgotten, now);
      break;
    }
    case "session": {
      const sql = "SELECT uuid FROM graph_episode WHERE session = COALESCE(?, session) AND origin = 'turn'";
      forgetEpisodes(db, uuidsOf(sql, target.session ?? null), forgotten, now);
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

/** Facts that rest on other episodes too stay, in the words of those. */
function forgetEpisodes(db: Database, uuids: readonly string[], forgotten: Forgotten, now: Instant): void {
  for (const uuid of uuids) {
    if (run(db, "DELETE FROM graph_episode WHERE uuid = ?", uuid).changes === 0) continue;
    forgotten.episodes++;
    indexRow(db, episodeSource, uuid);
    eraseFromJournal(db, { kind: "graph", id: uuid });
    const facts = factRows(
      db,
      "SELECT DISTINCT f.* FROM graph_mention m JOIN graph_fact f ON f.uuid = m.fact WHERE m.episode = ?",
      uuid,
    );
    const ended = factRows(
      db,
      `SELECT DISTINCT f.* FROM graph_ending e JOIN graph_fact f ON f.subject = e.subject AND f.object = e.object
       AND (e.relation = '' OR e.relation = f.relation) WHERE e.episode = ?`,
      uuid,
    );
    run(db, "DELETE FROM graph_mention WHERE episode = ?", uuid);
    run(db, "DELETE FROM graph_ending WHERE episode = ?", uuid);
    mend(db, [...facts, ...ended], forgotten, now);
  }
}

function forgetFacts(db: Database, uuids: readonly string[], forgotten: Forgotten, now: Instant): void {
  for (const uuid of uuids) {
    const rows = factRows(db, "SELECT * FROM graph_fact WHERE uuid = ?", uuid);
    run(db, "DELETE FROM graph_mention WHERE fact = ?", uuid);
    mend(db, rows, forgotten, now);
  }
}

const factRows = (db: Database, sql: string, uuid: string): GraphRow[] => all(db, sql, uuid);

/** Facts that nothing says any more go, with ends that nothing else uses; the others of their tracks close up. */
function mend(db: Database, facts: readonly GraphRow[], forgotten: Forgotten, now: Instant): void {
  const ends = new Set<string>();
  for (const row of facts) {
    const uuid = text(row, "uuid");
    eraseFromJournal(db, { kind: "graph", id: uuid });
    if (get(db, "SELECT 1 FROM graph_mention WHERE fact = ? LIMIT 1", uuid)) continue;
    if (!get(db, "SELECT 1 FROM graph_fact WHERE uuid = ?", uuid)) continue;
    removeFact(db, uuid);
    forgotten.facts++;
    ends.add(text(row, "subject")).add(text(row, "object"));
  }
  const tracks = new Map(facts.map((row) => [`${row["group_id"]} ${row["track"]}`, row]));
  for (const row of tracks.values())
    mendTrack(
      db,
      {
        group: text(row, "group_id"),
        key: text(row, "track"),
        subject: text(row, "subject"),
        relation: text(row, "relation"),
        slot: text(row, "slot"),
      },
      now,
    );
  for (const uuid of ends) {
    if (!removeIfUnused(db, uuid)) continue;
    eraseFromJournal(db, { kind: "graph", id: uuid });
    forgotten.entities++;
  }
}

function dropEntity(db: Database, uuid: string, forgotten: Forgotten): void {
  removeEntity(db, uuid);
  eraseFromJournal(db, { kind: "graph", id: uuid });
  forgotten.entities++;
}
