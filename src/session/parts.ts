// What the runtime gives a conversation, by concern. Functions must not throw for expected outcomes.
import type { Clock } from "../base/clock.ts";
import type { MakeId } from "../base/id.ts";
import type { ActiveAgent } from "../context/compact/carried.ts";
import type { Contributor } from "../context/usage/unreclaimable.ts";
import type { HookOutcome } from "../hook/merge.ts";
import type { HookInputs, HookName } from "../hook/name.ts";
import type { CallModel, ModelTarget } from "../model/contract.ts";
import type { HookOpinion } from "../permission/policy.ts";
import type { ShellPlan } from "../permission/shell/plan.ts";
import type { ContextItem } from "../schema/context-item.ts";
import type { MessageSource } from "../schema/event/conversation.ts";
import type { Message } from "../schema/message.ts";
import type { AgentRole, Interaction } from "../schema/model.ts";
import type { EditedMemory } from "../schema/permission.ts";
import type { ToolDefinition } from "../schema/tool.ts";
import type { Tool } from "../tool/contract.ts";
import type { ContextSettings } from "./context-settings.ts";
import type { MessageInput, TurnInput } from "./turn-input.ts";

export type SessionParts = {
  system: SystemParts;
  model: ModelParts;
  tokens: TokenParts;
  prompt: SystemTextParts;
  tools: ToolParts;
  permission: PermissionParts;
  hook: RunHook;
  context: ContextParts;
  lifecycle: LifecycleParts;
  limits: { maxSteps: number; maxParallelTools: number; streamIdleMs: number; maxStopBlocks: number };
};

type SystemParts = {
  clock: Clock;
  newId: MakeId;
  random: () => number;
  /** A place where a test may end the process. */
  crashPoint: (name: string) => void;
};

export type ModelParts = {
  call: CallModel;
  /** The model in force; a switch changes it between turns. */
  target: () => ModelTarget;
  /** L of the model in force, lowered by what was learned. */
  promptLimit: () => number;
  reasoningEffort: () => "low" | "medium" | "high" | undefined;
  retry: { max: number; baseMs: number; maxWaitSeconds: number };
  /** How its requests call themselves; without it by who speaks. */
  interaction?: Interaction;
  /** What the agent that runs is for. */
  role?: () => AgentRole | undefined;
};

/** A measured request: what the meter shows and the calibration learns from. */
type RequestSize = {
  systemTokens: number;
  toolDefinitionsTokens: number;
  conversationTokens: number;
  /** One for each item, in order. */
  itemTokens: number[];
  /** Before calibration. */
  rawTokens: number;
  basis: "estimated" | "calibrated";
};

type MeasureRequest = {
  system: string;
  tools: readonly ToolDefinition[];
  items: readonly ContextItem<Message>[];
  /** L: far below it an estimate is enough. */
  limit: number;
};

export type TokenParts = {
  measure: (request: MeasureRequest) => Promise<RequestSize>;
  /** The same sums as `measure`, at a cost that follows only what is new since the last time. Undefined far above the limit. */
  totals: (request: MeasureRequest) => Promise<Omit<RequestSize, "itemTokens"> | undefined>;
  /** Exact and calibrated. */
  countItem: (item: ContextItem<Message>) => Promise<number>;
  /** Calibrated; exact once the tokeniser is loaded, an upper bound before. */
  countText: (text: string) => number;
  loadCounter: () => Promise<void>;
  /** Learns from what the provider reported. */
  calibrate: (estimate: number, reported: number) => void;
};

type SystemTextParts = {
  system: () => { text: string; warnings: { type: string; message: string }[] };
  /** What the system text holds of what is remembered, by where it comes from. */
  memoryTexts: () => readonly { source: string; text: string }[];
  /** Parts of the fixed size that a user can make smaller. */
  contributors: () => Contributor[];
};

export type BoundResult = { content: string; outputFile?: string; bytes: number; lines: number; isBlock?: boolean };

export type ToolParts = {
  /** Tools offered now, with their definitions sorted by name. */
  offered: () => { tools: readonly Tool[]; definitions: readonly ToolDefinition[] };
  /** Lane of a call: equal lanes run one after another. */
  lane: (tool: Tool, input: unknown) => Promise<string | undefined>;
  /** A workflow's limits, such as those of research: why this call may not be made now. */
  refuse?: (name: string, input: unknown) => Refusal | undefined;
  /** Takes an id for a call of this session; false when some agent of it has used it before. */
  claimCall: (toolCallId: string) => boolean;
  bound: (toolCallId: string, text: string) => Promise<BoundResult>;
};

type Refusal = { code: string; message: string };

export type Permit =
  /** `edited`: what the person made of a memory before allowing it; `replaces`: the record it takes the place of. `plan`: what a shell call runs in place of its text. */
  | { type: "allow"; edited?: EditedMemory; replaces?: string; plan?: ShellPlan }
  /**
   * `covered`: it had to be asked about and nobody was there, though an approval in force would have let it pass.
   * `futile`: nobody was asked, since it would fail whatever the answer.
   */
  | { type: "deny"; code: string; message: string; covered?: true; futile?: true };

/** `hook`: what the preToolUse hooks said of it. */
export type PermitCall = {
  toolCallId: string;
  tool: Tool;
  input: unknown;
  signal: AbortSignal;
  hook?: HookOpinion;
};

export type AskPermit = (call: PermitCall) => Promise<Permit>;

type PermissionParts = {
  /** The one door: rules, approvals, the user. */
  permit: AskPermit;
  allowedPath: (toolCallId: string, path: string) => boolean;
};

/** Runs the hooks of a moment for this actor; without hooks it resolves at once. Never rejects. */
export type RunHook = <N extends HookName>(name: N, input: HookInputs[N], signal: AbortSignal) => Promise<HookOutcome>;

export type ContextParts = {
  settings: () => ContextSettings;
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

export type LifecycleParts = {
  /** Called at the beginning of each turn, before the tools are looked at. */
  beforeTurn: () => Promise<void>;
  /** Blocks of what is remembered, for the model to read before this message. Never in the way: late is nothing. */
  recalled?: (message: MessageInput, signal: AbortSignal) => Promise<string | undefined>;
  /** Called after every turn, for indexing and other work that must not hold up the conversation. */
  afterTurn: () => Promise<void>;
  /** Asked before each step of a subagent: the cap that it has reached. */
  cap?: () => Refusal | undefined;
  /** A person has interrupted while no turn ran: what would go on by itself does not. */
  interrupted: () => Promise<void>;
  /** What there is to tell the model now; telling is writing the event. `cause` is whose words the turn begins with. */
  news: (cause: MessageSource) => PendingNotice[];
  /** Work goes on beside the conversation: agents, a fleet. The session is not idle. */
  isBusy: () => boolean;
  /** What the session does by itself when nothing waits and nothing runs: autopilot, a reminder. */
  next: () => Promise<TurnInput | undefined>;
};
