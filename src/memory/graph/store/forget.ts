// Erasing from the graph: rows, their words in the index, and their images in the journal; much of it in parts, each of them whole.
import type { Instant } from "../../../schema/graph.ts";
import {
  allRows,
  execute,
  forgettingNoted,
  forgettingText,
  onEmbedded,
  oneRow,
  type SqlRow,
  type Unit,
} from "../../../store/unit.ts";
import { dropTurns } from "../../graphiti/queue.ts";
import { bury, fedTurn } from "../../recall/store/tombstone.ts";
import type { ForgetTarget, Forgotten } from "../contract.ts";
import { indexing } from "./changed-row.ts";
import { removeEntity, removeIfUnused } from "./entity.ts";
import { amongList, chosen, type Erasure, eraseEpisodes, forgetGroup, WITHIN } from "./forget-group.ts";
import { dropNames } from "./forget-name.ts";
import { text } from "./row.ts";
import { mendTrack, removeFact, trackOfRow } from "./track.ts";

/** How many rows go in one transaction: others wait for it. */
const PART = 100;

type ForgetProgress = { forgotten: Forgotten /** Nothing of the target is left. */; isOver: boolean };

/** The next part: goes on from what was forgotten before. */
export const forgetPart = (target: ForgetTarget, before: Forgotten, now: Instant): Unit<ForgetProgress> =>
  indexing(function* (changed) {
    const erasure = { changed, forgotten: { ...before }, now };
    const isOver = yield* erase(erasure, target);
    const { forgotten } = erasure;
    // Once for all parts: it takes reading the whole journal.
    if (isOver && forgotten.episodes + forgotten.facts + forgotten.entities > 0) yield* forgettingNoted();
    return { forgotten, isOver };
  });

export const NOTHING_FORGOTTEN: Forgotten = { episodes: 0, facts: 0, entities: 0 };

/** All of it, in the transaction of the caller. */
export function* forgetTarget(target: ForgetTarget, now: Instant): Unit<Forgotten> {
  let progress: ForgetProgress = { forgotten: NOTHING_FORGOTTEN, isOver: false };
  while (!progress.isOver) progress = yield* forgetPart(target, progress.forgotten, now);
  return progress.forgotten;
}

/** False: there is more. */
function* erase(erasure: Erasure, target: ForgetTarget): Unit<boolean> {
  switch (target.type) {
    case "fact":
      yield* forgetFacts(erasure, yield* chosen("graph_fact WHERE uuid = ?", target.id));
      return true;
    case "episode":
      yield* forgetEpisodes(erasure, yield* chosen("graph_episode WHERE uuid = ?", target.id));
      return true;
    case "turn": {
      const { session, turn, role } = target;
      const [ofRole, values] = role === undefined ? ["", []] : [" AND role_type = ?", [role]];
      const uuids = yield* chosen(`graph_episode WHERE session = ? AND turn = ?${ofRole}`, session, turn, ...values);
      yield* forgetEpisodes(erasure, uuids);
      yield* onEmbedded((db) => {
        bury(db, fedTurn(session, turn));
        dropTurns(db, { session, turn });
      });
      return true;
    }
    case "session":
      return yield* forgetSession(erasure, target.session);
    case "entity": {
      const where = "graph_fact WHERE subject = ?1 OR object = ?1 ORDER BY valid_at, uuid LIMIT ?2";
      const facts = yield* chosen(where, target.id, PART);
      yield* forgetFacts({ ...erasure, entity: target.id }, facts);
      if (facts.length === PART) return false;
      for (const uuid of yield* chosen("graph_entity WHERE uuid = ?", target.id)) yield* dropEntity(erasure, uuid);
      return true;
    }
    case "group":
      return (yield* forgetGroup(erasure, target.id, PART)) > 0;
    case "everything": {
      let left = PART;
      for (const row of yield* allRows("SELECT id FROM graph_group ORDER BY id LIMIT ?", PART)) {
        left = yield* forgetGroup(erasure, text(row, "id"), left);
        if (left === 0) return false;
      }
      return (yield* oneRow("SELECT 1 FROM graph_group LIMIT 1")) === undefined;
    }
  }
}

function* forgetSession(erasure: Erasure, session: string | undefined): Unit<boolean> {
  const [ofSession, values] = session === undefined ? ["IS NOT NULL", []] : ["= ?", [session]];
  const where = `graph_episode WHERE session ${ofSession} AND origin = 'turn' ORDER BY seq LIMIT ?`;
  const uuids = yield* chosen(where, ...values, PART);
  yield* forgetEpisodes(erasure, uuids);
  if (uuids.length === PART) return false;
  yield* onEmbedded((db) => dropTurns(db, session === undefined ? {} : { session }));
  return true;
}

/** Facts that rest on other episodes too stay, in the words of those. */
function* forgetEpisodes(erasure: Erasure, uuids: readonly string[]): Unit<void> {
  if (uuids.length === 0) return;
  const ids = JSON.stringify(uuids);
  const rows = yield* allRows(`SELECT * FROM graph_episode WHERE uuid ${WITHIN} ORDER BY seq`, ids);
  const facts = yield* allRows(
    `SELECT * FROM graph_fact WHERE uuid IN (SELECT fact FROM graph_mention WHERE episode ${WITHIN})`,
    ids,
  );
  const ended = yield* allRows(
    `SELECT DISTINCT f.* FROM graph_ending e JOIN graph_fact f ON f.subject = e.subject AND f.object = e.object
     AND (e.relation = '' OR e.relation = f.relation) WHERE e.episode ${WITHIN}`,
    ids,
  );
  yield* eraseEpisodes(erasure, rows);
  yield* mend(erasure, [...facts, ...ended]);
  yield* dropNames(erasure, rows);
}

function* forgetFacts(erasure: Erasure, uuids: readonly string[]): Unit<void> {
  if (uuids.length === 0) return;
  const ids = JSON.stringify(uuids);
  const rows = yield* allRows(`SELECT * FROM graph_fact WHERE uuid ${WITHIN}`, ids);
  const triples = (yield* allRows(TRIPLES, ids)).map((row) => text(row, "uuid"));
  yield* execute(`DELETE FROM graph_mention WHERE fact ${WITHIN}`, ids);
  yield* mend(erasure, rows);
  yield* forgetEpisodes(erasure, triples);
}

/** Episodes that are nothing but these facts. */
const TRIPLES = `SELECT DISTINCT e.uuid FROM graph_mention m
  JOIN graph_episode e ON e.uuid = m.episode AND e.source = 'fact_triple' WHERE m.fact ${amongList(1)}
  AND NOT EXISTS (SELECT 1 FROM graph_mention o WHERE o.episode = e.uuid AND NOT o.fact ${amongList(1)})`;

/** Facts that nothing says any more go, with ends that nothing else uses; the others of their tracks close up. */
function* mend({ changed, forgotten, now, entity }: Erasure, facts: readonly SqlRow[]): Unit<void> {
  const ends = new Set<string>();
  for (const row of new Map(facts.map((fact) => [text(fact, "uuid"), fact])).values()) {
    const uuid = text(row, "uuid");
    yield* forgettingText({ kind: "graph", id: uuid }, "later");
    if (yield* oneRow("SELECT 1 FROM graph_mention WHERE fact = ? LIMIT 1", uuid)) {
      // It stays though older lines about it are blanked: the journal gets it anew.
      yield* execute("UPDATE graph_fact SET text = text WHERE uuid = ?", uuid);
      yield* execute("UPDATE graph_mention SET text = text WHERE fact = ?", uuid);
      continue;
    }
    if (!(yield* oneRow("SELECT 1 FROM graph_fact WHERE uuid = ?", uuid))) continue;
    yield* removeFact(changed, uuid);
    forgotten.facts++;
    ends.add(text(row, "subject")).add(text(row, "object"));
  }
  const tracks = new Map(facts.map((row) => [`${row["group_id"]} ${row["track"]}`, row]));
  for (const row of tracks.values()) if (row["subject"] !== entity) yield* mendTrack(changed, trackOfRow(row), now);
  for (const uuid of ends) {
    if (!(yield* removeIfUnused(uuid))) continue;
    yield* forgettingText({ kind: "graph", id: uuid }, "later");
    forgotten.entities++;
  }
}

function* dropEntity({ forgotten }: Erasure, uuid: string): Unit<void> {
  yield* removeEntity(uuid);
  yield* forgettingText({ kind: "graph", id: uuid }, "later");
  forgotten.entities++;
}
