// Who acts: the main agent or a subagent. What differs between them, and the session parts made from it.
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { newId } from "../../base/id.ts";
import type { CallModel, ModelTarget } from "../../model/contract.ts";
import type { Session, SessionParts } from "../../session/session.ts";
import type { SessionState } from "../../session/state.ts";
import { newWindowState } from "../../session/window.ts";
import { atomicWrite } from "../../store/atomic-write.ts";
import { boundText } from "../../tool/bound.ts";
import type { Tool } from "../../tool/contract.ts";
import { outputFile } from "../../tool/output.ts";
import { toolDefinition } from "../../tool/registry.ts";
import { crashPoint } from "../crash.ts";
import { contextSettings } from "../session/context-settings.ts";
import type { Gauge } from "../session/gauge.ts";
import type { LiveSession } from "../session/live-session.ts";
import { MB, pressureGauge } from "../session/pressure.ts";
import type { SessionPrompt } from "../session/prompt.ts";

type Prompt = Omit<SessionPrompt, "memory"> & Partial<Pick<SessionPrompt, "memory">>;

/** What the runtime knows of an actor. */
export type Actor = Pick<
  SessionParts,
  | "permit"
  | "hook"
  | "lane"
  | "signal"
  | "interrupted"
  | "beforeTurn"
  | "news"
  | "isBusy"
  | "next"
  | "afterTurn"
  | "planText"
> &
  Partial<Pick<SessionParts, "refuse" | "cap" | "interaction" | "activeAgent" | "pinned">> & {
    /** Absent for the main agent. */
    agentId?: string;
    target: () => ModelTarget;
    promptLimit: () => number;
    gauge: Gauge;
    callModel: CallModel;
    reasoningEffort: SessionParts["reasoningEffort"];
    offered: () => Tool[];
    systemPrompt: () => Prompt;
  };

/** Of an actor beside the main one: it has no plan, nothing is told to it, and nothing follows its turn. */
export const ALONE = {
  planText: () => "",
  interrupted: async () => undefined,
  beforeTurn: async () => undefined,
  news: () => [],
  isBusy: () => false,
  next: async () => undefined,
  afterTurn: async () => undefined,
} satisfies Partial<Actor>;

export function openConversation(live: LiveSession, state: SessionState, actor: Actor): Session {
  const { log } = live;
  const { agentId } = actor;
  return {
    id: live.sessionId,
    dir: live.paths.dir,
    root: live.ground.root,
    ...(agentId === undefined ? {} : { agentId }),
    state,
    parts: partsOf(live, actor),
    emit: (type, data, parentId) => log.emit(type, data, { parentId, agentId }),
    publish: (type, data) => log.publish(type, data, agentId),
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
      window: newWindowState(state.eventCount > 0 ? "resume" : "start"),
      manual: undefined,
      betweenTurns: [],
      handedBack: new Set(),
      running: new Map(),
      stopRequested: false,
      stopBlocks: 0,
    },
  };
}

function partsOf(live: LiveSession, actor: Actor): SessionParts {
  const values = () => live.ground.settings.values; // read each time: a changed setting counts from the next turn on
  const { agentId, gauge, systemPrompt, offered, ...own } = actor;
  let prompted: Pick<Prompt, "contributors" | "memory"> = { contributors: [] };
  const isMain = agentId === undefined;
  return {
    ...own,
    ...gauge,
    clock: systemClock,
    newId,
    random: Math.random,
    get retry() {
      const v = values();
      return { max: v["retry.max"], baseMs: v["retry.baseMs"], maxWaitSeconds: v["retry.maxWaitSeconds"] };
    },
    get limits() {
      const v = values();
      return {
        maxSteps: isMain ? v["turn.maxSteps"] : Number.POSITIVE_INFINITY, // a subagent has caps of its own
        maxParallelTools: v["turn.maxParallelTools"],
        streamIdleMs: v["turn.streamIdleSeconds"] * 1000,
        maxStopBlocks: v["hook.maxStopBlocks"],
      };
    },
    offered: () => {
      const tools = offered();
      return { tools, definitions: tools.map(toolDefinition) };
    },
    allowedPath: (toolCallId, path) => live.approvals.door.allowedPath(toolCallId, path),
    systemPrompt: () => {
      const prompt = systemPrompt();
      prompted = prompt;
      return prompt;
    },
    context: () => {
      const settings = contextSettings(live.ground);
      // An agent that may not have the tool is told where the originals are, and no more.
      return {
        ...settings,
        recallOn: settings.recallOn && (isMain || offered().some(({ name }) => name === "recall")),
      };
    },
    contributors: () => prompted.contributors,
    memoryTexts: () => prompted.memory ?? [],
    ...(isMain ? { writeCheckpoint: (name, text) => writeCheckpoint(live, name, text) } : {}),
    updateIndex: () => live.updateIndex(),
    isOverMemory: () => process.memoryUsage.rss() > values()["pressure.rssMb"] * MB,
    underPressure: pressureGauge(() => values()["pressure.rssMb"], systemClock),
    crashPoint: (name) => crashPoint(values()["debug.crashAt"], name),
    claimCall: (toolCallId) => live.claimCall(toolCallId),
    bound: async (toolCallId, text) =>
      boundText(text, {
        maxBytes: values()["tool.outputMaxBytes"],
        file: outputFile(live.paths.dir, toolCallId),
        folder: live.outputs,
      }),
  };
}

async function writeCheckpoint(live: LiveSession, name: string, text: string): Promise<void> {
  const path = join(live.paths.checkpoints, name);
  const written = await atomicWrite(path, live.ground.redact(text), { private: true });
  if (written.ok) return;
  const { code, what } = written.error;
  live.session.publish("soft_failure", { part: "checkpoint file", code, message: what });
}
