// A session's line to its Graphiti server: turns go out through the outbox, in the background.
import { basename } from "node:path";
import type { Failure } from "../../base/failure.ts";
import { ok, type Result } from "../../base/result.ts";
import { gitContext } from "../../host/git.ts";
import { hasChanges } from "../../host/git-recent.ts";
import type { EpisodeInput } from "../../memory/graph/contract.ts";
import { type TurnText, turnMessages } from "../../memory/graph/message.ts";
import { GraphitiClient } from "../../memory/graphiti/client.ts";
import { type DeliveryNotice, OutboxDelivery } from "../../memory/graphiti/deliver.ts";
import type { GraphitiMessage, OutboxDraft } from "../../memory/graphiti/outbox-row.ts";
import { type GitFacts, ownershipName, ownershipText, sourceText } from "../../memory/graphiti/ownership.ts";
import { enqueueUnit } from "../../memory/graphiti/queue.ts";
import { mayConnect } from "../../memory/graphiti/state.ts";
import type { Database } from "../../store/sqlite.ts";
import type { Workspace } from "../workspace.ts";
import { eachPage, type FeedPlace, type GraphGroup, groupsOf } from "./feed.ts";
import { graphitiStateOf, mayReach, serverOf } from "./graphiti-gate.ts";
import { knownOwner } from "./user-key.ts";

export type GraphitiNotice =
  | DeliveryNotice
  | { code: "consent_missing"; message: string }
  | { code: "graphiti_dropped"; message: string; count: number };

const GIT_MS = 2000;

export const graphitiClient = (workspace: Workspace, endpoint: string): GraphitiClient =>
  new GraphitiClient({
    endpoint,
    settings: () => ({
      token: workspace.settings.values["memory.graphiti.token"],
      timeoutMs: workspace.settings.values["memory.graphiti.timeoutMs"],
    }),
    mayConnect: mayReach(workspace, endpoint),
  });

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
    const git = await this.#git();
    const pages = { db: this.#db, session: place.session, wanted: { endpoint, alsoDropped: false }, signal };
    return eachPage(pages, (turns, isLast) => {
      const newest = isLast ? turns.at(-1) : undefined;
      return this.#queue(endpoint, turns, { place, git, isLast: (turn) => turn === newest });
    });
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
    if (state === "no_consent" && !this.#isTold) {
      this.#isTold = true;
      const message = `Nothing was sent to ${server}: you have not agreed to it. To allow it: everlong consent grant ${server}`;
      this.#tell({ code: "consent_missing", message });
    }
    if (!mayConnect(state)) return undefined;
    if (server !== this.#server) {
      await this.#delivery?.close(0);
      this.#server = server;
      this.#delivery = this.#open(server);
    }
    this.#delivery?.wake();
    return server;
  }

  #open(endpoint: string): OutboxDelivery {
    const { values } = this.#workspace.settings;
    return new OutboxDelivery({
      db: this.#db,
      place: { endpoint, root: this.#workspace.root },
      client: graphitiClient(this.#workspace, endpoint),
      limits: () => ({
        maxBatchSize: values["memory.graphiti.maxBatchSize"],
        maxAttempts: values["memory.graphiti.maxAttempts"],
        timeoutMs: values["memory.graphiti.timeoutMs"],
      }),
      mayConnect: mayReach(this.#workspace, endpoint),
      onNotice: this.#tell,
    });
  }

  async #queue(endpoint: string, turns: readonly TurnText[], how: QueueHow): Promise<Result<number, Failure>> {
    const { values } = this.#workspace.settings;
    const scopes = values["memory.graphiti.scopes"];
    const groups = groupsOf(this.#workspace, how.place).filter(({ scope }) => scopes === "both" || scopes === scope);
    let dropped = 0;
    let count = 0;
    for (const turn of turns) {
      const rules = {
        maxQueueSize: values["memory.graphiti.maxQueueSize"],
        mayEvict: how.isLast(turn),
        now: new Date().toISOString(),
      };
      const place = { endpoint, root: this.#workspace.root };
      for (const unit of [...this.#owners(groups, turn.user.at, how.git), this.#drafts(groups, turn, how.git)]) {
        const outcome = await enqueueUnit(this.#db, place, unit, rules);
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

  #drafts(groups: readonly GraphGroup[], turn: TurnText, git: GitFacts | undefined): OutboxDraft[] {
    const { redact, settings } = this.#workspace;
    const clean = (part: { text: string; at: string }) => ({ ...part, text: redact(part.text) });
    const { user, assistant, ...rest } = turn;
    const messages = turnMessages(
      { ...rest, user: clean(user), ...(assistant ? { assistant: clean(assistant) } : {}) },
      settings.values["memory.graphiti.maxMessageChars"],
    );
    return groups.flatMap(({ id, scope }) =>
      messages.map((episode) => ({
        group: id,
        scope,
        kind: "turn" as const,
        unit: turn.turnId,
        session: turn.session,
        turn: turn.turn,
        message: messageOf(episode, sourceText(scope, git)),
      })),
    );
  }

  /** Each a unit of its own, queued once for a server and group. */
  #owners(groups: readonly GraphGroup[], at: string, git: GitFacts | undefined): OutboxDraft[][] {
    const { redact, settings, root } = this.#workspace;
    const { values } = settings;
    if (!values["memory.graphiti.includeSystemMessages"]) return [];
    const owner = knownOwner(this.#workspace);
    return groups.map(({ id, scope }) => {
      const ownership = { scope, folders: [basename(root)], at, ...(owner ? { owner } : {}), ...(git ? { git } : {}) };
      const content = redact(ownershipText(ownership, values["memory.graphiti.maxMessageChars"]));
      const message: GraphitiMessage = {
        content,
        name: ownershipName(scope),
        role_type: "system",
        role: "everlong",
        timestamp: at,
        source_description: sourceText(scope, git),
      };
      return [{ group: id, scope, kind: "ownership" as const, unit: `ownership:${id}`, message }];
    });
  }

  async #git(): Promise<GitFacts | undefined> {
    const { settings, context, env, secrets } = this.#workspace;
    if (!settings.values["memory.graphiti.includeGitMetadata"]) return undefined;
    const { branch, headCommit } = gitContext(context.cwd);
    const dirty = await hasChanges(context.cwd, { env: { base: env, secrets }, limitMs: GIT_MS });
    return {
      ...(branch === undefined ? {} : { branch }),
      ...(headCommit === undefined ? {} : { commit: headCommit }),
      ...(dirty === undefined ? {} : { dirty }),
    };
  }
}

type QueueHow = {
  place: FeedPlace;
  git: GitFacts | undefined;
  /** Only the newest turn may push out others. */
  isLast: (turn: TurnText) => boolean;
};

const messageOf = ({ text, name, role, roleType, validAt }: EpisodeInput, source: string): GraphitiMessage => ({
  content: text,
  name,
  role_type: roleType === "tool" ? "system" : roleType,
  role: role ?? roleType,
  timestamp: validAt ?? new Date().toISOString(),
  source_description: source,
});
