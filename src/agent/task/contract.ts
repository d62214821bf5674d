// The registry's surface: what it is given, what an executor gets from it, and what every call answers.
import type { Clock } from "../../base/clock.ts";
import type { MakeId } from "../../base/id.ts";
import type { Result } from "../../base/result.ts";
import type { ExecutionMode, McpTaskProgress } from "../../schema/event/agent.ts";
import type { DurableEnvelope, DurableType, EphemeralType, EventData } from "../../schema/event/envelope.ts";
import type { AgentCaps } from "../catalog/definition.ts";
import type { AgentMessage, AgentRecord, AgentTurn } from "./record.ts";

/** An expected refusal: the code stands first in the text that a model reads. */
export type Coded = { code: string; message: string };

export type RegistryLimits = {
  maxDepth: number;
  maxConcurrent: number;
  maxPerPrompt: number;
  idleMs: number;
  /** 0 = never. */
  stallMs: number;
  maxSteps: number;
  maxTokens: number;
  maxMs: number;
  multiTurn: boolean;
};

export type AgentChange = "started" | "promoted" | "message" | "turn" | "idle" | "stalled" | "ended";

export type RegistryParts = {
  sessionId: string;
  /**
   * Appends an event with this agent's id in its envelope; resolves once it is written. The log calls `registry.fold` for
   * every durable event, of any agent and of none, in the order of the file and before this resolves.
   */
  emit: <T extends DurableType>(agentId: string, type: T, data: EventData<T>) => Promise<unknown>;
  publish: <T extends EphemeralType>(agentId: string | undefined, type: T, data: EventData<T>) => void;
  clock: Clock;
  newId: MakeId;
  /** Asked at every use: settings may change. */
  limits: () => RegistryLimits;
  /** Every id ever started in this log, also those that a rewind took off the chain. */
  usedIds: () => ReadonlySet<string>;
  /** For an idle or interrupted record without an executor: the message that wakes it is already queued. */
  revive: (record: AgentRecord) => { executor: Executor; live?: LiveParts; caps?: AgentCaps };
  /** After the event is written, and before any wait ends. Must not throw. What is `told` needs no announcement. */
  onChange: (record: AgentRecord, change: AgentChange) => void;
  /** The log cannot be written, so that the record stays as it is. Must not throw. */
  onBroken: (error: unknown) => void;
  /** Runs it after that time unless the returned function is called first; an unreferenced timer unless given. */
  after?: (ms: number, run: () => void) => () => void;
};

/** What an agent is waiting for right now: the reason of its stall. */
export type Doing =
  | { type: "model" }
  /** `bounded`: it ends by a time-out of its own, and so is never silent. */
  | { type: "tool"; name: string; bounded?: true }
  | { type: "hook"; name: string }
  | { type: "mcp"; server: string }
  | { type: "permission" };

export type AgentEnd = { type: "completed"; result: string } | { type: "failed"; error: Coded };
/**
 * One run of a record, from its start (or its continuation after a resume) to its end. A rejection is `failed`. The
 * registry writes the boundaries around it.
 */
export type Executor = (handle: AgentHandle) => Promise<AgentEnd>;

/** All that an executor may do to its record. Once the record has ended each of these does nothing. */
export type AgentHandle = {
  readonly id: string;
  /** Aborted by a cancel, a cap of time, a stall: return; what is returned then is not used. */
  readonly signal: AbortSignal;
  record(): AgentRecord;
  /**
   * The next message: a queued one at once, and the agent stays running. Else, in the background and multi-turn, the agent
   * is idle until a message comes. Undefined: no more will come to this executor, end now. Enter the message as a `user.message` of this
   * agent with the same messageId: that takes it out of the queue.
   */
  waitForMessage(): Promise<AgentMessage | undefined>;
  /** Records a turn. */
  setLatestResponse(turn: Omit<AgentTurn, "turn" | "at">): Promise<void>;
  /** Asked before each step: the cap that is reached, which is then the error to end with. */
  cap(): Coded | undefined;
  /** Bytes from the model, output of a tool, a step done. */
  touch(): void;
  doing(what: Doing): void;
  /** Called after the second silent period: retry the model call, or cancel the silent tool. One callback at a time. */
  onNudge(callback: (reason: string) => void): void;
};

/** The model is another than the one asked for. */
export type ModelChange = { requested: string; used: string; reason: string; ratio?: number };

/** Parts of a running agent that only its starter has. */
export type LiveParts = { steer?: (message: string) => Promise<Result<void, Coded>> };

export type AgentSpec = {
  parentId?: string;
  toolCallId?: string;
  name: string;
  /** Normalised name of its definition, or MCP_TASK. */
  agentType: string;
  displayName: string;
  /** The description in its definition. */
  agentDescription: string;
  description: string;
  prompt: string;
  model: string;
  modelOverride?: string;
  reasoningEffort?: string;
  note?: string;
  /** Emitted after the start. */
  modelChanged?: ModelChange;
  executionMode: ExecutionMode;
  requestedMode: ExecutionMode;
  multiTurn: boolean;
  todoId?: string;
  quiet?: boolean;
  mcpTask?: McpTaskProgress;
  /** The definition's: they lower the settings', never raise them. */
  caps?: AgentCaps;
  /** Not counted against `maxPerPrompt`: a fleet's worker. */
  uncounted?: boolean;
};

export type WaitOptions = {
  signal: AbortSignal;
  limitMs: number;
  /** Ends the wait when there are more turns than this, or the agent is at rest; without it only an end, a promotion or the answer of a sync agent does. */
  sinceTurn?: number;
  /** The caller started it sync: to find it in the background is a promotion. */
  foreground?: boolean;
  /** False: the answer is no reading of the result (a look from a face, or from an agent that is not its parent). */
  reads?: boolean;
};
/** An aborted wait is a `timeout`: the caller knows its own signal. */
export type Waited =
  | { outcome: "turn" | "final" | "promoted" | "timeout"; record: AgentRecord }
  | { outcome: "unknown" };

export type SentMessage = { messageId: string; delivery: "woken" | "queued" };

export type Registry = {
  /** The log calls it for every durable event, in order. */
  fold(event: DurableEnvelope): void;
  /** Folds the whole log anew, when a session is opened. */
  reload(events: Iterable<DurableEnvelope>): void;
  get(id: string): AgentRecord | undefined;
  /** The records in order of start; hidden ones only with `removed`. */
  list(options?: { removed?: boolean }): AgentRecord[];
  /** An id, the exact name if one record has it, or an unambiguous prefix of 4 or more. */
  resolve(idOrName: string): Result<AgentRecord, Coded>;
  isDescendant(id: string, ancestorId: string): boolean;
  /** Why an agent of this caller could not start now; checked again, at once with the taking of the slot, by startAgent. */
  refusal(spec: Pick<AgentSpec, "parentId" | "uncounted" | "agentType">): Coded | undefined;
  /** Resolves once the start is written; the executor then runs on its own. */
  startAgent(spec: AgentSpec, executor: Executor, live?: LiveParts): Promise<Result<AgentRecord, Coded>>;
  getAgentResult(id: string, options: WaitOptions): Promise<Waited>;
  /** Somebody has got its latest result: it needs no announcement. */
  markRead(id: string): Promise<void>;
  sendMessage(id: string, from: string, message: string): Promise<Result<SentMessage, Coded>>;
  promoteAgentToBackground(id: string): Promise<Result<AgentRecord, Coded>>;
  updateMcpTask(id: string, progress: McpTaskProgress): Promise<void>;
  /** Until no record runs, the time is over, or all running ones together were silent for `silenceMs`. */
  waitForAgents(
    signal: AbortSignal,
    limit: { ms?: number; silenceMs?: number },
  ): Promise<{ outcome: "settled" | "timeout" | "aborted"; running: AgentRecord[] }>;
  /** Ends when all have stopped, or are left behind; gives the ids that it cancelled. */
  cancelRecursive(id: string, by: string, reason: string): Promise<string[]>;
  /** All that run, with everything below them; idle and interrupted ones stay. */
  cancelAll(by: string, reason: string): Promise<string[]>;
  /** The orderly end of a session: idle agents complete with their latest response. */
  completeIdle(): Promise<void>;
  /** Terminal records only: hides it from lists. */
  remove(id: string): Promise<Result<void, Coded>>;
  /** Records that hold a slot. */
  runningCount(): number;
  /** It waits for a person's answer. */
  isWaitingForPermission(id: string): boolean;
  /** Called at each real message of the user. */
  resetPrompt(): void;
  /** Nothing starts any more; timers and waits end. */
  end(): void;
  /** Sizes of everything that lives beside the records, for tests of leaks. */
  leftovers(): { live: number; waiters: number; timers: number; slots: number };
};

/** Who acts for the main agent and for the user, in `from` and `by`. No agent gets these ids. */
export const MAIN = "main";
export const USER = "user";
export const PROMPT_MODE = "prompt mode";
