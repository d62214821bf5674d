// What real clients send: their headers, and bodies written as they write them, for suites that look at bytes.
import type { WireName } from "../model-server/recorded.ts";

export type Client = { path: string; headers: Record<string, string>; wire: WireName };

const json = { "content-type": "application/json", accept: "*/*" };

/** One client of each format. */
export const CLIENTS = {
  chat: {
    wire: "openai-chat",
    path: "/v1/chat/completions",
    headers: { ...json, "User-Agent": "opencode/1.18.2", Authorization: "Bearer sk-chat-1111222233334444" },
  },
  responses: {
    wire: "openai-responses",
    path: "/v1/responses",
    headers: {
      ...json,
      "User-Agent": "codex_cli_rs/0.166.0 (Ubuntu 24.4.0; x86_64) xterm",
      originator: "codex_cli_rs",
      Authorization: "Bearer sk-codex-1111222233334444",
      "OpenAI-Beta": "responses=experimental",
    },
  },
  claude: {
    wire: "anthropic",
    path: "/v1/messages?beta=true",
    headers: {
      ...json,
      "User-Agent": "claude-cli/2.1.325 (external, cli)",
      "x-app": "cli",
      "x-api-key": "sk-ant-1111222233334444",
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14",
    },
  },
  gemini: {
    wire: "gemini",
    path: "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    headers: {
      ...json,
      "User-Agent": "GeminiCLI/0.61.0/gemini-2.5-pro (linux; x64)",
      "x-goog-api-key": "AIza-1111222233334444",
    },
  },
} as const satisfies Record<string, Client>;
export type ClientName = keyof typeof CLIENTS;
export const CLIENT_NAMES = Object.keys(CLIENTS) as ClientName[];

/** The end of a stream without which a client would take a torso for the answer. */
export const STREAMS: Record<ClientName, string> = {
  chat: 'data: {"choices":[{"index":0,"delta":{"content":"hé\\u00e9 漢"}}]}\n\ndata: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  responses:
    'event: response.created\ndata: {"type":"response.created","response":{"id":"r"}}\n\nevent: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"漢"}\n\nevent: response.completed\ndata: {"type":"response.completed","response":{"id":"r","usage":{"input_tokens":5,"output_tokens":1}}}\n\n',
  claude:
    'event: message_start\r\ndata: {"type":"message_start","message":{"usage":{"input_tokens":5}}}\r\n\r\nevent: content_block_delta\r\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"漢"}}\r\n\r\nevent: message_stop\r\ndata: {"type":"message_stop"}\r\n\r\n',
  gemini:
    'data: {"candidates":[{"content":{"parts":[{"text":"漢"}],"role":"model"}}]}\r\n\r\ndata: {"candidates":[{"content":{"parts":[{"text":"."}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5}}\r\n\r\n',
};

/** Bodies that no serialiser would write again the same way. */
export const ODD_BODIES: Record<ClientName, string> = {
  chat: '\n{ "model":"gpt-4o", "temperature" : 1.0, "seed":12345678901234567890, "stream":true,"x-new":{"b":1,"a":[1e2,-0.0]},\n "messages":[ {"role":"system","content":"caf\\u00e9 \\/ \u2028"},{"content":"h\\u0069 漢 👩‍💻","role":"user" , "name":null} ] }\n',
  responses:
    '{"model":"gpt-5.1-codex","stream":true,"store":false,"top_p":1.0,"include":["reasoning.encrypted_content"],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"\\ud83d\\udc69 \\u0041"}]} ,  {"role":"assistant","type":"message","content":[{"type":"output_text","text":"ok","annotations":[]}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"go\\/on"}]}],"parallel_tool_calls":true,"n":9007199254740993}',
  claude:
    '{"max_tokens":32000,"model":"claude-sonnet-4-5","system":[{"type":"text","text":"You are \\"Claude\\".","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"text":"\\u2028hello","type":"text","cache_control":{"type":"ephemeral","ttl":"1h"}}]}],"temperature":1.0,"stream":true,"metadata":{"user_id":"user_0a1b_account__session_5f6b2c9e"},"thinking":{"budget_tokens":31999.0,"type":"enabled"}}',
  gemini:
    '{"contents":[{"role":"user","parts":[{"text":"a\\tb \\u00e9"}]}],\r\n"generationConfig":{"temperature":1.0,"topP":0.950,"thinkingConfig":{"includeThoughts":true}},"systemInstruction":{"parts":[{"text":"x"}]}}',
};
