// The graph in a person's own hand: looking at facts, adding and ending them, and forgetting.
import type { Forgotten, GraphCounts } from "../../memory/graph/contract.ts";
import type { Entity, Episode, Fact } from "../../schema/graph.ts";
import type { ResultPromise } from "./open.ts";

export type { GraphCounts } from "../../memory/graph/contract.ts";
export type { Entity, Episode, Fact } from "../../schema/graph.ts";

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
export type FactView = Fact & {
  state: "current" | "ended";
  sources: Pick<Episode, "uuid" | "name" | "session" | "turn" | "role">[];
};
export type EntityView = { entity: Entity; current: FactView[]; past: FactView[] };
/** A fact begins or ends. */
export type TimelineRow = { at: string; type: "begins" | "ends"; fact: FactView };
export type NewFact = { subject: string; relation: string; object: string; fact?: string; validAt?: string };
export type GraphStatus = GraphCounts & { enabled: boolean; extractor: string };
export type ForgetChoice = { id?: string; turn?: string; group?: string };

export type GraphAccess = {
  search(query: string, choice: FactChoice): ResultPromise<FactView[]>;
  facts(choice: FactChoice): ResultPromise<FactView[]>;
  /** By uuid, the beginning of one, or any of its names. */
  entity(name: string, choice: FactChoice): ResultPromise<EntityView>;
  timeline(entity: string | undefined, choice: FactChoice): ResultPromise<TimelineRow[]>;
  add(fact: NewFact, choice: FactChoice): ResultPromise<FactView>;
  end(fact: string, at: string): ResultPromise<FactView>;
  forget(choice: ForgetChoice): ResultPromise<Forgotten>;
  episodes(choice: { group?: string; states?: readonly Episode["state"][] }): ResultPromise<Episode[]>;
  requeue(ids: readonly string[], to: "queued" | "done"): ResultPromise<number>;
  status(): ResultPromise<GraphStatus>;
};
