// The temporal graph as it is stored and sent: episodes, entities, and facts that have a beginning and perhaps an end.

/** A moment in UTC, always with six digits after the second, so that text order is time order. */
export type Instant = string;

export type EpisodeSource = "message" | "json" | "text" | "fact_triple";
/** What an episode came from: a turn of ours, a client of the service, a promotion, a line in a message, a person's command. */
export type EpisodeOrigin = "turn" | "api" | "promotion" | "directive" | "user" | "import";
/** The life of an episode's extraction. */
type EpisodeState = "queued" | "running" | "done" | "parked";

export type Episode = {
  uuid: string;
  group: string;
  name: string;
  source: EpisodeSource;
  sourceDescription: string;
  /** What was said, without its speaker. */
  text: string;
  role: string | null;
  roleType: "user" | "assistant" | "system" | "tool";
  validAt: Instant;
  createdAt: Instant;
  origin: EpisodeOrigin;
  session?: string;
  turn?: number;
  metadata: Record<string, unknown>;
  state: EpisodeState;
  tries: number;
  error?: string;
};

export type Entity = {
  uuid: string;
  group: string;
  name: string;
  /** Its kind, such as File or Service. */
  label: string;
  aliases: string[];
  summary: string;
  attributes: Record<string, unknown>;
  createdAt: Instant;
};

/** By whom a fact was found or given. */
export type GraphFactOrigin = "rule" | "llm" | "promotion" | "directive" | "api" | "user";

export type Fact = {
  uuid: string;
  group: string;
  /** In capitals with underscores. */
  relation: string;
  /** The sentence. */
  text: string;
  subject: { uuid: string; name: string };
  object: { uuid: string; name: string };
  /** What a preference is for. */
  slot: string;
  validAt: Instant;
  invalidAt: Instant | null;
  createdAt: Instant;
  /** When Everlong learned that it had ended. */
  expiredAt: Instant | null;
  origin: GraphFactOrigin;
  trust: number;
  /** The fact that took its place. */
  invalidatedBy: string | null;
  /** The sentence that ended it. */
  reason: string | null;
  attributes: Record<string, unknown>;
  /** The episodes that say it, earliest first. */
  episodes: string[];
};

/** Which facts; those of this workspace that hold now unless said. Times are as people write them. */
export type FactChoice = {
  scope?: string;
  group?: string;
  asOf?: string;
  expired?: boolean;
  limit?: number;
  entity?: string;
  relation?: string;
  since?: string;
  until?: string;
};
