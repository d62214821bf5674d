// The entries of a transcript, one type for each kind with its own fields only. What a person sees of a session is made of these.
import type { CompactionTrigger } from "../../schema/event/context.ts";
import type { MessageSource } from "../../schema/event/conversation.ts";
import type { AgentMode, PermissionRequest } from "../../schema/permission.ts";
import type { FileChange, ResultType } from "../../schema/tool.ts";
import type { Chain } from "./chain.ts";

/** `id`: of the event that began it. `at`: ISO time. */
type Begun = { readonly id: string; readonly at: string };

/** A text that still arrives is the chain of its pieces; nobody puts it together before it has ended. */
export type BlockText =
  | { readonly state: "streaming"; readonly pieces: Chain<string> | undefined }
  | { readonly state: "complete" | "incomplete" | "discarded"; readonly text: string };

type UserBlock = Begun & {
  kind: "user";
  text: string;
  source: MessageSource;
  ref?: string;
  attachments: readonly string[];
};
type AssistantBlock = Begun & { kind: "assistant"; messageId: string } & BlockText;
type ReasoningBlock = Begun & { kind: "reasoning"; messageId: string } & BlockText;

type ToolCall = { toolCallId: string; tool: string; server?: string; args: unknown };
type ToolState =
  /** `tail`: the end of what it printed so far. */
  | { readonly state: "running"; readonly tail: string; readonly progress?: string }
  | {
      readonly state: ResultType;
      readonly output: string;
      readonly lines: number;
      readonly durationMs: number;
      readonly error?: { code: string; message: string };
      readonly files: readonly FileChange[];
      readonly outputFile?: string;
    };
type ToolBlock = Begun & { kind: "tool" } & ToolCall & ToolState;

/** A command that the person ran with `!`; `isShared`: the model gets its output. */
type ShellBlock = Begun & {
  kind: "shell";
  command: string;
  output: string;
  success: boolean;
  isShared: boolean;
};

type Sizes = { tokens: number; messages: number };
type CompactionState =
  | {
      readonly state: "applied";
      readonly before: Sizes;
      readonly after: Sizes;
      /** The turns that it stands for. */
      readonly turns?: { from: number; to: number };
      readonly checkpoint?: number;
      readonly title?: string;
      readonly durationMs?: number;
      readonly summary?: string;
    }
  | { readonly state: "failed" | "cancelled" | "not_applicable"; readonly reason: string };
type CompactionBlock = Begun & { kind: "compaction" } & (
    | ({ trigger: CompactionTrigger; model: string } & CompactionState)
    | { state: "undone"; checkpoint?: number; messages: number; tokens: number }
    | { state: "provider"; provider: string; tokens?: number; items?: number }
  );

type TruncationBlock = Begun & { kind: "truncation"; tokens: number; messages: number; by: string };

type RecallScope = { scope: string; count: number };
type RecallBlock = Begun & { kind: "recall" } & (
    | {
        state: "recalled";
        scopes: readonly RecallScope[];
        items: readonly string[];
        durationMs?: number;
        isPartial: boolean;
      }
    | { state: "failed"; reason: string }
  );

type MemoryBlock = Begun & {
  kind: "memory";
  action: "stored" | "already stored" | "pending review" | "voted" | "refused";
  subject?: string;
  fact?: string;
  scope?: string;
  direction?: string;
  /** In words; of a refusal the reason. */
  detail: string;
  code?: string;
  agent?: string;
};
type BoardBlock = Begun & {
  kind: "board";
  action: "added" | "pruned";
  name: string;
  description?: string;
  agent?: string;
};
type InboxBlock = Begun & { kind: "inbox"; sender: string; summary: string; entryId: string };

export type TaskPhase = "started" | "idle" | "stalled" | "completed" | "failed" | "cancelled" | "interrupted";
type TaskBlock = Begun & {
  kind: "task";
  state: TaskPhase;
  name: string;
  agentId?: string;
  agentType?: string;
  model?: string;
  turns?: number;
  toolCalls?: number;
  tokens?: number;
  cost?: number;
  durationMs?: number;
  /** What it is for, why it ended so, or what came of it. */
  detail?: string;
};

type HookBlock = Begun & {
  kind: "hook";
  name: string;
  event: string;
  decision?: string;
  reason?: string;
  context?: string;
};
type RetryBlock = Begun & {
  kind: "retry";
  reason: string;
  attempt: number;
  delayMs?: number;
  /** Text of the broken answer stands above it. */
  discards: boolean;
};
type ModelBlock = Begun & { kind: "model"; before?: string; now: string; why: string; agent?: string };
type ModeBlock = Begun & { kind: "mode"; before: AgentMode; now: AgentMode; topic?: string };
/** The session went back to an earlier point. */
type CheckpointBlock = Begun & {
  kind: "checkpoint";
  events: number;
  restored: readonly string[];
  skipped: readonly string[];
};
type PermissionBlock = Begun & {
  kind: "permission";
  result: "approved" | "denied";
  request: PermissionRequest;
  scope?: "once" | "session" | "location";
  rule?: string;
  reason?: string;
  agent?: string;
};
type PromotionBlock = Begun & { kind: "promotion"; state: "promoted" | "refused"; text: string };
type NoticeBlock = Begun & { kind: "notice"; level: "info" | "warning"; about: string; text: string };
type ErrorBlock = Begun & { kind: "error"; text: string; hint?: string; code?: string };
type InterruptedBlock = Begun & { kind: "interrupted"; reason: string };
/** An event that this version does not know. */
type EventBlock = Begun & { kind: "event"; type: string; data: unknown };

export type TranscriptBlock =
  | UserBlock
  | AssistantBlock
  | ReasoningBlock
  | ToolBlock
  | ShellBlock
  | CompactionBlock
  | TruncationBlock
  | RecallBlock
  | MemoryBlock
  | BoardBlock
  | InboxBlock
  | TaskBlock
  | HookBlock
  | RetryBlock
  | ModelBlock
  | ModeBlock
  | CheckpointBlock
  | PermissionBlock
  | PromotionBlock
  | NoticeBlock
  | ErrorBlock
  | InterruptedBlock
  | EventBlock;
export type BlockKind = TranscriptBlock["kind"];
export type BlockOf<K extends BlockKind> = Extract<TranscriptBlock, { kind: K }>;
