// A live session: its log, its state, and the parts that the runtime gave it. The verbs are functions in the files beside.
import type { Clock } from "../base/clock.ts";
import type { MakeId } from "../base/id.ts";
import type { BudgetSettings } from "../context/compact/budget.ts";
import type { ActiveAgent } from "../context/compact/carried.ts";
import type { Contributor } from "../context/usage/unreclaimable.ts";
import type { HookInputs } from "../hook/input.ts";
import type { HookOutcome } from "../hook/merge.ts";
import type { HookName } from "../hook/name.ts";
import type { CallModel, ModelTarget } from "../model/contract.ts";
import type { HookOpinion } from "../permission/policy.ts";
import type { ShellPlan } from "../permission/shell/plan.ts";
import type { ContextItem } from "../schema/context-item.ts";
import type { MessageSource } from "../schema/event/conversation.ts";
import type { DurableType, Envelope, EphemeralType, EventData } from "../schema/event/envelope.ts";
import type { Message } from "../schema/message.ts";
import type { Interaction } from "../schema/model.ts";
import type { EditedMemory } from "../schema/permission.ts";
import type { ToolDefinition } from "../schema/tool.ts";
import type { Tool } from "../tool/contract.ts";
import type { SessionState } from "./state.ts";
import type { TurnEnd, TurnInput } from "./turn.ts";
import type { TurnPhase } from "./turn-phase.ts";
import type { WindowState } from "./window.ts";

export type Permit =
  /** `edited`: what the person made of a memory before allowing it. `plan`: what a shell call runs in place of its text. */
  | { type: "allow"; edited?: EditedMemory; plan?: ShellPlan }
  /** `covered`: it had to be asked about and nobody was there, though an approval in force would have let it pass. */
  | { type: "deny"; code: string; message: string; covered?: true };

/** A measured request: what the meter shows and the calibration learns from. */
export type Measured = {
  systemTokens: number;
  toolDefinitionsTokens: number;
  conversationTokens: number;
  /** One for each item, in order. */
  itemTokens: number[];
  /** Before calibration. */
  rawTokens: number;
  basis: "estimated" | "calibrated";
};

export type BoundResult = { content: string; outputFile?: string; bytes: number; lines: number; isBlock?: boolean };

export type ContextSettings = BudgetSettings & {
  mode: "on" | "manual" | "off";
  exhaustion: number;
  minMessages: number;
  timeoutMs: number;
  maxChunks: number;
  truncation: "on" | "off";
  truncationTarget: number;
  recallOn: boolean;
  providerCompaction: boolean;
};

/** Runs the hooks of a moment for this actor; without hooks it resolves at once. Never rejects. */
export type RunHook = <N extends HookName>(name: N, input: HookInputs[N], signal: AbortSignal) => Promise<HookOutcome>;

/** What the runtime injects. Functions must not throw for expected outcomes. */
export type SessionParts = {
  clock: Clock;
  newId: MakeId;
  random: () => number;
  callModel: CallModel;
  /** The model in force; a switch changes it between turns. */
  target: () => ModelTarget;
  retry: { max: number; baseMs: number; maxWaitSeconds: number };
  limits: { maxSteps: number; maxParallelTools: number; streamIdleMs: number; maxStopBlocks: number };
  reasoningEffort: () => "low" | "medium" | "high" | undefined;
  /** Tools offered now, with their definitions sorted by name. */
  offered: () => { tools: readonly Tool[]; definitions: readonly ToolDefinition[] };
  /** The one door: rules, approvals, the user. */
  permit: (call: {
    toolCallId: string;
    tool: Tool;
    input: unknown;
    signal: AbortSignal;
    hook?: HookOpinion;
  }) => Promise<Permit>;
  hook: RunHook;
  /** A workflow's limits, such as those of research: why this call may not be made now. */
  refuse?: (name: string, input: unknown) => { code: string; message: string } | undefined;
  /** How its requests call themselves; without it by who speaks. */
  interaction?: Interaction;
  /** Asked before each step of a subagent: the cap that it has reached. */
  cap?: () => { code: string; message: string } | undefined;
  /** Aborts when this actor's life ends: no turn of it begins any more, and one that runs is cut. */
  signal: AbortSignal;
  /** A person has interrupted while no turn ran: what would go on by itself does not. */
  interrupted: () => Promise<void>;
  /** At the beginning of each turn, before the tools are looked at. */
  beforeTurn: () => Promise<void>;
  /** What there is to tell the model now; telling is writing the event. `cause` is whose words the turn begins with. */
  news: (cause: MessageSource) => PendingNotice[];
  /** Work goes on beside the conversation: agents, a fleet. The session is not idle. */
  isBusy: () => boolean;
  /** What the session does by itself when nothing waits and nothing runs: autopilot, a reminder. */
  next: () => Promise<TurnInput | undefined>;
  /** Lane of a call: equal lanes run one after another. */
  lane: (tool: Tool, input: unknown) => Promise<string | undefined>;
  systemPrompt: () => { text: string; warnings: { type: string; message: string }[] };
  measure: (request: {
    system: string;
    tools: readonly ToolDefinition[];
    items: readonly ContextItem<Message>[];
    /** L: far below it an estimate is enough. */
    limit: number;
  }) => Promise<Measured>;
  /** The same sums as `measure`, at a cost that follows only what is new since the last time. Undefined far above the limit. */
  totals: (request: Parameters<SessionParts["measure"]>[0]) => Promise<Omit<Measured, "itemTokens"> | undefined>;
  /** Exact and calibrated. */
  countItem: (item: ContextItem<Message>) => Promise<number>;
  /** Calibrated; exact once the tokeniser is loaded, an upper bound before. */
  countText: (text: string) => number;
  loadCounter: () => Promise<void>;
  /** L of the model in force, lowered by what was learned. */
  promptLimit: () => number;
  context: () => ContextSettings;
  /** What the system text holds of what is remembered, by where it comes from. */
  memoryTexts: () => readonly { source: string; text: string }[];
  /** Parts of the fixed size that a user can make smaller. */
  contributors: () => Contributor[];
  /** The custom agent that the session runs as. */
  activeAgent?: () => ActiveAgent | undefined;
  /** What instruction files pin, read when a compaction needs it. */
  pinned?: () => string;
  /** Text of plan.md; empty when there is none. */
  planText: () => string;
  /** Writes the checkpoint's file, filtered; a failure is told softly. Absent in a subagent, which has none. */
  writeCheckpoint?: (name: string, text: string) => Promise<void>;
  /** index.md, workspace.yaml and the store come up to the log: after a compaction, and before text leaves a request. */
  updateIndex: () => Promise<void>;
  /** True when the process takes too much memory and it is time to act. */
  underPressure: () => boolean;
  /** The process is over its limit right now, whatever is to be done about it. */
  isOverMemory: () => boolean;
  /** A place where a test may end the process. */
  crashPoint: (name: string) => void;
  /** Learns from what the provider reported. */
  calibrate: (estimate: number, reported: number) => void;
  /** Takes an id for a call of this session; false when some agent of it has used it before. */
  claimCall: (toolCallId: string) => boolean;
  bound: (toolCallId: string, text: string) => Promise<BoundResult>;
  allowedPath: (toolCallId: string, path: string) => boolean;
  /** After every turn: indexing and other work that must not hold up the conversation. */
  afterTurn: () => Promise<void>;
};

/** `wakes`: an idle session begins a turn for it. */
export type PendingNotice = {
  kind: string;
  content: string;
  agentIds?: string[];
  /** Further fields of its event. */
  data?: Record<string, unknown>;
  wakes?: boolean;
  /** Where its text has a bound of its own; else that of every notification. */
  maxTokens?: number;
  /** It holds a block of ours, and all that is not ours is escaped in it already. */
  isBlock?: boolean;
};

export type Session = {
  id: string;
  dir: string;
  root: string;
  /** Of a subagent: its events carry it. */
  agentId?: string;
  state: SessionState;
  parts: SessionParts;
  /** Writes a durable event, folds it into the state, tells the listeners. Resolves when it is in the log. */
  emit: <T extends DurableType>(type: T, data: EventData<T>, parentId?: string) => Promise<Envelope<T>>;
  /** Tells the listeners only. */
  publish: <T extends EphemeralType>(type: T, data: EventData<T>) => void;
  live: {
    phase: TurnPhase;
    abort: AbortController | undefined;
    /** The drive loop, while it runs. */
    driving: Promise<void> | undefined;
    notices: PendingNotice[];
    offeredNames: string;
    usageShown: boolean;
    lastTurn: TurnEnd | undefined;
    currentTokens: number;
    /** Same call failing the same way, in a row. */
    repeated: { key: string; count: number };
    window: WindowState;
    /** A /compact that was typed during a turn: it runs at the next request. */
    manual: (() => Promise<unknown>) | undefined;
    /** What must wait until no turn runs. */
    betweenTurns: (() => Promise<unknown>)[];
    /** Queued messages that an interrupt gave back to the user. */
    handedBack: Set<string>;
    /** The tools that run, so that one of them can be cancelled. */
    running: Map<string, AbortController>;
    /** Interrupted since the last real message: nothing goes on by itself. */
    stopRequested: boolean;
    /** How often stop hooks have sent it back to work since the last real message. */
    stopBlocks: number;
  };
};
