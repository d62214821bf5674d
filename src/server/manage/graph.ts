// What the graph shows over HTTP: the views of `everlong graph`, over everything of this home unless a scope is named.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { FactChoice } from "../../schema/graph.ts";
import type { Member } from "../team/member.ts";

type View = Promise<Result<object, Failure>>;
export type GraphOperations = {
  search(query: string, question: FactChoice): View;
  facts(question: FactChoice): View;
  fact(uuid: string): View;
  entities(question: FactChoice): View;
  /** With the facts that join it to others, a page at a time. */
  entity(uuid: string, page: { limit: number; after?: string }): View;
  episode(uuid: string): View;
  timeline(question: FactChoice): View;
  promotions(): View;
  /** Those in force, of every repository, session and user of this home. */
  pins(): View;
  endPin(id: string): View;
  /** A promotion that also stands before every message, where it was promoted to; off: no more. */
  pinPromotion(id: string, on: boolean): View;
  /** A fact or an episode, and what rests on it alone. */
  forget(kind: "fact" | "episode", uuid: string): View;
  undoPromotion(id: string): View;
  /** What waits to be read, and what could not be. */
  queue(): View;
};
/** `member`: of a team. */
export type OpenGraphOperations = (member?: Member) => Promise<Result<GraphOperations, Failure>>;
