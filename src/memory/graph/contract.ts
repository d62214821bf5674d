// What a store of the temporal graph does; every database that holds one passes the same suite.
import type { Result } from "../../base/result.ts";
import type {
  Entity,
  Episode,
  EpisodeOrigin,
  EpisodeSource,
  Fact,
  GraphFactOrigin,
  Instant,
} from "../../schema/graph.ts";
import type { Fault } from "../../store/fault.ts";
import type { ItemPlace } from "../recall/item.ts";
import type { Extraction } from "./extract/draft.ts";
import type { EntityLabel } from "./extract/relation.ts";

/** By its role in the index of recall a search can leave out a fact that has ended. */
export const FACT_ROLES = { current: "current", ended: "ended" } as const;

/** Every function waits for other writers, changes all or nothing, and never throws for what it is given. */
export type GraphStore = {
  /** Durable when it returns. The same message again is the first one. */
  accept(request: AcceptRequest): Promise<Result<AcceptOutcome, Fault>>;
  /** The oldest waiting episodes of one group that nobody works on; undefined when there is no such group. */
  claim(request: ClaimRequest): Promise<Result<Episode[] | undefined, Fault>>;
  /** What an extractor made of claimed episodes becomes part of the graph, each of them whole. Returns how many: a claim may be lost meanwhile. */
  settle(request: SettleRequest): Promise<Result<number, Fault>>;
  /** The extraction failed: tried again, and parked after the last attempt. */
  giveBack(request: { episode: string; worker: string; error: string; now: Instant }): Promise<Result<void, Fault>>;
  /** Parked episodes wait again, or count as done without facts. Returns how many. */
  requeue(request: { episodes?: readonly string[]; to: "queued" | "done" }): Promise<Result<number, Fault>>;
  putEntity(request: PutEntityRequest): Promise<Result<PutEntityOutcome, Fault>>;
  /** Takes a merge back: a name that was taken for another by likeness becomes an entity of its own. Undefined: none was. */
  separate(request: SeparateRequest): Promise<Result<SeparateOutcome | undefined, Fault>>;
  /**
   * Erases, in the index and the journal too. Facts that rest on other episodes as well stay without these. A session, an
   * entity, a group and everything go in parts, each of them whole: who is killed meanwhile has forgotten some of them.
   */
  forget(target: ForgetTarget): Promise<Result<Forgotten, Fault>>;
  groups(query?: { ids?: readonly string[] }): Promise<Result<{ id: string; place: ItemPlace }[], Fault>>;
  episodes(query: EpisodeQuery): Promise<Result<Episode[], Fault>>;
  facts(query: FactQuery): Promise<Result<Fact[], Fault>>;
  entities(query: EntityQuery): Promise<Result<Entity[], Fault>>;
  counts(): Promise<Result<GraphCounts, Fault>>;
};

export type EpisodeInput = {
  uuid?: string;
  /** Empty: none was given. */
  name: string;
  text: string;
  role: string | null;
  roleType: Episode["roleType"];
  /** Absent: now. */
  validAt?: Instant;
  source?: EpisodeSource;
  sourceDescription?: string;
  session?: string;
  turn?: number;
  metadata?: Record<string, unknown>;
  /** What the episode says, when that is known: it is part of the graph at once and no extractor reads it. */
  extraction?: { value: Extraction; origin: GraphFactOrigin };
};
export type AcceptRequest = {
  group: string;
  /** Where recall finds the group's facts; the first one that is given counts. */
  place?: ItemPlace;
  origin: EpisodeOrigin;
  episodes: readonly EpisodeInput[];
  /** A model will read them, or nobody: recall finds their texts at once, and not only when they are settled. */
  readLate?: boolean;
  now: Instant;
};
export type AcceptOutcome =
  | { type: "accepted"; episodes: { uuid: string; isNew: boolean }[] }
  /** A known uuid with another text; nothing of the request was stored. */
  | { type: "conflict"; uuid: string };

/** `size`: how many episodes at most. */
export type ClaimRequest = { worker: string; size: number; now: Instant; leaseUntil: Instant };
export type SettleRequest = {
  worker: string;
  episodes: readonly { uuid: string; extraction: Extraction }[];
  origin: GraphFactOrigin;
  now: Instant;
};

export type PutEntityRequest = {
  uuid: string;
  group: string;
  name: string;
  summary: string;
  label?: EntityLabel;
  now: Instant;
};
export type PutEntityOutcome = { type: "stored"; entity: Entity } | { type: "other_group" };

export type SeparateRequest = { group: string; name: string; now: Instant };
/** `facts`: how many of them, or parts of them, went with the name. */
export type SeparateOutcome = { entity: Entity; from: { uuid: string; name: string }; facts: number };

export type ForgetTarget =
  | { type: "fact" | "episode" | "entity" | "group"; id: string }
  | { type: "turn"; session: string; turn: number; role?: Episode["roleType"] }
  /** All turns of a session, or of every one. What was promoted from them or added by hand stays. */
  | { type: "session"; session?: string }
  | { type: "everything" };
export type Forgotten = { episodes: number; facts: number; entities: number };

export type EpisodeQuery = {
  /** Whole uuids; a single one may be the beginning of one, of at least six characters. */
  ids?: readonly string[];
  groups?: readonly string[];
  names?: readonly string[];
  session?: string;
  states?: readonly Episode["state"][];
  /** Only promotions and directives. */
  promoted?: true;
  /** The newest so many that speak of a time up to `until`; they come oldest first. */
  last?: number;
  until?: Instant;
};
export type FactQuery = {
  /** Whole uuids; a single one may be the beginning of one, of at least six characters. */
  ids?: readonly string[];
  groups?: readonly string[];
  /** Either end. */
  entity?: string;
  relation?: string;
  /** Said by one of these. */
  episodes?: readonly string[];
  /** These and all that were or are true in their place: the other values of the same thing. */
  alongside?: readonly string[];
  /** Only those that a promotion or a directive says. */
  promoted?: true;
  /** True at this moment, as far as is known. */
  asOf?: Instant;
  /** Left out: ended ones too. */
  currentAt?: Instant;
  /** That began or ended inside. */
  since?: Instant;
  until?: Instant;
  limit?: number;
  after?: { validAt: Instant; uuid: string };
};
export type EntityQuery = {
  ids?: readonly string[];
  groups?: readonly string[];
  /** Any of its names. */
  name?: string;
  /** One of its names is part of this one, or this one of it, in whole words; equal names are left out. */
  near?: string;
  label?: string;
  limit?: number;
};
export type GraphCounts = {
  groups: number;
  episodes: Record<Episode["state"], number>;
  entities: number;
  facts: number;
  ended: number;
};
