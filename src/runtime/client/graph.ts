// The graph in a person's own hand: looking at facts, adding and ending them, and forgetting.

import type { Community } from "../../memory/graph/community.ts";
import type { Forgotten, GraphCounts, SeparateOutcome } from "../../memory/graph/contract.ts";
import type { ExtractorUse } from "../../memory/graph/extract/llm.ts";
import type { OutboxRow } from "../../memory/graphiti/outbox-row.ts";
import type { GraphitiState } from "../../memory/graphiti/state.ts";
import type { PromotionKind, PromotionScope } from "../../memory/promote/kind.ts";
import type { Entity, Episode, Fact, FactChoice } from "../../schema/graph.ts";
import type { ResultPromise } from "./open.ts";

export type { Community } from "../../memory/graph/community.ts";
export type { GraphCounts } from "../../memory/graph/contract.ts";
export type { OutboxRow } from "../../memory/graphiti/outbox-row.ts";
export { PROMOTION_KINDS, PROMOTION_SCOPES } from "../../memory/promote/kind.ts";
export type { Entity, Episode, Fact, FactChoice } from "../../schema/graph.ts";

export type FactView = Fact & {
  state: "current" | "ended";
  sources: Pick<Episode, "uuid" | "name" | "session" | "turn" | "role">[];
};
type EntityView = {
  entity: Entity;
  current: FactView[];
  past: FactView[];
  /** What it belongs to, with graph.communities. */
  community?: Community;
};
/** A fact begins or ends. */
export type TimelineRow = { at: string; type: "begins" | "ends"; fact: FactView };
export type NewFact = { subject: string; relation: string; object: string; fact?: string; validAt?: string };
export type GraphStatus = GraphCounts & {
  enabled: boolean;
  extractor: string;
  model: ExtractorUse;
  graphiti: GraphitiStatus;
};
/** The line to a Graphiti server. */
export type GraphitiStatus = {
  state: GraphitiState;
  endpoint?: string;
  /** What is wrong with the address, or what the server said last. */
  error?: string;
  waiting: number;
  unconfirmed: number;
  parked: number;
};
type ForgetChoice = { id?: string; turn?: string; group?: string };

/** What a person promotes; the scope follows from kind and text unless it is named. */
export type PromotionRequest = { kind: string; scope?: string; text: string; redact?: boolean };
export type PromotionView = {
  id: string;
  kind: PromotionKind;
  scope: PromotionScope;
  /** Empty: it was taken back here, and the Graphiti server may still have it. */
  text: string;
  at: string;
  /** Found as a line of a message. */
  auto: boolean;
  /** Here alone, or how far it is on its way to the Graphiti server as well. */
  state: "stored" | "queued" | "delivered" | "parked";
};
/** `pins`: how many pins ended with it. */
type UndoneView = {
  promotion: PromotionView;
  facts: number;
  pins: number;
  isGone: boolean;
  /** The Graphiti server has it, or may have it. */
  isElsewhere: boolean;
  /** It was on the Graphiti server and is not any more, with so many facts. */
  serverFacts?: number;
  /** Why the Graphiti server may still have it. */
  stillThere?: string;
};

/** Which earlier sessions of this folder; all of them unless said. */
export type BackfillChoice = { session?: string; since?: string; dryRun?: boolean };
export type BackfillProgress = { session: number; sessions: number; turns: number };
export type BackfillReport = {
  /** Absent: the built-in graph. */
  endpoint?: string;
  /** How much was new there. */
  sessions: number;
  turns: number;
  messages: number;
  /** Why not everything went; the next run goes on. */
  stopped?: string;
  isCancelled?: boolean;
};

export type GraphAccess = {
  search(query: string, choice: FactChoice): ResultPromise<FactView[]>;
  facts(choice: FactChoice): ResultPromise<FactView[]>;
  /** By uuid, the beginning of one, or any of its names. */
  entity(name: string, choice: FactChoice): ResultPromise<EntityView>;
  /** Communities are made of what holds now; those of one group never mix with another's. */
  communities(choice: FactChoice): ResultPromise<(Community & { group: string })[]>;
  timeline(entity: string | undefined, choice: FactChoice): ResultPromise<TimelineRow[]>;
  add(fact: NewFact, choice: FactChoice): ResultPromise<FactView>;
  end(fact: string, at: string): ResultPromise<FactView>;
  /** A name that was taken for another thing's is a thing of its own again. */
  separate(name: string, choice: FactChoice): ResultPromise<SeparateOutcome>;
  forget(choice: ForgetChoice): ResultPromise<Forgotten>;
  episodes(choice: { group?: string; states?: readonly Episode["state"][] }): ResultPromise<Episode[]>;
  promote(request: PromotionRequest): ResultPromise<PromotionView>;
  /** Newest first. */
  promotions(choice: FactChoice): ResultPromise<PromotionView[]>;
  /** Without an id the newest of this workspace and of the user. */
  undo(id: string | undefined): ResultPromise<UndoneView>;
  requeue(ids: readonly string[], to: "queued" | "done"): ResultPromise<number>;
  /** Episodes that nobody has read yet, and what is on its way to the Graphiti server. */
  queue(): ResultPromise<{ episodes: Episode[]; outbox: OutboxRow[] }>;
  /** Earlier sessions to the Graphiti server, or into the graph without one. */
  backfill(choice: BackfillChoice, onProgress: (progress: BackfillProgress) => void): ResultPromise<BackfillReport>;
  status(): ResultPromise<GraphStatus>;
};
