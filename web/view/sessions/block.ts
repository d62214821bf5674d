// What an event is for a reader: its word, its text, and how loud it is.
import { isRecord } from "../../../src/base/json.ts";
import type { SessionEvent } from "../../../src/schema/api/session.ts";
import { compact, count, duration } from "../../part/figure.tsx";
import type { Tone } from "../../part/form.tsx";

type EventBlock = {
  word: string;
  tone: Tone;
  /** Markdown for what was said, plain text for what a program printed. */
  text?: string;
  isProse?: boolean;
  /** One line beside the word. */
  note?: string;
  /** Not part of the conversation: shown small. */
  isAside?: boolean;
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

function argumentsOf(value: unknown): string {
  if (!isRecord(value)) return textOf(value);
  const entries = Object.entries(value).map(([name, one]) =>
    typeof one === "string" ? one : `${name} ${JSON.stringify(one)}`,
  );
  return entries.join("  ");
}

type Reader = (data: Record<string, unknown>) => EventBlock;
const READERS: Readonly<Record<string, Reader>> = {
  "user.message": (data) => ({
    word: "You",
    tone: "accent",
    text: textOf(data["content"]),
    isProse: true,
    note: data["source"] === "user" ? "" : textOf(data["source"]),
  }),
  "assistant.message": (data) => ({
    word: "Assistant",
    tone: "plain",
    text: textOf(data["content"]),
    isProse: true,
    note: textOf(data["model"]),
    isAside: textOf(data["content"]) === "",
  }),
  "session.start": (data) => ({
    word: "Session started",
    tone: "plain",
    note: textOf(data["selectedModel"]),
    isAside: true,
  }),
  "session.resume": () => ({ word: "Session resumed", tone: "plain", isAside: true }),
  "session.shutdown": () => ({ word: "Session ended", tone: "plain", isAside: true }),
  "system.message": (data) => ({
    word: "Instructions",
    tone: "plain",
    note: `for the model: ${textOf(data["content"]).slice(0, 200)}`,
    isAside: true,
  }),
  "system.notification": (data) => ({ word: "Notification", tone: "plain", text: textOf(data["content"]) }),
  "tool.execution_start": (data) => ({
    word: textOf(data["toolName"]) || "Tool",
    tone: "plain",
    note: argumentsOf(data["arguments"]),
    isAside: true,
  }),
  "tool.execution_complete": (data) => {
    const result = isRecord(data["result"]) ? textOf(data["result"]["content"]) : "";
    const error = isRecord(data["error"]) ? textOf(data["error"]["message"]) : "";
    const ms = numberOf(data["durationMs"]);
    return {
      word: `${textOf(data["toolName"]) || "Tool"} ${data["success"] === false ? "failed" : "result"}`,
      tone: data["success"] === false ? "red" : "plain",
      text: error || result,
      note: ms === undefined ? "" : duration(ms),
    };
  },
  "session.compaction_complete": (data) => ({
    word: "Conversation compacted",
    tone: "amber",
    note: [textOf(data["trigger"]), figures(data)].filter(Boolean).join(", "),
    text: textOf(data["summaryContent"]) || textOf(data["summary"]),
    isProse: true,
  }),
  "session.truncation": (data) => ({
    word: "Request trimmed",
    tone: "amber",
    note: `${compact(numberOf(data["tokensRemovedDuringTruncation"]) ?? numberOf(data["tokensRemoved"]) ?? 0)} tokens left out; the log keeps them`,
  }),
  "session.error": (data) => ({ word: "Error", tone: "red", text: textOf(data["message"]) }),
  "session.warning": (data) => ({ word: "Warning", tone: "amber", text: textOf(data["message"]) }),
  "session.info": (data) => ({ word: "Note", tone: "plain", text: textOf(data["message"]), isAside: true }),
  "session.title_changed": (data) => ({ word: "Title", tone: "plain", note: textOf(data["title"]), isAside: true }),
  "subagent.started": (data) => ({
    word: "Agent started",
    tone: "plain",
    note: textOf(data["agentDisplayName"]) || textOf(data["agentName"]),
    isAside: true,
  }),
  "subagent.completed": (data) => ({
    word: "Agent finished",
    tone: "plain",
    note: textOf(data["agentDisplayName"]) || textOf(data["agentName"]),
    text: textOf(data["result"]),
    isProse: true,
  }),
  "subagent.failed": (data) => ({ word: "Agent failed", tone: "red", text: textOf(data["error"]) }),
  abort: (data) => ({ word: "Interrupted", tone: "amber", note: textOf(data["reason"]) }),
};

function figures(data: Record<string, unknown>): string {
  const before = numberOf(data["preCompactionTokens"]);
  const after = numberOf(data["postCompactionTokens"]);
  return before === undefined ? "" : `${count(before)} → ${after === undefined ? "?" : count(after)} tokens`;
}

/** Types that this page does not know are shown by their name; nothing is dropped. */
export function blockOf(event: SessionEvent): EventBlock {
  const read = READERS[event.type];
  if (read) return read(event.data);
  const { content, text, message, role } = event.data;
  const body = textOf(text) || textOf(content) || textOf(message);
  if (body && typeof role === "string")
    return {
      word: wordOf(role),
      tone: role === "user" ? "accent" : "plain",
      text: body,
      isProse: role === "user" || role === "assistant",
      note: textOf(event.data["ref"]),
    };
  return { word: event.type, tone: "plain", isAside: true, ...(body ? { note: body.slice(0, 300) } : {}) };
}

const wordOf = (role: string): string => (role === "user" ? "You" : role.charAt(0).toUpperCase() + role.slice(1));
