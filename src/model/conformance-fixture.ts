// Targets and histories for the tests that run the same cases on every wire.
import type { ContextItem, ItemKind } from "../schema/context-item.ts";
import type { AssistantMessage, Attachment, Message, ToolRequest } from "../schema/message.ts";
import { type CatalogEntry, catalogEntry, type WireName } from "../schema/model.ts";
import { callModel } from "./call.ts";
import type { CallOutcome, ModelAnswer, ModelCallOptions, ModelRequest, ModelTarget, StreamPart } from "./contract.ts";

type Kind = { provider: CatalogEntry["provider"]; name: string; wire: WireName };

export const KINDS: Record<string, Kind> = {
  "openai-chat": { provider: "custom", name: "local", wire: "openai-chat" },
  "openai-chat at OpenAI": { provider: "openai", name: "gpt-4.1", wire: "openai-chat" },
  "openai-responses": { provider: "openai", name: "gpt-5", wire: "openai-responses" },
  anthropic: { provider: "anthropic", name: "claude-sonnet-4-5", wire: "anthropic" },
  gemini: { provider: "google", name: "gemini-3-pro-preview", wire: "gemini" },
};

const PREFIX: Record<WireName, string> = {
  "openai-chat": "/v1",
  "openai-responses": "/v1",
  anthropic: "/v1",
  gemini: "/v1beta",
};

export function targetFor(kind: Kind, url: string, more: Partial<ModelTarget> = {}): ModelTarget {
  const id = `${kind.provider}/${kind.name}`;
  const entry = catalogEntry.parse({
    id,
    provider: kind.provider,
    prices: { input: 2, output: 10, cacheRead: 0.5 },
    supports: { images: true, documents: true, reasoning: kind.name !== "gpt-4.1" },
  });
  const base = {
    id,
    ...kind,
    baseUrl: `${url}${PREFIX[kind.wire]}`,
    apiKey: "test-key-0123456789",
    keySource: "THE_KEY",
    headers: {},
    entry,
  };
  return { ...base, promptLimit: 1000, ...more };
}

const TOOLS = ["view", "bash"].map((name) => ({
  name,
  description: `The ${name} tool.`,
  parameters: { type: "object", properties: { path: { type: "string" } } },
}));

export function requestFor(items: ContextItem<Message>[], more: Partial<ModelRequest> = {}): ModelRequest {
  const asked = { initiator: "user", interaction: "conversation-user", sessionId: "session-1" } as const;
  return { system: "Be brief.", items, tools: TOOLS, toolChoice: "auto", ...asked, ...more };
}

let made = 0;

export function item(raw: Message, kind: ItemKind = "message"): ContextItem<Message> {
  const toolCallIds = raw.role === "assistant" ? raw.toolRequests.map((request) => request.toolCallId) : [];
  const toolResultFor = raw.role === "tool" ? [raw.toolCallId] : [];
  made += 1;
  return {
    id: `i${made}`,
    role: raw.role,
    kind,
    isPrompt: raw.role === "user",
    turn: 1,
    toolCallIds,
    toolResultFor,
    tokens: 0,
    raw,
  };
}

export function user(content: string, attachments: Attachment[] = []): ContextItem<Message> {
  return item({ role: "user", content, attachments });
}

export function result(request: ToolRequest, content: string, attachments: Attachment[] = []): ContextItem<Message> {
  return item({
    role: "tool",
    toolCallId: request.toolCallId,
    toolName: request.name,
    content,
    isError: false,
    attachments,
  });
}

/** The answer as the session would keep it. */
export function assistant(answer: ModelAnswer): ContextItem<Message> & { raw: AssistantMessage } {
  const { content, toolRequests, providerData } = answer;
  const raw: AssistantMessage = { role: "assistant", content, toolRequests, ...(providerData ? { providerData } : {}) };
  return { ...item(raw), raw };
}

export function answerOf(outcome: CallOutcome): ModelAnswer {
  if (outcome.type !== "answer") throw new Error(JSON.stringify(outcome));
  return outcome.answer;
}

export type Caller = {
  target: (more?: Partial<ModelTarget>) => ModelTarget;
  call: (request: ModelRequest, more?: Partial<ModelCallOptions>, to?: ModelTarget) => Promise<CallOutcome>;
  /** A call with one plain question. */
  ask: (more?: Partial<ModelCallOptions>, to?: ModelTarget) => Promise<CallOutcome>;
  /** What the latest call reported. */
  parts: () => StreamPart[];
  shown: (type: "text" | "reasoning") => string;
};

export function caller(kind: Kind, url: () => string): Caller {
  let parts: StreamPart[] = [];
  const target: Caller["target"] = (more = {}) => targetFor(kind, url(), more);
  const call: Caller["call"] = (request, more = {}, to = target()) => {
    parts = [];
    const onPart = (part: StreamPart): void => void parts.push(part);
    return callModel(to, request, { signal: new AbortController().signal, onPart, idleMs: 30_000, ...more });
  };
  return {
    target,
    call,
    ask: (more = {}, to = target()) => call(requestFor([user("What is in a and b?")]), more, to),
    parts: () => parts,
    shown: (type) => parts.map((part) => (part.type === type ? part.delta : "")).join(""),
  };
}
