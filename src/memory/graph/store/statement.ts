// What an episode says becomes part of the graph: each statement takes its place in the track of its fact.
import { optional } from "../../../base/optional.ts";
import type { GraphFactOrigin, Instant } from "../../../schema/graph.ts";
import type { Database } from "../../../store/sqlite.ts";
import type { Extraction, FactDraft, FactEnding } from "../extract/draft.ts";
import { relationName, relationRule } from "../extract/relation.ts";
import { instantOf } from "../time.ts";
import { type EntityRef, entityFor } from "./entity.ts";
import { all, run } from "./row.ts";
import { placeStatement, type Track, trackOfRow } from "./track.ts";

export type EpisodeStatements = {
  group: string;
  episode: string;
  extraction: Extraction;
  origin: GraphFactOrigin;
  now: Instant;
};

/** Inside a transaction. What the episode said before stays; saying it again changes nothing. */
export function addStatements(db: Database, { group, episode, extraction, origin, now }: EpisodeStatements): void {
  const entity = (draft: FactDraft["subject"]): EntityRef => entityFor(db, group, draft, now);
  for (const draft of extraction.entities) entity(draft);
  for (const draft of extraction.facts) {
    const [subject, object] = [entity(draft.subject), entity(draft.object)];
    if (subject.uuid === object.uuid) continue;
    const track = trackOf(group, subject, object, draft);
    const { text: sentence, validAt, validUntil } = draft;
    const at = instantOf(validAt) ?? now;
    const end = validUntil === undefined ? undefined : instantOf(validUntil);
    const until = end !== undefined && end > at ? end : undefined;
    const statement = {
      object: object.uuid,
      name: object.name,
      at,
      ...optional("until", until),
      text: sentence,
      episode,
    };
    placeStatement(db, track, { type: "so", ...statement }, { origin, now });
  }
  for (const ending of extraction.endings) addEnding(db, { episode, now }, ending, entity);
}

/** A preference for one purpose, or the one value that a relation has, follows the one before; other facts stand for themselves. */
function trackOf(
  group: string,
  subject: EntityRef,
  object: EntityRef,
  { relation, slot = "", text }: FactDraft,
): Track {
  const name = relationName(relation);
  const foldedSlot = slot.trim().toLowerCase();
  const { single } = relationRule(name);
  const key =
    single === "always" || (single === "in-slot" && foldedSlot !== "")
      ? [subject.uuid, name, foldedSlot]
      : [
          subject.uuid,
          name,
          foldedSlot,
          object.uuid,
          text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim(),
        ];
  return { group, key: JSON.stringify(key), subject: subject.uuid, relation: name, slot: foldedSlot };
}

function addEnding(
  db: Database,
  { episode, now }: { episode: string; now: Instant },
  { subject, object, relation, at, text: sentence }: FactEnding,
  entity: (draft: FactEnding["subject"]) => EntityRef,
): void {
  const [from, to] = [entity(subject), entity(object)];
  const name = relation === undefined ? "" : relationName(relation);
  const moment = instantOf(at) ?? now;
  run(
    db,
    "INSERT OR IGNORE INTO graph_ending (subject, object, at, relation, episode, text) VALUES (?, ?, ?, ?, ?, ?)",
    ...[from.uuid, to.uuid, moment, name, episode, sentence],
  );
  const tracks = all(
    db,
    "SELECT DISTINCT group_id, track, subject, relation, slot FROM graph_fact WHERE subject = ? AND object = ? AND (? = '' OR relation = ?) AND valid_at <= ?",
    ...[from.uuid, to.uuid, name, name, moment],
  );
  for (const row of tracks) {
    const statement = { object: to.uuid, name: to.name, at: moment, text: sentence, episode };
    placeStatement(db, trackOfRow(row), { type: "ended", ...statement }, { origin: "rule", now });
  }
}
