// What a home has open for whoever asks: the gateway's parts, and the database under them.
import type { Result } from "../../base/result.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import type { Recall } from "../../memory/recall/recall.ts";
import type { ProxyServices } from "../../proxy/services.ts";
import type { Fault } from "../../store/fault.ts";
import type { Database } from "../../store/sqlite.ts";

export type HomeServices = ProxyServices & {
  db: Database;
  recall: Recall;
  /** Absent: facts are not looked for. */
  graph?: TemporalGraph<unknown>;
};
export type OpenHomeServices = () => Promise<Result<HomeServices, Fault>>;
