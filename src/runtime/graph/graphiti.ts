// A folder's line to its Graphiti server: turns go out through the outbox, in the background.
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import type { TurnText } from "../../memory/graph/message.ts";
import { GraphitiClient } from "../../memory/graphiti/client.ts";
import { type DeliveryNotice, OutboxDelivery } from "../../memory/graphiti/deliver.ts";
import { enqueueUnit } from "../../memory/graphiti/queue.ts";
import { type GraphitiState, mayConnect } from "../../memory/graphiti/state.ts";
import type { Database } from "../../store/sqlite.ts";
import type { Workspace } from "../workspace.ts";
import { eachPage, type FeedPlace, groupsOf } from "./feed.ts";
import { graphitiStateOf, mayReach, serverOf } from "./graphiti-gate.ts";
import { gitFactsOf, type Outgoing, type OutgoingGroup, sentGroups, unitsOf } from "./outgoing.ts";

export type GraphitiNotice =
  | DeliveryNotice
  | { code: "consent_missing" | "trust_missing"; message: string }
  | { code: "graphiti_dropped"; message: string; count: number };

export const graphitiClient = (workspace: Workspace, endpoint: string): GraphitiClient =>
  new GraphitiClient({
    endpoint,
    settings: () => ({
      token: workspace.settings.values["memory.graphiti.token"],
      timeoutMs: workspace.settings.values["memory.graphiti.timeoutMs"],
    }),
    mayConnect: mayReach(workspace, endpoint),
  });

/** Limits are read for each request: a changed setting counts at once. */
export const deliveryTo = (
  workspace: Workspace,
  db: Database,
  endpoint: string,
  onNotice: (notice: DeliveryNotice) => void,
): OutboxDelivery =>
  new OutboxDelivery({
    db,
    place: { endpoint, root: workspace.root },
    client: graphitiClient(workspace, endpoint),
    limits: () => {
      const { values } = workspace.settings;
      return {
        maxBatchSize: values["memory.graphiti.maxBatchSize"],
        maxAttempts: values["memory.graphiti.maxAttempts"],
        timeoutMs: values["memory.graphiti.timeoutMs"],
      };
    },
    mayConnect: mayReach(workspace, endpoint),
    onNotice,
  });

/** What a person can do about it, told once. */
const WHY_NOT: Partial<Record<GraphitiState, (server: string) => string>> = {
  untrusted: () => "this folder is not trusted. Nothing was sent. To trust it: everlong trust",
  no_consent: (server) => `this folder has not consented. Nothing was sent. To allow: everlong consent grant ${server}`,
};

export class GraphitiLink {
  readonly #workspace: Workspace;
  readonly #db: Database;
  readonly #tell: (notice: GraphitiNotice) => void;
  #delivery: OutboxDelivery | undefined;
  #server: string | undefined;
  #isTold = false;

  constructor(workspace: Workspace, db: Database, tell: (notice: GraphitiNotice) => void) {
    this.#workspace = workspace;
    this.#db = db;
    this.#tell = tell;
  }

  /** Every answered turn of the session that was not queued yet; only the newest may push out others. */
  async feed(place: FeedPlace, signal: AbortSignal): Promise<Result<void, Failure>> {
    const endpoint = await this.#ready();
    if (endpoint === undefined) return ok(undefined);
    const outgoing = {
      groups: sentGroups(this.#workspace, groupsOf(this.#workspace, place)),
      git: await gitFactsOf(this.#workspace),
    };
    const pages = { db: this.#db, session: place.session, wanted: { endpoint, alsoDropped: false }, signal };
    return eachPage(pages, (turns, isLast) => this.#queue(endpoint, turns, outgoing, isLast));
  }

  /** Turns that somebody else read; `turnsFor` gets the address that they go to. */
  async send(
    groups: readonly OutgoingGroup[],
    turnsFor: (endpoint: string) => readonly TurnText[],
  ): Promise<Result<void, Failure>> {
    const endpoint = await this.#ready();
    if (endpoint === undefined) return ok(undefined);
    const outgoing = { groups: sentGroups(this.#workspace, groups), git: await gitFactsOf(this.#workspace) };
    const outcome = await this.#queue(endpoint, turnsFor(endpoint), outgoing, true);
    return outcome.ok ? ok(undefined) : outcome;
  }

  /** What others left behind may be sent. */
  async wake(): Promise<void> {
    await this.#ready();
  }

  async close(limitMs: number): Promise<void> {
    await this.#delivery?.close(limitMs);
  }

  /** The server's address when messages may be queued for it. */
  async #ready(): Promise<string | undefined> {
    const server = serverOf(this.#workspace);
    if (server === undefined) return undefined;
    const state = await graphitiStateOf(this.#workspace, this.#db);
    const why = WHY_NOT[state]?.(server);
    if (why !== undefined && !this.#isTold) {
      this.#isTold = true;
      const code = state === "untrusted" ? "trust_missing" : "consent_missing";
      this.#tell({ code, message: `Graph memory is set to ${server} but ${why}` });
    }
    if (!mayConnect(state)) return undefined;
    if (server !== this.#server) {
      await this.#delivery?.close(0);
      this.#server = server;
      this.#delivery = deliveryTo(this.#workspace, this.#db, server, this.#tell);
    }
    this.#delivery?.wake();
    return server;
  }

  /** `isLast`: the newest turn may push out others, the ones before it follow where there is room. */
  async #queue(
    endpoint: string,
    turns: readonly TurnText[],
    outgoing: Outgoing,
    isLast: boolean,
  ): Promise<Result<number, Failure>> {
    const { settings, root } = this.#workspace;
    let dropped = 0;
    let count = 0;
    for (const turn of turns) {
      const rules = {
        maxQueueSize: settings.values["memory.graphiti.maxQueueSize"],
        mayEvict: isLast && turn === turns.at(-1),
        now: new Date().toISOString(),
      };
      for (const unit of unitsOf(this.#workspace, turn, outgoing)) {
        const outcome = await enqueueUnit(this.#db, { endpoint, root }, unit, rules);
        if (!outcome.ok) return outcome;
        dropped += outcome.value.dropped;
        if (outcome.value.added > 0 && unit[0]?.kind === "turn") count += 1;
      }
    }
    if (count > 0) this.#delivery?.wake();
    if (dropped > 0)
      this.#tell({
        code: "graphiti_dropped",
        count: dropped,
        message: `${dropped} messages for the Graphiti server were dropped because too many wait. everlong graph backfill sends them.`,
      });
    return ok(count);
  }
}
