// What the Graphiti routes need of this gateway.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import type { GroupIdStrategy } from "../../memory/graph/group.ts";
import type { OwnedThing } from "../../memory/graph/member.ts";
import type { RowStore } from "../../store/unit.ts";
import type { Member, TokenScope } from "../team/member.ts";

export type GraphCaller = {
  may(scope: TokenScope): boolean;
  /** Whether it is somebody else's. */
  isOthers(thing: OwnedThing): Promise<Result<boolean, unknown>>;
};

export type GraphServices = {
  graph: TemporalGraph<unknown>;
  /** Where answers to idempotency keys are kept. */
  store: RowStore;
  /** A secret of this home: what is hashed with it tells nothing to others. */
  hashKey(): string;
  groupIds: GroupIdStrategy;
  /** One of many; without it whoever has the token is the one user. */
  caller?: GraphCaller;
};
/** Opened by the first call that needs it. */
export type OpenGraph = (member?: Member) => Promise<Result<GraphServices, Failure>>;
