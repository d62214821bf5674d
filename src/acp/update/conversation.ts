// What is said, as updates: pieces of a streaming answer, then what of the settled one was not forwarded yet.

import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk";
import { pieces } from "../../base/text.ts";
import type { Envelope, EventData } from "../../schema/event/envelope.ts";
import { announced, openCall } from "./call.ts";
import { type Reduced, type UpdateState, withEntry } from "./state.ts";

export function conversationUpdates(state: UpdateState, event: Envelope): Reduced | undefined {
  switch (event.type) {
    case "user.message":
      return { state, updates: isShown(event.data) ? userChunks(event.data) : [] };
    case "assistant.message_delta":
    case "assistant.reasoning_delta":
      return forward(state, event.type === "assistant.message_delta" ? "text" : "thought", event.data);
    case "assistant.message":
      return settle(state, event.data);
    case "command.complete": {
      const { command, args, output } = event.data;
      const typed = chunk("user_message_chunk", event.id, `/${command}${args ? ` ${args}` : ""}`);
      return { state, updates: [...typed, ...chunk("agent_message_chunk", event.id, output)] };
    }
    default:
      return undefined;
  }
}

type UserMessage = EventData<"user.message">;

/** Hooks, autopilot and notices speak to the model, not for the person. */
const isShown = ({ source, hidden }: UserMessage): boolean => !hidden && (source === "user" || source === "command");

function userChunks({ messageId, content, display, attachments = [] }: UserMessage): SessionUpdate[] {
  const links = attachments.map(
    ({ path }): SessionUpdate => ({
      sessionUpdate: "user_message_chunk",
      messageId,
      content: { type: "resource_link", name: basename(path), uri: pathToFileURL(path).href },
    }),
  );
  return [...chunk("user_message_chunk", messageId, display ?? content), ...links];
}

const UPDATE = { text: "agent_message_chunk", thought: "agent_thought_chunk" } as const;

function forward(
  state: UpdateState,
  part: "text" | "thought",
  { messageId, deltaContent }: { messageId: string; deltaContent: string },
): Reduced {
  const before = ofMessage(state, messageId);
  const streamed = { ...before, [part]: before[part] + deltaContent.length };
  return { state: { ...state, streamed }, updates: chunk(UPDATE[part], messageId, deltaContent) };
}

/** Nothing is said twice, and nothing that did not stream is left out. */
function settle(state: UpdateState, message: EventData<"assistant.message">): Reduced {
  const { messageId, content, reasoningText = "", toolRequests } = message;
  const { text, thought } = ofMessage(state, messageId);
  const calls = toolRequests.map((call) => announced({ ...call, arguments: call.arguments }, state.cwd));
  return {
    state: {
      ...state,
      streamed: { messageId: "", text: 0, thought: 0 },
      open: calls.reduce((open, call) => withEntry(open, call.toolCallId, openCall(call)), state.open),
    },
    updates: [
      ...chunk("agent_thought_chunk", messageId, reasoningText.slice(thought)),
      ...chunk("agent_message_chunk", messageId, content.slice(text)),
      ...calls.map((call): SessionUpdate => ({ sessionUpdate: "tool_call", ...call })),
    ],
  };
}

const ofMessage = ({ streamed }: UpdateState, messageId: string): UpdateState["streamed"] =>
  streamed.messageId === messageId ? streamed : { messageId, text: 0, thought: 0 };

type ChunkName = "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";

/** A long text comes in pieces: editors do not take lines of any length. */
export const chunk = (sessionUpdate: ChunkName, messageId: string, text: string): SessionUpdate[] =>
  text === "" ? [] : [...pieces(text)].map((piece) => ({ sessionUpdate, messageId, content: textBlock(piece) }));

const textBlock = (text: string): ContentBlock => ({ type: "text", text });
