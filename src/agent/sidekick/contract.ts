// What the schedule of sidekicks is given, and what one run gets from it.
import type { Result } from "../../base/result.ts";
import type { MessageSource } from "../../schema/event/conversation.ts";
import type { EphemeralType, EventData } from "../../schema/event/envelope.ts";
import type { InboxDraft } from "../inbox/entry.ts";
import type { Sending } from "../inbox/inbox.ts";
import type { Coded } from "../task/contract.ts";
import type { Condition, SidekickDefinition, SidekickEvent } from "./definition.ts";
import type { BoardText } from "./relevant.ts";
import type { StartedRun } from "./run.ts";

export type Trigger =
  | { event: "user.message"; messageId: string; text: string; source: MessageSource }
  | { event: Exclude<SidekickEvent, "user.message"> };

export type SidekickSettings = {
  /** memory.enabled: without it nothing happens, and nothing is said. */
  memory: boolean;
  enabled: boolean;
  off: readonly string[];
  /** Whether the switch that a definition names is on. */
  isOn: (setting: string) => boolean;
  maxTokensPerTurn: number;
  maxTokensPerSession: number;
};

/** One run, as whoever carries it out sees it. */
export type RunTask = {
  definition: SidekickDefinition;
  agentId: string;
  /** The user's current request. */
  request: string;
  /** Aborted when it is cancelled, out of time or over its budget. */
  signal: AbortSignal;
  send: (draft: InboxDraft) => Promise<Result<string, Coded>>;
  /** What it has read from the board. */
  fetched: (content: string) => void;
  /** Tokens of a model call of its. */
  spent: (tokens: number) => void;
  /** Asked before each model call: why there may be none. */
  cap: () => Coded | undefined;
  /** How it stands, also after its signal was aborted. */
  run: () => StartedRun;
};
export type RunEnd = { type: "completed" } | { type: "failed"; code: string; message: string };

export type ScheduleParts = {
  definitions: readonly SidekickDefinition[];
  settings: () => SidekickSettings;
  conditions: Readonly<Record<Condition, () => boolean | Promise<boolean>>>;
  boardItems: () => Promise<readonly BoardText[]>;
  /** The cosine of the text and the nearest item; absent without an embedder. */
  nearness?: (text: string) => Promise<number>;
  /** A rejection is a failed run. */
  run: (task: RunTask) => Promise<RunEnd>;
  deliver: (sending: Sending) => Promise<Result<{ id: string }, Coded>>;
  publish: <T extends EphemeralType>(type: T, data: EventData<T>) => void;
  nowMs: () => number;
  /** Tokens that sidekicks of this session have used before it was resumed. */
  spentBefore: number;
};
