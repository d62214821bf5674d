// The open session's side of store.db: opened after the first turn, never in the way of the conversation.

import { existsSync } from "node:fs";
import { errorText, type Failure } from "../../base/failure.ts";
import { isFailure, ok, type Result } from "../../base/result.ts";
import { SharedOpening } from "../../base/shared-opening.ts";
import { repositoryKey } from "../../host/git.ts";
import type { HomePaths } from "../../host/paths.ts";
import type { TemporalGraph } from "../../memory/graph/graph.ts";
import type { Recall } from "../../memory/recall/recall.ts";
import { keepsVectors } from "../../memory/recall/store/note.ts";
import type { ModelTarget } from "../../model/contract.ts";
import { type Calibration, uncalibrated } from "../../model/tokens/calibrate.ts";
import type { EventData } from "../../schema/event/envelope.ts";
import { forgetOldCalls, indexSession, restartIndex } from "../../session/index/index-session.ts";
import type { RedactText } from "../../session/index/indexed-text.ts";
import type { SessionState } from "../../session/state.ts";
import { workspaceOf, workspaceText } from "../../session/workspace.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import { isFileDamage } from "../../store/fault.ts";
import { rebuiltData } from "../../store/rebuild/rebuilt-text.ts";
import { lossWatch, suspect } from "../../store/rebuild/suspect.ts";
import type { Database } from "../../store/sqlite.ts";
import { crashPoint } from "../crash.ts";
import { GRAPH_CLOSE_MS } from "../graph/close-limit.ts";
import type { GraphitiLink, GraphitiNotice } from "../graph/graphiti.ts";
import { catchUp, type OnSkipped, openStore, skippedText } from "../store.ts";
import type { Workspace } from "../workspace.ts";
import { readCalibration, SampleQueue } from "./calibration.ts";
import { writeCheckpoints } from "./checkpoints.ts";
import { ObservationQueue } from "./observed.ts";

type OnRebuilt = (data: EventData<"store.rebuilt">) => void;
const tell: OnRebuilt = ({ message }) => void process.stderr.write(`${message}\n`);

type Soft = { part: string; code: string; message: string };

const soft = (part: string, { code, what }: Failure): Soft => ({ part, code, message: what });

const LOG_SHORTENED =
  "The log of this session lost its end while it was not in use. The conversation goes on from what is left; what was said in the lost part is still found by recall, and a backup may have it.";

export class SessionIndex {
  readonly #workspace: Workspace;
  readonly #id: string;
  #db: Database | undefined;
  #isLost: () => boolean = () => false;
  /** Damaged or replaced while somebody may still be reading them. */
  readonly #retired: { close(): unknown }[] = [];
  readonly #opening = new SharedOpening(() => this.#openStore(), isFailure);
  #caughtUp = false;
  #isLogChecked = false;
  #pruned = false;
  #recall: Recall | undefined;
  #mayChoose = false;
  #graph: TemporalGraph<unknown> | undefined;
  #graphiti: GraphitiLink | undefined;
  #feeding: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();
  /** Figures for charts, written with the next update. */
  readonly observations: ObservationQueue;
  readonly #samples = new SampleQueue();
  /** Sessions that a reader had to go without, and an embedder's trouble: told with the next update. */
  #skipped: Soft[] = [];
  #told: string | undefined;

  readonly #onRebuilt: OnRebuilt;
  readonly #onGraphiti: (notice: GraphitiNotice) => void;

  constructor(
    workspace: Workspace,
    id: string,
    onRebuilt: OnRebuilt = tell,
    onGraphiti: (notice: GraphitiNotice) => void = () => undefined,
  ) {
    this.#workspace = workspace;
    this.#id = id;
    this.observations = new ObservationQueue(id);
    this.#onRebuilt = onRebuilt;
    this.#onGraphiti = onGraphiti;
  }

  /** What an earlier process learned; a missing store means nothing was. */
  async calibration(target: ModelTarget): Promise<Calibration> {
    if (target.provider === "offline" || !existsSync(this.#workspace.paths.store)) return uncalibrated;
    const db = await this.#open();
    return db ? readCalibration(db, target.provider, target.name) : uncalibrated;
  }

  learn(target: ModelTarget, sample: { estimate: number; reported: number }): void {
    this.#samples.add(target, sample);
  }

  /**
   * After a turn: log to index, samples to store, summary to workspace.yaml. What failed is returned, never thrown; the
   * same failure again only after an update that worked.
   */
  async update(state: SessionState): Promise<Soft | undefined> {
    const failed = await this.#update(state);
    const isRepeated = failed?.message === this.#told;
    this.#told = failed?.message;
    return isRepeated ? undefined : failed;
  }

  /** A store that turned out to be damaged is made anew at once, and the work done on the new one. */
  async #update(state: SessionState): Promise<Soft | undefined> {
    const failed = await this.#tryUpdate(state);
    return failed && this.#isLost() ? this.#tryUpdate(state) : failed;
  }

  async #tryUpdate(state: SessionState): Promise<Soft | undefined> {
    const { paths, redact, settings, indexing } = this.#workspace;
    const crash = (name: string) => crashPoint(settings.values["debug.crashAt"], name);
    try {
      const session = paths.session(this.#id);
      crash("index.md");
      await writeCheckpoints(session, state, redact);
      const db = await this.#open();
      crash("workspace.yaml");
      await writeWorkspace(db, paths, state, redact);
      if (!db)
        return {
          part: "index",
          code: "store_unavailable",
          message: "store.db cannot be opened; the log has everything.",
        };
      crash("store row");
      const outcome = (await this.#restart(db)) ?? (await indexSession(db, this.#id, session, indexing));
      if (!outcome.ok) return soft("index", outcome.error);
      if (keepsVectors(db)) (await this.#engine(db, false)).embedSoon();
      this.#feedSoon(db, state);
      const figures = await this.observations.save(db);
      if (!figures.ok) return soft("observations", figures.error);
      const samples = await this.#samples.save(db);
      if (!samples.ok) return soft("calibration", samples.error);
      return (await this.#prune(db)) ?? this.#skipped.shift();
    } catch (error) {
      if (isFileDamage(error)) suspect(paths.store);
      return { part: "index", code: "failed", message: errorText(error) };
    }
  }

  /** Once for each process: the log may have lost its end while nobody used it. Gives what failed. */
  async #restart(db: Database): Promise<{ ok: false; error: Failure } | undefined> {
    if (this.#isLogChecked) return undefined;
    const restarted = await restartIndex(db, this.#id, this.#workspace.paths.session(this.#id));
    if (!restarted.ok) return restarted;
    this.#isLogChecked = true;
    if (restarted.value) this.#skipped.push({ part: "index", code: "log_shortened", message: LOG_SHORTENED });
    return undefined;
  }

  /** What was answered becomes part of the graph; nobody waits for it. */
  #feedSoon(db: Database, state: SessionState): void {
    this.#feeding = this.#feeding
      .then(() => this.#feed(db, state))
      .catch((error: unknown) => void this.#skipped.push({ part: "graph", code: "failed", message: errorText(error) }));
  }

  async #feed(db: Database, state: SessionState): Promise<void> {
    const graph = await this.graph(db);
    const place = { session: this.#id, repository: this.#workspace.redact(repositoryKey(state.context.cwd)) };
    const { signal } = this.#closing;
    const { feedTurns } = await import("../graph/feed.ts");
    const outcome = graph ? await feedTurns(graph, db, this.#workspace, { place, signal }) : ok(undefined);
    if (!outcome.ok) this.#skipped.push(soft("graph", outcome.error));
    const sent = await (await this.graphiti(db))?.feed(place, signal);
    if (sent && !sent.ok) this.#skipped.push(soft("graphiti", sent.error));
  }

  /** Undefined: the settings want no Graphiti server. */
  async graphiti(db: Database): Promise<GraphitiLink | undefined> {
    if (!this.#workspace.settings.values["memory.graphiti.enabled"]) return undefined;
    const { GraphitiLink } = await import("../graph/graphiti.ts");
    this.#graphiti ??= new GraphitiLink(this.#workspace, db, this.#onGraphiti);
    return this.#graphiti;
  }

  /** Undefined: the settings want none. */
  async graph(db: Database): Promise<TemporalGraph<unknown> | undefined> {
    const { graphOn } = await import("../graph/graph.ts");
    const recall = await this.#engine(db, false);
    const onTrouble = (message: string) => void this.#skipped.push({ part: "graph", code: "graph_failed", message });
    this.#graph ??= graphOn(this.#workspace, db, recall, onTrouble);
    return this.#graph;
  }

  /** Once for each process. */
  async #prune(db: Database): Promise<Soft | undefined> {
    if (this.#pruned) return undefined;
    const outcome = await forgetOldCalls(db, Date.now());
    this.#pruned = outcome.ok;
    return outcome.ok ? undefined : soft("index", outcome.error);
  }

  /** For reading: every session's log has been indexed to its end. */
  async reader(): Promise<Database | undefined> {
    const { paths, indexing } = this.#workspace;
    const db = await this.#open();
    if (!db) return undefined;
    if (this.#caughtUp) await indexSession(db, this.#id, paths.session(this.#id), indexing);
    else {
      const onSkipped: OnSkipped = (id, why) =>
        this.#skipped.push({ ...soft("index", why), message: skippedText(id, why) });
      const outcome = await catchUp(db, paths, indexing, onSkipped);
      if (!outcome.ok) return undefined;
      this.#caughtUp = true;
    }
    return db;
  }

  /** For searching, after the reader is there. `mayChoose`: an undecided store may look for an embedder. */
  async recall(mayChoose: boolean): Promise<Recall | undefined> {
    const db = await this.reader();
    return db && this.#engine(db, mayChoose);
  }

  async #engine(db: Database, mayChoose: boolean): Promise<Recall> {
    const { openRecall } = await import("../recall/engine.ts");
    // One that was not allowed to look for an embedder has decided to do without.
    if (mayChoose && !this.#mayChoose && this.#recall) this.#retired.push(this.#recall);
    if (mayChoose && !this.#mayChoose) this.#recall = undefined;
    this.#mayChoose ||= mayChoose;
    this.#recall ??= openRecall(this.#workspace, db, {
      mayChoose,
      onTrouble: ({ code, message }) => this.#skipped.push({ part: "recall", code, message }),
    });
    return this.#recall;
  }

  async #open(): Promise<Database | undefined> {
    const opened = await this.store();
    return opened.ok ? opened.value : undefined;
  }

  /** The connection, once somebody has needed it. */
  get opened(): Database | undefined {
    return this.#db;
  }

  /** The one connection of this session, opened when somebody first needs it. */
  async store(): Promise<Result<Database, Failure>> {
    if (this.#db && this.#isLost()) this.#retire(this.#db);
    return this.#opening.get();
  }

  async #openStore(): Promise<Result<Database, Failure>> {
    const { paths, indexing } = this.#workspace;
    const opened = await openStore(paths, {
      recall: indexing.recall,
      onRebuilt: (rebuilt) => this.#onRebuilt(rebuiltData(rebuilt)),
    });
    if (!opened.ok) return opened;
    this.#db = opened.value;
    this.#isLost = lossWatch(paths.store);
    return opened;
  }

  #retire(db: Database): void {
    const [graph, graphiti] = [this.#graph, this.#graphiti];
    this.#retired.push(
      db,
      ...(this.#recall ? [this.#recall] : []),
      ...(graph ? [{ close: () => graph.close(0) }] : []),
      ...(graphiti ? [{ close: () => graphiti.close(0) }] : []),
    );
    this.#graph = undefined;
    this.#graphiti = undefined;
    this.#db = undefined;
    this.#opening.forget();
    this.#recall = undefined;
    this.#caughtUp = false;
  }

  async close(): Promise<void> {
    for (const one of this.#retired.splice(0).reverse()) await one.close();
    this.#closing.abort();
    await this.#feeding;
    await Promise.all([this.#graph?.close(GRAPH_CLOSE_MS), this.#graphiti?.close(GRAPH_CLOSE_MS)]);
    this.#graph = undefined;
    this.#graphiti = undefined;
    await this.#recall?.close();
    this.#recall = undefined;
    this.#db?.close();
    this.#db = undefined;
    this.#opening.forget();
  }
}

/** The summary beside the log; without the store nothing is known of forks. */
export async function writeWorkspace(
  db: Database | undefined,
  paths: HomePaths,
  state: SessionState,
  redact: RedactText,
): Promise<void> {
  const count = db?.prepare("SELECT count(*) AS n FROM sessions WHERE forked_from = ?").get(state.sessionId);
  const text = workspaceText(workspaceOf(state, { forks: Number(count?.["n"] ?? 0) }));
  await atomicWrite(paths.session(state.sessionId).workspace, redact(text), { private: true });
}
