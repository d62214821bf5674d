// What the rules extractor reads and what it gives: drafts of entities, facts and endings, not yet matched to a graph.
import type { EntityLabel } from "./relation.ts";

export type SourceMessage = {
  text: string;
  role: "user" | "assistant" | "system" | "tool";
  /** ISO time; without a zone it is UTC. */
  at: string;
  /** Who says "I"; a message without one is from `user`. */
  speaker?: string;
};

export type EntityDraft = { name: string; label: EntityLabel };

export type FactDraft = {
  subject: EntityDraft;
  relation: string;
  object: EntityDraft;
  /** The sentence that states it. */
  text: string;
  validAt: string;
  validUntil?: string;
  /** What a preference is for: preferences with equal slots replace each other. */
  slot?: string;
};

/** Says that such a fact no longer holds; without a relation, every fact between the two. */
export type FactEnding = { subject: EntityDraft; relation?: string; object: EntityDraft; at: string; text: string };

export type Extraction = { entities: EntityDraft[]; facts: FactDraft[]; endings: FactEnding[] };

export const MAX_FACTS = 50;
export const MAX_ENTITIES = 100;
export const MAX_NAME = 120;
export const MAX_FACT_TEXT = 500;
