// Episodes come in: each once, with its place in the line of its group.
import { hash } from "node:crypto";
import { newId } from "../../../base/id.ts";
import type { Instant } from "../../../schema/graph.ts";
import type { Database } from "../../../store/sqlite.ts";
import type { ItemPlace } from "../../recall/item.ts";
import type { AcceptOutcome, AcceptRequest, EpisodeInput } from "../contract.ts";
import { instantAt, laterBy, msOf } from "../time.ts";
import { indexLater } from "./index-later.ts";
import { episodeSource } from "./recall-source.ts";
import { get, run, text } from "./row.ts";
import { addStatements } from "./statement.ts";

/** A message that says neither its name nor its time is the same one for so long. */
const SAME_FOR_MS = 600_000;

/** Inside a transaction. */
export function acceptEpisodes(db: Database, request: AcceptRequest): AcceptOutcome {
  const { group, place, now, episodes } = request;
  const texts = new Map<string, string>();
  const clash = episodes.find((episode) => isClash(db, group, episode) || differs(texts, episode));
  if (clash?.uuid !== undefined) return { type: "conflict", uuid: clash.uuid };
  ensureGroup(db, group, now, place);
  // Messages of one request that have no time of their own follow each other, all of them before it is answered.
  const accepted = episodes.map((episode, i) => acceptOne(db, request, episode, episode.validAt ?? laterBy(now, i)));
  return { type: "accepted", episodes: accepted };
}

/** The first place that is given counts; without one its facts are found by the group alone. */
export function ensureGroup(db: Database, group: string, now: Instant, place: ItemPlace = { level: "group" }): void {
  run(
    db,
    "INSERT OR IGNORE INTO graph_group (id, place, created_at) VALUES (?, ?, ?)",
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

function isClash(db: Database, group: string, { uuid, text: content }: EpisodeInput): boolean {
  const row = uuid === undefined ? undefined : get(db, "SELECT group_id, text FROM graph_episode WHERE uuid = ?", uuid);
  return row !== undefined && (text(row, "group_id") !== group || text(row, "text") !== content);
}

function acceptOne(
  db: Database,
  { group, origin, unread, now }: AcceptRequest,
  episode: EpisodeInput,
  validAt: Instant,
): { uuid: string; isNew: boolean } {
  const key = keyOf(db, group, episode, now);
  const first = get(db, "SELECT uuid FROM graph_episode WHERE group_id = ? AND key = ?", group, key);
  if (first) return { uuid: text(first, "uuid"), isNew: false };
  const uuid = episode.uuid ?? newId();
  const { extraction, session = null, turn = null } = episode;
  run(
    db,
    `INSERT INTO graph_episode (uuid, group_id, key, name, source, source_description, text, role, role_type, valid_at,
       created_at, origin, session, turn, metadata, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[uuid, group, key, episode.name, episode.source ?? "message", episode.sourceDescription ?? ""],
    ...[episode.text, episode.role, episode.roleType, validAt, now, origin, session, turn],
    ...[JSON.stringify(episode.metadata ?? {}), extraction ? "done" : "queued"],
  );
  // Whoever waits for the answer does not wait for the index: what is read anyway gets there with its facts.
  if (extraction || unread) indexLater(db, episodeSource, uuid);
  if (extraction)
    addStatements(db, { group, episode: uuid, extraction: extraction.value, origin: extraction.origin, now });
  return { uuid, isNew: true };
}

/** Equal for the same message, and only for it. */
function keyOf(db: Database, group: string, episode: EpisodeInput, now: Instant): string {
  const { uuid, name, role, roleType, validAt, sourceDescription = "" } = episode;
  if (uuid !== undefined) return `uuid:${uuid}`;
  const digest = (...parts: unknown[]): string => hash("sha256", JSON.stringify(parts)).slice(0, 40);
  if (name !== "" || validAt !== undefined)
    return `message:${digest(name, role, roleType, episode.text, validAt ?? null, sourceDescription)}`;
  const prefix = `text:${digest(role, roleType, episode.text)}:`;
  const since = instantAt(msOf(now) - SAME_FOR_MS);
  const recent = get(
    db,
    "SELECT key FROM graph_episode WHERE group_id = ? AND key > ? AND key < ? ORDER BY key DESC LIMIT 1",
    ...[group, `${prefix}${since}`, `${prefix}~`],
  );
  return recent ? text(recent, "key") : `${prefix}${now}`;
}
