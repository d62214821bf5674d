// One open session with its concrete parts: the main conversation, permission door, model target, index, owned processes.

import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { AgentDefinition } from "../../agent/catalog/definition.ts";
import { newId } from "../../base/id.ts";
import { Mutex } from "../../base/mutex.ts";
import { gitContext } from "../../host/git.ts";
import type { SessionPaths } from "../../host/paths.ts";
import { createOwner } from "../../host/process.ts";
import type { ModelTarget } from "../../model/contract.ts";
import type { ResolvedModel } from "../../model/resolve.ts";
import type { DurableEnvelope } from "../../schema/event/envelope.ts";
import type { AgentMode } from "../../schema/permission.ts";
import type { SessionLog } from "../../session/log.ts";
import type { Permit, Session } from "../../session/session.ts";
import type { Flags } from "../../settings/flag.ts";
import type { Tool } from "../../tool/contract.ts";
import { offeredTools } from "../../tool/registry.ts";
import { writeTodos } from "../../tool/sql/todo-tables.ts";
import { openConversation } from "../agent/actor.ts";
import { Agents } from "../agent/agents.ts";
import { settleAgent, skillsToLoad } from "../agent/select-agent.ts";
import { configureBoard, isBoardOn } from "../board/board.ts";
import type { Consolidation } from "../board/consolidate.ts";
import type { OpenOptions } from "../client.ts";
import { sessionMemory } from "../memory/memory.ts";
import { tellPending } from "../memory/pending.ts";
import type { MemoryActor } from "../memory/session.ts";
import { callAnyModel } from "../model.ts";
import { Sidekicks } from "../sidekick/sidekicks.ts";
import { type Ground, standOnGround } from "../start.ts";
import { Approvals } from "./approvals.ts";
import type { Extensions } from "./extensions.ts";
import { createGauge } from "./gauge.ts";
import { SessionIndex } from "./index.ts";
import { sessionPrompt } from "./prompt.ts";
import { mustOnlyLook } from "./read-only-shell.ts";
import { type BuiltTools, buildTools, openOutputs } from "./tools.ts";
import { verifyReplay } from "./verify-replay.ts";

export type LiveOptions = {
  ground: Ground;
  log: SessionLog;
  sessionId: string;
  paths: SessionPaths;
  resolved: ResolvedModel;
  options: OpenOptions;
  extensions: Extensions;
  /** Every event of the log so far. */
  past: readonly DurableEnvelope[];
  /** Whether the session is new. */
  created: boolean;
};

export class LiveSession {
  readonly sessionId: string;
  readonly session: Session;
  readonly ground: Ground;
  readonly paths: SessionPaths;
  readonly log: SessionLog;
  readonly options: OpenOptions;
  readonly created: boolean;
  /** Todos change one step at a time, whoever changes them. */
  readonly oneTodoAtATime = new Mutex();
  readonly owner = createOwner({ runId: newId() });
  readonly outputs: ReturnType<typeof openOutputs>;
  readonly index: SessionIndex;
  readonly approvals: Approvals;
  readonly extensions: Extensions;
  readonly agents: Agents;
  readonly sidekicks: Sidekicks;
  readonly memory = sessionMemory(this);
  readonly tools: BuiltTools;
  readonly gauge = createGauge(
    // The index is there before anything is measured.
    { calibration: (t) => this.index.calibration(t), learn: (t, seen) => this.index.learn(t, seen) },
    () => this.target,
  );
  target: ModelTarget;
  modelReason: string;
  /** Aborts when the process is told to stop: waits at the end of a run give up. */
  readonly stopping = new AbortController();
  /** On resume with another model: done once, when a face is there to show it. */
  pendingSwitch: (() => Promise<void>) | undefined;
  /** What `--agent` names; a session that goes on as another agent is settled with it. */
  wantedAgent: AgentDefinition | undefined;
  /** While the session itself runs as rem-agent: the run of its turn. */
  consolidation: Consolidation | undefined;
  readonly #remembers: MemoryActor = { session: () => this.session, permit: (call) => this.#permit(call) };
  #ready: Promise<void> | undefined;
  readonly #past: readonly DurableEnvelope[];
  #callIds: Set<string> | undefined;

  constructor({ ground, log, sessionId, paths, resolved, options, extensions, past, created }: LiveOptions) {
    this.created = created;
    this.sessionId = sessionId;
    this.ground = ground;
    this.paths = paths;
    this.log = log;
    this.options = options;
    this.extensions = extensions;
    this.target = resolved.target;
    this.modelReason = resolved.reason;
    this.outputs = openOutputs(ground, paths);
    this.index = new SessionIndex(ground, sessionId, (rebuilt) => this.session.publish("store.rebuilt", rebuilt));
    this.#past = past;
    this.agents = new Agents(this, past);
    this.session = this.#openMain();
    this.sidekicks = new Sidekicks(this, past, {
      memories: () => ({ count: this.memory.counts()?.total ?? 0, prompt: this.memory.section() !== "" }),
    });
    log.onFold = (event) => {
      this.agents.fold(event);
      this.sidekicks.fold(event);
    };
    this.approvals = new Approvals(this.session, ground, options.prompts, tmpdir());
    this.tools = buildTools(this, {
      session: () => this.session,
      images: () => this.target.entry.supports.images,
      permit: (call) => this.#permit(call),
    });
  }

  #openMain(): Session {
    const values = () => this.ground.settings.values;
    const { agents, extensions } = this;
    return openConversation(this, this.log.state, {
      target: () => this.target,
      promptLimit: () => this.promptLimitOf(this.target),
      gauge: this.gauge,
      callModel: callAnyModel,
      reasoningEffort: () => values().reasoningEffort,
      permit: (call) => this.#permit(call),
      hook: extensions.hookFor(this),
      lane: (tool, input) => this.tools.lane(tool, input),
      offered: () => this.offered(),
      systemPrompt: () => sessionPrompt(this),
      planText: () => readOptional(this.paths.plan),
      activeAgent: () => agents.active(),
      refuse: (name, input) => agents.workflows.refuse(name, input),
      cap: () => this.consolidation?.cap(),
      signal: this.stopping.signal,
      interrupted: () => agents.workflows.stopAutopilot(),
      beforeTurn: () => this.#beforeTurn(),
      news: (cause) => [...agents.news(cause), ...this.sidekicks.news()],
      isBusy: () => agents.isBusy(),
      next: () => agents.workflows.next(),
      afterTurn: () => this.#afterTurn(),
    });
  }

  async #permit(call: Parameters<Session["parts"]["permit"]>[0]): Promise<Permit> {
    const refusal = this.agents.selected()?.tools.readOnlyShell ? await mustOnlyLook(this, call) : undefined;
    return refusal ?? this.approvals.door.permit(call);
  }

  /** L of a model, lowered by what was learned. */
  promptLimitOf(target: ModelTarget): number {
    const learned = this.session.state.modelLimits.get(target.id) ?? Number.POSITIVE_INFINITY;
    return Math.min(target.promptLimit, learned);
  }

  get limits(): { promptLimit: number } {
    return { promptLimit: this.promptLimitOf(this.target) };
  }

  async setMode(mode: AgentMode): Promise<void> {
    const previousMode = this.session.state.mode;
    if (mode !== previousMode) await this.session.emit("session.mode_changed", { previousMode, newMode: mode });
  }

  /** session.db is made from the log: after a resume or a rewind it says what the log says. */
  async restoreTodos(): Promise<void> {
    const { todos, deps, todoRuns } = this.session.state;
    if (todos.size > 0 || existsSync(this.paths.db)) writeTodos(this.paths.db, [...todos.values()], deps, todoRuns);
  }

  /** After a change of settings: what is read at each use counts from now on. */
  async reloadSettings(): Promise<void> {
    const { flags, trustFolder } = this.options;
    const again = await standOnGround({ flags: flags as Flags, trustFolder });
    if (again.ok) this.ground.settings = again.value.settings;
  }

  /** Everything that must happen before the first request of an opened session, once. */
  ready(initialPrompt?: string): Promise<void> {
    this.#ready ??= this.#makeReady(initialPrompt);
    return this.#ready;
  }

  async #makeReady(initialPrompt?: string): Promise<void> {
    await this.pendingSwitch?.();
    await this.sidekicks.ready();
    await settleAgent(this, this.wantedAgent);
    await this.extensions.begin(this, initialPrompt);
    await configureBoard(this, { created: this.created });
    await tellPending(this, "start");
  }

  /** What the model is told of the branch, and whose board it sees, is true for each turn. */
  async #followBranch(): Promise<void> {
    const { context } = this.session.state;
    const now = gitContext(context.cwd);
    if (now.branch !== context.branch) await this.session.emit("session.context_changed", { context: now });
  }

  async #beforeTurn(): Promise<void> {
    await this.#followBranch();
    await this.extensions.beforeTurn(this);
    await this.memory.beforeTurn();
    await this.sidekicks.beforeTurn();
    if (!this.agents.selected()?.promptParts.includeConsolidationPrompt || !isBoardOn(this.ground)) return;
    const { openConsolidation } = await import("../board/consolidate.ts");
    const { state, publish } = this.session;
    const { promptLimit } = this.limits;
    this.consolidation = await openConsolidation(this, { session: () => this.session, state, publish, promptLimit });
  }

  /** The texts of skills that the next message is to bring along. */
  async takeSkills(): Promise<string[]> {
    return Promise.all(skillsToLoad(this).map((skill) => this.extensions.invoke(this, this.session, skill)));
  }

  /** False when some agent of this session has used the id before. */
  claimCall(toolCallId: string): boolean {
    this.#callIds ??= callIdsOf(this.#past);
    if (this.#callIds.has(toolCallId)) return false;
    this.#callIds.add(toolCallId);
    return true;
  }

  /** As the chosen agent, or as one that is about to be chosen. */
  offered(selected = this.agents.selected()): Tool[] {
    const { values } = this.ground.settings;
    const { mode } = this.session.state;
    const board = selected && this.consolidation ? [this.consolidation.tool] : [];
    const all = [
      ...this.tools.all,
      ...this.agents.mainTools(),
      ...this.extensions.tools(this),
      ...this.sidekicks.tools(),
      ...this.memory.tools(this.#remembers),
      ...board,
    ];
    return offeredTools(all, { mode, exclude: values["tool.exclude"] }).filter((tool) =>
      this.agents.mainHolds(tool, selected),
    );
  }

  async updateIndex(): Promise<void> {
    const soft = await this.index.update(this.session.state);
    if (soft) this.session.publish("soft_failure", { ...soft, sessionId: this.session.id });
  }

  async #afterTurn(): Promise<void> {
    await this.consolidation?.end();
    this.consolidation = undefined;
    await this.updateIndex();
    if (this.ground.settings.values["debug.verifyReplay"]) await verifyReplay(this.session, this.paths);
  }
}

function callIdsOf(events: readonly DurableEnvelope[]): Set<string> {
  const ids = new Set<string>();
  for (const e of events)
    if (e.type === "assistant.message") for (const { toolCallId } of e.data.toolRequests) ids.add(toolCallId);
  return ids;
}

function readOptional(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // not written yet
  }
}
