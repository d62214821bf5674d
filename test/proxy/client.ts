// A scripted client of the gateway on any of the four wires: the headers and bodies of a real one, a history that grows.
import { isDeepStrictEqual } from "node:util";
import type { Recorded, WireName } from "../model-server/recorded.ts";
import type { ModelServer } from "../model-server/server.ts";

type Json = Record<string, unknown>;
export type Answered = {
  status: number;
  headers: Headers;
  text: string;
  /** What the client posted. */
  body: Json;
  /** What came out at the other side; the latest request there. */
  sent: Recorded;
};
export type Client = {
  wire: WireName;
  history: unknown[];
  /** A prompt; its answer joins the history. */
  say(prompt: string, headers?: Record<string, string>): Promise<Answered>;
  /** Results of the calls that the latest answer made. */
  results(text: string, headers?: Record<string, string>): Promise<Answered>;
  /** The history as it stands, once more. */
  resend(headers?: Record<string, string>): Promise<Answered>;
};

const SYSTEM = "You are a careful coding agent. Work in the repository at hand.";
const schema = { type: "object", properties: { path: { type: "string" } } };
const MODEL = "scripted-1";

type Format = {
  path: string;
  agent: Record<string, string>;
  body(history: unknown[]): Json;
  prompt(text: string): unknown;
  /** Items of an answer as a client sends them back. */
  answer(json: Json): unknown[];
  results(items: readonly unknown[], text: string): unknown[];
};

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>((now, key) => (now as Json | undefined)?.[key], value);

const FORMATS: Record<WireName, Format> = {
  "openai-chat": {
    path: "/v1/chat/completions",
    agent: { "user-agent": "opencode/1.18.0 ai-sdk/openai-compatible/1.0.0" },
    body: (messages) => ({
      model: MODEL,
      messages: [{ role: "system", content: SYSTEM }, ...messages],
      tools: [{ type: "function", function: { name: "read", description: "Reads a file.", parameters: schema } }],
    }),
    prompt: (content) => ({ role: "user", content }),
    answer: (json) => [at(json, "choices", 0, "message")],
    results: (items, content) =>
      list(at(items.at(-1), "tool_calls")).map(({ id }) => ({ role: "tool", tool_call_id: id, content })),
  },
  "openai-responses": {
    path: "/v1/responses",
    agent: { "user-agent": "codex_cli_rs/0.166.0 (Ubuntu 24.4.0; x86_64) xterm", originator: "codex_cli_rs" },
    body: (input) => ({
      model: MODEL,
      instructions: SYSTEM,
      input,
      tools: [{ type: "function", name: "read", description: "Reads a file.", strict: false, parameters: schema }],
      store: false,
    }),
    prompt: (text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] }),
    answer: (json) => list(json["output"]),
    results: (items, output) =>
      items
        .filter((item) => at(item, "type") === "function_call")
        .map((call) => ({ type: "function_call_output", call_id: at(call, "call_id"), output })),
  },
  anthropic: {
    path: "/v1/messages?beta=true",
    agent: {
      "user-agent": "claude-cli/2.1.325 (external, cli)",
      "x-app": "cli",
      "anthropic-version": "2023-06-01",
    },
    body: (messages) => ({
      model: MODEL,
      max_tokens: 4096,
      system: [{ type: "text", text: SYSTEM }],
      messages,
      tools: [{ name: "read", description: "Reads a file.", input_schema: schema }],
    }),
    prompt: (text) => ({ role: "user", content: [{ type: "text", text }] }),
    answer: (json) => [{ role: "assistant", content: json["content"] }],
    results: (items, content) => [
      {
        role: "user",
        content: list(at(items.at(-1), "content"))
          .filter(({ type }) => type === "tool_use")
          .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content })),
      },
    ],
  },
  gemini: {
    path: `/v1beta/models/${MODEL}:generateContent`,
    agent: { "user-agent": "GeminiCLI/0.61.0/scripted-1 (linux; x64)" },
    body: (contents) => ({
      contents,
      systemInstruction: { role: "user", parts: [{ text: SYSTEM }] },
      tools: [{ functionDeclarations: [{ name: "read", description: "Reads a file.", parametersJsonSchema: schema }] }],
    }),
    prompt: (text) => ({ role: "user", parts: [{ text }] }),
    answer: (json) => [at(json, "candidates", 0, "content")],
    results: (items, output) => [
      {
        role: "user",
        parts: list(at(items.at(-1), "parts")).flatMap(({ functionCall: call }) =>
          call ? [{ functionResponse: { ...pick(call, "id"), ...pick(call, "name"), response: { output } } }] : [],
        ),
      },
    ],
  },
};

const pick = (value: unknown, key: string): Json => (at(value, key) === undefined ? {} : { [key]: at(value, key) });

export const WIRES = Object.keys(FORMATS) as WireName[];

/** `headers` go with every request; a session's name among them. */
export function newClient(
  gateway: { url: string },
  server: ModelServer,
  wire: WireName,
  headers: Record<string, string> = {},
): Client {
  const format = FORMATS[wire];
  const history: unknown[] = [];
  const post = async (more: Record<string, string> = {}): Promise<Answered> => {
    const body = format.body([...history]);
    const response = await fetch(`${gateway.url}${format.path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: "Bearer sk-client",
        ...format.agent,
        ...headers,
        ...more,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const sent = server.requests.at(-1) as Recorded;
    if (response.ok) latest = format.answer(JSON.parse(text) as Json);
    if (response.ok) history.push(...latest);
    return { status: response.status, headers: response.headers, text, body, sent };
  };
  let latest: unknown[] = [];
  return {
    wire,
    history,
    say(prompt, more) {
      history.push(format.prompt(prompt));
      return post(more);
    },
    results(text, more) {
      history.push(...format.results(latest, text));
      return post(more);
    },
    async resend(more) {
      while (latest.length > 0 && isDeepStrictEqual(history.slice(-latest.length), latest))
        history.splice(-latest.length);
      return post(more);
    },
  };
}

/** Every text in a body, in order, whatever its format. */
export function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** The blocks of ours in a body, in order. */
export function blocksOf({ body }: Pick<Recorded, "body">, tag = "everlong_state"): string[] {
  return textsOf(body).flatMap((text) => text.match(new RegExp(`<${tag}>\\n[\\s\\S]*?\\n</${tag}>`, "g")) ?? []);
}

/** How many bytes two bodies begin with alike. */
export function sharedPrefix(a: string, b: string): number {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return n;
}
