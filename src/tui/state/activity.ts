// What the session is doing now, in words that are facts: a reduction of its events.
import { isRecord } from "../../base/json.ts";
import type { Envelope } from "../../schema/event/envelope.ts";

/** `since` and `until` are milliseconds of the clock. */
export type Activity = {
  words: string;
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
};

export const idle: ActivityState = { now: undefined, turnSince: undefined, calls: [], compaction: undefined };

export function reduceActivity(state: ActivityState, event: Envelope): ActivityState {
  if (event.agentId !== undefined) return state;
  const at = Date.parse(event.timestamp);
  switch (event.type) {
    case "turn.start":
      return { ...state, turnSince: at, calls: [], now: { words: "waiting for model", since: at } };
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
    case "tool.execution_complete":
      return showCall({ ...state, calls: state.calls.filter(({ id }) => id !== event.data.toolCallId) }, at);
    case "session.compaction_start":
      if (event.data.mode !== "blocking") return state;
      return {
        ...state,
        compaction: { words: "Compacting conversation history", since: at, cancels: "esc cancels" },
      };
    case "session.compaction_complete":
      return { ...state, compaction: undefined };
    case "turn.end":
      return { ...state, now: undefined, turnSince: undefined, calls: [] };
    case "session.idle":
      return idle;
    default:
      return state;
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
  return tool === "bash" && text !== "" ? text : `${tool} ${text}`.trim();
}

export const activityOf = ({ now, compaction }: ActivityState): Activity | undefined => compaction ?? now;
