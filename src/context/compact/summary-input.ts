// What writing a summary needs, and how it ends.
import type { Clock } from "../../base/clock.ts";
import type { ModelTarget } from "../../model/contract.ts";
import type { CompactionTokensUsed } from "../../schema/event/context.ts";
import type { Todo } from "../../schema/todo.ts";
import type { ToolDefinition } from "../../schema/tool.ts";
import type { CallOnce, SummaryCancelled, SummaryFailed } from "./ask.ts";
import type { Count, SessionItem } from "./items.ts";
import type { Shorten } from "./reduce.ts";
import type { SummaryParts } from "./tags.ts";

export type SummaryInput = {
  /** What the plan replaces. */
  items: readonly SessionItem[];
  /** The plan's B. */
  budget: number;
  focus?: string | undefined;
  /** The attempt before this one got no summary either. */
  failedBefore?: boolean;
  /** Todos and plan serve the built-in summary. */
  todos?: readonly Pick<Todo, "title" | "status">[] | undefined;
  plan?: string | undefined;
  /** As in normal requests, so that the provider's cache serves them. */
  system: string;
  tools: readonly ToolDefinition[];
  /** Both of them, in the summariser's tokens. */
  fixedTokens: number;
  target: ModelTarget;
  /** The summariser's E, as lowered by the error that forced the attempt. */
  effectiveLimit: number;
  sessionId: string;
  maxChunks: number;
  call: CallOnce;
  count: Count;
  shorten: Shorten;
  signal: AbortSignal;
  clock: Pick<Clock, "sleep" | "monotonic">;
  /** The limit of each call. */
  timeoutMs: number;
};

export type Summary = {
  type: "summary";
  /** As written, without thinking. */
  text: string;
  parts: SummaryParts;
  /** Cut at the output limit, as a whole or in a part. */
  truncated: boolean;
  /** How many parts of the history were summarised by a call; 0 when no call was made. */
  chunks: number;
  /** Built in, because the model's were of no use. */
  insteadOf?: SummaryFailed;
};
export type SummaryEnd = Summary | SummaryFailed | SummaryCancelled;
export type Summarised = { end: SummaryEnd; used: CompactionTokensUsed; requestId?: string | undefined };
