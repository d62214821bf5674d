// Earlier turns for a Graphiti server: through the same queue as new ones, never in their place, and only as fast as they leave.
import { systemClock } from "../../base/clock.ts";
import { ok } from "../../base/result.ts";
import type { TurnText } from "../../memory/graph/message.ts";
import type { OutboxDelivery } from "../../memory/graphiti/deliver.ts";
import { readHealth } from "../../memory/graphiti/health.ts";
import type { GitFacts } from "../../memory/graphiti/ownership.ts";
import { enqueueUnit, type OutboxPlace, waitingIn } from "../../memory/graphiti/queue.ts";
import type { Database } from "../../store/sqlite.ts";
import type { ResultPromise } from "../client/open.ts";
import type { Workspace } from "../workspace.ts";
import { deliveryTo } from "./graphiti.ts";
import { gitFactsOf, type OutgoingGroup, sentGroups, unitsOf } from "./outgoing.ts";

/** So often in a row nothing may leave before the rest is left for another time. */
const TRIES = 3;
const PAUSE_MS = 5000;

/** Where turns go. */
export type TurnSink = {
  /** Gives how many messages were new, or why it cannot go on. */
  take(session: string, turn: TurnText): ResultPromise<number | { stopped: string }>;
  /** Undefined: everything arrived. */
  finish(): Promise<string | undefined>;
};

type ServerBackfillOptions = {
  endpoint: string;
  groupsFor: (session: string) => readonly OutgoingGroup[];
  signal: AbortSignal;
};

export class ServerBackfill implements TurnSink {
  readonly #workspace: Workspace;
  readonly #db: Database;
  readonly #options: ServerBackfillOptions;
  readonly #place: OutboxPlace;
  readonly #delivery: OutboxDelivery;
  #git: Promise<GitFacts | undefined> | undefined;

  constructor(workspace: Workspace, db: Database, options: ServerBackfillOptions) {
    this.#workspace = workspace;
    this.#db = db;
    this.#options = options;
    this.#place = { endpoint: options.endpoint, root: workspace.root };
    this.#delivery = deliveryTo(workspace, db, options.endpoint, () => undefined);
  }

  async take(session: string, turn: TurnText): ResultPromise<number | { stopped: string }> {
    this.#git ??= gitFactsOf(this.#workspace);
    const groups = sentGroups(this.#workspace, this.#options.groupsFor(session));
    const maxQueueSize = this.#workspace.settings.values["memory.graphiti.maxQueueSize"];
    let added = 0;
    for (const unit of unitsOf(this.#workspace, turn, { groups, git: await this.#git })) {
      const isTurn = unit[0]?.kind === "turn";
      if (unit.length > maxQueueSize)
        return ok({
          stopped: `A turn needs ${unit.length} places, and memory.graphiti.maxQueueSize is ${maxQueueSize}.`,
        });
      for (;;) {
        const rules = { maxQueueSize, mayEvict: false, again: true, now: new Date().toISOString() };
        const outcome = await enqueueUnit(this.#db, this.#place, unit, rules);
        if (!outcome.ok) return outcome;
        if (outcome.value.left === 0) {
          added += isTurn ? outcome.value.added : 0;
          break;
        }
        if (waitingIn(this.#db, this.#place) === 0)
          return ok({ stopped: "The queue is full of messages from other folders." });
        const stopped = await this.finish();
        if (stopped !== undefined) return ok({ stopped });
        if (this.#options.signal.aborted) return ok(0);
      }
    }
    return ok(added);
  }

  async finish(): Promise<string | undefined> {
    const { signal, endpoint } = this.#options;
    for (let tries = 0; !signal.aborted; ) {
      const before = waitingIn(this.#db, this.#place);
      if (before === 0) return undefined;
      const waitMs = (await this.#delivery.round()) ?? 0;
      tries = waitingIn(this.#db, this.#place) < before ? 0 : tries + 1;
      if (tries >= TRIES)
        return `${endpoint} takes no messages: ${readHealth(this.#db, endpoint).error ?? "it may not be reached."}`;
      if (tries > 0) await systemClock.sleep(Math.min(waitMs, PAUSE_MS), signal);
    }
    return undefined;
  }
}
