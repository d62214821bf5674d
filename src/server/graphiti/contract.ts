// What the Graphiti routes need of this gateway.
import type { Failure } from "../../base/failure.ts";
import type { Result } from "../../base/result.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import type { GroupIdStrategy } from "../../memory/graph/group.ts";
import type { RowStore } from "../../store/unit.ts";

export type GraphServices = {
  graph: TemporalGraph<unknown>;
  /** Where answers to idempotency keys are kept. */
  store: RowStore;
  /** Of this home: what is hashed with it tells nothing to others. */
  hashKey(): string;
  groupIds: GroupIdStrategy;
};
/** Opened by the first call that needs it. */
export type OpenGraph = () => Promise<Result<GraphServices, Failure>>;
