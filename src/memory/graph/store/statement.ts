// What an episode says becomes part of the graph: each statement takes its place in the track of its fact.
import { hash } from "node:crypto";
import { optional } from "../../../base/optional.ts";
import type { GraphFactOrigin, Instant } from "../../../schema/graph.ts";
import { allRows, execute, type Unit } from "../../../store/unit.ts";
import type { Extraction, FactDraft, FactEnding } from "../extract/draft.ts";
import { relationName, relationRule } from "../extract/relation.ts";
import { instantOf } from "../time.ts";
import type { ChangedRows } from "./changed-row.ts";
import { type EntityRef, entityFor } from "./entity.ts";
import { placeStatement, type Track, trackOfRow } from "./track.ts";

type EpisodeStatements = {
  group: string;
  episode: string;
  extraction: Extraction;
  origin: GraphFactOrigin;
  now: Instant;
};

/** What the episode said before stays; saying it again changes nothing. */
export function* addStatements(changed: ChangedRows, statements: EpisodeStatements): Unit<void> {
  const { group, episode, extraction, origin, now } = statements;
  const entity = (draft: FactDraft["subject"]): Unit<EntityRef> => entityFor(group, draft, now);
  for (const draft of extraction.entities) yield* entity(draft);
  for (const draft of extraction.facts) {
    const [subject, object] = [yield* entity(draft.subject), yield* entity(draft.object)];
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
    yield* placeStatement(changed, track, { type: "so", ...statement }, { origin, now });
  }
  for (const ending of extraction.endings) yield* addEnding(changed, statements, ending, entity);
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
      ? [subject.uuid, name, short(foldedSlot)]
      : [
          ...[subject.uuid, name, short(foldedSlot), object.uuid],
          short(text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim()),
        ];
  return { group, key: JSON.stringify(key), subject: subject.uuid, relation: name, slot: foldedSlot };
}

const MOST_CHARS = 400;

/** A text that is part of a key: a long one is known by its hash. */
const short = (text: string): string => (text.length <= MOST_CHARS ? text : hash("sha256", text));

function* addEnding(
  changed: ChangedRows,
  { episode, now }: { episode: string; now: Instant },
  { subject, object, relation, at, text: sentence }: FactEnding,
  entity: (draft: FactEnding["subject"]) => Unit<EntityRef>,
): Unit<void> {
  const [from, to] = [yield* entity(subject), yield* entity(object)];
  const name = relation === undefined ? "" : relationName(relation);
  const moment = instantOf(at) ?? now;
  yield* execute(
    `INSERT INTO graph_ending (subject, object, at, relation, episode, text) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (subject, object, at, relation, episode) DO NOTHING`,
    ...[from.uuid, to.uuid, moment, name, episode, sentence],
  );
  const tracks = yield* allRows(
    `SELECT DISTINCT group_id, track, subject, relation, slot FROM graph_fact WHERE subject = ? AND object = ?
     AND valid_at <= ?${name === "" ? "" : " AND relation = ?"}`,
    ...[from.uuid, to.uuid, moment, ...(name === "" ? [] : [name])],
  );
  for (const row of tracks) {
    const statement = { object: to.uuid, name: to.name, at: moment, text: sentence, episode };
    yield* placeStatement(changed, trackOfRow(row), { type: "ended", ...statement }, { origin: "rule", now });
  }
}
