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

const MOST_CONTENT = 1024 * 1024;

const message = model({
  content: required(boundedText(MOST_CONTENT)),
  uuid: withDefault(nullable(textField), null),
  name: withDefault(textField, ""),
  role_type: required(literalField("user", "assistant", "system")),
  role: required(nullable(textField)),
  timestamp: withDefault(datetimeField, "" as Instant),
  source_description: withDefault(textField, ""),
});

export const messagesRequest = model({ group_id: required(groupField), messages: required(listOf(message)) });

export const searchRequest = model({
  group_ids: withDefault(nullable(listOf(groupField)), null),
  query: required(textField),
  max_facts: withDefault(integerField, 10),
  include_expired: withDefault(nullable(booleanField), false),
  as_of: withDefault(nullable(datetimeField), null),
  center_node_uuid: withDefault(nullable(textField), null),
});

export const memoryRequest = model({
  group_id: required(groupField),
  max_facts: withDefault(integerField, 10),
  center_node_uuid: required(nullable(textField)),
  messages: required(listOf(message)),
});

export const entityRequest = model({
  uuid: required(textField),
  group_id: required(groupField),
  name: required(textField),
  summary: withDefault(textField, ""),
});

export const groupRequest = model({
  scope: required(literalField("session", "workspace", "user")),
  key: required(textField),
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
