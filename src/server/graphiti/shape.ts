// Requests and answers of Graphiti's REST service, in its names.
import type { EpisodeInput } from "../../memory/graph/contract.ts";
import { ANY_LABEL } from "../../memory/graph/name.ts";
import type { Entity, Episode, Fact, Instant } from "../../schema/graph.ts";
import { datetimeField } from "./datetime.ts";
import {
  booleanField,
  boundedText,
  groupField,
  integerField,
  listOf,
  literalField,
  model,
  nullable,
  required,
  textField,
  withDefault,
} from "./field.ts";

/** In characters. What somebody says may be long; what it is called is not. */
const content = boundedText(1024 * 1024);
const id = boundedText(256);
const label = boundedText(1024);
const note = boundedText(64 * 1024);
/** All of a request are stored together, and others wait for that. */
const MOST_MESSAGES = 10_000;
const MOST_GROUPS = 1_000;

const message = model({
  content: required(content),
  uuid: withDefault(nullable(id), null),
  name: withDefault(label, ""),
  role_type: required(literalField("user", "assistant", "system")),
  role: required(nullable(label)),
  timestamp: withDefault(datetimeField, "" as Instant),
  source_description: withDefault(note, ""),
});

export const messagesRequest = model({
  group_id: required(groupField),
  messages: required(listOf(message, MOST_MESSAGES)),
});

export const searchRequest = model({
  group_ids: withDefault(nullable(listOf(groupField, MOST_GROUPS)), null),
  query: required(textField),
  max_facts: withDefault(integerField, 10),
  include_expired: withDefault(nullable(booleanField), false),
  as_of: withDefault(nullable(datetimeField), null),
  center_node_uuid: withDefault(nullable(id), null),
});

export const memoryRequest = model({
  group_id: required(groupField),
  max_facts: withDefault(integerField, 10),
  center_node_uuid: required(nullable(id)),
  messages: required(listOf(message, MOST_MESSAGES)),
});

export const entityRequest = model({
  uuid: required(id),
  group_id: required(groupField),
  name: required(label),
  summary: withDefault(note, ""),
});

export const groupRequest = model({
  scope: required(literalField("session", "workspace", "user")),
  key: required(note),
});

type Message = NonNullable<ReturnType<typeof message>>;

export const episodeInput = ({
  content,
  uuid,
  name,
  role_type,
  role,
  timestamp,
  source_description,
}: Message): EpisodeInput => ({
  ...(uuid === null || uuid === "" ? {} : { uuid }),
  name,
  text: content,
  role,
  roleType: role_type,
  ...(timestamp === "" ? {} : { validAt: timestamp }),
  sourceDescription: source_description,
});

/** As Python writes a moment: six digits after the second, or none. */
const isoTime = (instant: Instant, zone: string): string => instant.replace(/\.000000Z$|Z$/, "") + zone;
const offsetTime = (instant: Instant | null): string | null => (instant === null ? null : isoTime(instant, "+00:00"));
const zuluTime = (instant: Instant): string => isoTime(instant, "Z");

export const factResult = (fact: Fact) => ({
  uuid: fact.uuid,
  name: fact.relation,
  fact: fact.text,
  valid_at: offsetTime(fact.validAt),
  invalid_at: offsetTime(fact.invalidAt),
  created_at: offsetTime(fact.createdAt),
  expired_at: offsetTime(fact.expiredAt),
  source_node_uuid: fact.subject.uuid,
  target_node_uuid: fact.object.uuid,
  episodes: fact.episodes,
});

export const episodicNode = (episode: Episode, edges: readonly string[]) => ({
  uuid: episode.uuid,
  name: episode.name,
  group_id: episode.group,
  labels: [],
  created_at: zuluTime(episode.createdAt),
  source: episode.source,
  source_description: episode.sourceDescription,
  content: `${episode.role ?? ""}(${episode.roleType}): ${episode.text}`,
  valid_at: zuluTime(episode.validAt),
  entity_edges: edges,
  episode_metadata: Object.keys(episode.metadata).length === 0 ? null : episode.metadata,
});

export const entityNode = (entity: Entity) => ({
  uuid: entity.uuid,
  name: entity.name,
  group_id: entity.group,
  labels: entity.label === ANY_LABEL ? [] : ["Entity", entity.label],
  created_at: zuluTime(entity.createdAt),
  name_embedding: null,
  summary: entity.summary,
  attributes: entity.attributes,
});
