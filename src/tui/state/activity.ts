// What the session is doing now, in words that are facts: a reduction of its events.
import { isRecord } from "../../base/json.ts";
import type { TurnStatus } from "../../schema/event/conversation.ts";
import type { Envelope, EventData } from "../../schema/event/envelope.ts";
import { factsOf } from "../../schema/own-tool.ts";
import { tokenText } from "../block/figure.ts";
import { readShellEnd } from "../view/shell-end.ts";

/** `since` and `until` are milliseconds of the clock. */
export type Activity = {
  words: string;
  /** The same for a line with little room. */
  short?: string;
  since: number;
  /** A wait that ends by itself. */
  until?: number;
  /** What Esc does here, when it is not an interrupt. */
  cancels?: string;
};

export type ActivityState = {
  /** Undefined: idle. */
  now: Activity | undefined;
  turnSince: number | undefined;
  /** Calls that run, in their order. */
  calls: readonly { id: string; words: string; since: number }[];
  compaction: Activity | undefined;
  /** Calls of this turn that are over. */
  ran: { calls: number; failed: number };
  /** What became of the last turn, until the next one. */
  last: LastTurn | undefined;
};

export type LastTurn = { status: TurnStatus; durationMs: number; calls: number; failed: number };

const COMPACTING = "Compacting conversation history";
const NO_CALLS = { calls: 0, failed: 0 };

export const idle: ActivityState = {
  now: undefined,
  turnSince: undefined,
  calls: [],
  compaction: undefined,
  ran: NO_CALLS,
  last: undefined,
};

export function reduceActivity(state: ActivityState, event: Envelope): ActivityState {
  if (event.agentId !== undefined) return state;
  const at = Date.parse(event.timestamp);
  switch (event.type) {
    case "turn.start":
      return {
        ...state,
        turnSince: at,
        calls: [],
        ran: NO_CALLS,
        last: undefined,
        now: { words: "waiting for model", since: at },
      };
    case "assistant.reasoning_delta":
      return working(state, "thinking", at);
    case "assistant.message_delta":
      return working(state, "answering", at);
    case "model.call_failure": {
      const { willRetry, attempt, delayMs = 0 } = event.data;
      if (!willRetry) return state;
      return { ...state, now: { words: `retry ${attempt}`, since: at, until: at + delayMs } };
    }
    case "tool.execution_start": {
      const words = `running ${callWords(event.data.toolName, event.data.arguments)}`;
      return showCall({ ...state, calls: [...state.calls, { id: event.data.toolCallId, words, since: at }] }, at);
    }
    case "tool.execution_complete": {
      const { toolCallId, toolName = "", success, result, resultType } = event.data;
      const isGood =
        success && !(factsOf(toolName)?.group === "shell" && readShellEnd(result.content).failure !== undefined);
      const ran = {
        calls: state.ran.calls + 1,
        failed: state.ran.failed + (isGood || resultType === "interrupted" ? 0 : 1),
      };
      return showCall({ ...state, ran, calls: state.calls.filter(({ id }) => id !== toolCallId) }, at);
    }
    case "session.compaction_start":
      if (event.data.mode !== "blocking") return state;
      return {
        ...state,
        compaction: { words: COMPACTING, since: at, cancels: "esc cancels" },
      };
    case "session.compaction_progress": {
      if (!state.compaction) return state;
      const stage = stageWords(event.data);
      const words = { words: `${COMPACTING}: ${stage}`, short: `Compacting: ${stage}` };
      return { ...state, compaction: { ...state.compaction, ...words } };
    }
    case "session.compaction_complete":
      return { ...state, compaction: undefined };
    case "turn.end":
      return {
        ...state,
        now: undefined,
        turnSince: undefined,
        calls: [],
        last: { status: event.data.status, durationMs: event.data.durationMs, ...state.ran },
      };
    case "session.idle":
      return { ...idle, last: state.last };
    case "session.resume":
      return idle;
    default:
      return state;
  }
}

export function stageWords({
  stage,
  summarisedTokens,
  receivedTokens,
}: EventData<"session.compaction_progress">): string {
  const received = receivedTokens > 0 ? `, ${tokenText(receivedTokens)} received` : "";
  switch (stage) {
    case "hooks":
      return "hooks";
    case "summarising":
      return `summarising ${tokenText(summarisedTokens)} tokens${received}`;
    case "checking":
      return `checking${received}`;
    case "writing":
      return `writing checkpoint${received}`;
  }
}

const working = (state: ActivityState, words: string, at: number): ActivityState =>
  state.turnSince === undefined || state.now?.words === words ? state : { ...state, now: { words, since: at } };

function showCall(state: ActivityState, at: number): ActivityState {
  if (state.turnSince === undefined) return state;
  const [first, ...more] = state.calls;
  if (!first) return { ...state, now: { words: "waiting for model", since: at } };
  const words = more.length === 0 ? first.words : `${first.words} and ${more.length} more`;
  return { ...state, now: { words, since: first.since } };
}

const SUBJECTS = ["command", "path", "pattern", "query", "url", "description", "name"];

function callWords(tool: string, args: unknown): string {
  const subject = isRecord(args)
    ? SUBJECTS.map((key) => args[key]).find((value) => typeof value === "string")
    : undefined;
  const text = typeof subject === "string" ? subject.replace(/\s+/g, " ").trim() : "";
  return factsOf(tool)?.rule === "shell" && text !== "" ? text : `${tool} ${text}`.trim();
}

export const activityOf = ({ now, compaction }: ActivityState): Activity | undefined => compaction ?? now;
