// Everything `/context` shows, as data: the same object for the terminal and the API.
import type { Calibration } from "../../model/tokens/calibrate.ts";
import type { ContextItem } from "../../schema/context-item.ts";
import { type Cut, isSystem } from "../truncate/cut.ts";
import { turnsOf } from "../truncate/words.ts";
import { contextCells, type UsageBuckets, withFree } from "./cells.ts";
import type { UsageInfo } from "./usage-info.ts";

type LastCompaction = {
  trigger: string;
  before: number;
  after: number;
  turns?: string;
  checkpointNumber?: number;
};

export type ContextReport = {
  usage: UsageInfo;
  /** The buckets sum to the limit, or to what is in use when that is more; all but `free` sum to `usage.currentTokens`. */
  buckets: UsageBuckets;
  /** The cells sum to 100. */
  cells: UsageBuckets;
  /** Tool definitions by where they come from. */
  tools: { source: string; tokens: number }[];
  /** The parts sum to the bucket of that name. */
  memory: { source: string; tokens: number }[];
  /** The parts sum to the bucket `history`. */
  history: {
    prompts: number;
    answers: number;
    toolResults: number;
    other: number;
    /** What is remembered and stands before prompts. */
    recalled?: number;
  };
  largest: { ref: string; what: string; tokens: number; shortened: boolean }[];
  cut?: { id: string; omittedMessages: number; turns?: string; shortenedItems: number };
  lastCompaction?: LastCompaction;
  calibration: Calibration;
};

export type ReportInput<Raw = unknown> = {
  usage: UsageInfo;
  /** What is sent, as `truncate` gives it, with its counts. */
  items: readonly ContextItem<Raw>[];
  /** The session's whole history; what was only made for the request has no ref. */
  all: readonly ContextItem<Raw>[];
  cut: Cut<Raw> | undefined;
  /** What of the system text is memory, by where it comes from; sums to `usage.memoryTokens`. */
  memory: readonly { source: string; tokens: number }[];
  tools: readonly { source: string; tokens: number }[];
  /** How many tokens of the prompts are blocks of what is remembered. */
  recalled?: number;
  refOf: (item: ContextItem<Raw>) => string;
  lastCompaction: LastCompaction | undefined;
  calibration: Calibration;
};

const MOST_LARGEST = 5;

export function contextReport<Raw>(input: ReportInput<Raw>): ContextReport {
  const { usage, cut, refOf, lastCompaction, calibration, recalled = 0 } = input;
  const conversation = input.items.filter((item) => !isSystem(item));
  const sum = (kind: string): number =>
    conversation.reduce((total, item) => total + (kindOf(item) === kind ? item.tokens : 0), 0);
  const compaction = sum("compaction message");
  const taken = {
    system: usage.systemTokens - usage.memoryTokens,
    tools: usage.toolDefinitionsTokens,
    memory: usage.memoryTokens,
    history: usage.conversationTokens - compaction,
    compaction,
  };
  const buckets = withFree(taken, usage.tokenLimit);
  const [prompts, answers, toolResults] = [sum("prompt"), sum("answer"), sum("tool result")];
  const liveIds = new Set(input.all.map(({ id }) => id));
  const largest = conversation
    .filter(({ id }) => liveIds.has(id))
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, MOST_LARGEST);
  return {
    usage,
    buckets,
    cells: contextCells(buckets),
    tools: input.tools.toSorted((a, b) => b.tokens - a.tokens),
    memory: [...input.memory],
    history: {
      prompts: prompts - recalled,
      answers,
      toolResults,
      other: buckets.history - prompts - answers - toolResults,
      ...(recalled > 0 ? { recalled } : {}),
    },
    largest: largest.map((item) => ({
      ref: refOf(item),
      what: kindOf(item),
      tokens: item.tokens,
      shortened: cut?.shortened.has(item.id) ?? false,
    })),
    ...(cut ? { cut: cutFigures(cut, input) } : {}),
    ...(lastCompaction ? { lastCompaction } : {}),
    calibration,
  };
}

function kindOf({ role, kind, isPrompt }: ContextItem): string {
  if (kind === "compaction") return "compaction message";
  if (isPrompt) return "prompt";
  if (role === "assistant") return "answer";
  return role === "tool" ? "tool result" : "notice";
}

function cutFigures<Raw>(cut: Cut<Raw>, { all, usage }: ReportInput<Raw>): NonNullable<ContextReport["cut"]> {
  const omitted = all.filter(({ id }) => cut.dropped.has(id));
  return {
    id: cut.id,
    omittedMessages: omitted.length,
    ...(omitted.length > 0 ? { turns: turnsOf(omitted) } : {}),
    shortenedItems: usage.shortenedItems,
  };
}
