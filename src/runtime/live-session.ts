// One open session with its concrete parts: tools, permission door, model target, index, owned processes.

import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import { errorText } from "../base/failure.ts";
import { newId } from "../base/id.ts";
import { canonicalJson } from "../base/json.ts";
import type { Contributor } from "../context/usage/unreclaimable.ts";
import type { SessionPaths } from "../host/paths.ts";
import { createOwner } from "../host/process.ts";
import type { ModelTarget } from "../model/contract.ts";
import type { Resolved } from "../model/resolve.ts";
import {
  accountingBasis,
  type Calibration,
  calibrated,
  uncalibrated,
  updateFactor,
} from "../model/tokens/calibrate.ts";
import { tokenCounter } from "../model/tokens/counter.ts";
import { countItem, measure } from "../model/tokens/measure.ts";
import { HistoryMeter } from "../model/tokens/meter.ts";
import type { AgentMode } from "../schema/permission.ts";
import type { SessionLog } from "../session/log.ts";
import { readSession } from "../session/read-session.ts";
import { replay } from "../session/replay.ts";
import type { Measured, Session, SessionParts } from "../session/session.ts";
import { plainState } from "../session/state.ts";
import { newWindowState } from "../session/window.ts";
import type { Flags } from "../settings/flag.ts";
import { atomicWrite } from "../store/atomic-write.ts";
import { boundText } from "../tool/bound.ts";
import type { Tool } from "../tool/contract.ts";
import { outputFile } from "../tool/output.ts";
import { offeredTools, toolDefinition } from "../tool/registry.ts";
import { Approvals } from "./approvals.ts";
import type { OpenOptions } from "./client.ts";
import { contextSettings } from "./context-settings.ts";
import { crashPoint } from "./crash.ts";
import { callAnyModel } from "./model.ts";
import { MB, pressureGauge } from "./pressure.ts";
import { SessionIndex } from "./session-index.ts";
import { sessionPrompt } from "./session-prompt.ts";
import { type Ground, standOnGround } from "./start.ts";
import { type BuiltTools, buildTools } from "./tools.ts";

export type LiveOptions = {
  ground: Ground;
  log: SessionLog;
  sessionId: string;
  paths: SessionPaths;
  resolved: Resolved;
  options: OpenOptions;
};

export class LiveSession {
  readonly session: Session;
  readonly ground: Ground;
  readonly paths: SessionPaths;
  readonly log: SessionLog;
  readonly options: OpenOptions;
  readonly owner = createOwner({ runId: newId() });
  readonly index: SessionIndex;
  readonly approvals: Approvals;
  readonly tools: BuiltTools;
  target: ModelTarget;
  modelReason: string;
  /** Aborts when the process is told to stop: waits at the end of a run give up. */
  readonly stopping = new AbortController();
  /** On resume with another model: done once, when a face is there to show it. */
  pendingSwitch: (() => Promise<void>) | undefined;
  #calibration: Calibration | undefined;
  #contributors: Contributor[] = [];
  #ready: Promise<void> | undefined;
  readonly #meter = new HistoryMeter();

  constructor({ ground, log, sessionId, paths, resolved, options }: LiveOptions) {
    this.ground = ground;
    this.paths = paths;
    this.log = log;
    this.options = options;
    this.target = resolved.target;
    this.modelReason = resolved.reason;
    this.index = new SessionIndex(ground, sessionId);
    this.session = {
      id: sessionId,
      dir: paths.dir,
      root: ground.root,
      state: log.state,
      parts: this.#parts(),
      emit: (type, data, parentId) => log.emit(type, data, parentId),
      publish: (type, data) => log.publish(type, data),
      live: {
        phase: { type: "idle" },
        abort: undefined,
        driving: undefined,
        notices: [],
        offeredNames: "",
        usageShown: false,
        lastTurn: undefined,
        currentTokens: 0,
        repeated: { key: "", count: 0 },
        window: newWindowState(log.state.eventCount > 0 ? "resume" : "start"),
        manual: undefined,
        betweenTurns: [],
        handedBack: new Set(),
      },
    };
    this.approvals = new Approvals(this.session, ground, options.prompts, tmpdir());
    this.tools = buildTools(this);
  }

  get limits(): { promptLimit: number } {
    const learned = this.session.state.modelLimits.get(this.target.id) ?? Number.POSITIVE_INFINITY;
    return { promptLimit: Math.min(this.target.promptLimit, learned) };
  }

  async setMode(mode: AgentMode): Promise<void> {
    const previousMode = this.session.state.mode;
    if (mode !== previousMode) await this.session.emit("session.mode_changed", { previousMode, newMode: mode });
  }

  /** session.db is made from the log: after a resume or a rewind it says what the log says. */
  async restoreTodos(): Promise<void> {
    await this.tools.restoreTodos([...this.session.state.todos.values()], this.session.state.deps);
  }

  /** After a change of settings: what is read at each use counts from now on. */
  async reloadSettings(): Promise<void> {
    const { flags, trustFolder } = this.options;
    const again = await standOnGround({ flags: flags as Flags, trustFolder });
    if (again.ok) this.ground.settings = again.value.settings;
  }

  /** Everything that must happen before the first request of an opened session, once. */
  ready(): Promise<void> {
    this.#ready ??= this.pendingSwitch?.() ?? Promise.resolve();
    return this.#ready;
  }

  offered(): Tool[] {
    const { values } = this.ground.settings;
    return offeredTools(this.tools.all, { mode: this.session.state.mode, exclude: values["tool.exclude"] });
  }

  #parts(): SessionParts {
    const values = () => this.ground.settings.values; // read each time: a changed setting counts from the next turn on
    return {
      clock: systemClock,
      newId,
      random: Math.random,
      callModel: callAnyModel,
      target: () => this.target,
      get retry() {
        const v = values();
        return { max: v["retry.max"], baseMs: v["retry.baseMs"], maxWaitSeconds: v["retry.maxWaitSeconds"] };
      },
      get limits() {
        const v = values();
        return {
          maxSteps: v["turn.maxSteps"],
          maxParallelTools: v["turn.maxParallelTools"],
          streamIdleMs: v["turn.streamIdleSeconds"] * 1000,
        };
      },
      reasoningEffort: () => values().reasoningEffort,
      offered: () => {
        const tools = this.offered();
        return { tools, definitions: tools.map(toolDefinition) };
      },
      permit: (call) => this.approvals.door.permit(call),
      allowedPath: (toolCallId, path) => this.approvals.door.allowedPath(toolCallId, path),
      lane: (tool, input) => this.tools.lane(tool, input),
      systemPrompt: () => this.#systemPrompt(),
      measure: (request) => this.#measure(request),
      totals: (request) => this.#totals(request),
      countItem: async (item) => calibrated(await countItem(item), this.calibration),
      countText: (text) => Math.ceil(tokenCounter.countNow(text) * this.calibration.factor),
      loadCounter: () => tokenCounter.load(),
      promptLimit: () => this.limits.promptLimit,
      context: () => contextSettings(this.ground),
      contributors: () => this.#contributors,
      planText: () => readOptional(this.paths.plan),
      writeCheckpoint: async (name, text) => {
        const written = await atomicWrite(join(this.paths.checkpoints, name), this.ground.redact(text), {
          private: true,
        });
        if (!written.ok)
          this.session.publish("soft_failure", {
            part: "checkpoint file",
            code: written.error.code,
            message: written.error.what,
          });
      },
      updateIndex: () => this.updateIndex(),
      isOverMemory: () => process.memoryUsage.rss() > values()["pressure.rssMb"] * MB,
      underPressure: pressureGauge(() => values()["pressure.rssMb"], systemClock),
      crashPoint: (name) => crashPoint(values()["debug.crashAt"], name),
      calibrate: (estimate, reported) => {
        this.#calibration = updateFactor(this.#calibration ?? uncalibrated, { estimate, reported });
        this.index.learn(this.target, { estimate, reported });
      },
      bound: async (toolCallId, text) =>
        boundText(text, { maxBytes: values()["tool.outputMaxBytes"], file: outputFile(this.paths.dir, toolCallId) }),
      afterTurn: () => this.#afterTurn(),
    };
  }

  #systemPrompt(): ReturnType<SessionParts["systemPrompt"]> {
    const { contributors, ...prompt } = sessionPrompt(this.ground, this.session, this.limits.promptLimit);
    this.#contributors = contributors;
    return prompt;
  }

  async #measure(request: Parameters<SessionParts["measure"]>[0]): Promise<Measured> {
    this.#calibration ??= await this.index.calibration(this.target);
    const state = this.#calibration;
    const raw = await measure(request);
    const itemTokens = raw.itemTokens.map((tokens) => calibrated(tokens, state));
    return {
      itemTokens,
      systemTokens: calibrated(raw.systemTokens, state),
      toolDefinitionsTokens: calibrated(raw.toolDefinitionsTokens, state),
      conversationTokens: itemTokens.reduce((a, b) => a + b, 0),
      rawTokens: raw.systemTokens + raw.toolDefinitionsTokens + raw.conversationTokens,
      basis: accountingBasis(state),
    };
  }

  async #totals(request: Parameters<SessionParts["measure"]>[0]): ReturnType<SessionParts["totals"]> {
    this.#calibration ??= await this.index.calibration(this.target);
    const state = this.#calibration;
    return { ...(await this.#meter.totals(request, state)), basis: accountingBasis(state) };
  }

  get calibration(): Calibration {
    return this.#calibration ?? uncalibrated;
  }

  forgetCalibration(): void {
    this.#calibration = undefined;
  }

  async updateIndex(): Promise<void> {
    const soft = await this.index.update(this.session.state);
    if (soft) this.session.publish("soft_failure", { ...soft, sessionId: this.session.id });
  }

  async #afterTurn(): Promise<void> {
    await this.updateIndex();
    if (this.ground.settings.values["debug.verifyReplay"]) await this.#verifyReplay();
  }

  async #verifyReplay(): Promise<void> {
    // Events may be added while the log is read: what is compared is this moment.
    const { eventCount } = this.session.state;
    const live = canonicalJson(plainState(this.session.state));
    const read = await readSession(this.paths);
    const replayed = read.ok
      ? canonicalJson(plainState(replay(read.value.events.slice(0, eventCount))))
      : errorText(read.error.what);
    if (replayed === live) return;
    await this.session.emit("session.error", {
      errorType: "replay_mismatch",
      code: "replay_mismatch",
      message: `Live and replayed state differ from character ${firstDifference(live, replayed)} on.`,
    });
  }
}

function readOptional(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // not written yet
  }
}

function firstDifference(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}
