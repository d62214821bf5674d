// The AI SDK's own clients for each wire, and what they make of an answer in a form that tests can compare.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";

export const clients: Record<string, (url: string) => LanguageModelV4> = {
  "openai chat": (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "key" }).chat("gpt-4.1"),
  "openai compatible": (url) =>
    createOpenAICompatible({ name: "custom", baseURL: `${url}/v1`, apiKey: "key", includeUsage: true }).chatModel(
      "local",
    ),
  "openai responses": (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "key" }).responses("gpt-5"),
  anthropic: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "key" })("claude-sonnet-4-5"),
  google: (url) => createGoogle({ baseURL: `${url}/v1beta`, apiKey: "key" })("gemini-3-pro-preview"),
};

const tools: LanguageModelV4FunctionTool[] = [
  { type: "function", name: "view", inputSchema: { type: "object", properties: { path: { type: "string" } } } },
];

export const question: LanguageModelV4Message[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: [{ type: "text", text: "What is in a and b?" }] },
];

export function callOptions(
  prompt: LanguageModelV4Message[] = question,
  abortSignal?: AbortSignal,
): LanguageModelV4CallOptions {
  // Without storage the Responses API is stateless, as the other wires are.
  return { prompt, tools, providerOptions: { openai: { store: false } }, ...(abortSignal ? { abortSignal } : {}) };
}

/** What a stream gave until it ended or broke. */
export type Streamed = {
  parts: LanguageModelV4StreamPart[];
  text: string;
  reasoning: string;
  calls: { name: string; input: string }[];
  errors: unknown[];
  finish?: Extract<LanguageModelV4StreamPart, { type: "finish" }>;
  /** What `doStream` or reading the stream threw. */
  thrown?: unknown;
};

export async function stream(model: LanguageModelV4, options = callOptions()): Promise<Streamed> {
  const parts: LanguageModelV4StreamPart[] = [];
  let thrown: unknown;
  try {
    for await (const part of (await model.doStream(options)).stream) parts.push(part);
  } catch (error) {
    thrown = error;
  }
  const finish = parts.find((part) => part.type === "finish");
  return {
    parts,
    text: parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join(""),
    reasoning: parts.map((part) => (part.type === "reasoning-delta" ? part.delta : "")).join(""),
    calls: parts.flatMap((part) => (part.type === "tool-call" ? [{ name: part.toolName, input: part.input }] : [])),
    errors: parts.flatMap((part) => (part.type === "error" ? [part.error] : [])),
    ...(finish === undefined ? {} : { finish }),
    ...(thrown === undefined ? {} : { thrown }),
  };
}

/** The conversation with the answer and a result for each of its calls, provider data included. */
export function answered(
  prompt: LanguageModelV4Message[],
  content: LanguageModelV4Content[],
): LanguageModelV4Message[] {
  const kept: Extract<LanguageModelV4Message, { role: "assistant" }>["content"] = [];
  const results: Extract<LanguageModelV4Message, { role: "tool" }>["content"] = [];
  for (const part of content) {
    const data = "providerMetadata" in part && part.providerMetadata ? { providerOptions: part.providerMetadata } : {};
    if (part.type === "text" || part.type === "reasoning") kept.push({ type: part.type, text: part.text, ...data });
    if (part.type !== "tool-call") continue;
    const { toolCallId, toolName } = part;
    kept.push({ type: "tool-call", toolCallId, toolName, input: JSON.parse(part.input), ...data });
    results.push({ type: "tool-result", toolCallId, toolName, output: { type: "text", value: "done" } });
  }
  return [...prompt, { role: "assistant", content: kept }, { role: "tool", content: results }];
}
