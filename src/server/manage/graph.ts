// What the graph shows over HTTP: the views of `everlong graph`, over everything of this home unless a scope is named.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { GraphViews } from "../../runtime/client/api.ts";
import type { Member } from "../team/member.ts";

type View = Promise<Result<object, Failure>>;
export type GraphOperations = GraphViews & {
  promotions(): View;
  /** Those in force, of every repository, session and user of this home. */
  pins(): View;
  endPin(id: string): View;
  /** A promotion that also stands before every message, where it was promoted to; off: no more. */
  pinPromotion(id: string, on: boolean): View;
  undoPromotion(id: string): View;
};
/** `member`: of a team. */
export type OpenGraphOperations = (member?: Member) => Promise<Result<GraphOperations, Failure>>;
