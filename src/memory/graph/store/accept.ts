// Episodes come in: each once, with its place in the line of its group.
import { hash } from "node:crypto";
import { newId } from "../../../base/id.ts";
import type { Instant } from "../../../schema/graph.ts";
import { changeCount, execute, holding, oneRow, type Unit } from "../../../store/unit.ts";
import type { ItemPlace } from "../../recall/item.ts";
import type { AcceptOutcome, AcceptRequest, EpisodeInput } from "../contract.ts";
import { instantAt, laterBy, msOf } from "../time.ts";
import type { ChangedRows } from "./changed-row.ts";
import { text } from "./row.ts";
import { addStatements } from "./statement.ts";

/** A message that says neither its name nor its time is the same one for so long. */
const SAME_FOR_MS = 600_000;

export function* acceptEpisodes(changed: ChangedRows, request: AcceptRequest): Unit<AcceptOutcome> {
  const { group, place, now, episodes } = request;
  yield* holdingGroup(group);
  const texts = new Map<string, string>();
  for (const episode of episodes)
    if (episode.uuid !== undefined && ((yield* isClash(group, episode)) || differs(texts, episode)))
      return { type: "conflict", uuid: episode.uuid };
  yield* ensureGroup(group, now, place);
  const accepted: { uuid: string; isNew: boolean }[] = [];
  // Messages of one request that have no time of their own follow each other, all of them before it is answered.
  for (const [i, episode] of episodes.entries())
    accepted.push(yield* acceptOne(changed, request, episode, episode.validAt ?? laterBy(now, i)));
  return { type: "accepted", episodes: accepted };
}

/** Whoever decides by what a group has is alone with it until the end of the transaction. */
export const holdingGroup = (group: string): Unit<void> => holding("graph", group);

/** The first place that is given counts; without one its facts are found by the group alone. */
export function* ensureGroup(group: string, now: Instant, place: ItemPlace = { level: "group" }): Unit<void> {
  yield* execute(
    "INSERT INTO graph_group (id, place, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
    ...[group, JSON.stringify({ ...place, group }), now],
  );
}

/** Two messages of one request have one uuid and two texts. */
function differs(texts: Map<string, string>, { uuid, text: content }: EpisodeInput): boolean {
  if (uuid === undefined) return false;
  const first = texts.get(uuid) ?? content;
  texts.set(uuid, first);
  return first !== content;
}

function* isClash(group: string, { uuid = "", text: content }: EpisodeInput): Unit<boolean> {
  const row = yield* oneRow("SELECT group_id, text FROM graph_episode WHERE uuid = ?", uuid);
  return row !== undefined && (text(row, "group_id") !== group || text(row, "text") !== content);
}

function* acceptOne(
  changed: ChangedRows,
  { group, origin, readLate, now }: AcceptRequest,
  episode: EpisodeInput,
  validAt: Instant,
): Unit<{ uuid: string; isNew: boolean }> {
  const key = yield* keyOf(group, episode, now);
  const uuid = episode.uuid ?? newId();
  const { extraction, session = null, turn = null } = episode;
  const added = yield* changeCount(
    `INSERT INTO graph_episode (uuid, group_id, key, name, source, source_description, text, role, role_type, valid_at,
       created_at, origin, session, turn, metadata, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (group_id, key) DO NOTHING`,
    ...[uuid, group, key, episode.name, episode.source ?? "message", episode.sourceDescription ?? ""],
    ...[episode.text, episode.role, episode.roleType, validAt, now, origin, session, turn],
    ...[JSON.stringify(episode.metadata ?? {}), extraction ? "done" : "queued"],
  );
  if (added === 0) {
    const first = yield* oneRow("SELECT uuid FROM graph_episode WHERE group_id = ? AND key = ?", group, key);
    return { uuid: first ? text(first, "uuid") : uuid, isNew: false };
  }
  // Whoever waits for the answer does not wait for the index: what the rules read in a moment gets there with its facts.
  if (extraction || readLate) changed.episode(uuid);
  if (extraction)
    yield* addStatements(changed, {
      group,
      episode: uuid,
      extraction: extraction.value,
      origin: extraction.origin,
      now,
    });
  return { uuid, isNew: true };
}

/** Equal for the same message, and only for it. */
function* keyOf(group: string, episode: EpisodeInput, now: Instant): Unit<string> {
  const { uuid, name, role, roleType, validAt, sourceDescription = "" } = episode;
  if (uuid !== undefined) return `uuid:${uuid}`;
  const digest = (...parts: unknown[]): string => hash("sha256", JSON.stringify(parts)).slice(0, 40);
  if (name !== "" || validAt !== undefined)
    return `message:${digest(name, role, roleType, episode.text, validAt ?? null, sourceDescription)}`;
  const prefix = `text:${digest(role, roleType, episode.text)}:`;
  const since = instantAt(msOf(now) - SAME_FOR_MS);
  const recent = yield* oneRow(
    "SELECT key FROM graph_episode WHERE group_id = ? AND key > ? AND key < ? ORDER BY key DESC LIMIT 1",
    ...[group, `${prefix}${since}`, `${prefix}~`],
  );
  return recent ? text(recent, "key") : `${prefix}${now}`;
}
