// The graphs of a team's tenants on one node: who reads their episodes, and what a member sees of them.
import { systemClock } from "../../base/clock.ts";
import type { Failure } from "../../base/failure.ts";
import { fail, ok, type Result } from "../../base/result.ts";
import type { GraphStore } from "../../memory/graph/contract.ts";
import { TemporalGraph } from "../../memory/graph/graph.ts";
import { GraphIngest } from "../../memory/graph/ingest.ts";
import { graphOfMember, isOthers } from "../../memory/graph/member.ts";
import { graphStore } from "../../memory/graph/store/graph-store.ts";
import { listPromotions } from "../../memory/promote/promotion.ts";
import type { RowRecall } from "../../memory/recall/row-recall.ts";
import type { GraphServices } from "../../server/graphiti/contract.ts";
import type { GraphOperations } from "../../server/manage/graph.ts";
import { type Member, mayDo, personOf } from "../../server/team/member.ts";
import type { RowStore } from "../../store/unit.ts";
import { GraphChoices, refused } from "../graph/choice.ts";
import { extractorOf } from "../graph/graph.ts";
import { graphOff } from "../graph/graph-off.ts";
import { graphViews } from "../graph/views.ts";
import type { Workspace } from "../workspace.ts";

type TeamGraphOptions = {
  workspace: Workspace;
  /** The key behind hashes, of all nodes. */
  key: string;
  storeOf(tenant: string): RowStore;
  recallOf(tenant: string): Pick<RowRecall, "search">;
  onTrouble(message: string): void;
};
type TenantGraph = { store: GraphStore; ingest: GraphIngest | undefined };

/** A node may die with episodes in hand: they are free when its lease has run out. */
const LEASE_MS = 60_000;
const CLOSE_MS = 2000;
/** Whoever asks waits for the answer. */
const SEARCH_MS = 5000;

const atHome = async () =>
  refused("at_home", "Pins and promotions are not changed on a team's node.", "Do it in the home they came from.");

export class TeamGraphs {
  readonly #options: TeamGraphOptions;
  readonly #tenants = new Map<string, TenantGraph>();

  constructor(options: TeamGraphOptions) {
    this.#options = options;
  }

  /** Episodes may be waiting. */
  wake(tenant: string): void {
    if (this.#isOn()) this.#of(tenant).ingest?.wake();
  }

  #isOn(): boolean {
    const { values } = this.#options.workspace.settings;
    return values["memory.enabled"] && values["graph.enabled"];
  }

  /** The graph as this member sees it. */
  async services(member: Member): Promise<Result<GraphServices, Failure>> {
    const { workspace, key, storeOf, recallOf } = this.#options;
    if (!this.#isOn()) return fail(graphOff);
    const { tenant } = member;
    const { store, ingest } = this.#of(tenant);
    const viewer = { identity: personOf(member), reach: member };
    return ok({
      graph: new TemporalGraph<unknown>({
        store: graphOfMember(store, viewer),
        ...(ingest ? { ingest } : {}),
        redact: workspace.redact,
        // Shared groups and the member's own; what of the shared ones the token does not cover, the store leaves out.
        search: ({ within: { scopes }, ...request }) =>
          recallOf(tenant).search(
            { ...request, within: { identity: viewer.identity, scopes } },
            { timeoutMs: SEARCH_MS },
          ),
      }),
      store: storeOf(tenant),
      hashKey: () => key,
      groupIds: workspace.settings.values["memory.graphiti.groupIdStrategy"],
      caller: { may: (scope) => mayDo(member, scope), isOthers: (thing) => isOthers(store, viewer, thing) },
    });
  }

  /** The same for /api/graph. */
  async views(member: Member): Promise<Result<GraphOperations, Failure>> {
    const services = await this.services(member);
    if (!services.ok) return services;
    const { graph } = services.value;
    const forget: GraphOperations["forget"] = (type, id) => graph.store.forget({ type, id });
    return ok({
      ...graphViews(graph, new GraphChoices(undefined, undefined), forget),
      async promotions() {
        const rows = await listPromotions(graph);
        return rows.ok ? ok({ promotions: rows.value.map((row) => ({ ...row, pin: null })) }) : rows;
      },
      pins: async () => ok({ pins: [] }),
      ...{ endPin: atHome, pinPromotion: atHome, undoPromotion: atHome },
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#tenants.values()].map(({ ingest }) => ingest?.close(CLOSE_MS)));
  }

  #of(tenant: string): TenantGraph {
    const existing = this.#tenants.get(tenant);
    if (existing) return existing;
    const { workspace, storeOf, onTrouble } = this.#options;
    const store = graphStore(storeOf(tenant));
    const extractor = extractorOf(workspace, store);
    const ingest =
      extractor &&
      new GraphIngest({
        ...{ store, extractor, clock: systemClock, leaseMs: LEASE_MS },
        onTrouble: ({ message }) => onTrouble(message),
      });
    const graph = { store, ingest };
    this.#tenants.set(tenant, graph);
    ingest?.wake();
    return graph;
  }
}
